"""Join neighbours, the pair of lowest rank first: the loop that is BPE."""

import heapq
from collections.abc import Callable, Iterator

from bytepair.model import Pair, TokenId

RankByPair = dict[Pair, tuple[int, TokenId]]
"""(left, right) -> (rank, joined)."""

Chance = Callable[[], bool]
"""Whether to leave out the merge that comes next."""


def join_symbols(
    symbols: list[TokenId],
    rank_by_pair: RankByPair,
    leaves_out: Chance | None = None,
    record: list[tuple[int, int]] | None = None,
) -> list[tuple[int, TokenId]]:
    """Join the pair of lowest rank, leftmost among equals, until no pair has a rank.

    Returns (place of its first symbol, id) of each token. `symbols` is used up. With `leaves_out`
    a merge that comes next is put aside when it says so, and may come again after another.
    `record` gets (rank, place of the left symbol) of each merge, in order.

    O(n log n): a heap of candidate sites; a popped site whose pair has changed is passed over.

    >>> join_symbols([97, 97, 97, 98], {(97, 97): (0, 256), (256, 97): (1, 257)})
    [(0, 257), (3, 98)]
    """
    note = _forget if record is None else record.append
    following = [*range(1, len(symbols)), -1]
    previous = [-1, *range(len(symbols) - 1)]
    heap: list[tuple[int, int, Pair]] = []
    aside: list[tuple[int, int, Pair]] = []

    def offer(left: int, right: int) -> None:
        pair = (symbols[left], symbols[right])
        if pair in rank_by_pair:
            heapq.heappush(heap, (rank_by_pair[pair][0], left, pair))

    for position in range(len(symbols) - 1):
        offer(position, position + 1)
    while heap:
        site = heapq.heappop(heap)
        if leaves_out and leaves_out():
            aside.append(site)
            continue
        while aside:
            heapq.heappush(heap, aside.pop())
        rank, left, pair = site
        right = following[left]
        if right < 0 or (symbols[left], symbols[right]) != pair:
            continue
        note((rank, left))
        symbols[left], symbols[right] = rank_by_pair[pair][1], -1
        following[left] = following[right]
        if following[left] >= 0:
            previous[following[left]] = left
            offer(left, following[left])
        if previous[left] >= 0:
            offer(previous[left], left)
    return [(place, symbol) for place, symbol in enumerate(symbols) if symbol >= 0]


def _forget(_: tuple[int, int]) -> None:
    """Nobody wants to know."""


def random_chance(probability: float, seed: int) -> Chance:
    """Says yes with this probability; what it says depends on the seed alone."""
    draw = splitmix64(seed)
    return lambda: (next(draw) >> 11) / 2**53 < probability


def splitmix64(seed: int) -> Iterator[int]:
    """Random numbers of 64 bits, the same on every machine.

    Source: Steele, Lea and Flood 2014, https://doi.org/10.1145/2714064.2660195.

    >>> hex(next(splitmix64(0)))
    '0xe220a8397b1dcdaf'
    """
    mask = 2**64 - 1
    state = seed & mask
    while True:
        state = (state + 0x9E3779B97F4A7C15) & mask
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & mask
        yield mixed ^ (mixed >> 31)
