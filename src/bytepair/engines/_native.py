"""The native engine: the one door to the C++ core. Converts arguments; the loops are in cpp/."""

import atexit
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property, partial
from typing import NamedTuple

import numpy as np
import regex
from numpy.typing import NDArray

import bytepair._core as _core
from bytepair.engines import python
from bytepair.engines._interface import (
    DecodingRules,
    LearnTask,
    PruneTask,
    Removal,
    Spans,
    Tally,
    Text,
)
from bytepair.engines._numbers import Numbers
from bytepair.engines._residues import ResidueEncoder
from bytepair.errors import EncodeError, SpecialTokenError
from bytepair.model import (
    AddedToken,
    MergeBatch,
    MergeTable,
    Metaspace,
    NormalizerStep,
    PrefixSpace,
    Prepend,
    PreTokenizerStep,
    Replace,
    Split,
    SplitRules,
    TokenId,
    TokenizerSpec,
    Tokens,
    WordCounts,
    residues_as_tokens,
    to_utf8,
)
from bytepair.normalizers import FORMS, Aligned, normalize, quick_values
from bytepair.patterns import automaton, word_set

_NO_LIMIT = 0xFFFF_FFFF
_CACHE_BYTES = 128 << 20
_NONE = np.zeros(0, np.uint32)
_NO_FREQUENCY = 2**63 - 1  # no pair occurs so often


class Counter:
    """The core's counter."""

    def __init__(self, chain: _core.SplitChain, special_tokens: Sequence[str]) -> None:
        self._core = _core.Counter(chain, [token.encode() for token in special_tokens])

    def feed(self, documents: Sequence[bytes], position: int) -> None:
        """Count whole documents; releases the GIL."""
        self._core.feed(list(documents), position)

    def feed_part(self, data: bytes, position: int, is_last: bool) -> int:
        """Count the certain part of an unfinished document; releases the GIL."""
        return self._core.feed_part(data, position, is_last)

    def feed_file(self, path: str, start: int, end: int, position: int) -> int:
        """Count a part of a file; releases the GIL."""
        return self._core.feed_file(os.fsencode(path), start, end, position)

    def stop(self) -> None:
        """End what another thread is counting."""
        self._core.stop()

    def border(self, document: bytes, start: int) -> int | None:
        """A place where a document may be divided; releases the GIL."""
        return self._core.border(document, start)

    def merge(self, other: "Counter") -> None:
        """Add another counter's counts to this one."""
        self._core.merge(other._core)

    def add(self, counts: WordCounts, position: int) -> None:
        """Add a table that was counted elsewhere; releases the GIL."""
        self._core.add(counts.data, counts.offsets, counts.counts, counts.first, position)

    def add_cut(self, counts: WordCounts) -> None:
        """Count what the words of a table are cut into; releases the GIL."""
        self._core.add_cut(counts.data, counts.offsets, counts.counts, counts.first)

    def n_bytes(self) -> int:
        """Memory of the words."""
        return self._core.n_bytes()

    def clear(self) -> None:
        """Forget what was counted."""
        self._core.clear()

    def share(self, n_bits: int, number: int) -> WordCounts:
        """A share of the words; releases the GIL."""
        return WordCounts(*self._core.result(n_bits, number))

    def result(self, rules: SplitRules, n_bytes: int, n_documents: int) -> WordCounts:
        """The counts in order of first position."""
        return WordCounts(*self._core.result(), n_bytes, n_documents, rules)


class Learner:
    """The core's learner."""

    def __init__(self, task: LearnTask) -> None:
        words, n_symbols = _words_to_learn(task), len(task.alphabet)
        if len(m := task.merges):
            columns = m.left, m.right, m.joined, m.rank
            joined = _core.join_words(*words, *columns, n_symbols, task.threads)
            words = joined[0], np.zeros(0, np.uint8), joined[1], words[3]
        ranks = np.array(range(n_symbols) if task.order is None else task.order, np.uint32)
        self._core = _core.Learner(
            *words,
            list(task.alphabet),
            _NONE if task.lengths is None else task.lengths,
            ranks,
            task.ties,
            min(task.min_frequency, _NO_FREQUENCY),
            min(task.max_token_length or _NO_LIMIT, _NO_LIMIT),
            task.threads,
            list(task.blocked),
            [left for left, _ in task.blocked_pairs],
            [right for _, right in task.blocked_pairs],
            list(task.spellings or ()),
        )

    def advance(self, n_merges: int) -> MergeBatch:
        """The next merges; releases the GIL."""
        return MergeBatch(*self._core.advance(n_merges))

    def in_view(self) -> tuple[int, int]:
        """Entries in the queue, and pairs that may still be joined."""
        return self._core.in_view()


def _words_to_learn(
    task: LearnTask,
) -> tuple[NDArray[np.uint32], NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """The words as the core takes them: bytes that are symbols stay bytes."""
    n_bytes = len(task.symbols) if task.symbols.dtype == np.uint8 else 0
    return (
        np.ascontiguousarray(task.symbols[n_bytes:], np.uint32),
        np.ascontiguousarray(task.symbols[:n_bytes], np.uint8),
        np.ascontiguousarray(task.offsets, np.int64),
        np.ascontiguousarray(task.counts, np.int64),
    )


class Pruner:
    """The core's pruner."""

    def __init__(self, task: PruneTask) -> None:
        merges = task.merges
        self._core = _core.Pruner(
            task.symbols,
            task.offsets,
            task.counts,
            task.whole,
            merges.left,
            merges.right,
            merges.joined,
            merges.rank,
            task.contents,
            task.content_offsets,
            task.removable,
            task.strategy,
        )
        self.n_tokens = self._core.n_tokens
        self.uses = self._core.uses
        self.pairs = self._core.pairs

    def advance(self, room: int, max_cost: int, max_total: int) -> list[Removal]:
        """What goes next; releases the GIL."""
        limits = min(max_cost, _NO_FREQUENCY), min(max_total, _NO_FREQUENCY)
        return [Removal(*removal) for removal in self._core.advance(room, *limits)]


class Encoder(_core.Encoder):
    """The core's encoder. Methods that it adds nothing to are the core's own, bound."""

    def __init__(
        self, spec: TokenizerSpec, chain: _core.SplitChain, edit: "_Edit", cache_bytes: int | None
    ) -> None:
        self._spec = spec
        super().__init__(
            _words(spec),
            normalizer(spec.rules.normalizer),
            edit.space,
            edit.prefix,
            edit.only_first,
            chain,
            _CACHE_BYTES if cache_bytes is None else cache_bytes,
            _n_ids(spec),
            to_utf8,
            _unknown_character,
            _forbidden_token,
        )

    def encode_spans(self, text: Text, cutter: "Cutter") -> Spans:
        """Ids of one text and where they come from; the twin follows what changes the text."""
        spans = self.spans(text, cutter)
        if spans is None:
            return self._stages.encode_spans(text, cutter)
        ids, starts, ends, words = spans
        return Spans(ids, starts, ends, words < 0, words)

    @cached_property
    def _stages(self) -> "RegexEncoder":
        return RegexEncoder(self._spec, self)


class RegexEncoder(python.Encoder):
    """The twin's stages around the core's joining: for what only a regex engine can cut."""

    def __init__(self, spec: TokenizerSpec, core: Encoder) -> None:
        self._rules = spec.rules
        self._spec = spec
        self._core = core

    def _word(
        self, piece: Aligned, number: int, leaves_out: python.Chance | None
    ) -> Iterator[python.Token]:
        if leaves_out:
            yield from self._twin._word(piece, number, leaves_out)
            return
        for token, start, end in self._core.encode_word(piece.data):
            yield python.Token(token, *piece.span(start, end), number)

    @cached_property
    def _twin(self) -> python.Encoder:
        return python.Encoder(self._spec)


class Cutter(_core.Cutter, python.Cutter):
    """The core's cutter: it finds, the twin's methods put together."""

    def __init__(
        self,
        added_tokens: Sequence[AddedToken],
        forbidden: Sequence[str],
        normalizer: Sequence[NormalizerStep],
    ) -> None:
        as_is = (_added_row(t, ()) for t in added_tokens if not t.normalized)
        within = (
            _added_row(t, () if t.verbatim else normalizer) for t in added_tokens if t.normalized
        )
        self._is_normalizing = bool(normalizer)
        _core.Cutter.__init__(
            self,
            as_is,
            (row for row in within if row[0]),
            (data for content in forbidden if (data := to_utf8(content))),
            _word_ranges() if any(t.single_word for t in added_tokens) else _NONE,
        )

    def find_forbidden(self, data: bytes) -> tuple[int, str] | None:
        """The first forbidden token in the text as it is."""
        start, size = self.forbidden_span(data)
        return (start, data[start : start + size].decode()) if size else None


@cache
def _word_ranges() -> NDArray[np.uint32]:
    return np.array(word_set().ranges, np.uint32).ravel()


def normalizer(steps: Sequence[NormalizerStep]) -> _core.Normalizer:
    """The core's normaliser; what it has no form of its own for calls the twin."""
    return _core.Normalizer([_normalizer_row(step) for step in steps])


def _normalizer_row(step: NormalizerStep) -> tuple[object, ...]:
    match step:
        case Prepend(text):
            return "prepend", to_utf8(text)
        case Replace(pattern, content, is_regex=False) if pattern:
            return "replace", to_utf8(pattern), to_utf8(content)
        case str() if step in FORMS:
            return "form", *quick_values(step), partial(normalize, steps=(step,))
    return "call", lambda data, limit: normalize(data, (step,), limit)


def _added_row(
    token: AddedToken, normalizer: Sequence[NormalizerStep]
) -> tuple[bytes, TokenId, bool, bool, bool]:
    content = normalize(to_utf8(token.content), () if token.verbatim else normalizer)
    return content, token.id, token.lstrip, token.rstrip, token.single_word


class NativeEngine:
    """Makes the loops of this engine; see `bytepair.engines.Engine`."""

    name = "native"
    take_out = staticmethod(_core.take_out)
    ids_json, text_json = staticmethod(_core.ids_json), staticmethod(_core.text_json)

    def splitter(self, pattern: str | None) -> _core.Splitter | python.Splitter:
        """Cuts documents."""
        return _splitter(pattern) or python.Splitter(pattern)

    def counter(self, rules: SplitRules) -> Counter | python.Counter:
        """Counts pre-tokens."""
        parts = _pre_tokenizer(rules)
        if parts is None or parts[1] != _Edit():
            return python.Counter(rules)
        return Counter(parts[0], rules.special_tokens)

    def learner(self, task: LearnTask) -> Learner:
        """Learns merges."""
        return Learner(task)

    def pruner(self, task: PruneTask) -> Pruner:
        """Removes tokens."""
        return Pruner(task)

    def tally(
        self, ids: NDArray[np.uint32], offsets: NDArray[np.int64], shapes: NDArray[np.uint32]
    ) -> Tally:
        """Counts what tokens make of texts; releases the GIL."""
        return Tally(*_core.tally(ids, offsets, shapes))

    def encoder(
        self, spec: TokenizerSpec, cache_bytes: int | None = None
    ) -> Encoder | RegexEncoder | ResidueEncoder | python.Encoder:
        """Turns text into ids."""
        if spec.residues:
            of_tokens = self.encoder(residues_as_tokens(spec), cache_bytes)
            return ResidueEncoder(spec, of_tokens, lambda: python.Encoder(spec))
        if _share_ranks(spec.merges):
            return python.Encoder(spec)  # the core tells by its rank what a merge makes
        parts = _pre_tokenizer(spec.rules)
        if parts is None:
            return RegexEncoder(spec, Encoder(spec, _core.SplitChain([]), _Edit(), cache_bytes))
        return Encoder(spec, *parts, cache_bytes)

    def cutter(
        self,
        added_tokens: Sequence[AddedToken],
        forbidden: Sequence[str] = (),
        normalizer: Sequence[NormalizerStep] = (),
    ) -> Cutter:
        """Finds added tokens."""
        return Cutter(added_tokens, forbidden, normalizer)

    def decoder(
        self, bytes_by_id: Mapping[TokenId, bytes], rules: DecodingRules | None = None
    ) -> _core.Decoder:
        """Turns ids into bytes."""
        tokens, rules = Tokens.of(bytes_by_id), rules or DecodingRules()
        return _core.Decoder(
            tokens.ids,
            tokens.data,
            tokens.offsets,
            np.fromiter(rules.special, np.uint32, len(rules.special)),
            dict(rules.first),
            dict(rules.last),
            dict(rules.only),
            [
                (s.content.encode(), min(s.start, _NO_LIMIT), min(s.stop, _NO_LIMIT))
                for s in rules.strips
            ],
            rules.error_handler("replace"),
            python.plain_ids,
            python.refuse_unknown,
        )


def _share_ranks(merges: MergeTable) -> bool:
    """True if merges of one rank make different tokens (some SentencePiece models)."""
    of_one_rank = merges.rank[1:] == merges.rank[:-1]
    return bool(np.any(of_one_rank & (merges.joined[1:] != merges.joined[:-1])))


def _splitter(pattern: str | None) -> _core.Splitter | None:
    """The core's splitter, or None if only a regex engine can run the pattern."""
    if pattern is None:
        return _core.Splitter()
    tables = automaton(pattern)
    if tables is None:
        return None
    return _core.Splitter(
        tables.pages,
        tables.classes.ravel(),
        tables.invalid_class,
        tables.n_classes,
        tables.transitions.ravel(),
    )


class _Edit(NamedTuple):
    """What is done to a stretch before it is cut."""

    space: bytes = b" "
    prefix: bytes = b""
    only_first: bool = False


def _pre_tokenizer(rules: SplitRules) -> tuple[_core.SplitChain, _Edit] | None:
    """How the core cuts, or None if it cannot."""
    splits: list[PreTokenizerStep] = list(rules.steps)
    edit = _Edit()
    match splits:
        case [Metaspace(mark, prepend, split), *others]:
            edit = _metaspace_edit(to_utf8(mark), prepend)
            cuts = [Split(regex.escape(mark), "merged_with_next")] if split else []
            splits = [*cuts, *others]
        case [PrefixSpace(), *others]:
            edit, splits = _Edit(prefix=b" "), others
    if edit.only_first and not all(map(_keeps_beginning, rules.normalizer)):
        return None  # where the text begins cannot be told from what a normaliser took away
    if rules.pattern is not None:
        splits = [Split(rules.pattern)]
    links = []
    for step in splits:
        if not isinstance(step, Split) or step.by_bytes:
            return None
        splitter = _splitter(step.pattern)
        if splitter is None:
            return None
        links.append((splitter, str(step.behavior), step.invert))
    return _core.SplitChain(links), edit


def _keeps_beginning(step: NormalizerStep) -> bool:
    """True if text that begins a text still does once it is normalised."""
    return isinstance(step, Prepend) or step in (*FORMS, "lowercase", "collapse-whitespace")


def _metaspace_edit(mark: bytes, prepend: str) -> _Edit:
    return _Edit(mark, b"" if prepend == "never" else mark, prepend == "first")


def _words(spec: TokenizerSpec) -> _core.Words:
    vocabulary, merges, tokens = spec.vocabulary, spec.merges, spec.vocabulary.flat
    ids, by_bytes = tokens.ids, spec.alphabet == "bytes"
    kinds = np.zeros(len(tokens), np.uint8)
    marked = (vocabulary.continues_word, vocabulary.ends_word, vocabulary.byte_ids)
    for bit, some in enumerate(marked):
        if some:
            kinds[np.isin(ids, np.fromiter(some, np.uint32, len(some)))] |= 1 << bit
    numbers = Numbers(ids, merges, spec)
    return _core.Words(
        numbers.of(ids),
        kinds,
        tokens.data,
        tokens.offsets,
        numbers.ids,
        numbers.of(merges.left),
        numbers.of(merges.right),
        numbers.of(merges.joined),
        merges.rank,
        by_bytes,
        spec.continuing_prefix is not None,
        spec.end_of_word is not None and vocabulary.end_of_word_id is None,
        numbers.of_one(vocabulary.end_of_word_id),
        numbers.of_one(spec.unk_id),
        spec.fuse_unk,
        numbers.of(np.array(() if by_bytes else vocabulary.byte_ids, np.uint32)),
        spec.ignore_merges,
    )


def _n_ids(spec: TokenizerSpec) -> int:
    return max(spec.vocabulary.max_id, *(token.id for token in spec.added_tokens), -1) + 1


def _unknown_character(data: bytes) -> EncodeError:
    return EncodeError(python.unknown_character(data))


def _forbidden_token(position: int, content: bytes, where: str) -> SpecialTokenError:
    return SpecialTokenError(python.forbidden_token(position, content.decode(), where))


# Python must not end while a thread is at work in the core (cpp/bind/bind.hpp, Unlocked).
atexit.register(_core.wait_for_unlocked)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_core.forget_unlocked)

ENGINE = NativeEngine()
