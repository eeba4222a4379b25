"""Prune: remove the token that the corpus misses least, again and again.

What a token is worth changes as others go, so nothing is estimated: the words that a removal
changes are merged anew, and so are those in which another removal would come out otherwise.
"""

import heapq
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bytepair.engines._interface import PruneTask, Removal
from bytepair.model import Pair, TokenId

Candidate = tuple[int, int]
"""(cost, -symbol): of those that cost the same the largest symbol goes first."""

_NONE = 0xFFFF_FFFF


class Joined(NamedTuple):
    """A word that was merged: what is left of it, what was made on the way, the last pair."""

    tokens: list[TokenId]
    made: list[TokenId]
    last: Pair | None = None


class Vocabulary:
    """The words and merges of a task, and the symbols that are gone."""

    def __init__(self, task: PruneTask) -> None:
        self.words = list(_rows(task.symbols, task.offsets))
        self.counts: list[int] = task.counts.tolist()
        self.contents = list(_rows(task.contents, task.content_offsets))
        self.removable: list[bool] = task.removable.astype(bool).tolist()
        self.gone: set[TokenId] = set()
        self._whole: list[int] = task.whole.tolist()
        self._rows = task.merges.rank_by_pair()
        made = (self.making(symbol) for symbol in range(len(self.contents)))
        self.pairs = [joined.last if joined else None for joined in made]

    def encode(self, word: int, without: TokenId | None = None) -> Joined:
        """Look a word up, or merge it, as if `without` were gone too."""
        whole = self._whole[word]
        if whole >= 0 and whole != without and whole not in self.gone:
            return Joined([whole], [whole])
        return self.join(self.words[word], without)

    def making(self, symbol: TokenId) -> Joined | None:
        """How merging makes a symbol of the first ones, if it does."""
        joined = self.join(self.contents[symbol])
        return joined if joined.tokens == [symbol] else None

    def join(self, word: Iterable[TokenId], without: TokenId | None = None) -> Joined:
        """Join the pair of lowest rank, leftmost among equals, until none has one: O(n^2)."""
        symbols, made, last = list(word), list[TokenId](), None
        while sites := [
            (self._rows[pair][0], place)
            for place, pair in enumerate(pairwise(symbols))
            if pair in self._rows and self._rows[pair][1] not in self.gone | {without}
        ]:
            place = min(sites)[1]
            last = symbols[place], symbols[place + 1]
            symbols[place : place + 2] = [self._rows[last][1]]
            made.append(symbols[place])
        return Joined(symbols, made, last)


class Pruner:
    """Twin of the core's pruner, for tokens that go with their merges.

    Of every word is known on which symbols its tokens depend, or would with one of them gone.
    """

    def __init__(self, task: PruneTask) -> None:
        self._vocabulary = Vocabulary(task)
        self._only_leaves = task.strategy == "leaves"
        n_symbols = len(task.removable)
        self._n_words = len(task.counts)
        self._cost = [0] * n_symbols
        self._n_wholes = [0] * n_symbols  # tokens made of it, as they are made now
        self._dependents: list[set[int]] = [set() for _ in range(n_symbols)]
        self._changed: set[TokenId] = set(range(n_symbols))
        self._queue: list[Candidate] = []
        self._n_tokens = 0
        for word in range(self._n_words + n_symbols):
            for symbol in self._look(word, 1):
                self._dependents[symbol].add(word)
        self._queue_changed()

    def advance(self, n_removals: int, max_cost: int, max_total: int) -> list[Removal]:
        """Remove the cheapest tokens, one after the other."""
        removals: list[Removal] = []
        while len(removals) < n_removals and (best := self._cheapest()):
            cost, symbol = best[0], -best[1]
            if cost > min(max_cost, max_total):
                break
            max_total -= cost
            self._remove(symbol)
            removals.append(Removal(symbol, cost))
        return removals

    def n_tokens(self) -> int:
        """Tokens of the corpus as it is now."""
        return self._n_tokens

    def uses(self) -> NDArray[np.int64]:
        """How often each symbol stands in the corpus as it is now."""
        return _uses(self._vocabulary)

    def pairs(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """The pair that makes each symbol before anything is removed."""
        return _pairs(self._vocabulary)

    def _cheapest(self) -> Candidate | None:
        while self._queue:
            cost, negative = self._queue[0]
            if self._is_candidate(-negative) and self._cost[-negative] == cost:
                return self._queue[0]
            heapq.heappop(self._queue)  # stale: it was queued anew when its cost changed
        return None

    def _is_candidate(self, symbol: TokenId) -> bool:
        is_there = self._vocabulary.removable[symbol] and symbol not in self._vocabulary.gone
        return is_there and not (self._only_leaves and self._n_wholes[symbol])

    def _remove(self, symbol: TokenId) -> None:
        affected = self._dependents[symbol]
        for word in affected:
            for other in self._look(word, -1) - {symbol}:
                self._dependents[other].discard(word)
        self._vocabulary.gone.add(symbol)
        for word in affected:
            for other in self._look(word, 1):
                self._dependents[other].add(word)
        self._dependents[symbol] = set()
        self._queue_changed()

    def _queue_changed(self) -> None:
        for symbol in filter(self._is_candidate, self._changed):
            heapq.heappush(self._queue, (self._cost[symbol], -symbol))
        self._changed.clear()

    def _look(self, word: int, sign: int) -> set[TokenId]:
        """Add (sign 1) or take away (-1) what a word says of its tokens.

        Returns the symbols that this depends on.
        """
        if word >= self._n_words:
            return self._look_at_token(word - self._n_words, sign)
        now = self._vocabulary.encode(word)
        count = sign * self._vocabulary.counts[word]
        self._n_tokens += count * len(now.tokens)
        depends_on = set(now.made)
        for token in set(now.tokens if self._only_leaves else now.made):
            if self._vocabulary.removable[token]:
                without = self._vocabulary.encode(word, token)
                self._cost[token] += count * (len(without.tokens) - len(now.tokens))
                self._changed.add(token)
                depends_on.update(without.made)
        return depends_on

    def _look_at_token(self, symbol: TokenId, sign: int) -> set[TokenId]:
        """The same for what a token is made of: its parts are no leaves."""
        if not self._only_leaves or symbol in self._vocabulary.gone:
            return set()
        joined = self._vocabulary.join(self._vocabulary.contents[symbol])
        if joined.tokens == [symbol] and joined.last:
            for part in joined.last:
                self._n_wholes[part] += sign
                self._changed.add(part)
        return set(joined.made)


class ResiduePruner:
    """Twin of the core's pruner, for tokens whose merges stay.

    Words are merged as before, so a cost is how often a token is left over, times the tokens more
    that its parts are. Both only grow: a candidate that has become dearer is queued anew.
    """

    def __init__(self, task: PruneTask) -> None:
        self._vocabulary = Vocabulary(task)
        self._uses: list[int] = _uses(self._vocabulary).tolist()
        self._n_tokens: int = sum(self._uses)
        self._parts = [
            list(pair) if pair else self._vocabulary.join(content).tokens
            for pair, content in zip(self._vocabulary.pairs, self._vocabulary.contents, strict=True)
        ]
        removable = filter(self._vocabulary.removable.__getitem__, range(len(self._parts)))
        self._queue = [(self._cost(symbol), -symbol) for symbol in removable]
        heapq.heapify(self._queue)

    def advance(self, n_removals: int, max_cost: int, max_total: int) -> list[Removal]:
        """Remove the cheapest tokens, one after the other."""
        removals: list[Removal] = []
        while len(removals) < n_removals and self._queue:
            cost, negative = self._queue[0]
            if (truth := self._cost(-negative)) != cost:
                heapq.heapreplace(self._queue, (truth, negative))
                continue
            if cost > min(max_cost, max_total):
                break
            heapq.heappop(self._queue)
            max_total -= cost
            self._remove(-negative, cost)
            removals.append(Removal(-negative, cost))
        return removals

    def n_tokens(self) -> int:
        """Tokens of the corpus as it is now."""
        return self._n_tokens

    def uses(self) -> NDArray[np.int64]:
        """How often each symbol stands in the corpus as it is now."""
        return np.array(self._uses, np.int64)

    def pairs(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """The pair that makes each symbol before anything is removed."""
        return _pairs(self._vocabulary)

    def _cost(self, symbol: TokenId) -> int:
        if not self._uses[symbol]:
            return 0
        return self._uses[symbol] * (len(self._visible_parts(symbol)) - 1)

    def _remove(self, symbol: TokenId, cost: int) -> None:
        self._n_tokens += cost
        self._vocabulary.gone.add(symbol)
        for part in self._visible_parts(symbol):
            self._uses[part] += self._uses[symbol]
        self._uses[symbol] = 0

    def _visible_parts(self, symbol: TokenId) -> list[TokenId]:
        """The tokens that stand, or would stand, for a symbol."""
        visible: list[TokenId] = []
        open_parts = self._parts[symbol][::-1]
        while open_parts:
            part = open_parts.pop()
            if part in self._vocabulary.gone:
                open_parts += self._parts[part][::-1]
            else:
                visible.append(part)
        return visible


def _rows(values: NDArray[np.uint32], offsets: NDArray[np.int64]) -> Iterator[list[TokenId]]:
    for start, end in pairwise(offsets.tolist()):
        yield values[start:end].tolist()


def _uses(vocabulary: Vocabulary) -> NDArray[np.int64]:
    uses = np.zeros(len(vocabulary.removable), np.int64)
    for word, count in enumerate(vocabulary.counts):
        for token in vocabulary.encode(word).tokens:
            uses[token] += count
    return uses


def _pairs(vocabulary: Vocabulary) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    pairs = [pair or (_NONE, _NONE) for pair in vocabulary.pairs]
    left, right = np.array(pairs, np.uint32).reshape(-1, 2).T
    return np.ascontiguousarray(left), np.ascontiguousarray(right)
