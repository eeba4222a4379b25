"""`Encoding`: the half of `Tokenizer` that turns text into ids."""

import os
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bytepair.data import is_compressed
from bytepair.engines import Cutter, Encoder, Engine, Ragged, select
from bytepair.errors import ArgumentError, CorpusError
from bytepair.model import PostProcessor, SplitRules, TokenId, TokenizerSpec
from bytepair.tokenizer._cutters import Allowed, Cutters, Disallowed
from bytepair.tokenizer._frame import Frame, Padded, Side, frame_pair, pad, room
from bytepair.tokenizer._input import checked_text, checked_texts, separator_bytes, thread_count
from bytepair.tokenizer._offsets import Offsets, char_offsets, last_word_length, trimmed
from bytepair.tokenizer._segments import Segment, SegmentCache, encode_segments
from bytepair.tokenizer._stream_encoder import StreamEncoder
from bytepair.tokenizer._stretches import Stretches
from bytepair.tokenizer._unstable import Completions

_NONE: AbstractSet[str] = frozenset()
_Path = str | os.PathLike[str]


class Encoding:
    """Text → ids. `Tokenizer` says what all of these methods share."""

    spec: TokenizerSpec

    def __init__(self, spec: TokenizerSpec, engine: str | None, cache_bytes: int | None) -> None:
        self.spec = spec
        self._engine: Engine = select(engine)
        self._encoder: Encoder = self._engine.encoder(spec, cache_bytes)
        self._cutters = Cutters(self._engine, spec.added_tokens, spec.rules.normalizer)
        self._usual: Cutter = self._cutters.of(_NONE, "all")

    # ------------------------------------------------------------------ one text

    def encode(
        self,
        text: str | bytes,
        *,
        allowed_special: Allowed = _NONE,
        disallowed_special: Disallowed = "all",
        add_special_tokens: bool = False,
        max_length: int | None = None,
        truncation_side: Side = "right",
        dropout: float | None = None,
        seed: int | None = None,
    ) -> list[TokenId]:
        """Ids of one text.

        Args:
            allowed_special: special tokens to be encoded as such: "all" or a set of them.
            disallowed_special: those that raise when they occur: "all" (those not allowed), or
                a collection; () encodes what is not allowed as ordinary text.
            add_special_tokens: put the tokens around it that the tokenizer's file names.
            max_length: most ids to return; the text's own are cut at `truncation_side`.
            dropout: chance, 0 to 1, that a possible merge is left out (BPE-dropout).
            seed: of the dropout; the same seed gives the same ids everywhere. None: 0, so
                that without one every call drops the same merges.

        Raises:
            SpecialTokenError: a disallowed special token occurs.
            InputTypeError: not text.
            ArgumentError: a number out of its range, or a seed without dropout.
            EncodeError: a character without a token, where there is neither byte fallback nor an
                unknown token.

        Cost: O(n log n) for any input. Where the `regex` package splits (the Python engine, and the
        few patterns that come with a warning), a regex of your own costs what its search costs.
        """
        text = checked_text(text)
        if allowed_special is _NONE and disallowed_special == "all":
            cutter = self._usual
        else:
            cutter = self._cutters.of(allowed_special, disallowed_special)
        if dropout is None:
            _refuse_seed(seed)
            ids = self._encoder.encode(text, cutter)
        else:
            ids = self._encoder.encode_dropout(text, cutter, _chance(dropout), _seed(seed))
        if not add_special_tokens and max_length is None:
            return ids
        return self._frame(add_special_tokens, max_length, truncation_side).row(ids)

    def encode_ordinary(self, text: str | bytes) -> list[TokenId]:
        """Ids of one text in which no added token is looked for."""
        return self._encoder.encode(checked_text(text), self._cutters.none)

    def encode_to_numpy(
        self,
        text: str | bytes,
        *,
        allowed_special: Allowed = _NONE,
        disallowed_special: Disallowed = "all",
        add_special_tokens: bool = False,
        max_length: int | None = None,
        truncation_side: Side = "right",
    ) -> NDArray[np.uint32]:
        """`encode`, as uint32[n]."""
        cutter = self._cutters.of(allowed_special, disallowed_special)
        ids = self._encoder.encode_to_numpy(checked_text(text), cutter)
        if not add_special_tokens and max_length is None:
            return ids
        return self._frame(add_special_tokens, max_length, truncation_side).array(ids)

    def encode_pair(
        self,
        first: str | bytes,
        second: str | bytes,
        *,
        allowed_special: Allowed = _NONE,
        disallowed_special: Disallowed = "all",
        add_special_tokens: bool = True,
        max_length: int | None = None,
    ) -> tuple[list[TokenId], list[int]]:
        """Ids of two texts in one row, and of which text each is: (ids, type ids).

        With `max_length` the longer of the two loses ids from its end until both fit.
        """
        cutter = self._cutters.of(allowed_special, disallowed_special)
        rows = [self._encoder.encode(checked_text(text), cutter) for text in (first, second)]
        post = self._post(add_special_tokens)
        n_around = len(frame_pair(post, (), ())[0])
        kept = _fitting(len(rows[0]), len(rows[1]), room(max_length, n_around))
        return frame_pair(post, rows[0][: kept[0]], rows[1][: kept[1]])

    def encode_with_offsets(
        self,
        text: str | bytes,
        *,
        allowed_special: Allowed = _NONE,
        disallowed_special: Disallowed = "all",
        add_special_tokens: bool = False,
    ) -> tuple[list[TokenId], Offsets]:
        """Ids, and for each the characters of `text` it stands for: (first, last + 1).

        Tokens that share a character both name it. Where a normaliser changed the text a token
        names all that its bytes came from; what was put there, special tokens around the text
        among it, names nothing (both numbers equal).

        >>> import bytepair
        >>> bytepair.train(["aé"], vocab_size=256, special_tokens=[]).encode_with_offsets("aé")
        ([97, 195, 169], [(0, 1), (1, 2), (1, 2)])
        """
        text = checked_text(text)
        cutter = self._cutters.of(allowed_special, disallowed_special)
        spans = self._encoder.encode_spans(text, cutter)
        offsets = char_offsets(text, spans)
        if self.spec.post_processor.trim_offsets:
            offsets = trimmed(text, offsets, spans.added.tolist(), self.spec.post_processor)
        ids: list[TokenId] = spans.ids.tolist()
        frame = self._frame(add_special_tokens, None, "right")
        before, after = [(0, 0)] * len(frame.before), [(0, 0)] * len(frame.after)
        return frame.row(ids), [*before, *offsets, *after]

    def encode_with_unstable(
        self,
        text: str | bytes,
        *,
        allowed_special: Allowed = _NONE,
        disallowed_special: Disallowed = "all",
    ) -> tuple[list[TokenId], list[list[TokenId]]]:
        """(ids that stay, what the rest may become) if more text follows.

        Each completion is a row of ids with which a longer text's ids may go on after the stable
        ones. They are sorted; the meaning is tiktoken's, whose completions come in no order.

        Raises:
            SpecialTokenError, InputTypeError, EncodeError: as `encode`; the last as well for a
                pre-token so long that its completions would take for ever.

        Cost: up to (tokens that the text's end may begin) × (length of the last pre-token), which
        is what the completions hold: meant for text cut at spaces.
        """
        cutter = self._cutters.of(allowed_special, disallowed_special)
        spans = self._encoder.encode_spans(checked_text(text), cutter)
        return self._completions.split(spans.ids.tolist(), last_word_length(spans))

    # ------------------------------------------------------------------ many texts

    def encode_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        threads: int | None = None,
        num_threads: int | None = None,
        allowed_special: Allowed = _NONE,
        disallowed_special: Disallowed = "all",
        add_special_tokens: bool = False,
        max_length: int | None = None,
        truncation_side: Side = "right",
    ) -> list[list[TokenId]]:
        """`encode` for many texts, on threads; `num_threads` is tiktoken's word for `threads`.

        Raises:
            InputTypeError, SpecialTokenError: as `encode`; the message names the text's index.
        """
        cutter = self._cutters.of(allowed_special, disallowed_special)
        rows = self._batch(texts, cutter, thread_count(threads, num_threads))
        return _lists(self._frame(add_special_tokens, max_length, truncation_side).rows(rows))

    def encode_ordinary_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        threads: int | None = None,
        num_threads: int | None = None,
    ) -> list[list[TokenId]]:
        """`encode_ordinary` for many texts, on threads."""
        threads = thread_count(threads, num_threads)
        return _lists(self._batch(texts, self._cutters.none, threads))

    def encode_batch_to_numpy(
        self,
        texts: Iterable[str | bytes],
        *,
        threads: int | None = None,
        allowed_special: Allowed = _NONE,
        disallowed_special: Disallowed = "all",
        add_special_tokens: bool = False,
        max_length: int | None = None,
        truncation_side: Side = "right",
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """All ids in one array: (ids: uint32[n], offsets: int64[len(texts) + 1]).

        Text `i` became `ids[offsets[i]:offsets[i + 1]]`.
        """
        cutter = self._cutters.of(allowed_special, disallowed_special)
        rows = self._batch(texts, cutter, thread_count(threads))
        return self._frame(add_special_tokens, max_length, truncation_side).rows(rows)

    def encode_padded(
        self,
        texts: Iterable[str | bytes],
        pad_id: TokenId,
        *,
        pad_to: int | None = None,
        pad_to_multiple_of: int | None = None,
        padding_side: Side = "right",
        threads: int | None = None,
        allowed_special: Allowed = _NONE,
        disallowed_special: Disallowed = "all",
        add_special_tokens: bool = True,
        max_length: int | None = None,
        truncation_side: Side = "right",
    ) -> Padded:
        """Rows of equal length: (ids: uint32[n, width], mask: uint8[n, width], 0 for padding).

        Args:
            pad_id: fills the rest of a row.
            pad_to: the width; None: that of the longest row.
            pad_to_multiple_of: the width is rounded up to a multiple of it.

        >>> import bytepair
        >>> tok = bytepair.train(["low"] * 9, vocab_size=258, special_tokens=[])
        >>> ids, mask = tok.encode_padded(["low", "slow"], pad_id=0)
        >>> ids.tolist(), mask.tolist()
        ([[257, 0], [115, 257]], [[1, 0], [1, 1]])
        """
        cutter = self._cutters.of(allowed_special, disallowed_special)
        rows = self._batch(texts, cutter, thread_count(threads))
        rows = self._frame(add_special_tokens, max_length, truncation_side).rows(rows)
        return pad(rows, pad_id, length=pad_to, multiple_of=pad_to_multiple_of, side=padding_side)

    def encode_files(
        self,
        paths: _Path | Sequence[_Path],
        *,
        separator: str | bytes | None = "<|endoftext|>",
        threads: int | None = None,
        allowed_special: Allowed = _NONE,
        disallowed_special: Disallowed = (),
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """The ids of the documents in files, read in place: (ids, offsets), one row a document.

        Args:
            separator: lies between documents and is not encoded; one at the end of a file begins
                no other document. None: each file is one document.
            disallowed_special: special tokens in the documents are ordinary text unless named.

        Raises:
            CorpusError: a file cannot be read, or is compressed: it would have to be unpacked.
            ArgumentError: an empty separator.
            InputTypeError: a separator that is not text.
        """
        files = [os.fspath(paths)] if isinstance(paths, (str, os.PathLike)) else _strings(paths)
        _refuse_compressed(files)
        cutter = self._cutters.of(allowed_special, disallowed_special)
        between = b"" if separator is None else separator_bytes(separator)
        try:
            return self._encoder.encode_files(files, between, cutter, thread_count(threads))
        except OSError as error:
            raise CorpusError(
                f"{error.filename or files}: cannot be read: {error.strerror or error}. Each path "
                "names one file: folders and glob patterns are not looked into."
            ) from error

    # ------------------------------------------------------------------ counting

    def count(
        self,
        text: str | bytes,
        *,
        allowed_special: Allowed = _NONE,
        disallowed_special: Disallowed = (),
    ) -> int:
        """Number of tokens of one text. Special tokens count as ordinary text unless allowed."""
        cutter = self._cutters.of(allowed_special, disallowed_special)
        return self._encoder.count(checked_text(text), cutter)

    def count_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        threads: int | None = None,
        allowed_special: Allowed = _NONE,
        disallowed_special: Disallowed = (),
    ) -> list[int]:
        """`count` for many texts, on threads."""
        cutter = self._cutters.of(allowed_special, disallowed_special)
        rows = checked_texts(texts)
        counts: list[int] = self._encoder.count_batch(rows, cutter, thread_count(threads)).tolist()
        return counts

    # ------------------------------------------------------------------ text in parts

    def stream_encoder(
        self, *, allowed_special: Allowed = _NONE, disallowed_special: Disallowed = "all"
    ) -> StreamEncoder:
        """For text that arrives in pieces: ids as soon as no later text can change them."""
        return StreamEncoder(
            Stretches(self._encoder, self._cutters.inner(allowed_special)),
            self._cutters.of(allowed_special, disallowed_special),
            self._cutters.watch(allowed_special, disallowed_special),
            self._cutters.reach(allowed_special, disallowed_special),
            partial(
                self.stream_encoder,
                allowed_special=_kept(allowed_special),
                disallowed_special=_kept(disallowed_special),
            ),
        )

    def encode_segments(
        self,
        segments: Iterable[Segment | tuple[str | bytes, bool]],
        *,
        cache: SegmentCache | None = None,
    ) -> list[TokenId]:
        """Ids of a text in parts (text, trusted): special tokens come from trusted parts only.

        What a user wrote can thus never become a control token. Apart from that the ids are those
        of the parts' texts laid end to end. A special token must lie in trusted parts altogether.

        Args:
            cache: keeps the ids of stretches between added tokens for the next call.

        Raises:
            InputTypeError: not pairs of a text and True or False, or not a `SegmentCache`.

        >>> import bytepair
        >>> tok = bytepair.train(["low"] * 9, vocab_size=259, special_tokens=["<end>"])
        >>> tok.encode_segments([("low<end>", True), ("low<end>", False)])
        [257, 258, 257, 60, 101, 110, 100, 62]
        """
        stretches = Stretches(self._encoder, self._cutters.inner(_NONE))
        with_special = None
        if self._cutters.has_inner_special:
            with_special = Stretches(self._encoder, self._cutters.inner("all"))
        trusted, untrusted = self._cutters.of("all", ()), self._cutters.of(_NONE, ())
        return encode_segments(segments, stretches, with_special, trusted, untrusted, cache)

    # ------------------------------------------------------------------ within

    def _batch(self, texts: Iterable[str | bytes], cutter: Cutter, threads: int) -> Ragged:
        return self._encoder.encode_batch(checked_texts(texts), cutter, threads)

    def _frame(self, surrounded: bool, max_length: int | None, side: Side) -> Frame:
        return Frame(self._post(surrounded), max_length, side)

    def _post(self, surrounded: bool) -> PostProcessor | None:
        return self.spec.post_processor if surrounded else None

    @cached_property
    def _completions(self) -> Completions:
        none = self._cutters.none
        return Completions(
            self.spec.vocabulary.tokens,
            lambda data: self._encoder.encode_to_numpy(data, none),
            lambda data: self._uncut.encode_to_numpy(data, none),
        )

    @cached_property
    def _uncut(self) -> Encoder:
        """Merges whatever it is given as one pre-token."""
        spec = replace(self.spec, rules=SplitRules(), ignore_merges=False)
        return self._engine.encoder(spec)


def _lists(rows: Ragged) -> list[list[TokenId]]:
    ids, offsets = rows
    flat = ids.tolist()
    return [flat[start:end] for start, end in pairwise(offsets.tolist())]


def _fitting(n_first: int, n_second: int, limit: int | None) -> tuple[int, int]:
    """How many ids of each text stay: the longer one gives way until both are equally long."""
    if limit is None or n_first + n_second <= limit:
        return n_first, n_second
    half = limit // 2
    if n_first <= n_second:
        kept = min(n_first, half)
        return kept, limit - kept
    kept = min(n_second, half)
    return limit - kept, kept


def _refuse_compressed(files: Sequence[str]) -> None:
    for file in files:
        if is_compressed(Path(file)):
            raise CorpusError(
                f"{file}: is compressed, by its name, and files are encoded in place. Unpack it, "
                "or read its documents and pass them to encode_batch_to_numpy."
            )


def _strings(paths: Iterable[_Path]) -> list[str]:
    files = [os.fspath(path) for path in paths]
    for path in files:
        if not isinstance(path, str):
            raise ArgumentError(f"paths must be str or os.PathLike, got {path!r:.60}.")
    return files


def _kept(tokens: Allowed | Disallowed) -> Any:
    """The option as it is now, whatever becomes of the caller's set."""
    return tokens if isinstance(tokens, str) else frozenset(tokens)


def _chance(dropout: float) -> float:
    if isinstance(dropout, bool) or not isinstance(dropout, (int, float)) or not 0 <= dropout <= 1:
        raise ArgumentError(f"dropout must be a number from 0 to 1, got {dropout!r:.60}.")
    return float(dropout)


def _refuse_seed(seed: int | None) -> None:
    if seed is not None:
        raise ArgumentError(f"seed={seed!r:.60} does nothing without dropout: pass dropout= too.")


def _seed(seed: int | None) -> int:
    if seed is None:
        return 0
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 1 << 64:
        raise ArgumentError(f"seed must be a whole number from 0 to 2**64 - 1, got {seed!r:.60}.")
    return seed
