"""Ids that arrive one by one → text, each character as soon as no later id can change it."""

from codecs import utf_8_decode
from collections.abc import Iterator
from operator import index
from typing import NamedTuple, SupportsIndex, cast

import numpy as np

from bytepair.engines import TokenIds
from bytepair.errors import ArgumentError
from bytepair.model import StripText, TokenId
from bytepair.tokenizer._decoder_steps import SpecDecoder

_FINISHED = "the stream is finished: make another one for another text."


class _State(NamedTuple):
    """What has come so far, as far as it bears on what is to come.

    Attributes:
        is_started: a token has come.
        rest: comes next if another token does.
        tail: comes instead if none does.
        strips: for each strip, how often its text may still be taken from the beginning, and the
            bytes held back because they may be taken from the end.
    """

    is_started: bool
    rest: bytes
    tail: bytes
    strips: tuple[tuple[int, bytes], ...]


class _Bytes:
    """Ids → bytes that are certain. Immutable: the state is handed in and out."""

    def __init__(self, source: SpecDecoder, skip_unknown: bool, skip_special: bool) -> None:
        self._source = source
        rules = source.rules
        self._is_plain = rules.is_plain
        self._has_edges = bool(rules.first or rules.last or rules.only)
        self._skips = skip_unknown, skip_special
        self._strips = rules.strips
        self.start = _State(False, b"", b"", tuple((step.start, b"") for step in self._strips))

    def advance(self, state: _State, tokens: SupportsIndex | TokenIds) -> tuple[_State, bytes]:
        """The state after these tokens, and the bytes that are certain by them."""
        decoder = self._source.decoder
        row = [tokens] if type(tokens) is int else _row(tokens)
        if self._is_plain:
            return state, decoder.decode(row, *self._skips)
        if not self._has_edges:
            return self._stripped(state, b"".join(decoder.decode_tokens(row, *self._skips)))
        row = list(row) if isinstance(row, Iterator) else row
        decoder.decode(row, *self._skips)  # complains of what is wrong, with its position
        parts = []
        for token in row:
            for amid in decoder.decode_tokens([token], *self._skips):  # none if it is left out
                state, part = self._after(state, index(token), amid)
                parts.append(part)
        return self._stripped(state, b"".join(parts))

    def finish(self, state: _State) -> bytes:
        """What is certain now that no token follows."""
        data = state.tail
        for step, strip in zip(self._strips, state.strips, strict=True):
            begun, certain = _strip(step, strip, data)
            held = begun[1]
            for _ in range(step.stop):
                if not held.endswith(step.content.encode()):
                    break
                held = held.removesuffix(step.content.encode())
            data = certain + held
        return data

    def _after(self, state: _State, token: TokenId, amid: bytes) -> tuple[_State, bytes]:
        rules = self._source.rules
        if state.is_started:
            here, at_end = amid, rules.last.get(token, amid)
        else:
            here, at_end = rules.first.get(token, amid), rules.only.get(token, amid)
        n = _n_common(here, at_end)
        return _State(True, here[n:], at_end[n:], state.strips), state.rest + here[:n]

    def _stripped(self, state: _State, data: bytes) -> tuple[_State, bytes]:
        strips = []
        for step, before in zip(self._strips, state.strips, strict=True):
            after, data = _strip(step, before, data)
            strips.append(after)
        return state._replace(strips=tuple(strips)), data


def _strip(
    step: StripText, strip: tuple[int, bytes], data: bytes
) -> tuple[tuple[int, bytes], bytes]:
    """The bytes that are certain when `data` arrives at a strip."""
    n_left, held = strip
    data = held + data
    content = step.content.encode()
    while n_left and data.startswith(content):
        data = data[len(content) :]
        n_left -= 1
    if n_left and content.startswith(data):
        return (n_left, data), b""
    n_certain = len(data) - _n_strippable(data, content, step.stop)
    return (0, data[n_certain:]), data[:n_certain]


def _n_strippable(data: bytes, content: bytes, stop: int) -> int:
    """How many bytes at the end may turn out to be among those that are taken from the end."""
    most = 0
    for n_begun in range(len(content) if stop else 0):  # bytes of a `content` yet to be completed
        if data.endswith(content[:n_begun]):
            start = len(data) - n_begun
            for _ in range(stop - (n_begun > 0)):
                if not data.endswith(content, 0, start):
                    break
                start -= len(content)
            most = max(most, len(data) - start)
    return most


def _n_common(one: bytes, other: bytes) -> int:
    """How many bytes at the beginning are the same."""
    shorter = min(len(one), len(other))
    return next((n for n in range(shorter) if one[n] != other[n]), shorter)


def _row(tokens: SupportsIndex | TokenIds) -> TokenIds:
    if isinstance(tokens, (int, np.integer)) or getattr(tokens, "ndim", None) == 0:
        return [cast("SupportsIndex", tokens)]
    return cast("TokenIds", tokens)


class ByteStreamDecoder:
    """The bytes of ids that come one by one; `tok.stream_decoder_bytes()` makes it.

    What `push` and `finish` return, joined, is what `decode_bytes` gives for all ids. A copy goes
    its own way. Not shared between threads.
    """

    def __init__(
        self,
        source: SpecDecoder,
        skip_unknown: bool = False,
        skip_special_tokens: bool = False,
        after: TokenIds = (),
    ) -> None:
        self._bytes = _Bytes(source, skip_unknown, skip_special_tokens)
        self._state, _ = self._bytes.advance(self._bytes.start, after)
        self._is_finished = False

    def push(self, tokens: SupportsIndex | TokenIds) -> bytes:
        """The bytes that are certain after one more id, or several.

        Raises:
            InputTypeError, UnknownTokenError: as `decode`; the stream stays as it was.
            ArgumentError: after `finish`.
        """
        if self._is_finished:
            raise ArgumentError(_FINISHED)
        self._state, data = self._bytes.advance(self._state, tokens)
        return data

    def finish(self) -> bytes:
        """The bytes of what was held back; the stream ends."""
        if self._is_finished:
            raise ArgumentError(_FINISHED)
        self._is_finished = True
        return self._bytes.finish(self._state)


class StreamDecoder:
    r"""The text of ids that come one by one; `tok.stream_decoder()` makes it.

    What `push` and `finish` return, joined, is what `decode` gives for all ids. A character comes
    when it is whole, U+FFFD as soon as bytes cannot become one; held back are at most the three
    bytes of an unfinished character and, where the tokenizer's decoder needs to know whether
    something follows, a space or so. A copy goes its own way (the branches of a beam), and a
    pickle holds the tokenizer's spec. Not shared between threads.

    >>> import bytepair
    >>> tok = bytepair.train(["ab"], vocab_size=256, special_tokens=[])
    >>> stream = tok.stream_decoder()
    >>> [stream.push(byte) for byte in "é!".encode()], stream.push([0xE2, 0x82]), stream.finish()
    (['', 'é', '!'], '', '\ufffd')
    """

    def __init__(
        self,
        source: SpecDecoder,
        errors: str = "replace",
        skip_special_tokens: bool = False,
        after: TokenIds = (),
    ) -> None:
        self._bytes = _Bytes(source, errors == "ignore", skip_special_tokens)
        self._errors = source.rules.error_handler(errors)
        self._state, data = self._bytes.advance(self._bytes.start, after)
        _, self._partial = _decode(data, "replace")
        self._is_finished = False

    def push(self, tokens: SupportsIndex | TokenIds) -> str:
        """The text that is certain after one more id, or several.

        Raises:
            InputTypeError, UnknownTokenError, UnicodeDecodeError: as `decode`; the stream stays
                as it was.
            ArgumentError: after `finish`.
        """
        if self._is_finished:
            raise ArgumentError(_FINISHED)
        state, data = self._bytes.advance(self._state, tokens)
        text, partial = _decode(self._partial + data, self._errors)
        self._state, self._partial = state, partial
        return text

    def finish(self, *, drop_incomplete: bool = False) -> str:
        """The text of what was held back; the stream ends.

        Args:
            drop_incomplete: leave out a character of which some bytes never came. Otherwise they
                are treated as `errors` says: U+FFFD.

        Raises:
            UnicodeDecodeError: there is such a character, with errors="strict"; the stream stays as
                it was.
        """
        if self._is_finished:
            raise ArgumentError(_FINISHED)
        data = self._partial + self._bytes.finish(self._state)
        text, _ = utf_8_decode(data, self._errors, not drop_incomplete)
        self._is_finished = True
        return text


def _decode(data: bytes, errors: str) -> tuple[str, bytes]:
    """(text, the bytes at the end that may become a character)."""
    text, n_used = utf_8_decode(data, errors, False)
    if n_used == len(data):
        return text, b""
    partial = data[n_used:]
    if partial[:1] == b"\xed" and partial[1:] >= b"\xa0" and errors != "surrogatepass":
        # Python waits for the third byte of a surrogate, which no error handler but that one takes.
        return text + partial.decode("utf-8", errors), b""
    return text, partial
