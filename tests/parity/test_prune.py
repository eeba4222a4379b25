"""Pruning against an oracle that encodes everything anew after every single removal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import DrawFn

from bytepair.engines import NAMES, Pruner, PruneStrategy, PruneTask, Removal, select
from bytepair.model import MergeTable
from bytepair.pruning._borders import Words, cut_at_borders

Word = tuple[int, ...]
Row = tuple[int, int, int, int]  # left, right, joined, rank
STRATEGIES: tuple[PruneStrategy, ...] = ("leaves", "whole-words", "residues")
NO_LIMIT = 2**62


@dataclass(frozen=True)
class Case:
    """A vocabulary over the symbols 0, 1, 2 and the words of a corpus."""

    contents: tuple[Word, ...]
    rows: tuple[Row, ...]
    counts: dict[Word, int]
    kept: frozenset[int]
    looks_up: bool

    def task(self, strategy: PruneStrategy) -> PruneTask:
        """What an engine is given."""
        whole = {content: symbol for symbol, content in enumerate(self.contents)}
        looks_up = self.looks_up or strategy == "whole-words"
        columns = (np.array(column, np.uint32) for column in zip(*self.rows, strict=True))
        removable = [i > 2 and i not in self.kept for i in range(len(self.contents))]
        return PruneTask(
            *_ragged(list(self.counts)),
            np.array(list(self.counts.values()), np.int64),
            np.array([whole.get(w, -1) if looks_up else -1 for w in self.counts], np.int64),
            MergeTable(*columns) if self.rows else MergeTable.from_merges([]),
            *_ragged(self.contents),
            np.array(removable, np.uint8),
            strategy,
        )


def _ragged(rows: Sequence[Word]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.cumsum([0, *map(len, rows)])
    return np.array([i for row in rows for i in row], np.uint32), offsets.astype(np.int64)


class Oracle:
    """Keeps nothing: every answer encodes every word from the beginning."""

    def __init__(self, case: Case, strategy: PruneStrategy) -> None:
        self.case, self.strategy = case, strategy
        self.whole = {content: symbol for symbol, content in enumerate(case.contents)}
        self.looks_up = case.looks_up or strategy == "whole-words"

    def join(self, word: Word, gone: frozenset[int]) -> list[int]:
        """Lowest rank first, leftmost among equals; rows of what is gone are gone."""
        symbols = list(word)
        while sites := [
            (rank, place, joined)
            for place, pair in enumerate(pairwise(symbols))
            for left, right, joined, rank in self.case.rows
            if (left, right) == pair and not gone & {left, right, joined}
        ]:
            _, place, joined = min(sites)
            symbols[place : place + 2] = [joined]
        return symbols

    def tokens(self, word: Word, gone: frozenset[int]) -> list[int]:
        """The tokens of a word when some are gone."""
        if self.looks_up and word in self.whole and self.whole[word] not in gone:
            return [self.whole[word]]
        if self.strategy != "residues":
            return self.join(word, gone)
        return [
            part for symbol in self.join(word, frozenset()) for part in self.split(symbol, gone)
        ]

    def split(self, symbol: int, gone: frozenset[int]) -> Iterator[int]:
        """A symbol as tokens: what is gone falls into that of which it was made last."""
        if symbol not in gone:
            yield symbol
            return
        for part in self.parts(symbol, frozenset()) or self.join(
            self.case.contents[symbol], frozenset()
        ):
            yield from self.split(part, gone)

    def parts(self, symbol: int, gone: frozenset[int]) -> tuple[int, ...] | None:
        """The pair that is joined last where its bytes become the token; None if they do not."""
        content = self.case.contents[symbol]
        if len(content) < 2 or self.join(content, gone) != [symbol]:
            return None
        rows = [row for row in self.case.rows if row[2] == symbol and not gone & {*row[:3]}]
        # Without the rows that make it merging ends one step earlier, with the pair of one.
        others = replace(self.case, rows=tuple(set(self.case.rows) - set(rows)))
        left, right = Oracle(others, self.strategy).join(content, gone)
        assert (left, right) in [row[:2] for row in rows]
        return left, right

    def length(self, gone: frozenset[int]) -> int:
        """Tokens of the corpus."""
        return sum(count * len(self.tokens(word, gone)) for word, count in self.case.counts.items())

    def group(self, symbol: int, gone: frozenset[int]) -> list[int]:
        """What goes with a symbol, the longest first: all that is not made without it."""
        others = set(range(3, len(self.case.contents))) - gone if self.strategy == "leaves" else ()
        lost = {i for i in others if self.is_made(i, gone) and not self.is_made(i, gone | {symbol})}
        return sorted(lost | {symbol}, key=lambda i: (-len(self.case.contents[i]), i))

    def is_made(self, symbol: int, gone: frozenset[int]) -> bool:
        """Whether merging its content gives the symbol."""
        return self.join(self.case.contents[symbol], gone) == [symbol]

    def groups(self, gone: frozenset[int]) -> Iterator[tuple[Fraction, int, list[int]]]:
        """Cost per token, -symbol, and what goes, of all that may go."""
        now = self.length(gone)
        stays = self.case.kept | {0, 1, 2}
        for symbol in set(range(len(self.case.contents))) - gone - stays:
            group = self.group(symbol, gone)
            if not stays & {*group}:
                cost = self.length(gone | {*group}) - now
                yield Fraction(cost, len(group)), -symbol, group


def groups_of(oracle: Oracle, room: int = 99) -> Iterator[list[Removal]]:
    """All removals: the cheapest per token first, of equals the largest symbol."""
    gone: frozenset[int] = frozenset()
    while fitting := [group for group in oracle.groups(gone) if len(group[2]) <= room]:
        removals = []
        for symbol in min(fitting)[2]:
            cost = oracle.length(gone | {symbol}) - oracle.length(gone)
            removals.append(Removal(symbol, cost))
            gone |= {symbol}
        room -= len(removals)
        yield removals


def removals_of(pruner: Pruner, room: int = 99) -> Iterator[list[Removal]]:
    """The same by an engine."""
    while group := pruner.advance(room, NO_LIMIT, NO_LIMIT):
        room -= len(group)
        yield group


@st.composite
def cases(draw: DrawFn) -> Case:
    """Merge lists in any order, or rank tables with every way to split a token."""
    contents: list[Word] = [(0,), (1,), (2,)]
    pairs: list[tuple[int, int]] = []
    for _ in range(draw(st.integers(1, 9))):
        pair = tuple(draw(st.sampled_from(range(len(contents)))) for _ in range(2))
        content = contents[pair[0]] + contents[pair[1]]
        if pair not in pairs and len(content) <= 7:
            pairs.append(pair)
            contents += [content] if content not in contents else []
    by_content = {content: symbol for symbol, content in enumerate(contents)}
    if draw(st.booleans()):
        order = draw(st.permutations(range(3, len(contents))))
        rows = sorted(
            (rank, by_content[c[:cut]], by_content[c[cut:]], symbol)
            for rank, symbol in enumerate(order)
            for c in [contents[symbol]]
            for cut in range(1, len(c))
            if c[:cut] in by_content and c[cut:] in by_content
        )
        table = [(left, right, joined, rank) for rank, left, right, joined in rows]
    else:
        table = [
            (left, right, by_content[contents[left] + contents[right]], rank)
            for rank, (left, right) in enumerate(draw(st.permutations(pairs)))
        ]
    words = st.lists(st.integers(0, 2), min_size=1, max_size=9).map(tuple)
    words |= st.sampled_from(contents)
    counts = draw(st.dictionaries(words, st.integers(1, 9), min_size=1, max_size=9))
    kept = draw(st.frozensets(st.integers(3, 9), max_size=2))
    return Case(tuple(contents), tuple(table), counts, kept, draw(st.booleans()))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("engine", NAMES)
@given(case=cases())
def test_every_cost_is_that_of_encoding_everything_anew(
    engine: str, strategy: PruneStrategy, case: Case
) -> None:
    """The order of removals, each cost, and the tokens in the end."""
    oracle = Oracle(case, strategy)
    expected = list(groups_of(oracle))
    pruner = select(engine).pruner(case.task(strategy))
    assert pruner.n_tokens() == oracle.length(frozenset())
    assert list(removals_of(pruner)) == expected
    gone = frozenset(symbol for group in expected for symbol, _ in group)
    assert pruner.n_tokens() == oracle.length(gone)
    uses = np.zeros(len(case.contents), np.int64)
    for word, count in case.counts.items():
        np.add.at(uses, oracle.tokens(word, gone), count)
    assert pruner.uses().tolist() == uses.tolist()


@pytest.mark.parametrize("engine", NAMES)
@given(case=cases(), room=st.integers(0, 9))
def test_what_is_more_than_there_is_room_for_is_passed_over(
    engine: str, case: Case, room: int
) -> None:
    """A group goes whole or not at all, and a target is met exactly."""
    expected = list(groups_of(Oracle(case, "leaves"), room))
    pruner = select(engine).pruner(case.task("leaves"))
    assert list(removals_of(pruner, room)) == expected
    n_gone = sum(map(len, expected))
    assert n_gone == room or not pruner.advance(99, NO_LIMIT, NO_LIMIT)


@pytest.mark.parametrize("engine", NAMES)
@given(case=cases())
def test_leaves_leave_plain_merging_that_makes_every_token_it_made(engine: str, case: Case) -> None:
    """After every single removal: no token is left that only a removed one led to."""
    oracle = Oracle(case, "leaves")
    symbols = range(len(case.contents))
    made = {symbol for symbol in symbols if oracle.is_made(symbol, frozenset())}
    gone: frozenset[int] = frozenset()
    for group in removals_of(select(engine).pruner(case.task("leaves"))):
        for symbol, _ in group:
            gone |= {symbol}
            assert all(oracle.is_made(left, gone) for left in made - gone)


@pytest.mark.parametrize("engine", NAMES)
@given(case=cases())
def test_a_token_is_made_of_the_pair_that_joins_last(engine: str, case: Case) -> None:
    """What a token that stays as a step falls into where it is left over."""
    oracle = Oracle(case, "residues")
    left, right = select(engine).pruner(case.task("residues")).pairs()
    none = (0xFFFF_FFFF, 0xFFFF_FFFF)
    expected = [oracle.parts(i, frozenset()) or none for i in range(len(case.contents))]
    assert list(zip(left.tolist(), right.tolist(), strict=True)) == expected


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(case=cases(), joints=st.lists(st.tuples(*[st.integers(0, 2)] * 6), max_size=3))
def test_words_may_be_cut_where_no_token_goes_over(
    strategy: PruneStrategy, case: Case, joints: list[Word]
) -> None:
    """Words longer than any token; the pieces cost the same."""
    long_words = {tuple(word) * 2: 3 for word in joints}
    task = replace(case, counts=case.counts | long_words).task(strategy)
    words = Words(task.symbols, task.offsets, task.counts, task.whole)
    cut = cut_at_borders(words, task.contents, task.content_offsets[1:])
    pieces = replace(task, **cut._asdict())
    whole, parts = (select("native").pruner(one) for one in (task, pieces))
    assert list(removals_of(whole)) == list(removals_of(parts))
    assert whole.n_tokens() == parts.n_tokens()
    assert whole.uses().tolist() == parts.uses().tolist()


def test_equal_pieces_are_counted_together() -> None:
    """Of 0 1 2 and 2 0 1, no token goes over 1 2 or 2 0."""
    words = Words(
        np.array([0, 1, 2, 2, 0, 1], np.uint32),
        np.array([0, 3, 6]),
        np.array([5, 7]),
        np.array([-1, -1]),
    )
    cut = cut_at_borders(words, np.array([0, 1], np.uint32), np.array([2]))
    assert cut.symbols.tolist() == [0, 1, 2]
    assert (cut.offsets.tolist(), cut.counts.tolist()) == ([0, 2, 3], [12, 12])


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(case=cases(), limits=st.tuples(st.integers(0, 9), st.integers(0, 20), st.integers(0, 40)))
def test_engines_stop_at_the_same_limit(
    strategy: PruneStrategy, case: Case, limits: tuple[int, int, int]
) -> None:
    """Number, cost and total; and go on from there in the same way."""
    python, native = (select(name).pruner(case.task(strategy)) for name in ("python", "native"))
    assert python.advance(*limits) == native.advance(*limits)
    assert python.advance(2, NO_LIMIT, NO_LIMIT) == native.advance(2, NO_LIMIT, NO_LIMIT)
    assert list(removals_of(python)) == list(removals_of(native))
    assert python.n_tokens() == native.n_tokens()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_long_words_cost_the_same_in_both_engines(strategy: PruneStrategy) -> None:
    """Beyond some length the core joins by a queue."""
    rows = ((0, 1, 3, 0), (3, 2, 4, 1), (1, 0, 5, 2), (4, 4, 6, 3), (0, 0, 7, 4), (6, 3, 8, 5))
    contents: list[Word] = [(0,), (1,), (2,)]
    for left, right, _, _ in rows:
        contents.append(contents[left] + contents[right])
    random = np.random.default_rng(1)
    words = [tuple(random.integers(0, 3, 200).tolist()) for _ in range(5)]
    words += [(0, 1, 2) * 40, (0,) * 99]
    case = Case(tuple(contents), rows, dict.fromkeys(words, 3), frozenset(), looks_up=False)
    expected = list(groups_of(Oracle(case, strategy)))
    for engine in NAMES:
        assert list(removals_of(select(engine).pruner(case.task(strategy)))) == expected
