r"""Regex text -> syntax tree, for the dialect that tokenizers use.

    alternation  a|b        groups  (..) (?:..) (?i:..)       any character but \n  .
    classes  [a-z\p{L}] [^..] \p{L} \P{L} \s \S \d \D \w \W
    escapes  \n \r \t \f \v \x41 \x{1F600} \u0041
    repeats  ? * + {n} {n,} {n,m}, each lazy (??) or possessive (?+)
    one character ahead  (?=\s) (?!\S)

What is outside raises `UnsupportedError`: the `regex` package then runs the pattern instead.
A regex that is simply wrong raises it too; who catches it asks `regex` for the position.
"""

from dataclasses import dataclass
from typing import Literal

from bytepair.errors import PatternError
from bytepair.patterns._codeset import LAST_CODE_POINT, CodeSet
from bytepair.patterns._unicode import WHITE_SPACE, property_set, word_set

Mode = Literal["greedy", "lazy", "possessive"]


class UnsupportedError(Exception):
    """The pattern uses something the compiler does not express exactly; says what and where."""


@dataclass(frozen=True, slots=True)
class Chars:
    """One character out of a set."""

    codes: CodeSet


@dataclass(frozen=True, slots=True)
class Look:
    """The next character is in the set (`negated`: is not, or the text ends); consumes nothing."""

    codes: CodeSet
    negated: bool


@dataclass(frozen=True, slots=True)
class Sequence:
    """One part after the other."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The first option that leads to a match wins."""

    options: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """`least` to `most` times (`most` None: any number)."""

    node: "Node"
    least: int
    most: int | None
    mode: Mode


Node = Chars | Look | Sequence | Choice | Repeat

_CONTROL = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v"}
_DOT = ~CodeSet.chars("\n")
# Simple case folding beyond A-Z: the only other code points that fold to an ASCII letter.
_FOLDS = {"s": "\u017f", "k": "\u212a"}


def parse(pattern: str) -> Node:
    """The syntax tree of `pattern`.

    Raises:
        UnsupportedError: outside the dialect.
        PatternError: a class that no character is in.
    """
    parser = _Parser(pattern)
    node = parser.choice(ignore_case=False)
    if parser.position < len(pattern):
        raise parser.unsupported("an unmatched ')'")
    return node


def spelled(node: Node) -> str:
    r"""The regex of a syntax tree in the spelling of `regex`, every set written out.

    >>> spelled(parse("(?i:a)+?"))
    '(?:[\\U00000041-\\U00000041\\U00000061-\\U00000061]){1,}?'
    """
    match node:
        case Chars(codes):
            return f"[{inside_class(codes)}]"
        case Look(codes, negated):
            return f"(?{'!' if negated else '='}[{inside_class(codes)}])"
        case Sequence(parts):
            return "".join(map(spelled, parts))
        case Choice(options):
            return f"(?:{'|'.join(map(spelled, options))})"
        case Repeat(repeated, least, most, mode):
            sign = {"greedy": "", "lazy": "?", "possessive": "+"}[mode]
            return f"(?:{spelled(repeated)}){{{least},{'' if most is None else most}}}{sign}"


def inside_class(codes: CodeSet) -> str:
    """The code points as the inside of a class."""
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in codes.ranges)


class _Parser:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.position = 0

    def unsupported(self, what: str) -> UnsupportedError:
        return UnsupportedError(f"{what} at position {self.position}")

    def looking_at(self, text: str) -> bool:
        return self.pattern.startswith(text, self.position)

    def accept(self, text: str) -> bool:
        found = self.looking_at(text)
        if found:
            self.position += len(text)
        return found

    def next_char(self) -> str:
        if self.position >= len(self.pattern):
            raise self.unsupported("an unfinished pattern")
        self.position += 1
        return self.pattern[self.position - 1]

    def until(self, end: str) -> str:
        stop = self.pattern.find(end, self.position)
        if stop < 0:
            raise self.unsupported(f"a missing {end!r}")
        text = self.pattern[self.position : stop]
        self.position = stop + len(end)
        return text

    def choice(self, ignore_case: bool) -> Node:
        options = [self.sequence(ignore_case)]
        while self.accept("|"):
            options.append(self.sequence(ignore_case))
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def sequence(self, ignore_case: bool) -> Node:
        parts: list[Node] = []
        while self.position < len(self.pattern) and self.pattern[self.position] not in "|)":
            parts.append(self.repeated(ignore_case))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def repeated(self, ignore_case: bool) -> Node:
        node = self.atom(ignore_case)
        bounds = self.bounds()
        if bounds is None:
            return node
        if isinstance(node, Look):
            raise self.unsupported("a repeated lookahead")
        mode: Mode = "lazy" if self.accept("?") else "possessive" if self.accept("+") else "greedy"
        if self.bounds() is not None:
            raise self.unsupported("a repeat of a repeat")
        return Repeat(node, *bounds, mode)

    def bounds(self) -> tuple[int, int | None] | None:
        for sign, bounds in (("?", (0, 1)), ("*", (0, None)), ("+", (1, None))):
            if self.accept(sign):
                return bounds
        if not self.accept("{"):
            return None
        least, comma, most = self.until("}").partition(",")
        if len(least + most) > 9 or not (
            least.isdigit() and (most.isdigit() or not most) and (least + most).isascii()
        ):
            raise self.unsupported("a brace that is not {n}, {n,} or {n,m}")
        return int(least), (int(most) if most else None) if comma else int(least)

    def atom(self, ignore_case: bool) -> Node:
        char = self.next_char()
        if char == "(":
            return self.group(ignore_case)
        if char == "[":
            return Chars(self.bracket(ignore_case))
        if char == ".":
            return Chars(_DOT)
        if char == "\\":
            return Chars(self.folded(self.escape(), ignore_case))
        if char in "^$*+?{}":
            raise self.unsupported(f"{char!r}")
        return Chars(self.folded(CodeSet.chars(char), ignore_case))

    def group(self, ignore_case: bool) -> Node:
        if self.accept("?"):
            for sign in ("=", "!"):
                if self.accept(sign):
                    return self.lookahead(negated=sign == "!", ignore_case=ignore_case)
            if self.accept("i:"):
                ignore_case = True
            elif not self.accept(":"):
                raise self.unsupported("a group that is not (..), (?:..), (?i:..), (?=.) or (?!.)")
        node = self.choice(ignore_case)
        if not self.accept(")"):
            raise self.unsupported("a missing ')'")
        return node

    def lookahead(self, *, negated: bool, ignore_case: bool) -> Look:
        node = self.choice(ignore_case)
        if not isinstance(node, Chars) or not self.accept(")"):
            raise self.unsupported("a lookahead over more than one character")
        return Look(node.codes, negated)

    def folded(self, codes: CodeSet, ignore_case: bool) -> CodeSet:
        """The set with both cases of each letter, if case is ignored."""
        if not ignore_case:
            return codes
        if codes.ranges and codes.ranges[-1][1] > 127:
            raise self.unsupported("a non-ASCII character where case is ignored")
        letters = [chr(c) for low, high in codes.ranges for c in range(low, high + 1)]
        pairs = [c.lower() + c.upper() + _FOLDS.get(c.lower(), "") for c in letters]
        return CodeSet.chars("".join(pairs))

    def escape(self) -> CodeSet:
        char = self.next_char()
        if char in _CONTROL:
            return CodeSet.chars(_CONTROL[char])
        if char in "pPsSdDwW":
            codes = self.class_escape(char.lower())
            return ~codes if char.isupper() else codes
        if char == "x":
            digits = self.until("}") if self.accept("{") else self.next_char() + self.next_char()
            return self.code_point(digits)
        if char == "u":
            return self.code_point("".join(self.next_char() for _ in range(4)))
        if char.isalnum() or not char.isascii():
            raise self.unsupported(f"the escape \\{char}")
        return CodeSet.chars(char)

    def class_escape(self, kind: str) -> CodeSet:
        if kind == "s":
            return WHITE_SPACE
        if kind == "w":
            return word_set()
        name = "Nd" if kind == "d" else self.until("}") if self.accept("{") else self.next_char()
        codes = property_set(name)
        if codes is None:
            raise self.unsupported(f"the property {name!r}")
        return codes

    def code_point(self, digits: str) -> CodeSet:
        try:
            code = int(digits, 16)
        except ValueError:
            code = -1
        if not 0 <= code <= LAST_CODE_POINT:
            raise self.unsupported(f"the code point {digits!r}")
        return CodeSet.of([(code, code)])

    def bracket(self, ignore_case: bool) -> CodeSet:
        negated = self.accept("^")
        if self.looking_at("]"):  # engines disagree whether it closes or is meant
            raise self.unsupported("a class that begins with ']'")
        ranges: list[tuple[int, int]] = []
        while not self.accept("]"):
            # A doubled sign or an inner bracket means set algebra in some engines, not in others.
            if any(self.looking_at(sign) for sign in ("[", "&&", "--", "~~", "||")):
                raise self.unsupported("a set inside a set")
            low = self.bracket_item()
            if self.looking_at("--"):
                raise self.unsupported("a set inside a set")
            if self.looking_at("-") and not self.looking_at("-]"):
                self.position += 1
                low = self.bracket_range(low, self.bracket_item())
            ranges.extend(low.ranges)
        codes = CodeSet.of(ranges)
        if negated and ignore_case:
            raise self.unsupported("a negated class where case is ignored")
        if negated and not (~codes).ranges:  # `regex` would let it match anything
            raise PatternError(
                f"pattern {self.pattern!r}: no character is in the class that ends at position "
                f"{self.position}, so it matches nothing. Leave it out."
            )
        return ~codes if negated else self.folded(codes, ignore_case)

    def bracket_item(self) -> CodeSet:
        char = self.next_char()
        return self.escape() if char == "\\" else CodeSet.chars(char)

    def bracket_range(self, low: CodeSet, high: CodeSet) -> CodeSet:
        single = all(len(s.ranges) == 1 and s.ranges[0][0] == s.ranges[0][1] for s in (low, high))
        if not single or low.ranges[0][0] > high.ranges[0][0]:
            raise self.unsupported("a range that does not run from one character to a later one")
        return CodeSet.of([(low.ranges[0][0], high.ranges[0][0])])
