"""The tables that cut text without a regex engine, and how they are made from a syntax tree."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bytepair.patterns._codeset import LAST_CODE_POINT, CodeSet
from bytepair.patterns._program import Program
from bytepair.patterns._sets import UnsupportedError
from bytepair.patterns._states import build_transitions
from bytepair.patterns._tree import Node

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


def equivalent(one: Automaton, other: Automaton) -> bool:
    """True if both find the same pre-tokens in every text.

    Cost: that of looking at all code points once, and at the pairs of states that a text can reach.
    """
    pairs = np.unique(_class_of_all(one).astype(np.int64) << 16 | _class_of_all(other))
    ends = one.n_classes << 16 | other.n_classes
    columns = [*pairs.tolist(), one.invalid_class << 16 | other.invalid_class, ends]
    # State of each, and whether the last ends that both have seen so far are the same.
    queue: list[tuple[int, int, bool]] = [(1, 1, True)]
    seen = set(queue)
    while queue:
        state, twin, agree = queue.pop()
        for column in columns:
            entry = int(one.transitions[state, column >> 16]) if state else 0
            their = int(other.transitions[twin, column & 0xFFFF]) if twin else 0
            ends_here = (entry & 1) + (their & 1)
            following = entry >> 1, their >> 1, ends_here == 2 or (agree and ends_here == 0)
            if following == (0, 0, False):
                return False
            if any(following[:2]) and following not in seen:
                seen.add(following)
                queue.append(following)
    return True


def _class_of_all(tables: Automaton) -> NDArray[np.uint8]:
    return tables.classes[tables.pages].reshape(-1)


def build(node: Node) -> Automaton:
    """Compile a syntax tree.

    Raises:
        UnsupportedError: no tables of this kind are exact for it, or they would be too large.
    """
    program = Program(node)
    starts, class_of_run, sets_of_class = _classify(program.number_by_set)
    transitions, class_of_class = _minimal(build_transitions(program, sets_of_class))
    lengths = np.diff([*starts, LAST_CODE_POINT + 1])
    class_of_code = np.repeat(class_of_class[class_of_run], lengths)
    pages, classes = _paginate(class_of_code)
    escaped = class_of_code[0xDC80:0xDD00]
    if (escaped != escaped[0]).any():
        raise UnsupportedError("a set that names single surrogates")
    return Automaton(pages, classes, int(escaped[0]), transitions)


def _classify(sets: Iterable[CodeSet]) -> tuple[list[int], list[int], list[int]]:
    """(where runs of code points begin, class of each, for each class the bits of its sets)."""
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
    return starts, classes, list(class_by_sets)


def _minimal(transitions: NDArray[np.uint16]) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """(the same table without states and classes that nothing tells apart, class of each class).

    Moore's algorithm: states are one until their rows differ.
    """
    targets, marks = transitions >> 1, transitions & 1
    block = np.zeros(len(transitions), np.int64)
    n_blocks = 0
    while len(set(block.tolist())) > n_blocks:
        n_blocks = len(set(block.tolist()))
        block = _numbered(np.column_stack([block, block[targets] << 1 | marks]))
    _, first = np.unique(block, return_index=True)
    rows = (block[targets[first]] << 1 | marks[first]).astype(np.uint16)
    if len(rows) == 1:  # nothing ever matches: the first state is the dead one
        rows = np.vstack([rows, rows])
    class_of_class = _numbered(rows[:, :-1].T)
    _, first = np.unique(class_of_class, return_index=True)
    return rows[:, [*first, -1]], class_of_class.astype(np.uint8)


def _numbered(rows: NDArray[np.int64] | NDArray[np.uint16]) -> NDArray[np.int64]:
    """The number of each row, equal rows having one, in the order in which they first occur."""
    number_by_row: dict[bytes, int] = {}
    return np.array([number_by_row.setdefault(row.tobytes(), len(number_by_row)) for row in rows])


def _paginate(class_of_code: NDArray[np.uint8]) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    rows = class_of_code.reshape(-1, _PAGE)
    number_by_row: dict[bytes, int] = {}
    pages = [number_by_row.setdefault(row.tobytes(), len(number_by_row)) for row in rows]
    classes = np.frombuffer(b"".join(number_by_row), np.uint8).reshape(-1, _PAGE)
    return np.array(pages, np.uint16), classes
