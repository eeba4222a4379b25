"""What is long in a JSON body is read by the core, and written in pieces.

A parser that reads ten megabytes at one go holds up every other request of the process meanwhile.
"""

from collections.abc import Iterator
from secrets import randbits
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from bytepair.engines import select
from bytepair.server._errors import invalid

AT_ONCE = 128 << 10  # bytes of an answer handed on at a time
_LONG_BODY = 1 << 18  # bytes; shorter ones are read in less than a millisecond
_LONG_PART = 512  # bytes of a string, or of an array of ids
_MOST_VALUES = 250_000  # strings, arrays and objects: the parser makes Python's objects of each
_MARK = 1 << 52 | randbits(50)  # nobody sends this
_GAP = b"\x00"  # stands nowhere in JSON


class Written:
    """A part of an answer that is JSON already."""

    __slots__ = ("json",)

    def __init__(self, json: bytes) -> None:
        self.json = json


def encode_long(answer: Any) -> list[bytes]:
    """JSON in pieces: what is written already is not copied, which would hold up others again."""
    written: list[bytes] = []

    def hook(part: Written) -> msgspec.Raw:
        written.append(part.json)
        return msgspec.Raw(_GAP)

    between = msgspec.json.encode(answer, enc_hook=hook).split(_GAP)
    pieces = [piece for pair in zip(between, written) for piece in pair]  # noqa: B905  # one less
    return [*pieces, between[-1]]


def in_parts(pieces: list[bytes]) -> Iterator[bytes]:
    """The same bytes, about so many at a time as are sent at once."""
    small: list[bytes] = []
    room = AT_ONCE
    for piece in pieces:
        if len(piece) <= room:
            small.append(piece)
            room -= len(piece)
            continue
        yield b"".join(small)
        for start in range(0, len(piece), AT_ONCE):
            yield piece[start : start + AT_ONCE]
        small, room = [], AT_ONCE
    yield b"".join(small)


class Parts:
    """A body without what is long in it, and that by the marks that stand for it.

    Raises:
        ApiError: it is long and no JSON, or made of very many small things.
    """

    def __init__(self, body: bytes) -> None:
        self.short = body
        self._texts: dict[str, bytes] = {}
        self._rows: dict[int, NDArray[np.uint32]] = {}
        if len(body) <= _LONG_BODY:
            return
        taken = select().take_out(body, _LONG_PART, _MOST_VALUES, _MARK)
        if taken is None:
            raise invalid(
                "the body is not JSON: a string does not end, or is not valid.", code="not_json"
            )
        self.short, parts, n_values = taken
        if n_values > _MOST_VALUES:
            raise invalid(
                f"the body holds more than {_MOST_VALUES} strings, arrays and objects. "
                "Send several requests.",
                code="too_many_values",
            )
        for mark, part in enumerate(parts, _MARK):
            if isinstance(part, bytes):
                self._texts[str(mark)] = part
            else:
                self._rows[mark] = part

    def __bool__(self) -> bool:
        """True if something was taken out."""
        return bool(self._texts or self._rows)

    def put_back(self, value: Any, as_read: bool = False) -> Any:
        """What was read of `short`, with everything in its place.

        Args:
            as_read: texts stay bytes and ids arrays, which costs others no time.
        """
        if isinstance(value, str):
            text = self._texts.get(value)
            return value if text is None else text if as_read else text.decode()
        if isinstance(value, list):
            if len(value) == 1 and isinstance(value[0], int) and value[0] in self._rows:
                row = self._rows[value[0]]
                return row if as_read else row.tolist()
            return [self.put_back(item, as_read) for item in value]
        if isinstance(value, dict):
            return {key: self.put_back(item, as_read) for key, item in value.items()}
        if isinstance(value, msgspec.Struct):
            for name in value.__struct_fields__:
                setattr(value, name, self.put_back(getattr(value, name), as_read))
        return value
