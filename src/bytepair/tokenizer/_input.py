"""What users pass in, checked: text becomes bytes, ids become integers."""

from collections.abc import Iterable, Iterator, Sequence
from typing import SupportsInt

import numpy as np

from bytepair.errors import InputTypeError
from bytepair.model import TokenId, to_utf8


def text_bytes(text: str | bytes, where: str = "") -> bytes:
    """UTF-8 of a `str`; bytes as they are.

    Raises:
        InputTypeError: neither.
    """
    if isinstance(text, str):
        return to_utf8(text)
    if isinstance(text, (bytes, bytearray, memoryview)):
        return bytes(text)
    raise InputTypeError(f"{where}expected str or bytes, got {type(text).__name__}: {text!r:.60}.")


def texts_bytes(texts: Iterable[str | bytes]) -> Iterator[bytes]:
    """Each text as bytes.

    Raises:
        InputTypeError: one text instead of several, or an item that is not text (its index named).
    """
    if isinstance(texts, (str, bytes, bytearray)) or not isinstance(texts, Iterable):
        raise InputTypeError(
            f"expected several texts, got one {type(texts).__name__}. Put it into a list."
        )
    for index, text in enumerate(texts):
        yield text_bytes(text, f"text {index}: ")


def checked_ids(tokens: Sequence[SupportsInt]) -> list[TokenId]:
    """Ids as plain integers.

    Raises:
        InputTypeError: not a sequence, or an item that is not an integer (its position named).
    """
    if isinstance(tokens, np.ndarray) and tokens.dtype.kind in "iu":
        plain: list[TokenId] = tokens.ravel().tolist()
        return plain
    if isinstance(tokens, (str, bytes)) or not isinstance(tokens, Iterable):
        raise InputTypeError(f"expected token ids, got {type(tokens).__name__}: {tokens!r:.60}.")
    ids = list(tokens)
    for position, token in enumerate(ids):
        if type(token) is not int:
            ids[position] = _integer(token, position)
    return ids  # type: ignore[return-value]  # each is an int now


def _integer(token: SupportsInt, position: int) -> int:
    if isinstance(token, (int, np.integer)) and not isinstance(token, bool):
        return int(token)
    raise InputTypeError(
        f"token id {position}: expected an integer, got {type(token).__name__}: {token!r:.60}."
    )
