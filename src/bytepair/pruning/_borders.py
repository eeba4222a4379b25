"""Cut words where no token goes over, so that a document can be as long as it likes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Words(NamedTuple):
    """The words of a corpus in symbols.

    Attributes:
        symbols, offsets: word i is `symbols[offsets[i]:offsets[i + 1]]`.
        counts: int64[words]: how often each occurs.
        whole: int64[words]: the symbol of a word that is looked up; -1: it is merged.
    """

    symbols: NDArray[np.uint32]
    offsets: NDArray[np.int64]
    counts: NDArray[np.int64]
    whole: NDArray[np.int64]


def cut_at_borders(words: Words, contents: NDArray[np.uint32], ends: NDArray[np.int64]) -> Words:
    """The pieces of all words, equal ones counted together.

    Two neighbours that stand side by side within no token are never joined, nor is anything that
    goes over them: the tokens of the pieces are those of the words, whatever is removed. Where
    pre-tokens are short there is hardly a border; a tokenizer that takes a text for one pre-token,
    as SentencePiece's do, has one at most spaces.

    Args:
        contents: what the tokens are made of, one after the other, `ends` where each ends.
    """
    is_border = _borders(words, _neighbours(contents, ends))
    if not is_border.any():
        return words
    starts = np.union1d(words.offsets[:-1], np.flatnonzero(is_border))
    word_of = np.searchsorted(words.offsets, starts, side="right") - 1
    stops = np.append(starts[1:], len(words.symbols))
    number_by_piece: dict[tuple[bytes, int], int] = {}
    wholes = words.whole[word_of].tolist()
    numbers = [
        number_by_piece.setdefault(
            (words.symbols[start:stop].tobytes(), whole), len(number_by_piece)
        )
        for start, stop, whole in zip(starts.tolist(), stops.tolist(), wholes, strict=True)
    ]
    counts = np.zeros(len(number_by_piece), np.int64)
    np.add.at(counts, numbers, words.counts[word_of])
    pieces = [data for data, _ in number_by_piece]
    offsets = np.cumsum([0, *(len(data) // 4 for data in pieces)])
    return Words(
        np.frombuffer(b"".join(pieces), np.uint32),
        np.asarray(offsets, np.int64),
        counts,
        np.array([whole for _, whole in number_by_piece], np.int64),
    )


def _neighbours(symbols: NDArray[np.uint32], ends: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The pairs of symbols that stand side by side in rows, as numbers, ascending."""
    is_within = np.ones(len(symbols), np.bool_)
    is_within[ends[ends > 0] - 1] = False
    return np.unique(_pairs(symbols)[is_within[:-1]])


def _borders(words: Words, neighbours: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """bool[symbols]: True where a word may be cut before a symbol."""
    is_border = np.zeros(len(words.symbols), np.bool_)
    is_border[1:] = ~np.isin(_pairs(words.symbols), neighbours)
    is_border[words.offsets[:-1]] = False
    lengths = np.diff(words.offsets)
    is_border[np.repeat(words.whole >= 0, lengths)] = False
    return is_border


def _pairs(symbols: NDArray[np.uint32]) -> NDArray[np.uint64]:
    wide = symbols.astype(np.uint64)
    pairs: NDArray[np.uint64] = wide[:-1] << np.uint64(32) | wide[1:]
    return pairs
