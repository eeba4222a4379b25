"""What users pass in, checked: text becomes bytes, ids become integers."""

import os
from collections.abc import Iterable, Mapping

from bytepair.errors import ArgumentError, InputTypeError
from bytepair.model import at_least_one, to_utf8

_MAX_THREADS = 256  # more do nothing but hold memory
_BYTES = (bytes, bytearray, memoryview)


def text_bytes(text: str | bytes, where: str = "") -> bytes:
    """UTF-8 of a `str`; bytes as they are.

    Raises:
        InputTypeError: neither.
    """
    if isinstance(text, str):
        return to_utf8(text)
    if isinstance(text, _BYTES):
        return bytes(text)
    raise InputTypeError(f"{where}expected str or bytes, got {type(text).__name__}: {text!r:.60}.")


def separator_bytes(separator: str | bytes) -> bytes:
    """What lies between documents.

    Raises:
        InputTypeError: neither `str` nor `bytes`.
        ArgumentError: it is empty.
    """
    data = text_bytes(separator, "separator: ")
    if not data:
        raise ArgumentError("separator must not be empty. None: each file is one document.")
    return data


def checked_text(text: str | bytes) -> str | bytes:
    """The text as an engine takes it.

    Raises:
        InputTypeError: neither `str` nor `bytes`.
    """
    return text if isinstance(text, (str, bytes)) else text_bytes(text)


def checked_texts(texts: Iterable[str | bytes]) -> list[str | bytes]:
    """Several texts as an engine takes them.

    Raises:
        InputTypeError: one text instead of several, or an item that is not text (its index named).
    """
    if isinstance(texts, (str, *_BYTES)) or not isinstance(texts, Iterable):
        raise InputTypeError(
            f"expected several texts, got one {type(texts).__name__}. Put it into a list."
        )
    if isinstance(texts, Mapping):
        raise InputTypeError(
            f"expected several texts, got {type(texts).__name__}, which would give its keys. "
            "Pass its values() or the right entry."
        )
    rows = texts if isinstance(texts, list) else list(texts)
    if not {str, bytes}.issuperset(map(type, rows)):
        return [_row(text, index) for index, text in enumerate(rows)]
    return rows


def _row(text: str | bytes, index: int) -> str | bytes:
    return text if isinstance(text, (str, bytes)) else text_bytes(text, f"text {index}: ")


def thread_count(threads: int | None, num_threads: int | None = None) -> int:
    """How many threads a batch runs on: one a core unless one of the two says otherwise.

    Raises:
        ArgumentError: below 1, or both are given.
    """
    if threads is not None and num_threads is not None:
        raise ArgumentError("threads and num_threads mean the same: pass one of them.")
    name, wanted = ("threads", threads) if num_threads is None else ("num_threads", num_threads)
    return (
        (os.cpu_count() or 1) if wanted is None else min(at_least_one(name, wanted), _MAX_THREADS)
    )
