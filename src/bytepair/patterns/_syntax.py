r"""Regex text -> syntax tree, for the dialect that tokenizers use.

    alternation  a|b           groups  (..) (?:..) (?<name>..) (?>..)   comments  (?#..)
    one character  . and what _sets.py lists
    repeats      ? * + {n} {n,} {n,m}, each lazy (??) or possessive (?+)
    switches     (?i) (?s) (?m) at the beginning of a group, (?i:..) (?i-s:..)
    looks        (?=..) (?!..) (?<=..) (?<!..)
    places       ^ $ \A \z \b \B       line ends  \R

Signs that engines read differently have the meaning that they have in Rust, so in tiktoken: `^` and
`$` are the ends of the text. `\Z`, `\h`, and what else has no settled meaning, is outside.

What is outside raises `UnsupportedError`: the `regex` package then runs the pattern instead.
A regex that is simply wrong raises it too; who catches it asks `regex` for the position.
"""

import re
from dataclasses import replace
from functools import lru_cache

from bytepair.errors import PatternError
from bytepair.patterns._codeset import CodeSet
from bytepair.patterns._sets import Flags, SetReader, UnsupportedError
from bytepair.patterns._tree import (
    ANY,
    END,
    START,
    Atomic,
    Chars,
    Choice,
    Look,
    Mode,
    Node,
    Repeat,
    Sequence,
    word_border,
)
from bytepair.patterns._unicode import long_cases, without_case

__all__ = ["UnsupportedError", "parse"]

_MAX_LENGTH = 100_000  # characters; the longest that is published has 2,000
_NEWLINE = Chars(CodeSet.chars("\n"), r"\n")
_DOT = Chars(~_NEWLINE.codes, r"[^\n]")
_LINE_END = Look(Chars(_DOT.codes, _DOT.source), negated=True)
_LINE_START = Look(Chars(_DOT.codes, _DOT.source), negated=True, behind=True)
_LINE_BREAK = Atomic(
    Choice(
        (
            Sequence((Chars(CodeSet.chars("\r"), r"\r"), _NEWLINE)),
            Chars(CodeSet.chars("\n\v\f\r\x85\u2028\u2029")),
        )
    )
)
_LOOKS = (("=", False, False), ("!", True, False), ("<=", False, True), ("<!", True, True))
_SWITCHES = re.compile(r"([ism]*)(?:-([ism]+))?([:)])")
_GROUP_NAME = re.compile(r"P?<[A-Za-z_]\w*>", re.ASCII)


@lru_cache(maxsize=256)
def parse(pattern: str, *, oniguruma: bool = False) -> Node:
    """The syntax tree of `pattern`; those of the last patterns are kept.

    Args:
        oniguruma: signs mean what they mean to Hugging Face's regex engine.

    Raises:
        UnsupportedError: outside the dialect.
        PatternError: a class that no character is in, or a pattern that is very long.
    """
    if len(pattern) > _MAX_LENGTH:
        raise PatternError(
            f"pattern {pattern[:60]!r} has {len(pattern):,} characters, more than {_MAX_LENGTH:,}."
        )
    parser = _Parser(pattern, oniguruma=oniguruma)
    try:
        node = parser.choice(Flags())
    except RecursionError:
        raise UnsupportedError("groups nested so deep") from None
    if parser.position < len(pattern):
        raise parser.unsupported("an unmatched ')'")
    return node


class _Parser(SetReader):
    def choice(self, flags: Flags) -> Node:
        flags = self.leading_switches(flags)
        options = [self.sequence(flags)]
        while self.accept("|"):
            options.append(self.sequence(flags))
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def leading_switches(self, flags: Flags) -> Flags:
        """`(?i)` where a group begins: for all of it."""
        while self.looking_at("(?"):
            found = _SWITCHES.match(self.pattern, self.position + 2)
            if found is None or found[3] != ")":
                break
            flags = self.switched(flags, found)
        return flags

    def switched(self, flags: Flags, found: re.Match[str]) -> Flags:
        """The flags that a found `i-s:` or `i)` leaves; it has been read then."""
        self.position = found.end()
        for letters, value in ((found[1], True), (found[2] or "", False)):
            if "i" in letters:
                flags = replace(flags, ignore_case=value)
            if "m" in letters and not self.oniguruma:
                flags = replace(flags, lines=value)
            if ("m" if self.oniguruma else "s") in letters:
                flags = replace(flags, dot_is_any=value)
            if "s" in letters and self.oniguruma:
                raise self.unsupported("the switch s")
        return flags

    def sequence(self, flags: Flags) -> Node:
        parts: list[Node] = []
        while self.position < len(self.pattern) and not self.looking_at("|", ")"):
            if self.accept("(?#"):
                self.until(")")
            else:
                parts.append(self.repeated(flags))
        node = parts[0] if len(parts) == 1 else Sequence(tuple(parts))
        if self.oniguruma and flags.ignore_case:
            letters = _letters(node)
            if any(case in letters for case in long_cases().values()):
                raise self.unsupported("letters that equal a single one, their case ignored,")
        return node

    def repeated(self, flags: Flags) -> Node:
        node = self.atom(flags)
        start = self.position
        bounds = self.bounds()
        if bounds is None:
            return node
        if isinstance(node, Look):
            raise self.unsupported("a repeated look")
        if self.oniguruma and self.pattern[start] == "{":
            node = self.braced(
                node, bounds, is_fixed="," not in self.pattern[start : self.position]
            )
        else:
            node = Repeat(node, *bounds, self.mode())
        if self.bounds() is not None:
            raise self.unsupported("a repeat of a repeat")
        return node

    def mode(self) -> Mode:
        return "lazy" if self.accept("?") else "possessive" if self.accept("+") else "greedy"

    def braced(self, node: Node, bounds: tuple[int, int | None], *, is_fixed: bool) -> Node:
        """`{n,m}` in Oniguruma: not possessive, `{n}` not lazy; what follows repeats it again."""
        is_lazy = not is_fixed and self.accept("?")
        node = Repeat(node, *bounds, "lazy" if is_lazy else "greedy")
        if self.looking_at("?", "+"):
            again = self.bounds()
            node = Repeat(node, *again) if again else node
        return node

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

    def atom(self, flags: Flags) -> Node:
        if self.accept("("):
            return self.group(flags)
        if self.looking_at("["):
            return self.bracket(flags)
        if self.accept("."):
            return ANY if flags.dot_is_any else _DOT
        if self.looking_at("\\"):
            return self.place() or self.escaped(flags)
        if self.looking_at("^", "$"):
            return self.border(self.next_chars(), flags)
        if self.looking_at("*", "+", "?", "{", "}"):
            raise self.unsupported(f"{self.next_chars()!r}")
        return self.literal(flags)

    def border(self, char: str, flags: Flags) -> Node:
        if self.oniguruma and char == "^":  # no line begins at the end of the text
            return Choice((START, Sequence((_LINE_START, Look(ANY, negated=False)))))
        if flags.lines or self.oniguruma:
            return _LINE_START if char == "^" else _LINE_END
        return START if char == "^" else END

    def place(self) -> Node | None:
        r"""`\b` and its like; None (and nothing read) for what stands for a character."""
        sign = self.pattern[self.position + 1 : self.position + 2]
        nodes: dict[str, Node] = {"A": START, "z": END, "R": _LINE_BREAK}
        if sign in ("b", "B"):
            nodes[sign] = word_border(self.word(), negated=sign == "B")
        elif self.oniguruma:
            line_end = Choice((Sequence((_NEWLINE, END)), END))
            nodes |= {"Z": Look(line_end, negated=False), "N": _DOT, "O": ANY}
        node = nodes.get(sign)
        self.position += 2 * (node is not None)
        return node

    def group(self, flags: Flags) -> Node:
        atomic = False
        if self.accept("?"):
            for sign, negated, behind in _LOOKS:
                if self.accept(sign):
                    return Look(self.inside(flags), negated, behind)
            named = _GROUP_NAME.match(self.pattern, self.position)
            switches = _SWITCHES.match(self.pattern, self.position)
            if self.accept(">"):
                atomic = True
            elif named:
                self.position = named.end()
            elif switches and switches[3] == ":":
                flags = self.switched(flags, switches)
            else:
                raise self.unsupported("a group of a kind that is not known")
        node = self.inside(flags)
        return Atomic(node) if atomic else node

    def inside(self, flags: Flags) -> Node:
        node = self.choice(flags)
        if not self.accept(")"):
            raise self.unsupported("a missing ')'")
        return node


def _letters(node: Node) -> str:
    r"""The text that a node of single letters matches, folded; "\0" for anything else."""
    if isinstance(node, Sequence):
        return "".join(map(_letters, node.parts))
    if not isinstance(node, Chars):
        return "\0"
    first = chr(node.codes.ranges[0][0])
    is_letter = node.codes == without_case(CodeSet.chars(first))
    return first.casefold() if is_letter else "\0"
