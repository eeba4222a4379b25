"""Threads -> states: the subset construction, and where in it a match may end.

Sets of threads in order of preference are states (Cox, https://swtch.com/~rsc/regexp/regexp2.html):
a thread that comes to the end of the pattern cuts off all that it is preferred to, which gives the
leftmost-first matches of Perl, Python and Rust.

A walk through the tables takes the last mark it passes for the end of the match, and a mark is set
knowing one character ahead. A match that further characters decide about is marked on trial: it is
right if the match comes true, or if another mark follows. Whether to mark is a game against the
text; where the text can win it, the pattern needs more than these tables.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bytepair.patterns._program import MATCH, Program
from bytepair.patterns._sets import UnsupportedError
from bytepair.patterns._threads import HELD, TEXT_START, Group, Mover, Thread, Threads

_STALE = HELD - 1  # in place of HELD: its end is not the last mark
_NEW = HELD - 2  # in place of MATCH: whether its end is marked is being decided
_MAX_STATES = 2_000


class _State(NamedTuple):
    """Threads, the preferred first, and whether the last mark is false if none of them matches."""

    threads: Threads
    is_false: bool = False


class _Move(NamedTuple):
    """The state a character leads to, and whether the place before the character is marked."""

    target: _State
    marked: bool


_Options = dict[_State, list[list[_Move]]]
_Rows = dict[_State, list[_Move]]

_LOST = _State((), is_false=True)


def build_transitions(program: Program, sets_of_class: list[int]) -> NDArray[np.uint16]:
    """The table of `Automaton`, not yet minimal.

    Raises:
        UnsupportedError: the pattern can match the empty text; no such table is exact for it; or
            the table would be too large.
    """
    mover = Mover(program, sets_of_class)
    start = _State(mover.threads_from(program.start, TEXT_START))
    options = _explore(mover, start)
    rows = _chosen(options, start)
    if program.looks_behind:
        _check_borders(mover, start, rows)
    number_by_state = {state: number for number, state in enumerate(rows)}
    entries = [[number_by_state[m.target] << 1 | m.marked for m in row] for row in rows.values()]
    return np.array(entries, np.uint16)


def _explore(mover: Mover, start: _State) -> _Options:
    """For every state and class of characters (the end of the text last) the possible moves."""
    _refuse_empty(start)
    options: _Options = {}
    waiting = [_State(()), start]
    while waiting:
        state = waiting.pop()
        if state in options:
            continue
        options[state] = [list(_moves(mover, state, c)) for c in range(len(mover.sets_of_class))]
        waiting += [move.target for moves in options[state] for move in moves]
        if len(options) > _MAX_STATES:
            raise UnsupportedError("too many states")
    return options


def _refuse_empty(start: _State) -> None:
    if any(thread.is_at_end for thread in start.threads):
        raise UnsupportedError("a pattern that can match the empty text")


def _moves(mover: Mover, state: _State, char: int) -> Iterator[_Move]:
    """The moves by one character: with a mark, without, or both if it is open which is right."""
    moved = _moved(mover, state.threads, char)
    ends = [thread for thread in moved if thread.at in (_NEW, HELD, _STALE)]
    if any(thread.at == _NEW for thread in ends):
        yield _Move(_settled(moved, {_NEW: HELD, HELD: _STALE}, is_false=True), marked=True)
        if len(ends) == 1 and ends[0].has_matched:
            return
    yield _Move(_settled(moved, {_NEW: _STALE}, state.is_false), marked=False)


def _moved(mover: Mover, threads: Threads, char: int) -> list[Thread]:
    """The threads after a character; of matches met before it (_NEW) those that it does not end."""
    moved: list[Thread] = []
    for thread in threads:
        after = mover.move(thread, char)
        if thread.at == MATCH:
            after = tuple(Thread(_NEW, held.needs) for held in after)
        moved += after
        if thread.is_at_end and after and after[0].has_matched:
            break
    return moved


def _settled(moved: list[Thread], place: dict[int, int], is_false: bool) -> _State:
    """The state of these threads; `place` says what becomes of matches whose needs are open."""
    threads: dict[Thread, None] = {}
    for thread in moved:
        if isinstance(thread.at, Group) or thread.at >= MATCH:
            threads[thread] = None
            continue
        at = place.get(thread.at, thread.at)
        if not thread.needs:
            return _State(tuple(threads), is_false=at == _STALE)
        threads[Thread(at, thread.needs)] = None
    return _State(tuple(threads), is_false)


def _chosen(options: _Options, start: _State) -> _Rows:
    """For each state that can be reached one move by each character, such that none is lost."""
    lost = _lost(options)
    if start in lost:
        raise UnsupportedError("an end of a match that is known more than one character later")
    rows: _Rows = {}
    waiting = [start, _State(())]
    while waiting:
        state = waiting.pop()
        if state not in rows:
            rows[state] = [
                next(move for move in moves if move.target not in lost) for moves in options[state]
            ]
            waiting += [move.target for move in reversed(rows[state])]
    return rows


def _lost(options: _Options) -> set[_State]:
    """The states from which some text makes a false mark the last one, whatever is marked."""
    lost = {_LOST} & options.keys()
    n_known = -1 if lost else 0
    while len(lost) != n_known:
        n_known = len(lost)
        lost |= {
            state
            for state, by_char in options.items()
            if any(all(move.target in lost for move in moves) for moves in by_char)
        }
    return lost


def _check_borders(mover: Mover, start: _State, rows: _Rows) -> None:
    """Refuse a pattern whose matches depend on what stands before them.

    The walk begins in one state, at the beginning of a text and behind a match alike. That is
    exact if what stands before makes no difference wherever a match can begin.
    """
    for last, char in _borders(rows, start):
        here = _State(mover.threads_from(mover.program.start, last))
        _refuse_empty(here)
        if list(_moves(mover, here, char)) != list(_moves(mover, start, char)):
            raise UnsupportedError("a look at what stands before a match")


def _borders(rows: _Rows, start: _State) -> set[tuple[int, int]]:
    """The pairs of classes of characters between which a search for a match can begin."""
    n_classes = len(rows[start]) - 1
    ending = _ending(rows)
    arrivals: dict[_State, set[int]] = {state: set() for state in rows}
    for row in rows.values():
        for char in range(n_classes):
            arrivals[row[char].target].add(char)
    borders = set()
    for state, row in rows.items():
        for char in range(n_classes):
            if row[char].marked and row[char].target in ending:
                borders |= {(last, char) for last in arrivals[state]}
    for last in range(n_classes):  # where nothing matches, the next character is tried
        row = rows[rows[start][last].target]
        borders |= {
            (last, char)
            for char in range(n_classes)
            if not row[char].marked and row[char].target in ending
        }
    return borders


def _ending(rows: _Rows) -> set[_State]:
    """The states from which the walk can end without another mark."""
    ending = {_State(())}
    n_known = 0
    while len(ending) != n_known:
        n_known = len(ending)
        ending |= {
            state
            for state, row in rows.items()
            if any(not move.marked and move.target in ending for move in row)
        }
    return ending
