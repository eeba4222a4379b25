"""`Decoding`: the half of `Tokenizer` that turns ids into text."""

from collections.abc import Iterable
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from bytepair.engines import Decoder, TokenIds
from bytepair.errors import ArgumentError, InputTypeError
from bytepair.model import TokenizerSpec
from bytepair.tokenizer._decoder_steps import SpecDecoder
from bytepair.tokenizer._input import thread_count
from bytepair.tokenizer._stream_decoder import ByteStreamDecoder, StreamDecoder

_MAX_ID = 0xFFFF_FFFF
_Batch = Iterable[TokenIds] | NDArray[Any]
_Offsets = NDArray[np.int64] | None


class Decoding:
    """Ids → text. `Tokenizer` says what all of these methods share."""

    def __init__(self, spec: TokenizerSpec, engine: str | None = None) -> None:
        self._make_source = partial(SpecDecoder, spec, engine)

    @cached_property
    def _source(self) -> SpecDecoder:  # many programs only encode
        return self._make_source()

    @cached_property
    def _decoder(self) -> Decoder:
        return self._source.decoder

    def decode(
        self, tokens: TokenIds, errors: str = "replace", *, skip_special_tokens: bool = False
    ) -> str:
        """Text of the ids; special tokens are kept unless they are to be skipped.

        Args:
            errors: what happens to bytes that are not UTF-8, as for `bytes.decode`. "ignore" also
                leaves out ids the vocabulary does not have. With byte fallback "replace" gives one
                U+FFFD a byte.

        Raises:
            InputTypeError: no row of integers.
            UnknownTokenError: an id is not in the vocabulary.
            UnicodeDecodeError: with errors="strict", the bytes are not UTF-8.
        """
        return self._decoder.decode_text(tokens, errors, skip_special_tokens)

    def decode_bytes(self, tokens: TokenIds, *, skip_special_tokens: bool = False) -> bytes:
        """The exact bytes of the ids.

        Raises:
            InputTypeError, UnknownTokenError: as `decode`.
        """
        return self._decoder.decode(tokens, False, skip_special_tokens)

    def decode_batch(
        self,
        batch: _Batch,
        *,
        errors: str = "replace",
        skip_special_tokens: bool = False,
        offsets: _Offsets = None,
        num_threads: int | None = None,
    ) -> list[str]:
        """`decode` for many rows of ids.

        Args:
            offsets: then `batch` is one array of all ids, as `encode_batch_to_numpy` returns it:
                row `i` is `batch[offsets[i]:offsets[i + 1]]`.
            num_threads: taken as tiktoken takes it, without effect: most of the work is making
                Python's strings, which one thread does at a time.

        Raises:
            InputTypeError, UnknownTokenError: as `decode`; the message names the row.
            ArgumentError: offsets that do not ascend within the ids.
        """
        thread_count(None, num_threads)
        rows, borders = _rows(batch, offsets)
        return self._decoder.decode_text_batch(rows, borders, errors, skip_special_tokens)

    def decode_bytes_batch(
        self,
        batch: _Batch,
        *,
        skip_special_tokens: bool = False,
        offsets: _Offsets = None,
        num_threads: int | None = None,
    ) -> list[bytes]:
        """`decode_bytes` for many rows of ids; `offsets` and the others as in `decode_batch`."""
        thread_count(None, num_threads)
        rows, borders = _rows(batch, offsets)
        return self._decoder.decode_batch(rows, borders, False, skip_special_tokens)

    def decode_tokens_bytes(self, tokens: TokenIds) -> list[bytes]:
        """The bytes of each id, as it has them amid a text."""
        return self._decoder.decode_tokens(tokens)

    def decode_single_token_bytes(self, token: SupportsIndex) -> bytes:
        """The bytes of one id, as it has them amid a text; special tokens included."""
        return self._decoder.decode_token(token)

    def decode_with_offsets(self, tokens: TokenIds) -> tuple[str, list[int]]:
        """(text, for each id the index of the character in which its bytes begin).

        Raises:
            UnicodeDecodeError: the ids do not decode to valid UTF-8.

        >>> import bytepair
        >>> bytepair.train(["aé"], vocab_size=256, special_tokens=[]).decode_with_offsets(
        ...     [0x61, 0xC3, 0xA9])
        ('aé', [0, 1, 1])
        """
        return self._decoder.decode_with_offsets(tokens)

    def stream_decoder(
        self,
        *,
        errors: str = "replace",
        skip_special_tokens: bool = False,
        after: TokenIds = (),
    ) -> StreamDecoder:
        """Decodes ids as they come: text as soon as no later id can change it.

        Args:
            errors: as in `decode`.
            after: ids of what came before (a prompt), whose text is not to be returned. What of
                it is not certain yet, such as half a character, comes with what makes it so.
        """
        return StreamDecoder(self._source, errors, skip_special_tokens, after)

    def stream_decoder_bytes(
        self,
        *,
        skip_unknown: bool = False,
        skip_special_tokens: bool = False,
        after: TokenIds = (),
    ) -> ByteStreamDecoder:
        """`stream_decoder` for the exact bytes, which may end within a character.

        Args:
            skip_unknown: leave out ids that the vocabulary does not have.
        """
        return ByteStreamDecoder(self._source, skip_unknown, skip_special_tokens, after)


def _rows(batch: _Batch, offsets: _Offsets) -> tuple[_Batch, _Offsets]:
    """The rows as an engine takes them."""
    if not isinstance(batch, Iterable):
        raise InputTypeError(f"expected several lists of token ids, got {type(batch).__name__}.")
    if offsets is None:
        return batch, None
    ids, borders = np.asarray(batch), np.asarray(offsets)
    if not (_is_row(ids) and _is_row(borders)):
        raise InputTypeError(
            "with offsets, expected one array of token ids and one of int64 offsets, got "
            f"{ids.dtype}{ids.shape} and {borders.dtype}{borders.shape}."
        )
    if np.any(np.diff(borders) < 0) or np.any(borders < 0) or np.any(borders > len(ids)):
        raise ArgumentError(f"offsets must ascend within 0 and {len(ids)}, the number of ids.")
    if np.any(ids < 0) or np.any(ids > _MAX_ID):  # errors that are to name the row
        return (ids[start:end] for start, end in pairwise(borders.tolist())), None
    return np.ascontiguousarray(ids, np.uint32), np.ascontiguousarray(borders, np.int64)


def _is_row(array: NDArray[Any]) -> bool:
    return array.ndim == 1 and (array.dtype.kind in "iu" or not array.size)
