"""Syntax tree -> automaton: the tables that cut text without a regex engine.

The tree becomes a list of instructions (Thompson's construction), and sets of instructions in
order of preference become states (Cox, https://swtch.com/~rsc/regexp/regexp2.html): a thread that
reaches the end of the pattern cuts off all threads it is preferred to, which gives the
leftmost-first matches of Perl, Python and Rust. One character of lookahead is free, because a
state decides only when it sees the next character whether the match ends before it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bytepair.patterns._codeset import LAST_CODE_POINT, CodeSet
from bytepair.patterns._syntax import (
    Chars,
    Choice,
    Look,
    Node,
    Repeat,
    UnsupportedError,
)

_MAX_INSTRUCTIONS = 5_000
_MAX_STATES = 2_000
_MAX_STEPS = 2_000_000  # about a second: a pattern that needs more is left to a regex engine
_PAGE = 256  # code points whose classes are stored together


@dataclass(frozen=True, eq=False)
class Automaton:
    """Tables that find the pre-token starting at a position.

    Walk from state 1: look at the next character's class `c` (or `n_classes` at the end of the
    text) and at `entry = transitions[state, c]`. If `entry & 1`, a pre-token may end *before* this
    character. `entry >> 1` is the next state; 0 means that the last such end is the answer.

    Attributes:
        pages: uint16[0x1100], for each 256 code points the row of `classes` that describes them.
        classes: uint8[n, 256], class of each code point.
        invalid_class: class of a byte that is not part of valid UTF-8; it counts as a lone
            surrogate.
        transitions: uint16[n_states, n_classes + 1].
    """

    pages: NDArray[np.uint16]
    classes: NDArray[np.uint8]
    invalid_class: int
    transitions: NDArray[np.uint16]

    @property
    def n_classes(self) -> int:
        """Number of character classes."""
        return int(self.transitions.shape[1]) - 1

    def class_of(self, code: int) -> int:
        """Class of a code point."""
        return int(self.classes[self.pages[code // _PAGE], code % _PAGE])


@dataclass(slots=True)
class _Read:
    """Consume one character of set number `codes`, go to `next`."""

    codes: int
    next: int


@dataclass(slots=True)
class _Check:
    """Go to `next` if the next character is (`negated`: is not) in set number `codes`."""

    codes: int
    negated: bool
    next: int


@dataclass(slots=True)
class _Fork:
    """Try each of `next`, the first one preferred; no target means: the pattern has matched."""

    next: tuple[int, ...]


_Instruction = _Read | _Check | _Fork


def build(node: Node) -> Automaton:
    """Compile a syntax tree.

    Raises:
        UnsupportedError: it can match the empty text, repeats something that can, makes an
            atomic repeat of more than one character, or needs too many states.
    """
    program = _Program()
    start = program.emit(node, program.match)
    if program.can_reach_match(start):
        raise UnsupportedError("a pattern that can match the empty text")
    class_of_code, sets_of_class = _classify(program.sets)
    transitions = _determinize(program, start, sets_of_class)
    pages, classes = _paginate(class_of_code)
    escaped = class_of_code[0xDC80:0xDD00]
    if (escaped != escaped[0]).any():
        raise UnsupportedError("a set that names single surrogates")
    return Automaton(pages, classes, int(escaped[0]), transitions)


class _Program:
    """Instructions, built from the end: each is emitted with the one that follows it."""

    def __init__(self) -> None:
        self.instructions: list[_Instruction] = []
        self.sets: list[CodeSet] = []
        self.steps_left = _MAX_STEPS
        self.match = self.add(_Fork(()))

    def add(self, instruction: _Instruction) -> int:
        if len(self.instructions) >= _MAX_INSTRUCTIONS:
            raise UnsupportedError("too many repeats")
        self.instructions.append(instruction)
        return len(self.instructions) - 1

    def set_number(self, codes: CodeSet) -> int:
        if codes not in self.sets:
            self.sets.append(codes)
        return self.sets.index(codes)

    def emit(self, node: Node, after: int) -> int:
        """Instructions for `node`, followed by `after`; returns the first."""
        if isinstance(node, Chars):
            return self.add(_Read(self.set_number(node.codes), after))
        if isinstance(node, Look):
            return self.add(_Check(self.set_number(node.codes), node.negated, after))
        if isinstance(node, Choice):
            return self.add(_Fork(tuple(self.emit(option, after) for option in node.options)))
        if isinstance(node, Repeat):
            return self.emit_repeat(node, after)
        for part in reversed(node.parts):
            after = self.emit(part, after)
        return after

    def emit_repeat(self, node: Repeat, after: int) -> int:
        if node.most is not None and node.most < node.least:
            raise UnsupportedError("a repeat whose limits are reversed")
        if _can_be_empty(node.node):
            raise UnsupportedError("a repeat of something that can be empty")
        leave = self.exit_of(node, after)
        first = self.emit_loop(node, leave) if node.most is None else after
        # The last of the allowed repeats leaves without a look: there is nothing it could add.
        for _ in range((node.most or node.least) - node.least):
            first = self.fork(node, self.emit(node.node, first), leave)
        for _ in range(node.least):
            first = self.emit(node.node, first)
        return first

    def emit_loop(self, node: Repeat, leave: int) -> int:
        loop = self.add(_Fork(()))
        body = self.emit(node.node, loop)
        self.instructions[loop] = _Fork((leave, body) if node.mode == "lazy" else (body, leave))
        return loop

    def fork(self, node: Repeat, body: int, leave: int) -> int:
        return self.add(_Fork((leave, body) if node.mode == "lazy" else (body, leave)))

    def exit_of(self, node: Repeat, after: int) -> int:
        """Where the repeat ends early: a possessive one only where it cannot go on."""
        if node.mode != "possessive":
            return after
        if not isinstance(node.node, Chars):
            raise UnsupportedError("a possessive repeat of more than one character")
        return self.add(_Check(self.set_number(node.node.codes), True, after))

    def can_reach_match(self, start: int) -> bool:
        """True if the match can be reached without consuming a character."""
        seen: set[int] = set()
        waiting = [start]
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            instruction = self.instructions[number]
            if isinstance(instruction, _Fork):
                waiting.extend(instruction.next)
            elif isinstance(instruction, _Check):
                waiting.append(instruction.next)
        return self.match in seen

    def spend(self) -> None:
        """Count a step of building the states."""
        self.steps_left -= 1
        if self.steps_left < 0:
            raise UnsupportedError("so many choices")

    def unforked(self, number: int) -> Iterator[int]:
        """The reads, checks and matches that `number` leads to, preferred ones first."""
        seen: set[int] = set()
        waiting = [number]
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            self.spend()
            instruction = self.instructions[number]
            if isinstance(instruction, _Fork) and number != self.match:
                waiting.extend(reversed(instruction.next))
            else:
                yield number


def _can_be_empty(node: Node) -> bool:
    if isinstance(node, Chars):
        return False
    if isinstance(node, Choice):
        return any(map(_can_be_empty, node.options))
    if isinstance(node, Repeat):
        return node.least == 0 or _can_be_empty(node.node)
    return isinstance(node, Look) or all(map(_can_be_empty, node.parts))


_State = tuple[int, ...]


def _determinize(program: _Program, start: int, sets_of_class: list[int]) -> NDArray[np.uint16]:
    dead: _State = ()
    states = [dead, tuple(program.unforked(start))]
    number_by_state = {state: number for number, state in enumerate(states)}
    rows = [[0] * (len(sets_of_class) + 1)]
    while len(rows) < len(states):
        row = []
        for sets in [*sets_of_class, None]:
            target, accepts = _step(program, states[len(rows)], sets)
            if target not in number_by_state:
                number_by_state[target] = len(states)
                states.append(target)
            row.append(number_by_state[target] << 1 | accepts)
        rows.append(row)
        if len(states) > _MAX_STATES:
            raise UnsupportedError("too many states")
    return np.array(rows, dtype=np.uint16)


def _step(program: _Program, state: _State, sets: int | None) -> tuple[_State, bool]:
    """The state after a character that is in `sets` (bits; None: the text ends)."""
    target: dict[int, None] = {}
    waiting = list(reversed(state))
    seen: set[int] = set()
    while waiting:
        number = waiting.pop()
        if number in seen:
            continue
        seen.add(number)
        program.spend()
        if number == program.match:
            return tuple(target), True
        instruction = program.instructions[number]
        if isinstance(instruction, _Fork):
            waiting.extend(reversed(instruction.next))
            continue
        inside = sets is not None and bool(sets >> instruction.codes & 1)
        if isinstance(instruction, _Check):
            if inside != instruction.negated:
                waiting.append(instruction.next)
        elif inside:
            target.update(dict.fromkeys(program.unforked(instruction.next)))
    return tuple(target), False


def _classify(sets: Sequence[CodeSet]) -> tuple[NDArray[np.uint8], list[int]]:
    """(class of every code point, for each class the bits of the sets that hold it)."""
    change_by_code: dict[int, int] = {0: 0}
    for number, codes in enumerate(sets):
        for low, high in codes.ranges:
            for code in (low, high + 1):
                change_by_code[code] = change_by_code.get(code, 0) ^ 1 << number
    change_by_code.pop(LAST_CODE_POINT + 1, None)
    starts = sorted(change_by_code)
    class_by_sets: dict[int, int] = {}
    classes, bits = [], 0
    for code in starts:
        bits ^= change_by_code[code]
        classes.append(class_by_sets.setdefault(bits, len(class_by_sets)))
    if len(class_by_sets) > 255:
        raise UnsupportedError("too many distinct character classes")
    lengths = np.diff([*starts, LAST_CODE_POINT + 1])
    return np.repeat(np.array(classes, np.uint8), lengths), list(class_by_sets)


def _paginate(class_of_code: NDArray[np.uint8]) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    rows = class_of_code.reshape(-1, _PAGE)
    number_by_row: dict[bytes, int] = {}
    pages = [number_by_row.setdefault(row.tobytes(), len(number_by_row)) for row in rows]
    classes = np.frombuffer(b"".join(number_by_row), np.uint8).reshape(-1, _PAGE)
    return np.array(pages, np.uint16), classes
