"""Learn merges: join the most frequent pair, again and again, touching only what it changes.

Source: Sennrich et al. 2016, https://arxiv.org/abs/1508.07909; the incremental form follows from
counting what each joined site takes from its neighbours and gives them.
"""

import heapq
from collections import defaultdict
from collections.abc import Callable

from bytepair.engines._interface import LearnTask
from bytepair.engines.python._join import join_symbols
from bytepair.model import Merge, MergeBatch, Pair

_BORDER = -1  # stands between words: no pair crosses it
_GONE = -2  # a position whose symbol became part of the symbol to its left


class Learner:
    """Twin of the core's learner. Cost per merge: the sites it joins, not the corpus.

    >>> import numpy as np
    >>> symbols = np.frombuffer(b"aabaab", np.uint8)
    >>> alphabet = [bytes([b]) for b in range(256)]
    >>> task = LearnTask(symbols, np.array([0, 6]), np.array([1]), alphabet, min_frequency=2)
    >>> learner = Learner(task)
    >>> [tuple(merge) for merge in learner.advance(9)]
    [(97, 97, 256, 2), (256, 98, 257, 2)]
    """

    def __init__(self, task: LearnTask) -> None:
        alphabet = task.alphabet
        self._content = list(alphabet)
        self._length = [1 if content else 0 for content in alphabet]
        if task.lengths is not None:
            self._length = task.lengths.tolist()
        self._rank = list(task.order) if task.order is not None else list(range(len(alphabet)))
        self._preferred = self._preference(task.ties)
        self._min_frequency = max(task.min_frequency, 1)
        self._max_length = task.max_token_length
        self._blocked, self._blocked_pairs = task.blocked, task.blocked_pairs
        self._spelling = list(alphabet if task.spellings is None else task.spellings)
        self._lay_out(task)
        self._count_all_pairs()

    def advance(self, n_merges: int) -> MergeBatch:
        """The next merges, at most `n_merges`."""
        merges: list[Merge] = []
        while len(merges) < n_merges and (best := self._pop_best()):
            count, pair = best
            merges.append(Merge(*pair, self._join(pair), count))
        return MergeBatch.from_merges(merges)

    def in_view(self) -> tuple[int, int]:
        """Entries in the queue, and pairs that may still be joined."""
        return len(self._heap), sum(n >= self._min_frequency for n in self._count.values())

    def _lay_out(self, task: LearnTask) -> None:
        """All words in one list, a border before, between and after; links skip joined symbols."""
        self._symbol = [_BORDER]
        self._weight = [0]
        rank_by_pair = task.merges.rank_by_pair()
        for start, end, count in zip(task.offsets, task.offsets[1:], task.counts, strict=False):
            word = task.symbols[start:end].tolist()
            if rank_by_pair:
                word = [symbol for _, symbol in join_symbols(word, rank_by_pair)]
            self._symbol += [*word, _BORDER]
            self._weight += [int(count)] * (len(word) + 1)
        self._next = list(range(1, len(self._symbol) + 1))
        self._previous = list(range(-1, len(self._symbol) - 1))

    def _count_all_pairs(self) -> None:
        self._count: defaultdict[Pair, int] = defaultdict(int)
        self._sites: defaultdict[Pair, list[int]] = defaultdict(list)
        self._cursor: defaultdict[Pair, int] = defaultdict(int)
        self._heap: list[tuple[int, object, Pair]] = []
        for position in range(len(self._symbol) - 1):
            self._add_site(position)
        for pair in self._count:
            self._push(pair)

    def _add_site(self, position: int) -> None:
        pair = self._pair_at(position)
        if _BORDER not in pair and self._may_join(pair):
            self._count[pair] += self._weight[position]
            self._sites[pair].append(position)

    def _remove_site(self, position: int) -> None:
        pair = self._pair_at(position)
        if pair in self._count:  # the sites stay listed: whoever reads them looks again
            self._count[pair] -= self._weight[position]

    def _pair_at(self, position: int) -> Pair:
        return self._symbol[position], self._symbol[self._next[position]]

    def _may_join(self, pair: Pair) -> bool:
        left, right = pair
        limit = self._max_length
        if limit is not None and self._length[left] + self._length[right] > limit:
            return False
        parts = self._spelling[left], self._spelling[right]
        return b"".join(parts) not in self._blocked and parts not in self._blocked_pairs

    def _preference(self, ties: str) -> Callable[[Pair], object]:
        """What is smaller for the pair that is joined first, of those that are equally frequent."""
        if ties == "first":
            return self._first_site
        if ties == "bytes":
            return lambda pair: _Greatest((self._content[pair[0]], self._content[pair[1]]))
        return lambda pair: (self._rank[pair[0]], self._rank[pair[1]])

    def _first_site(self, pair: Pair) -> int:
        """The first site that still holds the pair; sites only ever go, so the search goes on
        where it ended.
        """
        sites = self._sites[pair]
        while self._pair_at(sites[self._cursor[pair]]) != pair:
            self._cursor[pair] += 1
        return sites[self._cursor[pair]]

    def _push(self, pair: Pair) -> None:
        if self._count[pair] >= self._min_frequency:
            heapq.heappush(self._heap, (-self._count[pair], self._preferred(pair), pair))

    def _pop_best(self) -> tuple[int, Pair] | None:
        """The most frequent pair. Entries grow stale as sites go: a stale one is queued anew."""
        while self._heap:
            negative_count, preference, pair = heapq.heappop(self._heap)
            count = self._count.get(pair, 0)
            if count < self._min_frequency:
                continue
            if count == -negative_count and self._preferred(pair) == preference:
                return count, pair
            self._push(pair)
        return None

    def _join(self, pair: Pair) -> int:
        joined = self._new_symbol(pair)
        grown: dict[Pair, None] = {}
        for position in self._sites.pop(pair):  # ascending: sites are found left to right
            if self._pair_at(position) == pair:
                self._join_site(position, joined, grown)
        self._count.pop(pair)
        self._cursor.pop(pair, None)
        for neighbour in grown:
            if neighbour in self._count:
                self._push(neighbour)
        return joined

    def _new_symbol(self, pair: Pair) -> int:
        # No earlier symbol can have the same content: what stands side by side now would have been
        # joined when that symbol was learned (docs/decisions/0003-merge-lists-and-ranks.md).
        left, right = pair
        joined = len(self._content)
        self._content.append(self._content[left] + self._content[right])
        self._length.append(self._length[left] + self._length[right])
        self._spelling.append(self._spelling[left] + self._spelling[right])
        self._rank.append(joined)
        return joined

    def _join_site(self, position: int, joined: int, grown: dict[Pair, None]) -> None:
        previous, right = self._previous[position], self._next[position]
        following = self._next[right]
        self._remove_site(previous)
        self._remove_site(right)
        self._symbol[position], self._symbol[right] = joined, _GONE
        self._next[position], self._previous[following] = following, position
        for site in (previous, position):
            self._add_site(site)
            grown[self._pair_at(site)] = None


class _Greatest:
    """Turns the order of byte strings around, for a heap that gives the smallest first."""

    __slots__ = ("key",)

    def __init__(self, key: tuple[bytes, bytes]) -> None:
        self.key = key

    def __lt__(self, other: "_Greatest") -> bool:
        return self.key > other.key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Greatest) and self.key == other.key
