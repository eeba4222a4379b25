"""Why a text became these tokens: what was merged, in which order, and where it stopped."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, compress, groupby, pairwise
from typing import Literal, NamedTuple

from bytepair.engines import Spans, python
from bytepair.engines.python import FirstSymbols, join_symbols, whole_words
from bytepair.errors import EncodeError
from bytepair.model import AddedToken, Pair, TokenId, TokenizerSpec
from bytepair.tokenizer._inspection import Piece

How = Literal["merged", "looked up", "added"]


@dataclass(frozen=True, slots=True)
class MergeStep:
    """One merge of a pre-token.

    Attributes:
        rank: of the merge; of all that were possible it was the lowest.
        place: where `left` begins, in bytes of the pre-token.
        left, right: what was joined; b"" for an end mark.
        joined: the id of the result; of a residue its number, which is no id.
    """

    rank: int
    place: int
    left: bytes
    right: bytes
    joined: int


@dataclass(frozen=True, slots=True)
class Stop:
    """Two neighbours that were left, since no merge joins them.

    Attributes:
        token: the token that their bytes are all the same (made of other parts), or None.
    """

    left: bytes
    right: bytes
    token: TokenId | None


@dataclass(frozen=True, slots=True)
class WordSteps:
    """A pre-token, or an added token, and how it became tokens.

    Attributes:
        data: the pre-token as it was merged: after normalisation, with whatever was put before it.
        how: "merged"; "looked up": it is a token, and the tokenizer asks for that first;
            "added": matched in the text as a whole.
        symbols: what merging began with.
        steps: the merges in the order in which they were done.
        pieces: its tokens; places are in bytes of the text that was given.
        stops: why there are several: the neighbours that merging left.
        residues: what was left over that is no token, so that its parts stand for it.
        has_space: the text that it stands for begins with a space.
        elsewhere: the tokens of the same without that space or, if it has none, with one put there;
            none for white space and for added tokens.
    """

    data: bytes
    how: How
    symbols: tuple[bytes, ...]
    steps: tuple[MergeStep, ...]
    pieces: tuple[Piece, ...]
    stops: tuple[Stop, ...] = ()
    residues: tuple[bytes, ...] = ()
    has_space: bool = False
    elsewhere: tuple[TokenId, ...] = ()

    def stages(self) -> Iterator[tuple[bytes, ...]]:
        """The parts before the first merge, and after each one. O(parts) for each."""
        parts = dict(zip(_places(self.symbols), self.symbols, strict=True))
        if self.how == "merged":
            yield tuple(parts.values())
        for step in self.steps:
            parts.pop(step.place + len(step.left), None)
            parts[step.place] = step.left + step.right
            yield tuple(parts[place] for place in sorted(parts))


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a text became these tokens, pre-token by pre-token.

    >>> import bytepair
    >>> tok = bytepair.train(["low lower lowest"] * 9, vocab_size=262, special_tokens=[])
    >>> print(tok.explain("lowest"))
    b'lowest' -> 3 tokens: 257 b'low', 101 b'e', 260 b'st'
      rank 0: b'l' + b'o'
      rank 1: b'lo' + b'w'
      rank 4: b's' + b't'
      stop: no merge joins b'low' and b'e'
      stop: no merge joins b'e' and b'st'
      with a space before it: 259 260
    """

    words: tuple[WordSteps, ...]

    @property
    def ids(self) -> list[TokenId]:
        """The ids, as `encode` gives them."""
        return [piece.id for word in self.words for piece in word.pieces]

    def __str__(self) -> str:
        return "\n".join(line for word in self.words for line in _lines(word))


@dataclass(frozen=True, slots=True)
class MergeTree:
    """What a token is made of, down to the first symbols.

    Attributes:
        id: of the token; of a residue its number, which is no id.
        data: its bytes.
        rank: of the merge that makes it; None for what no merge makes.
        parts: the two that this merge joins; () for what no merge makes.

    >>> import bytepair
    >>> tok = bytepair.train(["low lower"] * 3, vocab_size=258, special_tokens=[])
    >>> print(tok.merge_tree(257))
    257 b'low' (rank 1)
    ├─ 256 b'lo' (rank 0)
    │  ├─ 108 b'l'
    │  └─ 111 b'o'
    └─ 119 b'w'
    """

    id: int
    data: bytes
    rank: int | None = None
    parts: tuple["MergeTree", ...] = ()

    def rows(self) -> Iterator[tuple[str, "MergeTree"]]:
        """(what to draw before it, tree) of this tree and all within, as it is read."""
        open_rows = [(self, "", "")]
        while open_rows:  # not by recursion: trees can be deeper than Python's stack
            tree, first, rest = open_rows.pop()
            yield first, tree
            for number, part in enumerate(reversed(tree.parts)):
                ends = ("└─ ", "   ") if number == 0 else ("├─ ", "│  ")
                open_rows.append((part, rest + ends[0], rest + ends[1]))

    def __str__(self) -> str:
        ranks = ((f" (rank {tree.rank})" if tree.parts else "") for _, tree in self.rows())
        rows = zip(self.rows(), ranks, strict=True)
        return "\n".join(f"{first}{tree.id} {tree.data!r}{rank}" for (first, tree), rank in rows)


@dataclass(frozen=True, slots=True)
class CacheBlocks:
    """What a server's prefix cache keeps of one prompt for another; it keeps whole blocks.

    Attributes:
        first, second: tokens of the two prompts.
        shared: leading tokens that are the same in both.
        size: tokens a block.
    """

    first: int
    second: int
    shared: int
    size: int

    @property
    def blocks(self) -> int:
        """Whole blocks that both prompts begin with."""
        return self.shared // self.size

    @property
    def reused(self) -> int:
        """Tokens of the second prompt that need not be computed once the first is cached."""
        return self.blocks * self.size

    @property
    def computed(self) -> int:
        """Tokens of the second prompt that are computed all the same."""
        return self.second - self.reused


class _Join(NamedTuple):
    """A merge of the symbols from `start` to `middle` with those up to `end`."""

    rank: int
    start: int
    middle: int
    end: int
    pair: Pair
    joined: int


_Parts = dict[int, tuple[int, int, int]]
"""Symbol -> (rank, left, right) of the merge that makes it."""


class Explainer:
    """Replays the merges of one tokenizer, in plain Python."""

    def __init__(self, spec: TokenizerSpec, contents: Mapping[int, bytes]) -> None:
        self.spec = spec
        self._contents = contents
        self._rank_by_pair = spec.merges.rank_by_pair()
        self._first = FirstSymbols(spec)
        self._whole = whole_words(spec)
        self._encoder = python.Encoder(spec)

    def pre_tokens(self, data: bytes, added_tokens: Sequence[AddedToken]) -> list[bytes]:
        """What is merged of a text, each by itself, where these tokens are looked for."""
        cutter = python.Cutter(added_tokens, (), self.spec.rules.normalizer)
        return list(self._encoder.pre_tokens(data, cutter))

    def word(self, data: bytes, pieces: tuple[Piece, ...]) -> WordSteps:
        """How a pre-token became its tokens."""
        if data in self._whole:
            return WordSteps(data, "looked up", (), (), pieces)
        first, steps, left_over = self._replay(data)
        borders = [*(place for place, _ in left_over), len(data)]
        left = [data[start:end] for start, end in pairwise(borders)]
        stops = tuple(Stop(a, b, self._token(a + b)) for a, b in pairwise(left))
        is_residue = (symbol in self.spec.residues for _, symbol in left_over)
        return WordSteps(
            data, "merged", first, steps, pieces, stops, tuple(compress(left, is_residue))
        )

    def tree(self, token: int) -> MergeTree:
        """What a token is made of: as its own bytes are merged or, if these become something else,
        by the first merges that make it and its parts.
        """
        parts = self._parts_by_replay(token) or self._parts_by_table(token)
        made: dict[int, MergeTree] = {}
        open_symbols = [token]
        while open_symbols:
            symbol = open_symbols[-1]
            rank, *pair = parts.get(symbol) or (None,)
            missing = [part for part in pair if part not in made]
            if missing:
                open_symbols += missing
                continue
            trees = tuple(made[part] for part in pair)
            made[symbol] = MergeTree(symbol, self._content(symbol), rank, trees)
            open_symbols.pop()
        return made[token]

    def _replay(
        self, data: bytes
    ) -> tuple[tuple[bytes, ...], tuple[MergeStep, ...], list[tuple[int, int]]]:
        """(first symbols, merges, (place in bytes, symbol) of what is left)."""
        symbols = self._first.of(data)
        places = [*accumulate((symbol.n_bytes for symbol in symbols), initial=0)]
        joins, left_over = self._joins([symbol.id for symbol in symbols])
        steps = tuple(
            MergeStep(
                join.rank,
                places[join.start],
                data[places[join.start] : places[join.middle]],
                data[places[join.middle] : places[join.end]],
                join.joined,
            )
            for join in joins
        )
        first = tuple(data[start:end] for start, end in pairwise(places))
        return first, steps, [(places[place], symbol) for place, symbol in left_over]

    def _joins(self, ids: list[int]) -> tuple[list[_Join], list[tuple[int, int]]]:
        """The merges of a row of symbols, and (place, symbol) of what is left. Uses up `ids`."""
        record: list[tuple[int, int]] = []
        left_over = join_symbols(list(ids), self._rank_by_pair, record=record)
        ends = list(range(1, len(ids) + 1))
        joins: list[_Join] = []
        for rank, start in record:
            middle = ends[start]
            pair = ids[start], ids[middle]
            ids[start], ends[start] = self._rank_by_pair[pair][1], ends[middle]
            joins.append(_Join(rank, start, middle, ends[start], pair, ids[start]))
        return joins, left_over

    def _parts_by_replay(self, token: int) -> _Parts:
        """What is joined on the way, if merging the token's bytes gives the token."""
        data = self._content(token)
        if not data or token not in self.spec.vocabulary.tokens:
            return {}
        try:
            symbols = self._first.of(data)
        except EncodeError:  # part of a character, where symbols are characters
            return {}
        joins, left_over = self._joins([symbol.id for symbol in symbols])
        if [symbol for _, symbol in left_over] != [token]:
            return {}
        # What was made first is made of what was made before it.
        return {join.joined: (join.rank, *join.pair) for join in reversed(joins)}

    def _parts_by_table(self, token: int) -> _Parts:
        """The same by the table alone, as far as ranks fall on the way down, so that it ends."""
        parts: _Parts = {}
        open_symbols = [token]
        while open_symbols:
            symbol = open_symbols.pop()
            if symbol in parts or symbol not in self._first_merge:
                continue
            rank, *pair = self._first_merge[symbol]
            if all(self._first_merge.get(part, (-1,))[0] < rank for part in pair):
                parts[symbol] = self._first_merge[symbol]
                open_symbols += pair
        return parts

    @cached_property
    def _first_merge(self) -> _Parts:
        """By the first merge in the table that makes a symbol."""
        rows = list(self.spec.merges)[::-1]
        return {joined: (rank, left, right) for left, right, joined, rank in rows}

    def _content(self, symbol: int) -> bytes:
        parts = self.spec.residues.get(symbol, (symbol,))
        return b"".join(self._contents.get(part, b"") for part in parts)

    def _token(self, data: bytes) -> TokenId | None:
        return self.spec.vocabulary.id_by_bytes.get(data)


def by_word(spans: Spans, contents: Mapping[int, bytes]) -> Iterator[tuple[int, tuple[Piece, ...]]]:
    """(number of the pre-token, its tokens), in order; -1 and a single token for an added one."""
    columns = (spans.ids, spans.starts, spans.ends, spans.added, spans.words)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    for place_or_word, group in groupby(
        enumerate(rows), lambda row: (row[1][4], row[0] * row[1][3])
    ):
        pieces = (
            Piece(i, contents[i], start, end, added) for _, (i, start, end, added, _) in group
        )
        yield place_or_word[0], tuple(pieces)


def n_shared(first: list[TokenId], second: list[TokenId]) -> int:
    """How many ids two rows begin with that are the same.

    >>> n_shared([1, 2, 3], [1, 2, 4, 3])
    2
    """
    pairs = zip(first, second, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def _places(parts: tuple[bytes, ...]) -> list[int]:
    return list(accumulate(map(len, parts), initial=0))[:-1]


def _lines(word: WordSteps) -> Iterator[str]:
    tokens = ", ".join(f"{piece.id} {piece.data!r}" for piece in word.pieces)
    n = len(word.pieces)
    added = ", an added token" if word.how == "added" else ""
    yield f"{word.data!r} -> {n} token{'' if n == 1 else 's'}: {tokens}{added}"
    if word.how == "looked up":
        yield "  it is a token, so nothing was merged"
    for step in word.steps:
        yield f"  rank {step.rank}: {step.left!r} + {step.right!r}"
    for stop in word.stops:
        also = "" if stop.token is None else f", although together they are token {stop.token}"
        yield f"  stop: no merge joins {stop.left!r} and {stop.right!r}{also}"
    for rest in word.residues:
        yield f"  {rest!r} is a step to longer tokens and no token itself: its parts stand for it"
    if word.elsewhere:
        where = f"{'without the' if word.has_space else 'with a'} space before it"
        yield f"  {where}: {' '.join(map(str, word.elsewhere))}"
