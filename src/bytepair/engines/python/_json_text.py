"""What is long in JSON text, read and written without a parser's objects for the rest."""

import json
import re

import numpy as np
from numpy.typing import NDArray

from bytepair.engines._interface import Long
from bytepair.model import to_utf8

_SPACE = rb"[ \t\n\r]*+"
_VALUE = re.compile(
    rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'  # a string
    rb"|\[[0-9, \t\n\r]*+\]"  # an array that may be one of ids
    rb'|[\[{"]',  # others begin; a quote here does not end
    re.DOTALL,
)
_COLON = re.compile(_SPACE + b":")


def take_out(
    text: bytes, shortest: int, most_values: int, mark: int
) -> tuple[bytes, list[Long], int] | None:
    """Twin of the core's take_out."""
    pieces, parts, done, n_values = [], list[Long](), 0, 0
    for found in _VALUE.finditer(text):
        n_values += 1
        if n_values > most_values:
            return text, [], n_values
        try:
            part = _long(text, found, shortest)
        except ValueError:
            return None
        if part is not None:
            sign = b'"%d"' if isinstance(part, bytes) else b"[%d]"
            pieces += [text[done : found.start()], sign % (mark + len(parts))]
            parts.append(part)
            done = found.end()
    return b"".join([*pieces, text[done:]]), parts, n_values


def _long(text: bytes, found: re.Match[bytes], shortest: int) -> Long | None:
    """What a value is if it is long.

    Raises:
        ValueError: a string that cannot be read.
    """
    if found[0] == b'"':
        raise ValueError("a string does not end")
    if len(found[0]) < shortest:
        return None
    if found[0][:1] == b'"':
        is_name = _COLON.match(text, found.end())
        return None if is_name else to_utf8(json.loads(found[0].decode()))
    return _ids(found[0])


def _ids(text: bytes) -> NDArray[np.uint32] | None:
    try:
        ids = json.loads(text)
    except ValueError:
        return None
    return np.array(ids, np.uint32) if ids and max(ids) < 1 << 32 else None


def ids_json(ids: NDArray[np.uint32]) -> bytes:
    """Twin of the core's ids_json."""
    return json.dumps(ids.tolist(), separators=(",", ":")).encode()


def text_json(text: bytes) -> bytes | None:
    """Twin of the core's text_json."""
    try:
        return json.dumps(text.decode(), ensure_ascii=False).encode()
    except UnicodeDecodeError:
        return None
