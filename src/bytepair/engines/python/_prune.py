"""Prune: remove the token that the corpus misses least, again and again.

What a token is worth changes as others go, so nothing is estimated: the words that a removal
changes are merged anew, and so are those in which another removal would come out otherwise.
"""

import heapq
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bytepair.engines._interface import PruneTask, Removal
from bytepair.model import Pair, TokenId

Candidate = tuple[Fraction, int, int]
"""(cost per symbol, -symbol, symbols that go): of equals the largest symbol goes first."""

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

    def is_needed(self, part: TokenId, symbol: TokenId) -> bool:
        """Whether merging makes a symbol, but not without this other one."""
        is_made = part != symbol and symbol not in self.gone and self.making(symbol)
        return bool(is_made) and self.join(self.contents[symbol], part).tokens != [symbol]

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

    Of every word is known on which symbols its tokens depend, or would with one of them gone. With
    "leaves" that means with all that cannot be made without it, so its cost is that of all of them.
    """

    def __init__(self, task: PruneTask) -> None:
        self._vocabulary = Vocabulary(task)
        self._is_plain = task.strategy == "leaves"
        n_symbols = len(task.removable)
        self._n_words = len(task.counts)
        self._cost = [0] * n_symbols
        self._needed_by: list[set[TokenId]] = [set() for _ in range(n_symbols)]
        self._dependents: list[set[int]] = [set() for _ in range(n_symbols)]
        self._changed: set[TokenId] = set(range(n_symbols))
        self._queue: list[Candidate] = []
        self._n_tokens = 0
        for word in range(self._n_words + n_symbols):
            for symbol in self._look(word, 1):
                self._dependents[symbol].add(word)
        self._queue_changed()

    def advance(self, room: int, max_cost: int, max_total: int) -> list[Removal]:
        """Remove the cheapest token, and those that go with it."""
        best = self._cheapest(room)
        if best is None or best[0] > max_cost or best[0] * best[2] > max_total:
            return []
        group = sorted({-best[1], *self._needed_by[-best[1]]})
        contents = self._vocabulary.contents
        group.sort(key=lambda symbol: -len(contents[symbol]))  # what needs a token is longer
        return [Removal(symbol, self._remove(symbol)) for symbol in group]

    def n_tokens(self) -> int:
        """Tokens of the corpus as it is now."""
        return self._n_tokens

    def uses(self) -> NDArray[np.int64]:
        """How often each symbol stands in the corpus as it is now."""
        return _uses(self._vocabulary)

    def pairs(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """The pair that makes each symbol before anything is removed."""
        return _pairs(self._vocabulary)

    def _cheapest(self, room: int) -> Candidate | None:
        """Of those that take at most so many tokens with them."""
        found, passed_over = None, list[Candidate]()
        while self._queue and not found:
            first = heapq.heappop(self._queue)
            if first == self._candidate(-first[1]):  # else it was queued anew when it changed
                passed_over.append(first)
                found = first if first[2] <= room else None
        for candidate in passed_over:
            heapq.heappush(self._queue, candidate)
        return found

    def _candidate(self, symbol: TokenId) -> Candidate | None:
        goes = {symbol, *self._needed_by[symbol]}
        may_go = map(self._vocabulary.removable.__getitem__, goes)
        if symbol in self._vocabulary.gone or not all(may_go):
            return None
        return Fraction(self._cost[symbol], len(goes)), -symbol, len(goes)

    def _remove(self, symbol: TokenId) -> int:
        """Returns by how many tokens the corpus grows."""
        before = self._n_tokens
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
        return self._n_tokens - before

    def _queue_changed(self) -> None:
        for candidate in filter(None, map(self._candidate, self._changed)):
            heapq.heappush(self._queue, candidate)
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
        candidates, depends_on = set(now.made), set(now.made)
        if self._is_plain:
            # What is looked up goes as well with what merging needs to make it, if it can.
            merged = self._vocabulary.join(self._vocabulary.words[word])
            depends_on.update(merged.made)
            candidates.update(merged.made if merged.tokens == now.tokens else ())
        for token in filter(self._vocabulary.removable.__getitem__, candidates):
            without = self._without(word, token)
            self._cost[token] += count * (len(without.tokens) - len(now.tokens))
            self._changed.add(token)
            depends_on.update(without.made)
        return depends_on

    def _without(self, word: int, token: TokenId) -> Joined:
        """A word as if `token` were gone, with what cannot be made without it then."""
        if self._is_plain:
            return self._vocabulary.join(self._vocabulary.words[word], token)
        return self._vocabulary.encode(word, token)

    def _look_at_token(self, symbol: TokenId, sign: int) -> set[TokenId]:
        """The same for a token: it needs what it cannot be made without."""
        if not self._is_plain or symbol in self._vocabulary.gone:
            return set()
        content = self._vocabulary.contents[symbol]
        made = set(self._vocabulary.join(content).made)
        depends_on = set(made)
        for part in made:
            depends_on.update(self._vocabulary.join(content, part).made)
            if self._vocabulary.is_needed(part, symbol):
                change = self._needed_by[part].add if sign > 0 else self._needed_by[part].discard
                change(symbol)
                self._changed.add(part)
        return depends_on


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

    def advance(self, room: int, max_cost: int, max_total: int) -> list[Removal]:
        """Remove the cheapest token."""
        while self._queue and room:
            cost, negative = self._queue[0]
            if (truth := self._cost(-negative)) != cost:
                heapq.heapreplace(self._queue, (truth, negative))
                continue
            if cost > min(max_cost, max_total):
                break
            heapq.heappop(self._queue)
            self._remove(-negative, cost)
            return [Removal(-negative, cost)]
        return []

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
