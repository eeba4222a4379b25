"""Numbers for ids that are too large for the core's tables."""

import numpy as np
from numpy.typing import NDArray

from bytepair.model import MergeTable, TokenId, TokenizerSpec

_LARGE_ID = 2**20 - 1  # ids from here on are numbered anew in the core


class Numbers:
    """Small numbers for ids: the ids themselves if they are small."""

    def __init__(self, ids: NDArray[np.uint32], merges: MergeTable, spec: TokenizerSpec) -> None:
        others = [i for i in (spec.unk_id, spec.vocabulary.end_of_word_id) if i is not None]
        columns = (ids, merges.left, merges.right, merges.joined, np.array(others, np.uint32))
        self.ids = np.zeros(0, np.uint32)
        if max((int(column.max(initial=0)) for column in columns), default=0) >= _LARGE_ID:
            self.ids = np.unique(np.concatenate(columns))

    def of(self, ids: NDArray[np.uint32]) -> NDArray[np.uint32]:
        return np.searchsorted(self.ids, ids).astype(np.uint32) if self.ids.size else ids

    def of_one(self, token: TokenId | None) -> int | None:
        return None if token is None else int(self.of(np.array([token], np.uint32))[0])
