"""The native engine: the one door to the C++ core. Converts arguments; the loops are in cpp/."""

import atexit
import os
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

import bytepair._core as _core
from bytepair.engines import python
from bytepair.engines._interface import Ragged
from bytepair.errors import EncodeError, UnknownTokenError
from bytepair.model import (
    AddedToken,
    Merge,
    NormalizerStep,
    Prepend,
    Replace,
    SplitRules,
    TokenId,
    TokenizerSpec,
    WordCounts,
    to_utf8,
)
from bytepair.normalizers import FORMS, normalize, quick_values
from bytepair.patterns import automaton, word_set

_NO_LIMIT = 0xFFFF_FFFF
_MAX_ID = 0xFFFF_FFFF
_NO_FREQUENCY = 2**63 - 1  # no pair occurs so often


class Counter:
    """The core's counter."""

    def __init__(self, splitter: _core.Splitter, special_tokens: Sequence[str]) -> None:
        self._core = _core.Counter(splitter, [token.encode() for token in special_tokens])

    def feed(self, documents: Sequence[bytes], position: int) -> None:
        """Count whole documents; releases the GIL."""
        self._core.feed(list(documents), position)

    def feed_part(self, data: bytes, position: int, is_last: bool) -> int:
        """Count the certain part of an unfinished document; releases the GIL."""
        return self._core.feed_part(data, position, is_last)

    def merge(self, other: "Counter") -> None:
        """Add another counter's counts to this one."""
        self._core.merge(other._core)

    def result(self, rules: SplitRules, n_bytes: int, n_documents: int) -> WordCounts:
        """The counts in order of first position."""
        return WordCounts(*self._core.result(), n_bytes, n_documents, rules)


class Learner:
    """The core's learner."""

    def __init__(self, core: _core.Learner) -> None:
        self._core = core

    def advance(self, n_merges: int) -> list[Merge]:
        """The next merges; releases the GIL."""
        return [Merge(*merge) for merge in self._core.advance(n_merges)]


class Encoder:
    """The core's encoder."""

    def __init__(self, core: _core.Encoder) -> None:
        self._core = core

    def encode(self, data: bytes) -> list[TokenId]:
        """Ids of one document."""
        try:
            return self._core.encode(data)
        except _core.UnknownCharacter as error:
            raise _encode_error(error) from None

    def count(self, data: bytes) -> int:
        """Number of ids of one document."""
        try:
            return self._core.count(data)
        except _core.UnknownCharacter as error:
            raise _encode_error(error) from None

    def encode_batch(self, documents: Sequence[bytes], threads: int) -> Ragged:
        """Ids of many documents, on threads, outside the GIL."""
        try:
            return self._core.encode_batch(list(documents), threads)
        except _core.UnknownCharacter as error:
            raise _encode_error(error) from None


class RegexEncoder(python.Encoder):
    """For patterns only a regex engine can run: Python cuts, the core joins."""

    def __init__(self, spec: TokenizerSpec, core: _core.Encoder) -> None:
        super().__init__(spec)
        self._core = core

    def encode(self, data: bytes) -> list[TokenId]:
        """Ids of one document."""
        ends = np.array(self._splitter.split(data), np.uint64)
        try:
            return self._core.encode_cut(data, ends)
        except _core.UnknownCharacter as error:
            raise _encode_error(error) from None


class Cutter(python.Cutter):
    """The core's cutter: it finds, the twin's methods put together."""

    def __init__(
        self,
        added_tokens: Sequence[AddedToken],
        forbidden: Sequence[str],
        normalizer: Sequence[NormalizerStep],
    ) -> None:
        as_is = [_added_row(t, ()) for t in added_tokens if not t.normalized]
        within = [
            _added_row(t, () if t.verbatim else normalizer) for t in added_tokens if t.normalized
        ]
        self._is_normalizing = bool(normalizer)
        self.core = _core.Cutter(
            as_is,
            [row for row in within if row[0]],
            [data for content in forbidden if (data := to_utf8(content))],
            np.array(word_set().ranges, np.uint32).ravel(),
        )

    def in_original(self, data: bytes) -> list[python.Found]:
        """The tokens that are looked for in the text as it is."""
        return self.core.in_original(data)

    def in_normalized(self, data: bytes) -> list[python.Found]:
        """Those that are looked for in the normalised text between the others."""
        return self.core.in_normalized(data)

    def find_forbidden(self, data: bytes) -> tuple[int, str] | None:
        """The first forbidden token in the text as it is."""
        start, size = self.core.find_forbidden(data)
        return (start, data[start : start + size].decode()) if size else None

    def certain_original(self, data: bytes) -> int:
        """Up to where no text behind `data` changes what `in_original` finds; in no token."""
        return self.core.certain_original(data)

    def certain_normalized(self, data: bytes) -> int:
        """The same for `in_normalized`."""
        return self.core.certain_normalized(data)


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
    return "call", partial(normalize, steps=(step,))


def _added_row(
    token: AddedToken, normalizer: Sequence[NormalizerStep]
) -> tuple[bytes, TokenId, bool, bool, bool]:
    content = normalize(to_utf8(token.content), normalizer)
    return content, token.id, token.lstrip, token.rstrip, token.single_word


class Decoder:
    """The core's decoder."""

    def __init__(self, bytes_by_id: Mapping[TokenId, bytes]) -> None:
        ids = np.fromiter(bytes_by_id, np.uint32, len(bytes_by_id))
        self._core = _core.Decoder(ids, list(bytes_by_id.values()))
        self._max_id = max(bytes_by_id, default=-1)

    def decode(self, ids: Sequence[TokenId], skip_unknown: bool = False) -> bytes:
        """The tokens' bytes, joined."""
        data, unknown = self._core.decode(_id_array(ids), skip_unknown)
        if unknown is not None and not skip_unknown:
            message = python.unknown_id(int(ids[unknown]), unknown, self._max_id)
            raise UnknownTokenError(message)
        return data


class NativeEngine:
    """Makes the loops of this engine; see `bytepair.engines.Engine`."""

    name = "native"

    def splitter(self, pattern: str | None) -> _core.Splitter | python.Splitter:
        """Cuts documents."""
        return _splitter(pattern) or python.Splitter(pattern)

    def counter(
        self, pattern: str | None, special_tokens: Sequence[str]
    ) -> Counter | python.Counter:
        """Counts pre-tokens."""
        splitter = _splitter(pattern)
        if splitter is None:
            return python.Counter(pattern, special_tokens)
        return Counter(splitter, special_tokens)

    def learner(
        self,
        symbols: NDArray[np.uint32],
        offsets: NDArray[np.int64],
        counts: NDArray[np.int64],
        alphabet: Sequence[bytes],
        *,
        order: Sequence[int] | None = None,
        ties: str = "order",
        min_frequency: int = 1,
        max_token_length: int | None = None,
    ) -> Learner:
        """Learns merges."""
        ranks = np.arange(len(alphabet)) if order is None else np.array(order)
        limit = _NO_LIMIT if max_token_length is None else max_token_length
        core = _core.Learner(
            np.ascontiguousarray(symbols, np.uint32),
            np.ascontiguousarray(offsets, np.int64),
            np.ascontiguousarray(counts, np.int64),
            list(alphabet),
            ranks.astype(np.uint32),
            ties,
            min(min_frequency, _NO_FREQUENCY),
            min(limit, _NO_LIMIT),
        )
        return Learner(core)

    def encoder(self, spec: TokenizerSpec, cache_bytes: int | None = None) -> python.Encoder:
        """Turns text into ids."""
        return python.Encoder(spec, cache_bytes)

    def cutter(
        self,
        added_tokens: Sequence[AddedToken],
        forbidden: Sequence[str] = (),
        normalizer: Sequence[NormalizerStep] = (),
    ) -> Cutter:
        """Finds added tokens."""
        return Cutter(added_tokens, forbidden, normalizer)

    def decoder(self, bytes_by_id: Mapping[TokenId, bytes]) -> Decoder:
        """Turns ids into bytes."""
        return Decoder(bytes_by_id)


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


def _encoder(spec: TokenizerSpec, splitter: _core.Splitter) -> _core.Encoder:
    merges, vocabulary = spec.merges, spec.vocabulary
    by_character = spec.alphabet == "chars"
    return _core.Encoder(
        splitter,
        merges.left,
        merges.right,
        merges.joined,
        merges.rank,
        np.array(vocabulary.byte_ids, np.uint32),
        python.character_ids(vocabulary) if by_character else None,
        vocabulary.end_of_word_id,
        dict(vocabulary.id_by_bytes) if spec.ignore_merges else {},
    )


def _id_array(ids: Sequence[TokenId]) -> NDArray[np.uint32]:
    """uint32 ids; what does not fit becomes an id no vocabulary has."""
    try:
        wide = np.asarray(ids, np.int64) if len(ids) else np.zeros(0, np.int64)
    except OverflowError:
        wide = np.array([token if 0 <= token < _MAX_ID else _MAX_ID for token in ids], np.int64)
    if wide.size and (wide.min() < 0 or wide.max() > _MAX_ID):
        wide = np.where((wide < 0) | (wide > _MAX_ID), _MAX_ID, wide)
    return np.ascontiguousarray(wide, np.uint32)


def _encode_error(error: Exception) -> EncodeError:
    return EncodeError(python.unknown_character(bytes.fromhex(str(error))))


# Python must not end while a thread is at work in the core (cpp/bind/bind.hpp, Unlocked).
atexit.register(_core.wait_for_unlocked)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_core.forget_unlocked)

ENGINE = NativeEngine()
