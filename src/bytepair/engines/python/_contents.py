"""Find any of many byte strings."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import groupby

import regex


class Contents:
    """Finds byte strings: the leftmost, the longest of several at a place.

    >>> list(Contents([b"ab", b"abc", b"bcd"]).occurrences(b"ab abcd"))
    [(0, b'ab'), (3, b'abc')]
    """

    def __init__(self, contents: Iterable[bytes]) -> None:
        self._sorted = sorted({content for content in contents if content})
        self._present = frozenset(self._sorted)
        self._longest = max(map(len, self._sorted), default=0)
        by_first = groupby(self._sorted, key=lambda content: content[0])
        # By first byte, the lengths to try, longest first: few, however many contents there are.
        self._lengths = {
            first: sorted({len(content) for content in group}, reverse=True)
            for first, group in by_first
        }
        firsts = b"".join(regex.escape(bytes([first])) for first in self._lengths)
        self._begin = regex.compile(b"[" + firsts + b"]" if firsts else b"")

    def occurrences(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """(position, content) of each, from left to right; none overlaps another."""
        end = 0
        for candidate in self._begin.finditer(data) if self._sorted else ():
            start = candidate.start()
            found = self._at(data, start) if start >= end else b""
            if found:
                yield start, found
                end = start + len(found)

    def gaps(self, data: bytes) -> Iterator[tuple[int, int]]:
        """(start, end) of the stretches between them; empty ones left out."""
        done = 0
        for start, content in self.occurrences(data):
            if start > done:
                yield done, start
            done = start + len(content)
        if done < len(data):
            yield done, len(data)

    def _at(self, data: bytes, start: int) -> bytes:
        cuts = (data[start : start + length] for length in self._lengths[data[start]])
        return next((cut for cut in cuts if cut in self._present), b"")

    def begun(self, data: bytes) -> int:
        """The first place where `data` ends within a content; its length if it does nowhere."""
        for start in range(max(0, len(data) - self._longest + 1), len(data)):
            rest = data[start:]
            following = self._sorted[bisect_right(self._sorted, rest) :][:1]
            if following and following[0].startswith(rest):
                return start
        return len(data)
