"""One learning: seeds first, then whatever the words want."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from bytepair.checkpoint import MergeLog
from bytepair.engines import Engine, Learner, LearnTask
from bytepair.engines.python import join_symbols, pre_tokens
from bytepair.errors import ArgumentError, warn_caller
from bytepair.learning._beginning import Beginning, huggingface_order
from bytepair.learning._symbols import ENDS, Symbols, shown
from bytepair.model import (
    LengthUnit,
    MergeBatch,
    MergeTable,
    Progress,
    ProgressReporter,
    SplitRules,
    Ties,
)
from bytepair.normalizers import Aligned, normalize

_FIRST_STEP = 64  # merges found in one go; more and more
_STEP_S = 0.02  # as long as one go takes no longer: so progress is seen within a moment


@dataclass(frozen=True)
class Choices:
    """How pairs are chosen; the attributes are those of `LearnTask` and `MergeLearner`."""

    ties: Ties
    min_frequency: int
    max_token_length: int | None
    length_unit: LengthUnit
    blocked: frozenset[bytes]
    blocked_pairs: frozenset[tuple[bytes, bytes]]
    threads: int


class Work:
    """What is learned on top of a beginning.

    Attributes:
        symbols: those there are so far.
        merges: those that were made so far, the given ones of the beginning not among them.
    """

    def __init__(
        self, engine: Engine, choices: Choices, beginning: Beginning, *, by_bytes: bool
    ) -> None:
        self._engine = engine
        self._choices = choices
        self._beginning = beginning
        self._by_bytes = by_bytes
        self._learner: Learner | None = None
        self.symbols = Symbols(beginning)
        self.merges = MergeBatch.from_merges([])

    def learn_seeds(self, seeds: tuple[bytes, ...], rules: SplitRules) -> None:
        """Make these tokens; BPE on them alone, each as often as the others.

        Raises:
            ArgumentError: one cannot be made.
        """
        if not seeds:
            return
        words = [self._first_symbols(seed) for seed in seeds]
        offsets = np.cumsum([0, *map(len, words)]).astype(np.int64)
        symbols = np.array([symbol for word in words for symbol in word], np.uint32)
        counts = np.ones(len(words), np.int64)
        n_most = len(symbols)
        for batch in self._batches(symbols, offsets, counts, n_most, min_frequency=1):
            self._add(batch)
        unmade = [seed for seed, word in zip(seeds, words, strict=True) if not self._joins(word)]
        if unmade:
            raise ArgumentError(
                f"seed_tokens: {shown(unmade)} cannot be made: a part of it is blocked, or it is "
                "longer than max_token_length."
            )
        nothing = np.zeros(len(self.merges), np.int64)  # their pairs were not counted
        columns = self.merges.left, self.merges.right, self.merges.joined
        self.merges = MergeBatch(*columns, nothing)
        _check_cuts(seeds, rules)

    def go_on_from(self, log: MergeLog) -> None:
        """Take the merges that are in the log."""
        self._add(log.merges)

    def learn(
        self,
        words: Beginning,
        n_wanted: int,
        reporter: ProgressReporter,
        log: MergeLog | None,
        *,
        n_all: int | None = None,
    ) -> None:
        """Learn until there are `n_wanted` merges, or no pair of these words is to be joined.

        Args:
            words: in the symbols of the beginning.
            n_wanted: the merges of seeds, and of what was learned before, are among them.
            n_all: how many are wanted in the end, for the reporter; None: as many.
        """
        for batch in self._batches(
            words.symbols,
            words.offsets,
            words.counts,
            n_wanted - len(self.merges),
            min_frequency=self._choices.min_frequency,
        ):
            if log is not None:
                log.append(batch)
            self._add(batch)
            reporter.tell(partial(self._moment, words, n_all or n_wanted, log))

    def _moment(self, words: Beginning, n_wanted: int, log: MergeLog | None) -> Progress:
        contents, merges = self.symbols.contents, self.merges
        n_queued, n_pairs = self._learner.in_view() if self._learner else (None, None)
        return Progress(
            "learn",
            len(merges),
            n_wanted,
            "merges",
            contents[-1].decode("utf-8", "backslashreplace"),
            pair=(contents[merges.left[-1]], contents[merges.right[-1]]),
            frequency=int(merges.frequency[-1]),
            n_words=len(words.counts),
            n_queued=n_queued,
            n_pairs=n_pairs,
            checkpoint_age_s=None if log is None else log.unsynced_s,
        )

    def _add(self, batch: MergeBatch) -> None:
        self.merges = MergeBatch.joined_from([self.merges, batch])
        self.symbols.add(batch)

    def _batches(
        self,
        symbols: NDArray[np.uint32] | NDArray[np.uint8],
        offsets: NDArray[np.int64],
        counts: NDArray[np.int64],
        n_wanted: int,
        *,
        min_frequency: int,
    ) -> Iterator[MergeBatch]:
        if n_wanted <= 0:
            return
        choices = self._choices
        blocks = bool(choices.blocked or choices.blocked_pairs)
        task = LearnTask(
            symbols,
            offsets,
            counts,
            tuple(self.symbols.contents),
            merges=self._table(),
            lengths=self.symbols.lengths(choices.length_unit),
            order=self._order(),
            ties=choices.ties if choices.ties in ("first", "bytes") else "order",
            min_frequency=min_frequency,
            max_token_length=choices.max_token_length,
            blocked=choices.blocked,
            blocked_pairs=choices.blocked_pairs,
            spellings=self.symbols.spellings() if blocks else None,
            threads=choices.threads,
        )
        self._learner = self._engine.learner(task)
        yield from _advance(self._learner, n_wanted)

    def _order(self) -> list[int] | None:
        # Characters have the same order here and there; bytes have not.
        if self._choices.ties != "huggingface" or not self._by_bytes:
            return None
        first = huggingface_order(self._beginning)
        return [*first, *range(len(first), len(self.symbols))]

    def _table(self) -> MergeTable:
        """All merges so far, those of the beginning first."""
        given, new = self._beginning.given, self.merges
        first_rank = int(given.rank.max()) + 1 if len(given) else 0
        ranks = np.arange(first_rank, first_rank + len(new), dtype=np.uint32)
        return MergeTable(
            np.concatenate([given.left, new.left]),
            np.concatenate([given.right, new.right]),
            np.concatenate([given.joined, new.joined]),
            np.concatenate([given.rank, ranks]),
        )

    # ------------------------------------------------------------------ seeds

    def _first_symbols(self, seed: bytes) -> list[int]:
        start = self._beginning
        if self._by_bytes:
            return [start.byte_ids[byte] for byte in seed]
        fallback = set(start.byte_ids)
        symbols = {
            content: symbol
            for symbol, content in enumerate(start.contents)
            if symbol not in fallback and len(content.decode("utf-8", "replace")) == 1
        }
        ends = [] if start.end_mark is None or not seed.endswith(ENDS) else [start.end_mark]
        text = seed.removesuffix(ENDS).decode("utf-8", "backslashreplace")
        try:
            return [symbols[char.encode()] for char in text] + ends
        except KeyError as error:
            raise ArgumentError(
                f"seed_tokens: {text!r:.60} has a character without a token: {error.args[0]!r}."
            ) from error

    def _joins(self, word: list[int]) -> bool:
        return len(join_symbols(word, self._table().rank_by_pair())) == 1


def _advance(learner: Learner, n_wanted: int) -> Iterator[MergeBatch]:
    """Up to `n_wanted` merges, so many at a time that each step takes a moment."""
    step = _FIRST_STEP
    while n_wanted > 0:
        started = monotonic()
        batch = learner.advance(min(step, n_wanted))
        if not len(batch):
            break
        if monotonic() - started < _STEP_S:
            step *= 2
        yield batch
        n_wanted -= len(batch)


def _check_cuts(seeds: tuple[bytes, ...], rules: SplitRules) -> None:
    """Warn of tokens that text may never become."""
    texts = [seed.removesuffix(ENDS) for seed in seeds]
    for text in texts:
        for special in rules.special_tokens:
            if special.encode() in text:
                raise ArgumentError(
                    f"seed_tokens: {shown([text])} holds the special token {special!r}, which is "
                    "cut out of text before anything is merged."
                )
    names = rules.normalizer
    lost = [text for text in texts if names and normalize(text, names) != text]
    cut = [text for text in texts if len([*pre_tokens(rules, Aligned.of(text))]) > 1]
    for some, reason in ((lost, "change when text is normalised"), (cut, "are cut by the pattern")):
        if some:
            warn_caller(
                f"seed_tokens that {reason}, so they may never be found in a text: {shown(some)}."
            )
