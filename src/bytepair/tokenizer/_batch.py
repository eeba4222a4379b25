"""Many texts as one list of ordinary stretches, and the way back to a row of ids for each text."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bytepair.model import TokenId
from bytepair.normalizers import normalize

_Arrays = tuple[NDArray[np.uint32], NDArray[np.int64]]


class Batch:
    """Collects texts that are cut at added tokens.

    `stretches` are to be encoded together; `lists` and `arrays` put the ids of the stretches and
    those of the added tokens between them back into one row for each text.
    """

    def __init__(self, normalizer: Sequence[str]) -> None:
        self.stretches: list[bytes] = []
        self._normalizer = normalizer
        self._rows: list[list[TokenId | None]] = []  # None: the next stretch
        self._is_plain = True  # each text is exactly one stretch

    def add(self, segments: Iterable[tuple[bytes, TokenId | None]]) -> None:
        """Add one text: (bytes, None) or (content, id of an added token), in order."""
        row: list[TokenId | None] = []
        for data, token in segments:
            row.append(token)
            if token is None:
                self.stretches.append(normalize(data, self._normalizer))
        self._rows.append(row)
        self._is_plain = self._is_plain and row == [None]

    def arrays(self, ids: NDArray[np.uint32], offsets: NDArray[np.int64]) -> _Arrays:
        """The rows as (ids, offsets), given those of the stretches."""
        if self._is_plain:
            return ids, offsets
        lengths = np.diff(offsets)
        parts: list[NDArray[np.uint32]] = []
        row_offsets = np.zeros(len(self._rows) + 1, np.int64)
        stretch = 0
        for number, row in enumerate(self._rows):
            length = 0
            for token in row:
                if token is not None:
                    parts.append(np.array([token], np.uint32))
                else:
                    parts.append(ids[offsets[stretch] : offsets[stretch + 1]])
                    length += int(lengths[stretch]) - 1
                    stretch += 1
                length += 1
            row_offsets[number + 1] = row_offsets[number] + length
        return np.concatenate([np.zeros(0, np.uint32), *parts]), row_offsets

    def lists(self, ids: NDArray[np.uint32], offsets: NDArray[np.int64]) -> list[list[TokenId]]:
        """The rows as lists, given the ids of the stretches."""
        ids, offsets = self.arrays(ids, offsets)
        flat = ids.tolist()
        borders = offsets.tolist()
        return [flat[a:b] for a, b in pairwise(borders)]
