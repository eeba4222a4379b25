"""`MergeLearner`: from word counts to a tokenizer."""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from time import monotonic
from typing import get_args

import numpy as np

from bytepair.checkpoint import Checkpoint, MergeLog
from bytepair.engines import Learner, LearnTask, select
from bytepair.errors import ArgumentError, BytepairWarning, CorpusError, InputTypeError
from bytepair.learning._alphabet import (
    FirstSymbols,
    byte_symbols,
    char_symbols,
    huggingface_byte_order,
)
from bytepair.model import (
    TIES,
    AddedToken,
    Alphabet,
    CountsFile,
    MergeBatch,
    MergeTable,
    Progress,
    ProgressCallback,
    ProgressReporter,
    Ties,
    TokenizerSpec,
    TrainingRecord,
    Vocabulary,
    WordCounts,
    at_least_one,
)

_FIRST_STEP = 64  # merges found in one go; more and more
_MAX_THREADS = 16  # more have nothing to do
_STEP_S = 0.02  # as long as one go takes no longer: so progress is seen within a moment


class MergeLearner:
    """`WordCounts` → `TokenizerSpec`: the most frequent pair is joined, again and again.

    Ids: the alphabet (bytes 0..255; or with `alphabet="chars"` the 256 bytes if `byte_fallback`,
    the code points ascending, the end mark), merges in learned order, special tokens last.

    Args:
        vocab_size: all tokens: alphabet, merges and special tokens.
        min_frequency: a pair that occurs less often is never joined.
        max_token_length: no token gets longer, in bytes, or in characters with
            `alphabet="chars"`; the end mark does not count.
        ties: which of equally frequent pairs comes first; see `bytepair.learning`.
        alphabet: "bytes", or "chars": the corpus's characters.
        end_of_word: mark at the end of every pre-token, only with `alphabet="chars"`.
        byte_fallback: with `alphabet="chars"`, bytes for characters that were never seen.
        threads: to learn with; None: one a core. The result does not depend on it. The pure-Python
            engine uses one.
        engine: "native" or "python"; None: the one `bytepair.engine()` names.

    Raises:
        ArgumentError: an option out of range.

    >>> counts = WordCounts.from_mapping({"low": 5, "lower": 2})
    >>> spec = MergeLearner(vocab_size=258).learn(counts)
    >>> spec.vocabulary.tokens[256], spec.vocabulary.tokens[257]
    (b'lo', b'low')
    """

    def __init__(
        self,
        *,
        vocab_size: int = 32_000,
        min_frequency: int = 2,
        max_token_length: int | None = None,
        ties: Ties = "lowest",
        alphabet: Alphabet = "bytes",
        end_of_word: str | None = None,
        byte_fallback: bool = True,
        threads: int | None = None,
        engine: str | None = None,
    ) -> None:
        _require_choice("ties", ties, TIES)
        _require_choice("alphabet", alphabet, get_args(Alphabet))
        if end_of_word is not None and not (isinstance(end_of_word, str) and end_of_word):
            raise ArgumentError(f"end_of_word must be a text like '</w>', got {end_of_word!r:.60}.")
        if end_of_word is not None and alphabet != "chars":
            raise ArgumentError(f"end_of_word={end_of_word!r} needs alphabet='chars'.")
        self.vocab_size = at_least_one("vocab_size", vocab_size)
        self.min_frequency = at_least_one("min_frequency", min_frequency)
        self.max_token_length = (
            None if max_token_length is None else at_least_one("max_token_length", max_token_length)
        )
        self.ties = ties
        self.alphabet = alphabet
        self.end_of_word = end_of_word
        self.byte_fallback = byte_fallback and alphabet == "chars"
        wanted = (os.cpu_count() or 1) if threads is None else at_least_one("threads", threads)
        self._threads = min(wanted, _MAX_THREADS)
        self._engine = select(engine)

    def with_size(self, vocab_size: int) -> "MergeLearner":
        """The same learner for another size."""
        other = copy(self)
        other.vocab_size = at_least_one("vocab_size", vocab_size)
        return other

    def require_room(self, n_special: int) -> None:
        """Fail before a corpus is counted if its vocabulary could not hold what it must.

        Args:
            n_special: number of special tokens.

        Raises:
            ArgumentError: `vocab_size` is smaller than the bytes and the special tokens.
        """
        if self.alphabet == "bytes":
            self._merges_wanted(256, n_special)

    @property
    def options(self) -> dict[str, object]:
        """What the result depends on beside the words, by name."""
        return {
            "vocab_size": self.vocab_size,
            "min_frequency": self.min_frequency,
            "max_token_length": self.max_token_length,
            "ties": self.ties,
            "alphabet": self.alphabet,
            "end_of_word": self.end_of_word,
            "byte_fallback": self.byte_fallback,
        }

    def learn(
        self,
        counts: WordCounts,
        *,
        name: str = "bytepair",
        progress: ProgressCallback | None = None,
        checkpoint: str | os.PathLike[str] | Checkpoint | None = None,
        resume: bool = False,
    ) -> TokenizerSpec:
        """Learn merges until the vocabulary is full or no pair is frequent enough.

        Finding fewer merges than asked for gives the smaller vocabulary and a `BytepairWarning`.

        Args:
            checkpoint: a folder in which every merge is kept, so that learning can go on from there
                whatever ends it; see `bytepair.checkpoint`.
            resume: go on from what is in the folder, if anything is. The result is the same.

        Raises:
            InputTypeError: not `WordCounts`.
            CorpusError: no word at all, or bytes that are not text with `alphabet="chars"`.
            ArgumentError: `vocab_size` is smaller than the alphabet and the special tokens; or the
                folder belongs to other options or words.
            SaveError: the folder cannot be written to.
        """
        if not isinstance(counts, WordCounts):
            raise InputTypeError(
                f"expected WordCounts, got {type(counts).__name__}. Count a corpus with "
                "FrequencyAnalyzer, or make them with WordCounts.from_mapping({word: count})."
            )
        if not isinstance(name, str) or not name:
            raise ArgumentError(f"name must be a text that is not empty, got {name!r:.60}.")
        if not len(counts):
            raise CorpusError(_nothing_to_learn_from(counts))
        reporter = ProgressReporter(progress)
        first = self._first_symbols(counts)
        n_wanted = self._merges_wanted(len(first.contents), len(counts.rules.special_tokens))
        with self._log(counts, len(first.contents), checkpoint, resume=resume) as log:
            tokens, merges = self._find(counts, first, n_wanted, reporter, log)
        if len(merges) < n_wanted:
            self._warn_of_fewer(len(merges), n_wanted)
        return TokenizerSpec(
            vocabulary=_vocabulary(first, tokens, merges),
            merges=_merge_list(merges),
            rules=counts.rules,
            added_tokens=tuple(
                AddedToken(content, len(tokens) + number)
                for number, content in enumerate(counts.rules.special_tokens)
            ),
            alphabet=self.alphabet,
            end_of_word=self.end_of_word,
            name=name,
            training=self._record(counts, merges, n_wanted),
        )

    @contextmanager
    def _log(
        self,
        counts: WordCounts,
        n_first: int,
        checkpoint: str | os.PathLike[str] | Checkpoint | None,
        *,
        resume: bool,
    ) -> Iterator[MergeLog | None]:
        if checkpoint is None:
            if resume:
                raise ArgumentError("resume=True needs checkpoint=, the folder to go on from.")
            yield None
        elif isinstance(checkpoint, Checkpoint):
            yield checkpoint.log(n_first)
        else:
            options = self.options | {"words": CountsFile(counts).digest.hex()}
            with Checkpoint(checkpoint, options, resume=resume) as folder:
                yield folder.log(n_first)

    def _find(
        self,
        counts: WordCounts,
        first: FirstSymbols,
        n_wanted: int,
        reporter: ProgressReporter,
        log: MergeLog | None,
    ) -> tuple[list[bytes], MergeBatch]:
        """The bytes of all symbols, and the merges; those in the log first."""
        tokens = list(first.contents)
        batches = [] if log is None else [log.merges]
        for batch in batches:
            _add_tokens(tokens, batch)
        for batch in self._merge_batches(
            counts, first, tokens, MergeBatch.joined_from(batches), n_wanted
        ):
            if log is not None:
                log.append(batch)
            batches.append(batch)
            _add_tokens(tokens, batch)
            newest = tokens[-1].decode("utf-8", "backslashreplace")
            n_done = len(tokens) - len(first.contents)
            reporter.tell(Progress("learn", n_done, n_wanted, "merges", newest))
        reporter.finish()
        return tokens, MergeBatch.joined_from(batches)

    def _first_symbols(self, counts: WordCounts) -> FirstSymbols:
        if self.alphabet == "bytes":
            return byte_symbols(counts)
        return char_symbols(
            counts,
            byte_fallback=self.byte_fallback,
            end_of_word=self.end_of_word is not None,
        )

    def _merges_wanted(self, n_alphabet: int, n_special: int) -> int:
        n_merges = self.vocab_size - n_alphabet - n_special
        if n_merges < 0:
            raise ArgumentError(
                f"vocab_size={self.vocab_size} is too small: the alphabet has "
                f"{n_alphabet} tokens, and {n_special} for special tokens are wanted, "
                f"so at least {self.vocab_size - n_merges} are needed."
            )
        return n_merges

    def _merge_batches(
        self,
        counts: WordCounts,
        first: FirstSymbols,
        tokens: list[bytes],
        done: MergeBatch,
        n_wanted: int,
    ) -> Iterator[MergeBatch]:
        """The merges that follow those that are done."""
        # Characters have the same order here and there; bytes have not.
        hf_order = self.ties == "huggingface" and self.alphabet == "bytes"
        task = LearnTask(
            first.symbols,
            first.offsets,
            counts.counts,
            tuple(tokens),
            merges=_merge_list(done),
            lengths=first.lengths(done),
            order=[*huggingface_byte_order(), *range(256, len(tokens))] if hf_order else None,
            ties=self.ties if self.ties in ("first", "bytes") else "order",
            min_frequency=self.min_frequency,
            max_token_length=self.max_token_length,
            threads=self._threads,
        )
        n_wanted -= len(done)
        if n_wanted > 0:
            yield from _advance(self._engine.learner(task), n_wanted)

    def _warn_of_fewer(self, n_found: int, n_wanted: int) -> None:
        short = n_wanted - n_found
        limit = "" if self.max_token_length is None else " within max_token_length"
        warnings.warn(
            f"only {n_found} of {n_wanted} merges were found, so the vocabulary has "
            f"{self.vocab_size - short} tokens, not {self.vocab_size}: no other pair{limit} occurs "
            f"{self.min_frequency} times. Use a larger corpus or a lower min_frequency.",
            BytepairWarning,
            stacklevel=4,  # whoever called train()
        )

    def _record(self, counts: WordCounts, merges: MergeBatch, n_wanted: int) -> TrainingRecord:
        return TrainingRecord(
            options=self.options,
            corpus_bytes=counts.n_bytes,
            corpus_documents=counts.n_documents,
            pretokens=counts.total,
            distinct_pretokens=len(counts),
            merge_counts=tuple(merges.frequency.tolist()),
            stopped="vocab_size" if len(merges) == n_wanted else "min_frequency",
            version=_installed_version(),
        )


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


def _add_tokens(tokens: list[bytes], batch: MergeBatch) -> None:
    for left, right in zip(batch.left.tolist(), batch.right.tolist(), strict=True):
        tokens.append(tokens[left] + tokens[right])


def _merge_list(merges: MergeBatch) -> MergeTable:
    ranks = np.arange(len(merges), dtype=np.uint32)
    return MergeTable(merges.left, merges.right, merges.joined, ranks)


def _installed_version() -> str:
    from importlib.metadata import version  # slow to import, and few programs learn

    return version("bytepair")


def _vocabulary(first: FirstSymbols, tokens: list[bytes], merges: MergeBatch) -> Vocabulary:
    end_mark = first.end_of_word_id
    ends_word = set() if end_mark is None else {end_mark}
    if ends_word:  # the mark is the last symbol of a word: a token that has it ends with it
        for merge in merges:
            if merge.right in ends_word:
                ends_word.add(merge.joined)
    return Vocabulary(
        tokens=dict(enumerate(tokens)),
        byte_ids=first.byte_ids,
        end_of_word_id=end_mark,
        ends_word=frozenset(ends_word),
    )


def _nothing_to_learn_from(counts: WordCounts) -> str:
    if counts.n_documents:
        return (
            f"the corpus is empty: its {counts.n_documents} documents hold no text. "
            "Check the paths, the field and the separator."
        )
    return (
        "the corpus is empty: there is no document in it. Check the paths; an iterator that was "
        "read before has nothing left."
    )


def _require_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ArgumentError(f"{name} must be one of {', '.join(choices)}, got {value!r}.")
