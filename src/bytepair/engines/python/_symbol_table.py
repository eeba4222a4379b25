"""A vocabulary and a corpus in symbols: numbers from 0 without gaps, ascending as the ids."""

from collections.abc import Iterable, Sized
from dataclasses import replace
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from bytepair.engines.python._symbols import FirstSymbols, whole_words
from bytepair.errors import ArgumentError, EncodeError
from bytepair.model import MergeTable, TokenId, TokenizerSpec, WordCounts

Rows = tuple[NDArray[np.uint32], NDArray[np.int64]]
"""(values, offsets); row i is `values[offsets[i]:offsets[i + 1]]`."""


def named_ids(spec: TokenizerSpec) -> list[TokenId]:
    """Ids that have a meaning of their own: of unknown characters, of the end mark."""
    named = (spec.unk_id, spec.vocabulary.end_of_word_id)
    return [token for token in named if token is not None]


def all_ids(spec: TokenizerSpec) -> set[TokenId]:
    """The ids of all tokens, added ones among them."""
    added = [token.id for token in spec.added_tokens]
    return {*spec.vocabulary.tokens, *added, *named_ids(spec)}


class SymbolTable:
    """The symbols of a specification.

    Attributes:
        ids: uint32[symbols]: the id of each.
        merges: over symbols, each pair once: of a pair that is named twice the first entry counts.
    """

    def __init__(self, spec: TokenizerSpec) -> None:
        self.spec = spec
        self.ids = np.array(sorted({*spec.vocabulary.tokens, *named_ids(spec)}), np.uint32)
        self.merges = self._merges()
        self._first = FirstSymbols(spec)
        tokens = dict(spec.vocabulary.tokens.items())
        self._contents = [tokens.get(token, b"") for token in self.ids.tolist()]

    def __len__(self) -> int:
        return len(self.ids)

    def of(self, ids: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """The symbols of these ids."""
        return np.searchsorted(self.ids, ids).astype(np.uint32)

    def content(self, symbol: int) -> bytes:
        """The bytes that a symbol stands for; b"" for an end mark."""
        return self._contents[symbol]

    @cached_property
    def first(self) -> NDArray[np.bool_]:
        """bool[symbols]: True for those that are there before anything is merged."""
        fallback = self.spec.vocabulary.byte_ids
        return np.isin(self.ids, [*self._first.ids(), *fallback, *named_ids(self.spec)])

    def words(self, counts: WordCounts) -> Rows:
        """The words of a corpus in first symbols.

        Raises:
            EncodeError: a character that has no token, and nothing stands for it.
        """
        if self._is_plain:
            data = np.frombuffer(counts.data, np.uint8)
            return self._of_bytes[data], np.ascontiguousarray(counts.offsets, np.int64)
        return self._rows([self._of_word(word) for word, _ in counts])

    def whole(self, counts: WordCounts, *, looks_up: bool) -> NDArray[np.int64]:
        """int64[words]: the symbol of each word that is not merged but looked up; -1: it is."""
        if not looks_up:
            return np.full(len(counts), -1, np.int64)
        ids = whole_words(replace(self.spec, ignore_merges=True))
        found = (ids.get(word, -1) for word, _ in counts)
        whole = np.fromiter(found, np.int64, len(counts))
        whole[whole >= 0] = self.of(whole[whole >= 0].astype(np.uint32))
        return whole

    def contents(self) -> Rows:
        """What each symbol is made of, in first symbols; nothing where that is unknown.

        Raises:
            ArgumentError: merges make one token of different symbols.
        """
        if self._is_plain:
            data = np.frombuffer(b"".join(self._contents), np.uint8)
            return self._of_bytes[data], _offsets(self._contents)
        made: dict[int, tuple[int, ...]] = {
            symbol: (symbol,) for symbol in np.flatnonzero(self.first).tolist()
        }
        while self._make(made):
            pass
        return self._rows([made.get(symbol) or self._unmade(symbol) for symbol in range(len(self))])

    def _make(self, made: dict[int, tuple[int, ...]]) -> bool:
        """Find what more tokens are made of, once for each merge; False: no more is found."""
        n_before = len(made)
        for left, right, joined, _ in self.merges:
            if left in made and right in made:
                content = made[left] + made[right]
                if made.setdefault(joined, content) != content:
                    raise ArgumentError(
                        f"token {self.ids[joined]} ({self.content(joined)!r:.60}) is made of "
                        "different symbols by different merges: what its removal costs is not "
                        "defined, so this vocabulary cannot be pruned."
                    )
        return len(made) > n_before

    def _unmade(self, symbol: int) -> tuple[int, ...]:
        """The same for a token that no merge makes: as the word that it may be looked up for."""
        vocabulary, token = self.spec.vocabulary, int(self.ids[symbol])
        is_marked = token in vocabulary.ends_word or token in vocabulary.continues_word
        content = self.content(symbol)
        if is_marked or not content:
            return ()
        try:
            return tuple(self._of_word(content).tolist())
        except EncodeError:
            return ()

    def _of_word(self, word: bytes) -> NDArray[np.uint32]:
        return self.of(np.array([symbol.id for symbol in self._first.of(word)], np.uint32))

    @cached_property
    def _is_plain(self) -> bool:
        """True if words are bytes, each of which is the same symbol wherever it stands."""
        spec = self.spec
        is_marked = spec.end_of_word is not None or spec.continuing_prefix is not None
        has_all = len(spec.vocabulary.byte_ids) == 256
        return spec.alphabet == "bytes" and has_all and not is_marked

    @cached_property
    def _of_bytes(self) -> NDArray[np.uint32]:
        return self.of(np.array(self.spec.vocabulary.byte_ids, np.uint32))

    @staticmethod
    def _rows(rows: list[NDArray[np.uint32]] | list[tuple[int, ...]]) -> Rows:
        values = [np.asarray(row, np.uint32) for row in rows if len(row)]
        return np.concatenate([np.zeros(0, np.uint32), *values]), _offsets(rows)

    def _merges(self) -> MergeTable:
        table = self.spec.merges
        left, right, joined = (self.of(c) for c in (table.left, table.right, table.joined))
        keys = left.astype(np.uint64) << np.uint64(32) | right
        kept = np.sort(np.unique(keys, return_index=True)[1])
        # Ranks are only ever compared: small numbers do.
        ranks = np.unique(table.rank, return_inverse=True)[1].astype(np.uint32)
        return MergeTable(left[kept], right[kept], joined[kept], ranks[kept])


def _offsets(rows: Iterable[Sized]) -> NDArray[np.int64]:
    return np.array([*accumulate(map(len, rows), initial=0)], np.int64)
