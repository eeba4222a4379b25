"""Superwords: tokens that a second stage of learning makes across the borders of words.

Source: Liu et al. 2025, https://arxiv.org/abs/2503.13423. That what they are learned in can be
counted like words: Schmidt et al. 2026, https://arxiv.org/abs/2604.05192.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from bytepair.engines import Counter, Engine
from bytepair.errors import ArgumentError
from bytepair.model import SplitRules, WordCounts
from bytepair.patterns import check_cuts, cuts_alike, resolve

_LEAST_SHARE = 1 << 20  # bytes that are worth another thread


@dataclass(frozen=True)
class Superwords:
    """How many there are to be, and how phrases are cut into the words of the first stage.

    Attributes:
        wanted: a number of tokens, or a share of the vocabulary.
    """

    wanted: int | float
    word_pattern: str

    @classmethod
    def of(
        cls, wanted: float | None, word_pattern: str | None, end_of_word: str | None
    ) -> "Superwords | None":
        """From what a user gives.

        Raises:
            ArgumentError: neither a number nor a share, no pattern, or an end mark.
            PatternError: an invalid pattern.
        """
        if wanted is None:
            return None
        is_number = isinstance(wanted, int | float | np.integer) and not isinstance(wanted, bool)
        if not is_number or not wanted > 0 or (isinstance(wanted, float) and wanted >= 1):
            raise ArgumentError(
                "superwords must be a number of tokens, 1 or more, or a share of the vocabulary "
                f"between 0 and 1 (0.2, say), got {wanted!r:.60}."
            )
        if end_of_word is not None:
            raise ArgumentError(
                f"superwords do not go with end_of_word={end_of_word!r}: words would end within "
                "a token."
            )
        regex = resolve(word_pattern)
        if regex is None:
            raise ArgumentError("superwords need word_pattern=, which cuts phrases into words.")
        check_cuts(regex)
        return cls(wanted if isinstance(wanted, float) else int(wanted), regex)

    @property
    def options(self) -> dict[str, object]:
        """For a record."""
        return {"superwords": self.wanted, "word_pattern": self.word_pattern}

    def number(self, vocab_size: int) -> int:
        """How many tokens."""
        if isinstance(self.wanted, int):
            return self.wanted
        return max(round(vocab_size * self.wanted), 1)

    def words(self, phrases: WordCounts, engine: Engine, threads: int) -> WordCounts:
        """The words of the phrases; O(bytes of distinct phrases).

        Raises:
            ArgumentError: what was counted are words already.
        """
        cut_by = phrases.rules.pattern
        if cut_by is not None and cuts_alike(cut_by, self.word_pattern):
            raise ArgumentError(
                "superwords are learned in phrases, and what was counted are words. Count with "
                "pattern=bytepair.patterns.phrase_pattern(...), which leaves words together."
            )
        n_shares = min(threads, 1 + len(phrases.data) // _LEAST_SHARE)
        counters = [engine.counter(SplitRules(self.word_pattern)) for _ in range(n_shares)]
        borders = [len(phrases) * share // n_shares for share in range(n_shares + 1)]
        shares = map(_part, [phrases] * n_shares, borders, borders[1:])
        with ThreadPoolExecutor(n_shares) as pool:
            list(pool.map(_add_cut, counters, shares))  # raises what one of them raised
        first, *others = counters
        for other in others:
            first.merge(other)
        return first.result(phrases.rules, phrases.n_bytes, phrases.n_documents)


def _add_cut(counter: Counter, phrases: WordCounts) -> None:
    counter.add_cut(phrases)


def _part(counts: WordCounts, begin: int, end: int) -> WordCounts:
    return replace(
        counts,
        offsets=counts.offsets[begin : end + 1],
        counts=counts.counts[begin:end],
        first=counts.first[begin:end],
    )
