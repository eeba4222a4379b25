"""Count pre-tokens: a dictionary of words, each with its count and first position."""

import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from bytepair.engines.python._contents import Contents
from bytepair.engines.python._pretokenize import pre_tokens
from bytepair.engines.python._split import Splitter
from bytepair.model import SplitRules, WordCounts
from bytepair.normalizers import Aligned

_BYTES_PER_WORD = 300  # two dictionaries, the word and two numbers


class Counter:
    """Twin of the core's counter.

    >>> counter = Counter(SplitRules("[a-z]+", special_tokens=("<sep>",)))
    >>> counter.feed([b"ab ab<sep>ab"], position=0)
    >>> list(counter.result(SplitRules(), 12, 1))
    [(b'ab', 3), (b' ', 1)]
    """

    def __init__(self, rules: SplitRules) -> None:
        self._rules = rules
        self._splitter = Splitter(rules.pattern)
        self._special = Contents(token.encode() for token in rules.special_tokens)
        self._counts: dict[bytes, int] = {}
        self._first: dict[bytes, int] = {}

    def feed(self, documents: Sequence[bytes], position: int) -> None:
        """Count whole documents."""
        for document in documents:
            for start, end in self._special.gaps(document):
                self._count(document[start:end], position + start)
            position += len(document)

    def feed_part(self, data: bytes, position: int, is_last: bool) -> int:
        """Count the document once it is complete: a regex cannot tell which cuts are final."""
        if not is_last:
            return 0
        self.feed([data], position)
        return len(data)

    def feed_file(self, path: str, start: int, end: int, position: int) -> int:
        """Count a part of a file, which is read as a whole."""
        with Path(path).open("rb") as stream:
            stream.seek(start)
            data = stream.read(end - start)
        self.feed([data], position)
        return len(data)

    def stop(self) -> None:
        """Nothing: this engine counts in one thread."""

    def border(self, document: bytes, start: int) -> int | None:  # noqa: ARG002 - as the core's
        """None: a regex cannot tell which cuts hold whatever stands around."""
        return None

    def merge(self, other: "Counter") -> None:
        """Add another counter's counts to this one."""
        for word, count in other._counts.items():
            self._add(word, count, other._first[word])

    def add(self, counts: WordCounts, position: int) -> None:
        """Add a table that was counted elsewhere."""
        for (word, count), first in zip(counts, counts.first.tolist(), strict=True):
            self._add(word, count, first + position)

    def add_cut(self, counts: WordCounts) -> None:
        """Count what the words of a table are cut into."""
        for (word, count), first in zip(counts, counts.first.tolist(), strict=True):
            self._count(word, first, count)

    def n_bytes(self) -> int:
        """About what two dictionaries take."""
        return len(self._counts) * _BYTES_PER_WORD

    def clear(self) -> None:
        """Forget what was counted."""
        self._counts.clear()
        self._first.clear()

    def share(self, n_bits: int, number: int) -> WordCounts:
        """The words whose checksum begins with these bits."""
        words = [word for word in self._first if zlib.crc32(word) >> (32 - n_bits) == number]
        return self._table(words)

    def result(self, rules: SplitRules, n_bytes: int, n_documents: int) -> WordCounts:
        """The counts in order of first position."""
        counts = self._table(list(self._first))
        return replace(counts, n_bytes=n_bytes, n_documents=n_documents, rules=rules)

    def _table(self, words: list[bytes]) -> WordCounts:
        words.sort(key=self._first.__getitem__)
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        return WordCounts(
            data=b"".join(words),
            offsets=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
            counts=np.fromiter((self._counts[w] for w in words), np.int64, len(words)),
            first=np.fromiter((self._first[w] for w in words), np.int64, len(words)),
        )

    def _count(self, data: bytes, position: int, count: int = 1) -> None:
        if self._rules.steps:
            for piece in pre_tokens(self._rules, Aligned.of(data, position)):
                self._add(piece.data, count, int(piece.starts[0]))
            return
        start = 0
        for end in self._splitter.split(data):
            self._add(data[start:end], count, position + start)
            start = end

    def _add(self, word: bytes, count: int, position: int) -> None:
        self._counts[word] = self._counts.get(word, 0) + count
        self._first[word] = min(self._first.get(word, position), position)
