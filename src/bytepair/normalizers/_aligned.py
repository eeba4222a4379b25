"""`Aligned`: a text after changes, with the place in the original that each byte comes from."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bytepair.model import byte_positions

Edit = tuple[int, int, str]
"""(start, end, content): the characters from start to end become the content."""


class Aligned(NamedTuple):
    """Bytes, and for each of them the span of the original text it stands for.

    Attributes:
        starts, ends: int64[len(data)], ascending, in bytes of the original. A byte that was not
            changed stands for itself; the bytes put in for others stand for all of those; what
            was put where nothing was stands for nothing: start == end.
        is_shifted: a `Replace` made one thing of the text's first characters. To Hugging Face it
            stands for the last of them, so that no text begins there.

    >>> text = Aligned.of("fiancé".encode()).edited([(0, 2, "ﬁ"), (5, 6, "e")])
    >>> text.data.decode(), text.span(0, 3), text.span(6, 7)
    ('ﬁance', (0, 2), (5, 7))
    """

    data: bytes
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    is_shifted: bool = False

    @classmethod
    def of(cls, data: bytes, start: int = 0) -> "Aligned":
        """Bytes of an original text as they are; the first stands at `start`."""
        starts = np.arange(start, start + len(data), dtype=np.int64)
        return cls(data, starts, starts + 1)

    def part(self, start: int, end: int) -> "Aligned":
        """The bytes from `start` to `end`."""
        places = self.starts[start:end], self.ends[start:end]
        return Aligned(self.data[start:end], *places, self.is_shifted)

    def begins_text(self) -> bool:
        """True for what the original text begins with, by Hugging Face's reckoning."""
        return bool(self.starts[0] == 0) and not self.is_shifted

    def span(self, start: int, end: int) -> tuple[int, int]:
        """What the bytes from `start` to `end` stand for; if there are none, nothing, there."""
        if start == end:
            return (self._before(start),) * 2
        return int(self.starts[start]), int(self.ends[end - 1])

    def edited(self, edits: Iterable[Edit]) -> "Aligned":
        """The text with these changes: ascending, none overlaps another."""
        edits = list(edits)
        if not edits:
            return self
        text = self.data.decode("utf-8", "surrogateescape")
        borders = byte_positions(text, [place for edit in edits for place in edit[:2]])
        parts = []
        done = 0
        for (_, _, content), start, end in zip(edits, borders[::2], borders[1::2], strict=True):
            parts.append(self.part(done, start))
            parts.append(self._replacing(start, end, content))
            done = end
        parts.append(self.part(done, len(self.data)))
        data, starts, ends, _ = zip(*parts, strict=True)
        places = np.concatenate(starts), np.concatenate(ends)
        return Aligned(b"".join(data), *places, self.is_shifted)

    def _replacing(self, start: int, end: int, content: str) -> "Aligned":
        data = content.encode("utf-8", "surrogateescape")
        first, last = self.span(start, end)
        return Aligned(data, np.full(len(data), first), np.full(len(data), last))

    def _before(self, place: int) -> int:
        """Where in the original something lies that is put in at `place`."""
        if place < len(self.data):
            return int(self.starts[place])
        return int(self.ends[-1]) if self.data else 0
