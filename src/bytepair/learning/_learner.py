"""`MergeLearner`: from word counts to a tokenizer."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from typing import get_args

import numpy as np

from bytepair.checkpoint import Checkpoint, MergeLog
from bytepair.engines import select
from bytepair.engines.python import all_ids
from bytepair.errors import ArgumentError, CorpusError, InputTypeError, warn_caller
from bytepair.learning._beginning import (
    Beginning,
    from_tokenizer,
    in_bytes,
    in_chars,
)
from bytepair.learning._extend import (
    extended,
    fingerprint,
    require_extensible,
    require_same_cuts,
)
from bytepair.learning._superwords import Superwords
from bytepair.learning._symbols import ENDS, Symbols
from bytepair.learning._wishes import Wishes
from bytepair.learning._work import Choices, Work
from bytepair.model import (
    TIES,
    AddedToken,
    Alphabet,
    CountsFile,
    LengthUnit,
    MergeBatch,
    MergeTable,
    ProgressCallback,
    ProgressReporter,
    SplitRules,
    Ties,
    TokenizerSpec,
    TrainingRecord,
    Vocabulary,
    WordCounts,
    at_least_one,
)

_MAX_THREADS = 16  # more have nothing to do
_BYTES_A_SYMBOL = 45  # its slot, and the sites of the pairs it stands in


class MergeLearner:
    """`WordCounts` → `TokenizerSpec`: the most frequent pair is joined, again and again.

    Ids: the alphabet (bytes 0..255; or with `alphabet="chars"` the 256 bytes if `byte_fallback`,
    the code points ascending, the end mark), merges in learned order, special tokens last.

    Args:
        vocab_size: all tokens: alphabet, merges and special tokens.
        min_frequency: a pair that occurs less often is never joined.
        max_token_length: no learned token gets longer; the end mark does not count.
        length_unit: what that counts: "bytes", or "characters", those that begin in a token. None:
            bytes with the alphabet of bytes, else characters.
        ties: which of equally frequent pairs comes first; see `bytepair.learning`.
        alphabet: "bytes", or "chars": the corpus's characters.
        end_of_word: mark at the end of every pre-token, only with `alphabet="chars"`.
        byte_fallback: with `alphabet="chars"`, bytes for characters that are not in it.
        limit_alphabet: with `alphabet="chars"`, only so many characters, the most frequent ones; of
            equally frequent ones the lowest. No token is learned across any other.
        seed_tokens: that must exist. Their merges come first and are learned from them alone, each
            as often as the others, so their parts are tokens too.
        blocked_tokens: that must not exist; of the alphabet none can be blocked.
        blocked_pairs: (left, right) that must not be merged; the same token may come about in
            another way.
        superwords: so many tokens (an int), or such a share of the vocabulary (a float below 1),
            are learned last, across the borders of words. What is counted are phrases then, and
            they are what the tokenizer cuts text into; see `bytepair.patterns.phrase_pattern`.
        word_pattern: with `superwords`, name or regex that cuts phrases into the words from which
            the other tokens are learned first.
        exact_size: fewer merges than wanted are an error, not a warning.
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
        length_unit: LengthUnit | None = None,
        ties: Ties = "lowest",
        alphabet: Alphabet = "bytes",
        end_of_word: str | None = None,
        byte_fallback: bool = True,
        limit_alphabet: int | None = None,
        seed_tokens: Iterable[str | bytes] = (),
        blocked_tokens: Iterable[str | bytes] = (),
        blocked_pairs: Iterable[tuple[str | bytes, str | bytes]] = (),
        superwords: float | None = None,
        word_pattern: str | None = None,
        exact_size: bool = False,
        threads: int | None = None,
        engine: str | None = None,
    ) -> None:
        _require_choice("ties", ties, TIES)
        _require_choice("alphabet", alphabet, get_args(Alphabet))
        if end_of_word is not None and not (isinstance(end_of_word, str) and end_of_word):
            raise ArgumentError(f"end_of_word must be a text like '</w>', got {end_of_word!r:.60}.")
        if end_of_word is not None and alphabet != "chars":
            raise ArgumentError(f"end_of_word={end_of_word!r} needs alphabet='chars'.")
        if length_unit is not None:
            _require_choice("length_unit", length_unit, get_args(LengthUnit))
        self.vocab_size = at_least_one("vocab_size", vocab_size)
        self.min_frequency = at_least_one("min_frequency", min_frequency)
        self.max_token_length = _at_least_one_or_none("max_token_length", max_token_length)
        self.length_unit: LengthUnit = length_unit or (
            "bytes" if alphabet == "bytes" else "characters"
        )
        self.ties = ties
        self.alphabet = alphabet
        self.end_of_word = end_of_word
        self.byte_fallback = byte_fallback and alphabet == "chars"
        self.limit_alphabet = _at_least_one_or_none("limit_alphabet", limit_alphabet)
        if limit_alphabet is not None and not self.byte_fallback:
            raise ArgumentError(
                "limit_alphabet needs alphabet='chars' with byte_fallback=True: without bytes "
                "nothing could stand for the characters that are left out."
            )
        self.exact_size = exact_size
        self._superwords = Superwords.of(superwords, word_pattern, end_of_word)
        self._wishes = Wishes.of(seed_tokens, blocked_tokens, blocked_pairs, end_of_word)
        wanted = (os.cpu_count() or 1) if threads is None else at_least_one("threads", threads)
        self._threads = min(wanted, _MAX_THREADS)
        self._engine = select(engine)

    def with_size(self, vocab_size: int) -> "MergeLearner":
        """The same learner for another size."""
        other = copy(self)
        other.vocab_size = at_least_one("vocab_size", vocab_size)
        return other

    def require_room(self, n_special: int, base: TokenizerSpec | None = None) -> None:
        """Fail before a corpus is counted if its vocabulary could not hold what it must.

        Args:
            n_special: number of special tokens.
            base: see `learn`.

        Raises:
            ArgumentError: `vocab_size` is smaller than the bytes and the special tokens, or not
                larger than the vocabulary to go on from; or that is none to go on from.
        """
        if base is not None:
            require_extensible(base, self.vocab_size)
        elif self.alphabet == "bytes":
            self._n_before_superwords(self._merges_wanted(256, n_special))

    @staticmethod
    def memory_bytes(counts: WordCounts) -> int:
        """What learning from these words may take beside them, about: an upper bound.

        Measured: 20 to 45 bytes for each byte of the distinct words, whatever the vocabulary.
        """
        return _BYTES_A_SYMBOL * len(counts.data)

    @property
    def options(self) -> dict[str, object]:
        """What the result depends on beside the words, by name."""
        return {
            "vocab_size": self.vocab_size,
            "min_frequency": self.min_frequency,
            "max_token_length": self.max_token_length,
            "length_unit": self.length_unit,
            "ties": self.ties,
            "alphabet": self.alphabet,
            "end_of_word": self.end_of_word,
            "byte_fallback": self.byte_fallback,
            "limit_alphabet": self.limit_alphabet,
            **self._wishes.plain,
            **(self._superwords.options if self._superwords else {}),
        }

    def learn(
        self,
        counts: WordCounts,
        *,
        base: TokenizerSpec | None = None,
        name: str = "bytepair",
        progress: ProgressCallback | None = None,
        checkpoint: str | os.PathLike[str] | Checkpoint | None = None,
        resume: bool = False,
    ) -> TokenizerSpec:
        """Learn merges until the vocabulary is full or no pair is frequent enough.

        Finding fewer merges than asked for gives the smaller vocabulary and a `BytepairWarning`.

        Args:
            base: a tokenizer to go on from: its ids, merges and rules stay, and what is learned
                comes behind them. Its alphabet counts, not the one given here. The words must have
                been cut as it cuts text.
            checkpoint: a folder in which every merge is kept, so that learning can go on from there
                whatever ends it; see `bytepair.checkpoint`.
            resume: go on from what is in the folder, if anything is. The result is the same.

        Raises:
            InputTypeError: not `WordCounts`.
            CorpusError: no word at all, or bytes that are not text with `alphabet="chars"`; or
                fewer merges than wanted, with `exact_size`.
            ArgumentError: `vocab_size` is smaller than the alphabet and the special tokens; a seed
                token cannot be made; the folder belongs to other options or words; or the words
                were not cut as `base` does it.
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
        beginning = self._beginning(counts, base)
        n_wanted = self._n_wanted(beginning, counts, base)
        work = Work(
            self._engine,
            self._choices(beginning, base),
            beginning,
            by_bytes=(self.alphabet if base is None else base.alphabet) == "bytes",
        )
        work.learn_seeds(self._wishes.seeds, counts.rules)
        if len(work.merges) > n_wanted:
            raise ArgumentError(
                f"vocab_size={self.vocab_size} is too small: {len(work.merges)} tokens are needed "
                f"for seed_tokens and their parts, and there is room for {n_wanted}."
            )
        n_first = self._n_before_superwords(n_wanted)
        reporter = ProgressReporter(progress)
        with self._log(counts, len(work.symbols), base, checkpoint, resume=resume) as log:
            if log is not None:
                work.go_on_from(log)
            if self._superwords is not None and len(work.merges) < n_first:
                counted = self._superwords.words(counts, self._engine, self._threads)
                work.learn(self._beginning(counted, None), n_first, reporter, log, n_all=n_wanted)
            work.learn(beginning, n_wanted, reporter, log)
            reporter.finish()
        if len(work.merges) < n_wanted:
            self._tell_of_fewer(len(work.merges), n_wanted)
        record = self._record(counts, work.merges, n_wanted)
        if base is not None:
            return extended(base, beginning, work.symbols, work.merges, record, name)
        return self._spec(beginning, work, counts.rules, record, name)

    def _beginning(self, counts: WordCounts, base: TokenizerSpec | None) -> Beginning:
        if base is not None:
            if self._superwords is not None:
                raise ArgumentError(
                    f"superwords do not go with a tokenizer to go on from: {base.name!r} cuts text "
                    "as it does. One that was trained with superwords learns more of them."
                )
            require_same_cuts(counts.rules, base.rules)
            if self._wishes.seeds and (base.end_of_word or base.continuing_prefix):
                raise ArgumentError(
                    f"seed_tokens: tokens of {base.name!r} say whether they begin or end a word, "
                    "which seeds do not."
                )
            return from_tokenizer(base, counts)
        if self.alphabet == "bytes":
            return in_bytes(counts)
        seeds = [seed.removesuffix(ENDS) for seed in self._wishes.seeds]
        return in_chars(
            counts,
            byte_fallback=self.byte_fallback,
            end_of_word=self.end_of_word is not None,
            limit=self.limit_alphabet,
            wanted=b"".join(seeds).decode("utf-8", "ignore"),
        )

    def _n_wanted(
        self, beginning: Beginning, counts: WordCounts, base: TokenizerSpec | None
    ) -> int:
        if base is None:
            return self._merges_wanted(len(beginning.contents), len(counts.rules.special_tokens))
        require_extensible(base, self.vocab_size)
        return self.vocab_size - len(all_ids(base))

    def _choices(self, beginning: Beginning, base: TokenizerSpec | None) -> Choices:
        blocked = self._wishes.blocked
        if base is not None:  # what is a token already, but not made by merging, is not made twice
            added = (token.content.encode() for token in base.added_tokens)
            blocked = blocked.union(Symbols(beginning).spellings(), added)
        return Choices(
            ties=self.ties,
            min_frequency=self.min_frequency,
            max_token_length=self.max_token_length,
            length_unit=self.length_unit,
            blocked=blocked,
            blocked_pairs=self._wishes.blocked_pairs,
            threads=self._threads,
        )

    def _spec(
        self, beginning: Beginning, work: Work, rules: SplitRules, record: TrainingRecord, name: str
    ) -> TokenizerSpec:
        contents = work.symbols.contents
        merges = work.merges
        return TokenizerSpec(
            vocabulary=Vocabulary(
                tokens=dict(enumerate(contents)),
                byte_ids=beginning.byte_ids,
                end_of_word_id=beginning.end_mark,
                ends_word=frozenset(work.symbols.ends_word),
            ),
            merges=MergeTable(
                merges.left, merges.right, merges.joined, np.arange(len(merges), dtype=np.uint32)
            ),
            rules=rules,
            added_tokens=tuple(
                AddedToken(content, len(contents) + number)
                for number, content in enumerate(rules.special_tokens)
            ),
            alphabet=self.alphabet,
            end_of_word=self.end_of_word,
            name=name,
            training=record,
        )

    @contextmanager
    def _log(
        self,
        counts: WordCounts,
        n_first: int,
        base: TokenizerSpec | None,
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
            options = self.options_on(base) | {"words": CountsFile(counts).digest.hex()}
            with Checkpoint(checkpoint, options, resume=resume) as folder:
                yield folder.log(n_first)

    def options_on(self, base: TokenizerSpec | None) -> dict[str, object]:
        """`options`, and the tokenizer to go on from, if any."""
        return self.options | ({} if base is None else {"base": fingerprint(base)})

    def _merges_wanted(self, n_alphabet: int, n_special: int) -> int:
        n_merges = self.vocab_size - n_alphabet - n_special
        if n_merges < 0:
            raise ArgumentError(
                f"vocab_size={self.vocab_size} is too small: the alphabet has "
                f"{n_alphabet} tokens, and {n_special} for special tokens are wanted, "
                f"so at least {self.vocab_size - n_merges} are needed."
            )
        return n_merges

    def _n_before_superwords(self, n_wanted: int) -> int:
        """How many of the merges are learned from words."""
        if self._superwords is None:
            return n_wanted
        n_superwords = self._superwords.number(self.vocab_size)
        if n_superwords > n_wanted:
            raise ArgumentError(
                f"superwords={self._superwords.wanted} are {n_superwords} tokens, and "
                f"vocab_size={self.vocab_size} leaves room for {n_wanted} beside the alphabet and "
                "the special tokens."
            )
        return n_wanted - n_superwords

    def _tell_of_fewer(self, n_found: int, n_wanted: int) -> None:
        short = n_wanted - n_found
        limit = "" if self.max_token_length is None else " within max_token_length"
        message = (
            f"only {n_found} of {n_wanted} merges were found, so the vocabulary has "
            f"{self.vocab_size - short} tokens, not {self.vocab_size}: no other pair{limit} occurs "
            f"{self.min_frequency} times. Use a larger corpus or a lower min_frequency."
        )
        if self.exact_size:
            raise CorpusError(message)
        warn_caller(message)

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
            n_skipped=counts.n_skipped,
            skipped=counts.skipped,
        )


def _installed_version() -> str:
    from importlib.metadata import version  # slow to import, and few programs learn

    return version("bytepair")


def _nothing_to_learn_from(counts: WordCounts) -> str:
    if counts.n_skipped:
        return (
            f"the corpus is empty: nothing could be read, {counts.n_skipped:,} times; first: "
            f"{counts.skipped[0].problem}"
        )
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


def _at_least_one_or_none(name: str, value: int | None) -> int | None:
    return None if value is None else at_least_one(name, value)
