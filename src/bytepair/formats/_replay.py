"""BPE on single tokens: how, and from which two parts, merging makes each token.

The engines do this for text; a writer asks it of the vocabulary, because what may be saved in a
format depends on it (docs/decisions/0003-merge-lists-and-ranks.md).
"""

from collections.abc import Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple

from bytepair.errors import ExportError
from bytepair.model import Pair, TokenId, TokenizerSpec

RankByPair = Mapping[Pair, tuple[int, TokenId]]
"""(left, right) -> (rank, joined)."""


class Making(NamedTuple):
    """What merging makes of a token's own bytes.

    Attributes:
        token: the token that was asked about.
        parts: what is left when nothing joins any more; `[token]` if merging makes it.
        last: the last pair joined; None if none was.
        rank: the rank of `last`; -1 if there is none.
    """

    token: TokenId
    parts: list[TokenId]
    last: Pair | None
    rank: int

    @property
    def is_made(self) -> bool:
        """True if merging makes the token; otherwise it is an *orphan*."""
        return self.parts == [self.token]


def replay(symbols: Sequence[TokenId], ranks: RankByPair) -> tuple[list[TokenId], Pair | None]:
    """Join the pair of lowest rank, the leftmost among equals, until no pair joins.

    Returns what is left, and the last pair joined. Cost: O(n log n).

    >>> replay([97, 97, 97], {(97, 97): (0, 256)})
    ([256, 97], (97, 97))
    """
    tokens, end = list(symbols), len(symbols)
    following, preceding = list(range(1, end + 1)), list(range(-1, end - 1))
    queue = [(ranks[pair][0], i, *pair) for i, pair in enumerate(pairwise(tokens)) if pair in ranks]
    heapify(queue)
    last: Pair | None = None
    while queue:
        _, here, left, right = heappop(queue)
        there = following[here]
        if there == end or tokens[here] != left or tokens[there] != right:
            continue  # a neighbour was joined since this pair was queued
        last = left, right
        tokens[here], tokens[there] = ranks[last][1], -1
        after = following[here] = following[there]
        if after < end:
            preceding[after] = here
        for start, stop in ((preceding[here], here), (here, after)):
            if start >= 0 and stop < end and (pair := (tokens[start], tokens[stop])) in ranks:
                heappush(queue, (ranks[pair][0], start, *pair))
    return [token for token in tokens if token >= 0], last


def replay_all(spec: TokenizerSpec) -> Iterator[Making]:
    """What merging makes of every token of several symbols, by ascending id.

    Left out are tokens with a character that has no token: no text is made of it.
    """
    ranks, firsts = spec.merges.rank_by_pair(), _first_symbols(spec)
    for token, content in spec.vocabulary.tokens.items():
        symbols = [firsts.get(symbol) for symbol in _symbols(spec, content)]
        if len(symbols) > 1 and None not in symbols:
            parts, last = replay([symbol for symbol in symbols if symbol is not None], ranks)
            yield Making(token, parts, last, -1 if last is None else ranks[last][0])


def orphan(spec: TokenizerSpec) -> bytes | None:
    """A token that merging its own bytes does not make, or None: only looking it up finds it."""
    made = (making for making in replay_all(spec) if not making.is_made)
    return next((spec.vocabulary.tokens[making.token] for making in made), None)


def _first_symbols(spec: TokenizerSpec) -> dict[bytes, TokenId]:
    """What is there before merging -> its id."""
    if spec.alphabet == "bytes":
        return {bytes([byte]): token for byte, token in enumerate(spec.vocabulary.byte_ids)}
    fallback = set(spec.vocabulary.byte_ids)
    known = spec.vocabulary.id_by_bytes.items()
    return {content: token for content, token in known if token not in fallback}


def _symbols(spec: TokenizerSpec, content: bytes) -> list[bytes]:
    if spec.alphabet == "bytes":
        return [bytes([byte]) for byte in content]
    return [
        char.encode("utf-8", "surrogateescape")
        for char in content.decode("utf-8", "surrogateescape")
    ]


def as_merge_list(spec: TokenizerSpec) -> list[tuple[TokenId, TokenId, TokenId]]:
    """The merges as (left, right, joined), in an order that needs no ranks.

    Of a rank table, only the pair that really makes a token is kept: the others never stand side
    by side.

    Raises:
        ExportError: two tokens share a rank, so no order says the same.
    """
    if spec.merges.is_merge_list:
        return [(left, right, joined) for left, right, joined, _ in spec.merges]
    made = sorted((m for m in replay_all(spec) if m.is_made), key=lambda making: making.rank)
    for one, other in pairwise(made):
        if one.rank == other.rank:
            raise ExportError(
                f"tokens {one.token} and {other.token} share the rank {one.rank}; a merge list "
                "cannot say so"
            )
    return [(*making.last, making.token) for making in made if making.last]
