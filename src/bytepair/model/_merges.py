"""`MergeTable`: which neighbours join, into what, and which join first."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bytepair.model._types import Merge, Pair, TokenId


@dataclass(frozen=True, eq=False)
class MergeBatch:
    """Merges in the order they were learned, as four parallel arrays of n.

    Attributes:
        left, right, joined: uint32[n].
        frequency: int64[n]: how often the pair occurred when it was joined.

    >>> list(MergeBatch.from_merges([Merge(97, 98, 256, 2)]))
    [Merge(left=97, right=98, joined=256, frequency=2)]
    """

    left: NDArray[np.uint32]
    right: NDArray[np.uint32]
    joined: NDArray[np.uint32]
    frequency: NDArray[np.int64]

    @classmethod
    def from_merges(cls, merges: Sequence[Merge]) -> "MergeBatch":
        """The same from single merges."""
        rows = np.array(merges, np.int64).reshape(len(merges), 4)
        left, right, joined = np.ascontiguousarray(rows[:, :3].T, np.uint32)
        return cls(left, right, joined, rows[:, 3])

    @classmethod
    def joined_from(cls, batches: Sequence["MergeBatch"]) -> "MergeBatch":
        """Several batches, one behind the other."""
        batches = [cls.from_merges([]), *batches]
        return cls(
            np.concatenate([batch.left for batch in batches]),
            np.concatenate([batch.right for batch in batches]),
            np.concatenate([batch.joined for batch in batches]),
            np.concatenate([batch.frequency for batch in batches]),
        )

    def __len__(self) -> int:
        return len(self.left)

    def __iter__(self) -> Iterator[Merge]:
        columns = (self.left, self.right, self.joined, self.frequency)
        return map(Merge, *(column.tolist() for column in columns))


@dataclass(frozen=True, eq=False)
class MergeTable:
    """Merges as four parallel uint32[n] arrays, in ascending rank.

    A merge's rank is its position in the learned order, never its id. In a *merge list* (Hugging
    Face) every merge has a rank of its own. In a *rank table* (tiktoken) every way to split a
    token is a merge whose rank is the token's id, so several merges share one; among equal ranks
    the leftmost site in the text is joined first.

    >>> table = MergeTable.from_merges([(97, 98, 256), (256, 99, 257)])
    >>> list(table)
    [(97, 98, 256, 0), (256, 99, 257, 1)]
    """

    left: NDArray[np.uint32]
    right: NDArray[np.uint32]
    joined: NDArray[np.uint32]
    rank: NDArray[np.uint32]

    @classmethod
    def from_merges(cls, merges: Iterable[tuple[TokenId, TokenId, TokenId]]) -> "MergeTable":
        """A merge list: (left, right, joined) in learned order; rank = position."""
        rows = list(merges)
        columns = np.array(rows, dtype=np.uint32).reshape(len(rows), 3).T
        left, right, joined = (np.ascontiguousarray(column) for column in columns)
        return cls(left, right, joined, np.arange(len(left), dtype=np.uint32))

    @property
    def is_merge_list(self) -> bool:
        """True if no two merges share a rank."""
        return bool(np.all(self.rank[1:] > self.rank[:-1]))

    def rank_by_pair(self) -> dict[Pair, tuple[int, TokenId]]:
        """(left, right) -> (rank, joined), for look-ups in Python.

        If a table names a pair twice, its first entry counts.
        """
        keys = zip(self.left.tolist()[::-1], self.right.tolist()[::-1], strict=True)
        values = zip(self.rank.tolist()[::-1], self.joined.tolist()[::-1], strict=True)
        return dict(zip(keys, values, strict=True))

    def __len__(self) -> int:
        return len(self.left)

    def __iter__(self) -> Iterator[tuple[int, int, int, int]]:
        columns = (self.left, self.right, self.joined, self.rank)
        return zip(*(column.tolist() for column in columns), strict=True)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MergeTable):
            return NotImplemented
        mine = (self.left, self.right, self.joined, self.rank)
        theirs = (other.left, other.right, other.joined, other.rank)
        return all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))

    __hash__ = None  # type: ignore[assignment]  # large and compared by content
