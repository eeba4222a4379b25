"""Text to bytes, the one way all of bytepair does it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def to_utf8(text: str) -> bytes:
    r"""Encode any `str`, also one that no codec accepts because it holds surrogates.

    A high surrogate followed by a low one becomes the code point the two stand for; a lone
    surrogate becomes U+FFFD. Ordinary text takes the fast path.

    >>> to_utf8("\ud83d\ude00") == "\U0001f600".encode()
    True
    >>> to_utf8("a\ud800b").decode()
    'a\ufffdb'
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        # UTF-16 is where surrogates come from: written out as they are and read back, pairs join.
        units = text.encode("utf-16-le", "surrogatepass")
        return units.decode("utf-16-le", "replace").encode()


def byte_positions(text: str, positions: Sequence[int]) -> list[int]:
    r"""Positions in characters -> in bytes. A lone low surrogate stands for one byte.

    `text` is UTF-8 decoded with "surrogateescape", `positions` are from 0 to `len(text)`.

    >>> byte_positions("aé\udcffb", [0, 1, 2, 3, 4])
    [0, 1, 3, 4, 5]
    """
    if text.isascii():
        return list(positions)
    before: list[int] = _positions(text)[np.array(positions, np.int64)].tolist()
    return before


def _positions(text: str) -> NDArray[np.int64]:
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    sizes = 1 + (codes > 0x7F) + (codes > 0x7FF) + (codes > 0xFFFF).astype(np.int64)
    sizes[(codes >= 0xDC80) & (codes <= 0xDCFF)] = 1
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
