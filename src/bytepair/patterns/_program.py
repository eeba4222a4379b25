"""Syntax tree -> instructions (Thompson's construction).

Instructions are built from the end: each is emitted with the one that follows it. Looks and atomic
groups are programs of their own inside the program; all of them end at the same instruction,
`MATCH`.
"""

from dataclasses import dataclass

from bytepair.patterns._codeset import CodeSet
from bytepair.patterns._sets import UnsupportedError
from bytepair.patterns._tree import (
    Atomic,
    Chars,
    Choice,
    Look,
    Node,
    Repeat,
    Sequence,
    can_be_empty,
)

MATCH = 0

_MAX_INSTRUCTIONS = 5_000


@dataclass(slots=True)
class Read:
    """Consume one character of set number `codes`, go to `next`."""

    codes: int
    next: int


@dataclass(slots=True)
class Ahead:
    """Go to `next` if the instructions from `body` on lead to a match (`negated`: do not)."""

    body: int
    negated: bool
    next: int


@dataclass(slots=True)
class Behind:
    """Go to `next` if the last character is (`negated`: is not) in set number `codes`."""

    codes: int
    negated: bool
    next: int


@dataclass(slots=True)
class Commit:
    """Go to `next` where the preferred match of the instructions from `body` on ends."""

    body: int
    next: int


@dataclass(slots=True)
class Fork:
    """Try each of `next`, the first one preferred."""

    next: tuple[int, ...]


Instruction = Read | Ahead | Behind | Commit | Fork


class Program:
    """The instructions of a pattern.

    Attributes:
        start: the first instruction.
        number_by_set: the sets of code points that are asked for, each with its number.
        looks_behind: whether any instruction asks for the last character.

    Raises:
        UnsupportedError: a repeat of what can be empty, a look at more than one character behind,
            or too many instructions.
    """

    def __init__(self, node: Node) -> None:
        self.instructions: list[Instruction] = [Fork(())]
        self.number_by_set: dict[CodeSet, int] = {}
        self.looks_behind = False
        self.start = self.emit(node, MATCH)

    def add(self, instruction: Instruction) -> int:
        if len(self.instructions) >= _MAX_INSTRUCTIONS:
            raise UnsupportedError("too many repeats")
        self.instructions.append(instruction)
        return len(self.instructions) - 1

    def set_number(self, codes: CodeSet) -> int:
        return self.number_by_set.setdefault(codes, len(self.number_by_set))

    def emit(self, node: Node, after: int) -> int:
        """Instructions for `node`, followed by `after`; returns the first."""
        match node:
            case Chars(codes):
                return self.add(Read(self.set_number(codes), after))
            case Look(inner, negated, behind):
                return self.emit_look(inner, negated, behind, after)
            case Atomic(inner):
                return self.add(Commit(self.emit(inner, MATCH), after))
            case Choice(options):
                return self.add(Fork(tuple(self.emit(option, after) for option in options)))
            case Repeat():
                return self.emit_repeat(node, after)
            case Sequence(parts):
                for part in reversed(parts):
                    after = self.emit(part, after)
        return after

    def emit_look(self, inner: Node, negated: bool, behind: bool, after: int) -> int:
        if not behind:
            return self.add(Ahead(self.emit(inner, MATCH), negated, after))
        if not isinstance(inner, Chars):
            raise UnsupportedError("a look at more than one character behind")
        self.looks_behind = True
        return self.add(Behind(self.set_number(inner.codes), negated, after))

    def emit_repeat(self, node: Repeat, after: int) -> int:
        if node.most is not None and node.most < node.least:
            raise UnsupportedError("a repeat whose limits are reversed")
        if can_be_empty(node.node):
            raise UnsupportedError("a repeat of something that can be empty")
        if node.mode == "possessive" and not isinstance(node.node, Chars):
            greedy = Repeat(node.node, node.least, node.most)
            return self.add(Commit(self.emit(greedy, MATCH), after))
        leave = self.exit_of(node, after)
        first = self.emit_loop(node, leave) if node.most is None else after
        # The last of the allowed repeats leaves without a look: there is nothing it could add.
        for _ in range((node.most or node.least) - node.least):
            first = self.fork(node, self.emit(node.node, first), leave)
        for _ in range(node.least):
            first = self.emit(node.node, first)
        return first

    def emit_loop(self, node: Repeat, leave: int) -> int:
        loop = self.fork(node, leave, leave)
        body = self.emit(node.node, loop)
        self.instructions[loop] = Fork((leave, body) if node.mode == "lazy" else (body, leave))
        return loop

    def fork(self, node: Repeat, body: int, leave: int) -> int:
        return self.add(Fork((leave, body) if node.mode == "lazy" else (body, leave)))

    def exit_of(self, node: Repeat, after: int) -> int:
        """Where the repeat ends early: a possessive one only where it cannot go on."""
        if node.mode != "possessive":
            return after
        return self.add(Ahead(self.emit(node.node, MATCH), True, after))
