"""What a pattern may still match at one place of a text: threads, and how a character moves them.

A thread is one way to go on. Looks ahead and atomic groups hang on it as needs: what the text to
come must match, or must not, for the thread to count. Characters are known by their class only.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bytepair.patterns._program import MATCH, Ahead, Behind, Commit, Fork, Program, Read
from bytepair.patterns._sets import UnsupportedError

HELD = -1  # in place of MATCH: a match that was met before, some of whose needs are still open
TEXT_START = -1  # in place of the class of the last character

# A fifth of a second; more is left to a regex engine. Published patterns need up to 9,000, the cuts
# of UnicodeScripts 75,000.
_MAX_STEPS = 200_000


class Need(NamedTuple):
    """The text from here on must match one of `threads` (`negated`: none of them)."""

    negated: bool
    threads: frozenset["Thread"]


class Group(NamedTuple):
    """An atomic group that is under way: its threads, the preferred first, and what follows it."""

    threads: tuple["Thread", ...]
    next: int


Needs = frozenset[Need]
_NONE: Needs = frozenset()


class Thread(NamedTuple):
    """A way to go on: at a `Read`, inside a `Group`, or at the end (MATCH or below)."""

    at: int | Group
    needs: Needs = _NONE

    def with_needs(self, needs: Needs) -> "Thread":
        return Thread(self.at, self.needs | needs) if needs else self

    @property
    def is_at_end(self) -> bool:
        return isinstance(self.at, int) and self.at <= MATCH

    @property
    def has_matched(self) -> bool:
        return self.is_at_end and not self.needs


Threads = tuple[Thread, ...]


class Mover:
    """Moves the threads of a program over characters.

    Args:
        sets_of_class: for each class of characters the bits of the sets that hold it. The end of
            the text is the class behind the last one, in no set.
    """

    def __init__(self, program: Program, sets_of_class: list[int]) -> None:
        self.program = program
        self.sets_of_class = [*sets_of_class, 0]
        self.steps_left = _MAX_STEPS
        self._from: dict[tuple[int, int], Threads] = {}
        self._moved: dict[tuple[Thread, int], Threads] = {}

    def spend(self, steps: int) -> None:
        """Count steps of building the states."""
        self.steps_left -= steps
        if self.steps_left < 0:
            raise UnsupportedError("so many choices")

    def holds(self, char: int, codes: int) -> bool:
        """True if characters of class `char` are in set number `codes`."""
        return char != TEXT_START and bool(self.sets_of_class[char] >> codes & 1)

    def threads_from(self, at: int, last: int) -> Threads:
        """The threads that instruction `at` leads to, the preferred ones first.

        Args:
            last: the class of the last character, or TEXT_START.
        """
        key = (at, last if self.program.looks_behind else TEXT_START)
        if key not in self._from:
            self._from[key] = tuple(dict.fromkeys(self._threads_from(at, last)))
        return self._from[key]

    def _threads_from(self, at: int, last: int) -> Iterator[Thread]:
        seen: set[tuple[int, Needs]] = set()
        waiting = [(at, _NONE)]
        while waiting:
            place = at, needs = waiting.pop()
            if place in seen:
                continue
            seen.add(place)
            self.spend(1)
            instruction = self.program.instructions[at]
            if at == MATCH or isinstance(instruction, Read):
                yield Thread(at, needs)
            elif isinstance(instruction, Fork):
                waiting.extend((target, needs) for target in reversed(instruction.next))
            elif isinstance(instruction, Commit):
                body = self.threads_from(instruction.body, last)
                for thread in self._committed(body, instruction.next, last):
                    yield thread.with_needs(needs)
            else:
                more = self._needs_of(instruction, last)
                if more is not None:
                    waiting.append((instruction.next, needs | more))

    def _needs_of(self, look: Ahead | Behind, last: int) -> Needs | None:
        if isinstance(look, Ahead):
            return _needs(look.negated, self.threads_from(look.body, last))
        return _NONE if self.holds(last, look.codes) != look.negated else None

    def _committed(self, body: Iterable[Thread], after: int, last: int) -> list[Thread]:
        """An atomic group whose threads are now `body`: what goes on in it, what has left it.

        A match counts if no preferred thread comes to one; without needs it ends the others.
        """
        inside: list[Thread] = []
        outside: list[Thread] = []
        for thread in body:
            if thread.at != MATCH:
                inside.append(thread)
                continue
            needs = thread.needs | (_needs(True, tuple(inside)) or _NONE)
            outside += [t.with_needs(needs) for t in self.threads_from(after, last)]
            if not thread.needs:
                break
            inside.append(Thread(HELD, thread.needs))
        return [Thread(Group(tuple(inside), after)), *outside] if inside else outside

    def move(self, thread: Thread, char: int) -> Threads:
        """The threads that one becomes by a character of class `char`, the preferred ones first.

        A match that needs more stays, as HELD or less, until its needs are met or fail.
        """
        key = thread, char
        if key not in self._moved:
            needs = self.needs_after(thread.needs, char)
            moved = () if needs is None else self._move(thread.at, char)
            self._moved[key] = tuple(t.with_needs(needs or _NONE) for t in moved)
        self.spend(1 + len(self._moved[key]))
        return self._moved[key]

    def _move(self, at: int | Group, char: int) -> Iterable[Thread]:
        if isinstance(at, Group):
            return self._committed(self.move_all(at.threads, char), at.next, char)
        if at <= MATCH:
            return (Thread(HELD if at == MATCH else at),)
        read = self.program.instructions[at]
        inside = isinstance(read, Read) and self.holds(char, read.codes)
        return self.threads_from(read.next, char) if isinstance(read, Read) and inside else ()

    def move_all(self, threads: Threads, char: int) -> Threads:
        """Threads of an atomic group, each moved; a match that was held and is met ends them."""
        moved: dict[Thread, None] = {}
        for thread in threads:
            after = self.move(thread, char)
            if thread.is_at_end and after and after[0].has_matched:
                break
            moved.update(dict.fromkeys(after))
        return tuple(moved)

    def needs_after(self, needs: Needs, char: int) -> Needs | None:
        """What is still needed behind a character of class `char`; None: they are not met."""
        left = _NONE
        for need in needs:
            threads = {t for thread in need.threads for t in self.move(thread, char)}
            more = _needs(need.negated, threads)
            if more is None:
                return None
            left |= more
        return left


def _needs(negated: bool, threads: Iterable[Thread]) -> Needs | None:
    """What is needed so that one of the threads (`negated`: none) matches; None: it is too late."""
    if any(thread.has_matched for thread in threads):
        return None if negated else _NONE
    if not threads:
        return _NONE if negated else None
    return frozenset({Need(negated, frozenset(threads))})
