"""Text -> ids: split, then join the best-ranked pair of each pre-token until none is left."""

import heapq
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bytepair.engines.python._split import Splitter
from bytepair.errors import EncodeError
from bytepair.model import Pair, TokenId, TokenizerSpec, Vocabulary

RankByPair = dict[Pair, tuple[int, TokenId]]


class Encoder:
    """Twin of the core's encoder."""

    def __init__(self, spec: TokenizerSpec) -> None:
        self._splitter = Splitter(spec.rules.pattern)
        self._rank_by_pair = spec.merges.rank_by_pair()
        self._symbols_of = word_symbols(spec)
        self._whole = dict(spec.vocabulary.id_by_bytes) if spec.ignore_merges else {}

    def encode(self, data: bytes) -> list[TokenId]:
        """Ids of one document."""
        ids: list[TokenId] = []
        for word in self._words(data):
            whole = self._whole.get(word)
            ids += [whole] if whole is not None else self._encode_word(word)
        return ids

    def count(self, data: bytes) -> int:
        """Number of ids of one document."""
        return len(self.encode(data))

    def encode_batch(
        self, documents: Sequence[bytes], threads: int
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Ids of many documents; `threads` is accepted and not used."""
        del threads
        rows = [self.encode(document) for document in documents]
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        ids = np.fromiter((i for row in rows for i in row), np.uint32, int(offsets[-1]))
        return ids, offsets

    def _words(self, data: bytes) -> Iterator[bytes]:
        start = 0
        for end in self._splitter.split(data):
            yield data[start:end]
            start = end

    def _encode_word(self, word: bytes) -> list[TokenId]:
        return join_symbols(self._symbols_of.symbols(word), self._rank_by_pair)


def join_symbols(symbols: list[TokenId], rank_by_pair: RankByPair) -> list[TokenId]:
    """Join the pair of lowest rank, leftmost among equals, until no pair has a rank.

    O(n log n): a heap of candidate sites; a popped site whose pair has changed is passed over.

    >>> join_symbols([97, 97, 97, 98], {(97, 97): (0, 256), (256, 97): (1, 257)})
    [257, 98]
    """
    following = [*range(1, len(symbols)), -1]
    previous = [-1, *range(len(symbols) - 1)]
    heap: list[tuple[int, int, Pair]] = []

    def offer(left: int, right: int) -> None:
        pair = (symbols[left], symbols[right])
        if pair in rank_by_pair:
            heapq.heappush(heap, (rank_by_pair[pair][0], left, pair))

    for position in range(len(symbols) - 1):
        offer(position, position + 1)
    while heap:
        _, left, pair = heapq.heappop(heap)
        right = following[left]
        if right < 0 or (symbols[left], symbols[right]) != pair:
            continue
        symbols[left], symbols[right] = rank_by_pair[pair][1], -1
        following[left] = following[right]
        if following[left] >= 0:
            previous[following[left]] = left
            offer(left, following[left])
        if previous[left] >= 0:
            offer(previous[left], left)
    return [symbol for symbol in symbols if symbol >= 0]


class ByteSymbols:
    """A pre-token's first symbols: one for each byte."""

    def __init__(self, byte_ids: Sequence[TokenId]) -> None:
        self._byte_ids = byte_ids

    def symbols(self, word: bytes) -> list[TokenId]:
        """len(word) ids."""
        return [self._byte_ids[byte] for byte in word]


class CharSymbols:
    """A pre-token's first symbols: one for each character, bytes for those unknown, an end mark."""

    def __init__(self, spec: TokenizerSpec) -> None:
        vocabulary = spec.vocabulary
        self._id_by_char = character_ids(vocabulary)
        self._byte_ids = vocabulary.byte_ids
        end_mark = vocabulary.end_of_word_id
        self._end = [] if end_mark is None else [end_mark]

    def symbols(self, word: bytes) -> list[TokenId]:
        """Ids of the characters of `word`.

        Raises:
            EncodeError: a character is not in the alphabet and there is no byte fallback.
        """
        ids: list[TokenId] = []
        for char in word.decode("utf-8", "surrogateescape"):
            data = char.encode("utf-8", "surrogateescape")
            token = self._id_by_char.get(data)
            ids += [token] if token is not None else self._fallback(data)
        return ids + self._end

    def _fallback(self, data: bytes) -> list[TokenId]:
        if not self._byte_ids:
            raise EncodeError(unknown_character(data))
        return [self._byte_ids[byte] for byte in data]


def character_ids(vocabulary: Vocabulary) -> dict[bytes, TokenId]:
    """UTF-8 of each single character that is a token of its own -> its id."""
    fallback = set(vocabulary.byte_ids)
    return {
        data: token
        for data, token in vocabulary.id_by_bytes.items()
        if token not in fallback and len(data.decode("utf-8", "replace")) == 1
    }


def unknown_character(data: bytes) -> str:
    """The message for a character outside the alphabet; both engines give it."""
    return (
        f"the vocabulary has no token for {data.decode('utf-8', 'backslashreplace')!r} "
        f"(bytes {data.hex(' ')}) and no byte fallback. Train with byte_fallback=True, or with "
        "alphabet='bytes', to encode any text."
    )


def word_symbols(spec: TokenizerSpec) -> ByteSymbols | CharSymbols:
    """How the pre-tokens of this tokenizer start."""
    return ByteSymbols(spec.vocabulary.byte_ids) if spec.alphabet == "bytes" else CharSymbols(spec)
