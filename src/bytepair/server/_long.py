"""Long strings of a JSON body, read in pieces: a parser that reads ten megabytes at one go holds
up every other request of the process meanwhile.
"""

from secrets import token_hex
from typing import Any

import msgspec

_LONG_BODY = 1 << 18  # bytes; shorter ones are read in less than a millisecond
_LONG_STRING = 1 << 16
_PIECE = 1 << 15
_MOST_STRINGS = 20_000  # looked at; bodies of more are not of the kind that this is for
_MOST_QUOTES = 1_000_000  # each is looked at: more would take longer than it spares
_MOST_STEPS = 4096  # to the next place where a string can be cut
_NEAR = 12  # bytes of the longest escape, that of a surrogate pair
_MARK = token_hex(8)  # nobody sends this
_text = msgspec.json.Decoder(str).decode


class Parts:
    """A body without its long strings, and these by the names that stand for them."""

    def __init__(self, body: bytes) -> None:
        self.short = body
        self.texts: dict[str, str] = {}
        if len(body) > _LONG_BODY:
            try:
                self._take_out(body)
            except ValueError:  # not JSON, or half a surrogate pair: the parser shall say
                self.short, self.texts = body, {}

    def _take_out(self, body: bytes) -> None:
        if body.count(b'"') > _MOST_QUOTES:
            return
        pieces: list[bytes] = []
        done = end = 0
        for _ in range(_MOST_STRINGS):
            start = body.find(b'"', end)
            if start < 0:
                break
            stop = _end(body, start + 1)
            if stop - start > _LONG_STRING:
                name = f"{_MARK}{len(self.texts)}"
                self.texts[name] = _unescaped(body, start + 1, stop)
                pieces += [body[done:start], b'"%b"' % name.encode()]
                done = stop + 1
            end = stop + 1
        self.short = b"".join([*pieces, body[done:]]) if pieces else body

    def put_back(self, value: Any) -> Any:
        """What was read of `short`, with the strings in their places."""
        if isinstance(value, str):
            return self.texts.get(value, value)
        if isinstance(value, list):
            return [self.put_back(item) for item in value]
        if isinstance(value, dict):
            return {key: self.put_back(item) for key, item in value.items()}
        if isinstance(value, msgspec.Struct):
            for name in value.__struct_fields__:
                setattr(value, name, self.put_back(getattr(value, name)))
        return value


def _end(body: bytes, start: int) -> int:
    """Where the quote is that ends a string.

    Raises:
        ValueError: nowhere.
    """
    while True:
        quote = start = body.index(b'"', start)
        while body[start - 1] == 0x5C:  # a backslash
            start -= 1
        if (quote - start) % 2 == 0:
            return quote
        start = quote + 1


def _unescaped(body: bytes, start: int, stop: int) -> str:
    pieces: list[str] = []
    while start < stop:
        end = _cut(body, min(start + _PIECE, stop), stop)
        pieces.append(_text(b'"%b"' % body[start:end]))
        start = end
    return "".join(pieces)


def _cut(body: bytes, place: int, stop: int) -> int:
    """The next place that is in the middle of no character and of no escape.

    Raises:
        ValueError: there is none nearby.
    """
    for cut in range(place, min(place + _MOST_STEPS, stop)):
        if body[cut] & 0xC0 != 0x80 and b"\\" not in body[cut - _NEAR : cut]:
            return cut
    if stop - place <= _MOST_STEPS:
        return stop
    raise ValueError("nothing but escapes")
