"""The syntax tree of a pattern, and how it is written as a regex again."""

from dataclasses import dataclass, field
from typing import Literal

from bytepair.patterns._codeset import CodeSet

Mode = Literal["greedy", "lazy", "possessive"]


@dataclass(frozen=True, slots=True)
class Chars:
    """One character out of a set.

    Attributes:
        source: the text that stands for the set in every engine, on text that all Unicode
            versions see alike; "" if it has to be written out.
    """

    codes: CodeSet
    source: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Look:
    """What follows (`behind`: precedes) matches (`negated`: does not); consumes nothing."""

    node: "Node"
    negated: bool
    behind: bool = False


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
    mode: Mode = "greedy"


@dataclass(frozen=True, slots=True)
class Atomic:
    """The first way in which `node` matches is the only one that is tried."""

    node: "Node"


Node = Chars | Look | Sequence | Choice | Repeat | Atomic

ANY = Chars(~CodeSet(()), r"[\s\S]")
END = Look(ANY, negated=True)
START = Look(ANY, negated=True, behind=True)


def word_border(word: Chars, *, negated: bool) -> Node:
    r"""`\b` (`negated`: `\B`) if `\w` is `word`."""
    behind, ahead = Look(word, False, behind=True), Look(word, False)
    not_behind, not_ahead = Look(word, True, behind=True), Look(word, True)
    if negated:
        return Choice((Sequence((behind, ahead)), Sequence((not_behind, not_ahead))))
    return Choice((Sequence((behind, not_ahead)), Sequence((not_behind, ahead))))


def can_be_empty(node: Node) -> bool:
    """True if the node can match without consuming a character."""
    match node:
        case Chars():
            return False
        case Look():
            return True
        case Sequence(parts):
            return all(map(can_be_empty, parts))
        case Choice(options):
            return any(map(can_be_empty, options))
        case Repeat(repeated, least):
            return least == 0 or can_be_empty(repeated)
        case Atomic(inner):
            return can_be_empty(inner)


def spelled(node: Node, code_point: str = "\\x{{{:X}}}", *, exact: bool = True) -> str:
    r"""The regex of a tree, in signs that every engine reads alike.

    Args:
        code_point: how a code point is written, as a format; `regex` knows another than the rest.
        exact: write every set out from the pinned tables; otherwise a set may keep its source.

    >>> spelled(Repeat(Chars(CodeSet.chars("ab")), 1, None, "possessive"))
    '(?>[\\x{61}-\\x{62}]+)'
    """
    return _Speller(code_point, exact).text(node)


@dataclass(frozen=True, slots=True)
class _Speller:
    code_point: str
    exact: bool

    def text(self, node: Node) -> str:
        match node:
            case Chars(codes, source):
                return source if source and not self.exact else f"[{self.inside(codes)}]"
            case Look(inner, negated, behind):
                return f"(?{'<' * behind}{'!' if negated else '='}{self.text(inner)})"
            case Sequence(parts):
                return "".join(map(self.part, parts))
            case Choice(options):
                return "|".join(map(self.text, options))
            case Atomic(inner):
                return f"(?>{self.text(inner)})"
            case Repeat():
                return self.repeat(node)

    def part(self, node: Node) -> str:
        return f"(?:{self.text(node)})" if isinstance(node, Choice) else self.text(node)

    def repeat(self, node: Repeat) -> str:
        is_one = isinstance(node.node, Chars | Atomic)
        inner = self.text(node.node) if is_one else f"(?:{self.text(node.node)})"
        is_lazy = node.mode == "lazy" and node.least != node.most
        text = inner + _bounds(node.least, node.most) + "?" * is_lazy
        return f"(?>{text})" if node.mode == "possessive" else text

    def inside(self, codes: CodeSet) -> str:
        return "".join(
            self.code_point.format(low) + (f"-{self.code_point.format(high)}" if high > low else "")
            for low, high in codes.ranges
        )


def _bounds(least: int, most: int | None) -> str:
    sign = {(0, 1): "?", (0, None): "*", (1, None): "+"}.get((least, most))
    if sign:
        return sign
    return f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"
