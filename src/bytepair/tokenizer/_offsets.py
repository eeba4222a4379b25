"""Byte spans → offsets in characters of the text as it was given."""

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bytepair.engines import Spans
from bytepair.model import PostProcessor, to_utf8
from bytepair.patterns import SPACES

Offsets = list[tuple[int, int]]

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def char_offsets(text: str | bytes, spans: Spans) -> Offsets:
    """For each token (first character, last + 1); characters it holds a part of are its own too.

    In `bytes` a byte that is not part of valid UTF-8 counts as a character.
    """
    borders = _char_borders(text)
    if borders is None:
        return list(zip(spans.starts.tolist(), spans.ends.tolist(), strict=True))
    first = np.searchsorted(borders, spans.starts, side="right") - 1
    last = np.searchsorted(borders, spans.ends, side="left")
    last = np.where(spans.ends > spans.starts, last, first)
    place = _str_positions(text, len(borders))
    return list(zip(place[first].tolist(), place[last].tolist(), strict=True))


def trimmed(
    text: str | bytes, offsets: Offsets, added: Sequence[bool], rules: PostProcessor
) -> Offsets:
    """The offsets without the spaces at the ends of tokens, as ByteLevel's `trim_offsets` has it.

    An added token, `added` says which are, is without any white space that it took. With
    `prefix_space`, the single space with which a text begins stays: it could have been put there.
    """
    chars = text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")
    result: Offsets = []
    for number, (start, end) in enumerate(offsets):
        spaces = SPACES if added[number] else " "
        piece = chars[start:end]
        n_leading = len(piece) - len(piece.lstrip(spaces))
        n_trailing = len(piece) - len(piece.rstrip(spaces))
        if rules.prefix_space and n_leading == 1 and (number == 0 or start == 0):
            n_leading = 0
        first = min(start + n_leading, end)
        result.append((first, max(end - n_trailing, first)))
    return result


def _char_borders(text: str | bytes) -> NDArray[np.int64] | None:
    """Byte position of every character and of the end; None if each character is a byte."""
    if text.isascii():
        return None
    decoded = text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")
    if isinstance(text, str):
        decoded = to_utf8(text).decode()
    codes = np.frombuffer(decoded.encode("utf-32-le", "surrogatepass"), np.uint32)
    sizes = 1 + (codes > 0x7F) + (codes > 0x7FF) + (codes > 0xFFFF).astype(np.int64)
    sizes[(codes >= 0xDC80) & (codes <= 0xDCFF)] = 1  # one byte that is not part of valid UTF-8
    borders = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=borders[1:])
    return borders


def _str_positions(text: str | bytes, n_borders: int) -> NDArray[np.int64]:
    """Position in `text` of each character: a pair of surrogates is one character in two places."""
    positions = np.arange(n_borders)
    if isinstance(text, bytes):
        return positions
    for n_pairs, match in enumerate(_PAIR.finditer(text)):
        positions[match.start() - n_pairs + 1 :] += 1
    return positions


def last_word_length(spans: Spans) -> int:
    """How many tokens the last pre-token has; 0 if the text ends with an added token."""
    words = spans.words.tolist()
    if not words or words[-1] < 0:
        return 0
    changes = [n for n, (a, b) in enumerate(pairwise(words), start=1) if a != b]
    return len(words) - (changes[-1] if changes else 0)
