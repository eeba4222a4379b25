r"""Reading what stands for one character.

    classes    [a-z\p{L}] [^..] [a[b-d]] [a-z&&[^k]] [[:alpha:]] [[:^digit:]]
    sets       \s \S \d \D \w \W \p{..} \P{..} \p{^..}    (names: see `property_set`)
    escapes    \n \r \t \f \v \a \e \x41 \x{1F600} \u0041

Any other sign stands for itself.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

from bytepair.errors import PatternError
from bytepair.patterns._codeset import LAST_CODE_POINT, CodeSet
from bytepair.patterns._tree import Chars
from bytepair.patterns._unicode import (
    WHITE_SPACE,
    long_cases,
    posix_set,
    property_set,
    without_case,
    word_set,
)

_CONTROL = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b"}
_HEX = CodeSet.chars("0123456789abcdefABCDEF")
_COMMON_PROPERTY = re.compile("[CLMNPSZ][a-z]?|Alphabetic")
_NOT_ONIGURUMA = re.compile("(?i).*[=:&]|\\^?is")  # ways to name a property
_ONIGURUMA_WORDS = "²³¹¼½¾"
_MAX_RANGES = 1_000_000  # less than a second; the cuts of UnicodeScripts have 450,000
_WORD = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}"  # the part of \w that engines agree on, in their words


class UnsupportedError(Exception):
    """The pattern uses something the compiler does not express exactly; says what and where."""


@dataclass(frozen=True, slots=True)
class Flags:
    """What `(?i)`, `(?s)` and `(?m)` switch on."""

    ignore_case: bool = False
    dot_is_any: bool = False
    lines: bool = False


class Item(NamedTuple):
    """A set of code points, and how every engine writes it inside a class ("": written out)."""

    codes: CodeSet
    text: str = ""

    @property
    def single(self) -> int | None:
        """The code point, if it is the only one."""
        first, last = self.codes.ranges[0] if len(self.codes.ranges) == 1 else (0, 1)
        return first if first == last else None


class SetReader:
    """Reads a pattern from its beginning on; the parser adds what is more than one character.

    Args:
        oniguruma: signs mean what they mean to Hugging Face's regex engine.
    """

    def __init__(self, pattern: str, *, oniguruma: bool = False) -> None:
        self.pattern = pattern
        self.position = 0
        self.oniguruma = oniguruma
        self.ranges_left = _MAX_RANGES

    def counted(self, codes: CodeSet) -> CodeSet:
        """The set, its ranges counted: a pattern must not be long work to read."""
        self.ranges_left -= len(codes.ranges)
        if self.ranges_left < 0:
            raise self.unsupported("so many ranges in its classes")
        return codes

    def unsupported(self, what: str) -> UnsupportedError:
        return UnsupportedError(f"{what} at position {self.position}")

    def looking_at(self, *texts: str) -> bool:
        return self.pattern.startswith(texts, self.position)

    def accept(self, text: str) -> bool:
        found = self.looking_at(text)
        if found:
            self.position += len(text)
        return found

    def next_chars(self, n: int = 1) -> str:
        if self.position + n > len(self.pattern):
            raise self.unsupported("an unfinished pattern")
        self.position += n
        return self.pattern[self.position - n : self.position]

    def until(self, end: str) -> str:
        stop = self.pattern.find(end, self.position)
        if stop < 0:
            raise self.unsupported(f"a missing {end!r}")
        text = self.pattern[self.position : stop]
        self.position = stop + len(end)
        return text

    # ------------------------------------------------------------------ single signs

    def word(self, *, negated: bool = False) -> Chars:
        r"""What `\w` (`negated`: `\W`) matches, outside a class."""
        codes, text = self.word_in_class()
        if self.oniguruma:
            codes, text = codes | CodeSet.chars(_ONIGURUMA_WORDS), text + _ONIGURUMA_WORDS
        return Chars(~codes, f"[^{text}]") if negated else Chars(codes, f"[{text}]")

    def word_in_class(self) -> Item:
        r"""`\w` in a class; Oniguruma, alone, has fewer characters in it there."""
        if self.oniguruma:
            return Item(posix_set("word") or CodeSet(()), _WORD)
        return Item(word_set(), _WORD + r"\u200C\u200D")

    def literal(self, flags: Flags) -> Chars:
        char = self.next_chars()
        return Chars(*self.folded(Item(CodeSet.chars(char), char), flags))

    def escaped(self, flags: Flags) -> Chars:
        """What a backslash and the signs behind it match, outside a class."""
        if self.looking_at(r"\w", r"\W"):
            return self.word(negated=self.next_chars(2) == r"\W")
        item = self.escape(flags)
        return Chars(*(item if item.single is None else self.folded(item, flags)))

    def folded(self, item: Item, flags: Flags) -> Item:
        """The set with both cases of each letter, if case is ignored."""
        if not flags.ignore_case:
            return item
        if self.oniguruma and any(ord(letter) in item.codes for letter in long_cases()):
            raise self.unsupported("a letter that equals several, its case ignored,")
        codes = self.counted(without_case(item.codes))
        return item if codes == item.codes else Item(codes)

    def escape(self, flags: Flags) -> Item:
        """An escape, with case ignored in properties only: a sign may be the end of a range."""
        start = self.position
        self.position += 1
        item, is_common = self.escape_item(self.next_chars(), flags)
        return Item(self.counted(item), self.pattern[start : self.position] if is_common else "")

    def escape_item(self, char: str, flags: Flags) -> tuple[CodeSet, bool]:
        """(the set, do all engines know this way to write it?)."""
        if char in "pP" and not (self.oniguruma and not self.looking_at("{")):
            return self.property(Flags() if self.oniguruma else flags, negated=char == "P")
        if char in "wW":
            codes = self.word_in_class().codes
            return (~codes if char == "W" else codes), False
        if char in "sSdD":
            codes = WHITE_SPACE if char in "sS" else property_set("Nd") or CodeSet(())
            return (~codes if char.isupper() else codes), True
        if char == "h" and self.oniguruma:
            return _HEX, False
        if char == "x" or char == "u":
            return self.numbered(char)
        if char in _CONTROL:
            return CodeSet.chars(_CONTROL[char]), char != "e"
        if (char.isalnum() and char not in "pP") or not char.isascii():
            raise self.unsupported(f"the escape \\{char}")
        return CodeSet.chars(char), char not in "pP<>"

    def property(self, flags: Flags, *, negated: bool) -> tuple[CodeSet, bool]:
        is_braced = self.accept("{")
        name = self.until("}") if is_braced else self.next_chars()
        codes = property_set(name.removeprefix("^"))
        if codes is None or (self.oniguruma and _NOT_ONIGURUMA.match(name)):
            raise self.unsupported(f"the property {name!r}")
        folded = self.folded(Item(codes, name), flags)
        is_common = is_braced and _COMMON_PROPERTY.fullmatch(folded.text) is not None
        negated = negated != name.startswith("^")
        return (~folded.codes if negated else folded.codes), is_common

    def numbered(self, char: str) -> tuple[CodeSet, bool]:
        is_braced = char == "x" and self.accept("{")
        digits = self.until("}") if is_braced else self.next_chars(4 if char == "u" else 2)
        try:
            code = int(digits, 16)
        except ValueError:
            code = -1
        if not 0 <= code <= LAST_CODE_POINT:
            raise self.unsupported(f"the code point {digits!r}")
        if self.oniguruma and char == "x" and not is_braced and code > 127:
            raise self.unsupported(r"a single byte (write \x{..})")
        return CodeSet.of([(code, code)]), char == "u" or (not is_braced and code < 128)

    # ------------------------------------------------------------------ classes

    def bracket(self, flags: Flags) -> Chars:
        """A class. Oniguruma ignores case in it as a whole, the others in each of its parts."""
        self.position += 1
        negated = self.accept("^")
        item = self.intersection(Flags() if self.oniguruma else flags)
        if self.oniguruma and negated and flags.ignore_case:
            item = Item(without_case(item.codes))
        elif self.oniguruma:
            item = self.folded(item, flags)
        codes = ~item.codes if negated else item.codes
        if not codes.ranges:
            raise PatternError(
                f"pattern {self.pattern!r}: no character is in the class that ends at position "
                f"{self.position}, so it matches nothing. Leave it out."
            )
        return Chars(codes, f"[{'^' * negated}{item.text}]" if item.text else "")

    def intersection(self, flags: Flags) -> Item:
        item = self.union(flags)
        while self.accept("&&"):
            item = Item(self.counted(item.codes & self.union(flags).codes))
        self.position += 1  # the closing bracket
        return item

    def union(self, flags: Flags) -> Item:
        """What stands before the closing bracket or the next `&&`."""
        if self.looking_at("]", "&&"):  # engines disagree what a leading ']' means
            raise self.unsupported("an empty class, or one that begins with ']',")
        parts = []
        while not self.looking_at("]", "&&"):
            if self.looking_at("--", "~~", "||"):  # set algebra in some engines only
                raise self.unsupported("a doubled sign in a class")
            parts.append(self.part(flags))
        codes = self.counted(CodeSet.of(span for part in parts for span in part.codes.ranges))
        texts = [part.text for part in parts]
        return Item(codes, "".join(texts) if all(texts) else "")

    def part(self, flags: Flags) -> Item:
        """A character, a range, a set or a class inside the class."""
        if self.accept("[:"):
            return self.posix(flags)
        if self.accept("["):
            negated = self.accept("^")
            codes = self.intersection(flags).codes
            return Item(~codes if negated else codes)
        low = self.member(flags)
        if not self.looking_at("-") or self.looking_at("-]", "-&&"):
            return low if low.single is None else self.folded(low, flags)
        if self.looking_at("--"):
            raise self.unsupported("a doubled sign in a class")
        self.position += 1
        high = self.member(flags)
        if low.single is None or high.single is None or low.single > high.single:
            raise self.unsupported("a range that does not run from one character to a later one")
        text = f"{low.text}-{high.text}" if low.text and high.text else ""
        return self.folded(Item(CodeSet.of([(low.single, high.single)]), text), flags)

    def member(self, flags: Flags) -> Item:
        if self.accept(r"\b"):
            return Item(CodeSet.chars("\b"), r"\x08")
        if self.accept(r"\w"):
            return self.word_in_class()
        if self.looking_at("\\"):
            return self.escape(flags)
        char = self.next_chars()
        return Item(CodeSet.chars(char), char)

    def posix(self, flags: Flags) -> Item:
        """`[:alpha:]`, its beginning read: Unicode's letters as in Oniguruma; Rust's are ASCII."""
        name = self.until(":]")
        codes = posix_set(name.removeprefix("^"))
        if codes is None:
            raise self.unsupported(f"the class [:{name[:20]}:]")
        codes = self.folded(Item(codes), flags).codes
        return Item(~codes if name.startswith("^") else codes)
