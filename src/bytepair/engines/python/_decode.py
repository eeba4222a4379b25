"""Ids -> bytes: look each up, join."""

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import pairwise
from operator import index
from typing import Any, NoReturn, SupportsIndex, TypeVar

import numpy as np
from numpy.typing import NDArray

from bytepair.engines._interface import REPLACE_EACH_BYTE, DecodingRules, TokenIds
from bytepair.errors import InputTypeError, UnknownTokenError
from bytepair.model import StripText, TokenId

_Out = TypeVar("_Out")
_Rows = Iterable[TokenIds] | NDArray[np.uint32]


class Decoder:
    """Twin of the core's decoder.

    >>> Decoder({97: b"a", 256: b"ab"}).decode([256, 97])
    b'aba'
    """

    def __init__(
        self, bytes_by_id: Mapping[TokenId, bytes], rules: DecodingRules | None = None
    ) -> None:
        self._bytes_by_id = dict(bytes_by_id)
        self._rules = rules or DecodingRules()
        self._max_id = max(bytes_by_id, default=-1)

    def decode(
        self, tokens: TokenIds, skip_unknown: bool = False, skip_special: bool = False
    ) -> bytes:
        """The bytes of one text."""
        return self._decode(tokens, skip_unknown, skip_special)

    def decode_text(
        self, tokens: TokenIds, errors: str = "replace", skip_special: bool = False
    ) -> str:
        """One text."""
        return self._text(tokens, errors, skip_special)

    def decode_batch(
        self,
        rows: _Rows,
        offsets: NDArray[np.int64] | None = None,
        skip_unknown: bool = False,
        skip_special: bool = False,
    ) -> list[bytes]:
        """The bytes of many texts."""
        return _each(rows, offsets, lambda t, n: self._decode(t, skip_unknown, skip_special, n))

    def decode_text_batch(
        self,
        rows: _Rows,
        offsets: NDArray[np.int64] | None = None,
        errors: str = "replace",
        skip_special: bool = False,
    ) -> list[str]:
        """Many texts."""
        return _each(rows, offsets, lambda t, n: self._text(t, errors, skip_special, n))

    def decode_tokens(
        self, tokens: TokenIds, skip_unknown: bool = False, skip_special: bool = False
    ) -> list[bytes]:
        """The bytes that each id has amid a text."""
        kept = self._kept(tokens, skip_unknown, skip_special, None)
        return [self._bytes_by_id[token] for token in kept]

    def decode_token(self, token: SupportsIndex) -> bytes:
        """The bytes that one id has amid a text."""
        return self.decode_tokens([token])[0]

    def decode_with_offsets(self, tokens: TokenIds) -> tuple[str, list[int]]:
        """(text, for each id the number of the character in which its bytes begin)."""
        parts = self._parts(self._kept(tokens, False, False, None))
        joined = b"".join(parts)
        start, end = _bounds(joined, self._rules.strips)
        offsets, n_chars, place = [], 0, 0
        for part in parts:
            visible = joined[max(place, start) : max(min(place + len(part), end), start)]
            place += len(part)
            inside = 0x80 <= visible[0] < 0xC0 if visible else False
            offsets.append(max(0, n_chars - inside))
            n_chars += sum(not 0x80 <= byte < 0xC0 for byte in visible)
        return joined[start:end].decode(), offsets

    def _text(
        self, tokens: TokenIds, errors: str, skip_special: bool, row: int | None = None
    ) -> str:
        data = self._decode(tokens, errors == "ignore", skip_special, row)
        return data.decode("utf-8", self._rules.error_handler(errors))

    def _decode(
        self, tokens: TokenIds, skip_unknown: bool, skip_special: bool, row: int | None = None
    ) -> bytes:
        joined = b"".join(self._parts(self._kept(tokens, skip_unknown, skip_special, row)))
        start, end = _bounds(joined, self._rules.strips)
        return joined[start:end]

    def _parts(self, ids: list[TokenId]) -> list[bytes]:
        """The bytes of each token of a text, before the text is stripped."""
        rules = self._rules
        parts = [self._bytes_by_id[token] for token in ids]
        if len(ids) == 1:
            parts[0] = rules.only.get(ids[0], parts[0])
        elif ids:
            parts[0] = rules.first.get(ids[0], parts[0])
            parts[-1] = rules.last.get(ids[-1], parts[-1])
        return parts

    def _kept(
        self, tokens: TokenIds, skip_unknown: bool, skip_special: bool, row: int | None
    ) -> list[TokenId]:
        ids = plain_ids(tokens, row)
        for position, token in enumerate(() if skip_unknown else ids):
            if token not in self._bytes_by_id:
                refuse_unknown(token, position, self._max_id, row)
        left_out: AbstractSet[TokenId] = self._rules.special if skip_special else frozenset()
        return [token for token in ids if token in self._bytes_by_id and token not in left_out]


def _replace_each_byte(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "\ufffd" * (error.end - error.start), error.end


codecs.register_error(REPLACE_EACH_BYTE, _replace_each_byte)


def _each(
    rows: _Rows,
    offsets: NDArray[np.int64] | None,
    decode: Callable[[TokenIds, int], _Out],
) -> list[_Out]:
    return [decode(tokens, number) for number, tokens in enumerate(_separate(rows, offsets))]


def _separate(rows: _Rows, offsets: NDArray[np.int64] | None) -> Iterator[TokenIds]:
    if offsets is None:
        yield from rows
    else:
        ids = np.asarray(rows)
        yield from (ids[start:end] for start, end in pairwise(offsets.tolist()))


def _bounds(text: bytes, strips: tuple[StripText, ...]) -> tuple[int, int]:
    """Where the text that is left begins and ends."""
    start, end = 0, len(text)
    for step in strips:
        content = step.content.encode()
        if not content:
            continue
        for _ in range(step.start):
            if start == end or not text.startswith(content, start, end):
                break
            start += len(content)
        for _ in range(step.stop):
            if start == end or not text.endswith(content, start, end):
                break
            end -= len(content)
    return start, end


def plain_ids(tokens: TokenIds, row: int | None = None) -> list[TokenId]:
    """A row of ids as a list of Python's integers.

    Raises:
        InputTypeError: not a row of integers; names the position, and the row if it has a number.

    >>> plain_ids(np.array([5, 6], np.uint16))
    [5, 6]
    """
    where = "" if row is None else f"row {row}: "
    if hasattr(tokens, "__array__"):  # also of other libraries
        return _array_ids(np.asarray(tokens), where)
    unordered = isinstance(tokens, (Mapping, AbstractSet))
    if isinstance(tokens, (str, bytes, bytearray, memoryview)) or unordered:
        raise InputTypeError(_no_ids(tokens, where))
    try:
        ids: list[Any] = list(tokens)
    except TypeError:
        raise InputTypeError(_no_ids(tokens, where)) from None
    return [_integer(token, position, where) for position, token in enumerate(ids)]


def _array_ids(array: NDArray[Any], where: str) -> list[TokenId]:
    if array.ndim != 1:
        raise InputTypeError(
            f"{where}expected one row of token ids, got an array of {array.shape}."
        )
    if array.dtype.kind in "iu":
        ids: list[TokenId] = array.tolist()
        return ids
    return [_integer(token, position, where) for position, token in enumerate(array)]


def _integer(token: Any, position: int, where: str) -> TokenId:
    if type(token) is int:
        return token
    try:
        if not isinstance(token, bool):
            return index(token)
    except TypeError:
        pass
    raise InputTypeError(
        f"{where}token id {position}: expected an integer, got {type(token).__name__}: "
        f"{token!r:.60}."
    )


def _no_ids(tokens: object, where: str) -> str:
    return f"{where}expected token ids, got {type(tokens).__name__}: {tokens!r:.60}."


def refuse_unknown(token: int, position: int, max_id: TokenId, row: int | None = None) -> NoReturn:
    """Raise the error for an id outside the vocabulary."""
    where = "" if row is None else f"row {row}: "
    raise UnknownTokenError(
        f"{where}token id {token} at position {position} is not in the vocabulary "
        f"(largest id: {max_id}). Decode with the tokenizer that made the ids."
    )
