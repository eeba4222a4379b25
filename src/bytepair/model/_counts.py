"""`WordCounts`: every distinct pre-token of a corpus, how often it occurs, and where first."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bytepair.errors import ArgumentError, InputTypeError
from bytepair.model._numbers import at_least_one
from bytepair.model._rules import SplitRules
from bytepair.model._skipped import Skipped
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
        n_skipped: how much of the corpus could not be read and was left out.
        skipped: the first of that, by name.

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
    n_skipped: int = 0
    skipped: tuple[Skipped, ...] = ()

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

    def save(self, path: str | os.PathLike[str]) -> None:
        r"""Write the table: in a binary form with a checksum, as an Arrow table, or as text.

        A path that ends in `.parquet` or `.arrow` gets the columns `word` (binary), `count` and
        `first` (int64), and all else as metadata.

        A path that ends in `.tsv` gets a line for each word: the word, a tab, its count. In words
        a backslash, tab, line feed and carriage return are `\\`, `\t`, `\n` and `\r`, and bytes
        that are not UTF-8 `\xNN`. Positions, size and rules are not in there.

        Raises:
            SaveError: the file cannot be written; what was there before is untouched.
            MissingExtraError: Parquet or Arrow, and no pyarrow.
        """
        from bytepair.model._counts_file import save

        save(self, Path(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, rules: SplitRules | None = None) -> "WordCounts":
        """Read what `save` wrote, or such a table: `.tsv`, `.parquet` or `.arrow`.

        A column `first` may be missing: then words are in the order of their rows, else in that of
        their positions.

        `rules`: how the words of a table were cut that does not say so itself.

        Raises:
            CorpusError: the file is missing, damaged, or no such table; says where.
            MissingExtraError: Parquet or Arrow, and no pyarrow.
        """
        from bytepair.model._counts_file import load

        return load(Path(path), rules)

    @classmethod
    def from_content(cls, content: bytes | memoryview, name: object = "content") -> "WordCounts":
        """Read the binary form from memory, as `CountsFile.content` gives it.

        `name`: where it comes from, for the error.

        Raises:
            CorpusError: damaged, or no such table.
        """
        from bytepair.model._counts_file import from_content

        return from_content(content, name)

    def weighed(self, weight: float) -> "WordCounts":
        """The same with each count times `weight`, rounded to the nearest; zeros are left out.

        To mix sources, weigh each and put them together with `FrequencyAnalyzer.merge`.

        Raises:
            ArgumentError: not a number above 0, or counts become larger than 2**62.

        >>> list(WordCounts.from_mapping({"low": 5, "lower": 2}).weighed(0.2))
        [(b'low', 1)]
        """
        if not 0 < weight * max(self.total, 1) <= 2**62:
            raise ArgumentError(
                f"weight must be above 0 and keep counts below 2**62, got {weight}."
            )
        counts = np.floor(self.counts * weight + 0.5).astype(np.int64)
        kept = counts > 0
        lengths = np.diff(self.offsets)
        data = np.frombuffer(self.data, np.uint8)[np.repeat(kept, lengths)].tobytes()
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths[kept])])
        return replace(
            self, data=data, offsets=offsets, counts=counts[kept], first=self.first[kept]
        )

    def most_common(self, n: int) -> list[tuple[bytes, int]]:
        """The `n` most frequent words and their counts; of equally frequent ones the first come
        first.

        >>> WordCounts.from_mapping({"low": 2, "lower": 5}).most_common(1)
        [(b'lower', 5)]
        """
        order = np.argsort(-self.counts, kind="stable")[: max(n, 0)]
        return [(self.word(index), int(self.counts[index])) for index in order]

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
            and self.n_skipped == other.n_skipped
            and self.skipped == other.skipped
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
