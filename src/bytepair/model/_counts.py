"""`WordCounts`: every distinct pre-token of a corpus, how often it occurs, and where first."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bytepair.errors import ArgumentError, InputTypeError
from bytepair.model._numbers import at_least_one
from bytepair.model._rules import SplitRules
from bytepair.model._text import to_utf8


@dataclass(frozen=True, eq=False)
class WordCounts:
    """Distinct pre-tokens in order of first appearance, as four flat arrays.

    Attributes:
        data: the pre-tokens' bytes, one after the other.
        offsets: int64[n + 1]; pre-token `i` is `data[offsets[i]:offsets[i + 1]]`.
        counts: int64[n], each >= 1.
        first: int64[n], strictly ascending: the byte position in the corpus (documents laid end
            to end) where the pre-token occurs first.
        n_bytes: size of the corpus that was counted.
        n_documents: number of documents that were counted.
        rules: how the corpus was cut.

    >>> counts = WordCounts.from_mapping({"low": 5, "lower": 2})
    >>> list(counts), counts.total
    ([(b'low', 5), (b'lower', 2)], 7)
    """

    data: bytes
    offsets: NDArray[np.int64]
    counts: NDArray[np.int64]
    first: NDArray[np.int64]
    n_bytes: int = 0
    n_documents: int = 0
    rules: SplitRules = field(default_factory=SplitRules)

    @classmethod
    def from_mapping(
        cls, count_by_word: Mapping[str | bytes, int], rules: SplitRules | None = None
    ) -> "WordCounts":
        """Build from a count table; the mapping's order counts as the order of appearance.

        Raises:
            ArgumentError: an empty word, one given as `str` and as `bytes`, or a count that is not
                a whole number of 1 or more.
            InputTypeError: a word that is neither `str` nor `bytes`.
        """
        count_by_bytes: dict[bytes, int] = {}
        for word, count in count_by_word.items():
            data = _word_bytes(word)
            if not data or data in count_by_bytes:
                problem = "is there twice" if data else "is empty"
                raise ArgumentError(f"count table: the word {word!r:.60} {problem}.")
            count_by_bytes[data] = at_least_one(f"count table: the count of {word!r:.60}", count)
        words = list(count_by_bytes)
        counts = np.fromiter(count_by_bytes.values(), np.int64, len(words))
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        n_bytes = int(lengths @ counts)
        return cls(
            b"".join(words), offsets, counts, offsets[:-1], n_bytes, 1, rules or SplitRules()
        )

    @property
    def total(self) -> int:
        """Number of pre-tokens in the corpus, repetitions included."""
        return int(self.counts.sum())

    def word(self, index: int) -> bytes:
        """The pre-token at `index`."""
        return self.data[self.offsets[index] : self.offsets[index + 1]]

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[tuple[bytes, int]]:
        for index in range(len(self)):
            yield self.word(index), int(self.counts[index])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WordCounts):
            return NotImplemented
        return (
            self.data == other.data
            and self.rules == other.rules
            and self.n_bytes == other.n_bytes
            and self.n_documents == other.n_documents
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.counts, other.counts)
            and np.array_equal(self.first, other.first)
        )

    __hash__ = None  # type: ignore[assignment]  # large and compared by content


def _word_bytes(word: object) -> bytes:
    if isinstance(word, str):
        return to_utf8(word)
    if isinstance(word, bytes):
        return word
    raise InputTypeError(
        f"count table: expected words as str or bytes, got {type(word).__name__}: {word!r:.60}."
    )
