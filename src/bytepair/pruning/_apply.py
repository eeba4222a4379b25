"""Take tokens out of a specification: ids close up, and all that names them follows."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from operator import eq

import numpy as np
from numpy.typing import NDArray

from bytepair.engines.python import SymbolTable, all_ids
from bytepair.model import (
    MergeTable,
    PostProcessor,
    TemplatePiece,
    TokenId,
    TokenizerSpec,
    TrainingRecord,
    Vocabulary,
)


def map_ids(spec: TokenizerSpec, removed: Iterable[TokenId]) -> NDArray[np.int64]:
    """int64[largest id + 1]: old id -> new id, -1 where there is none."""
    ids = all_ids(spec)
    kept = np.array(sorted(ids.difference(removed)), np.int64)
    id_map = np.full(max(ids) + 1, -1, np.int64)
    id_map[kept] = np.arange(len(kept))
    return id_map


def take_out(
    table: SymbolTable,
    id_map: NDArray[np.int64],
    *,
    ignore_merges: bool,
    made_of: Mapping[int, tuple[int, int]] | None = None,
) -> TokenizerSpec:
    """The specification of the tokens that `id_map` keeps.

    Args:
        ignore_merges: whether what is left looks whole pre-tokens up.
        made_of: the pair that makes each symbol: tokens that are gone stay as steps within. None:
            their merges go.
    """
    spec = table.spec
    numbers = id_map[table.ids]
    residues = [] if made_of is None else [i for i in made_of if numbers[i] < 0]
    numbers[residues] = np.arange(len(residues)) + id_map.max() + 1
    rows = _kept_rows(table, numbers, made_of)
    return replace(
        spec,
        vocabulary=_vocabulary(spec.vocabulary, id_map),
        merges=_merges(table, rows, numbers),
        added_tokens=tuple(replace(t, id=int(id_map[t.id])) for t in spec.added_tokens),
        unk_id=None if spec.unk_id is None else int(id_map[spec.unk_id]),
        ignore_merges=ignore_merges,
        post_processor=_post_processor(spec.post_processor, id_map),
        residues=_residues(residues, made_of or {}, numbers),
        training=_training(spec, len(table.merges), rows),
    )


def _kept_rows(
    table: SymbolTable, numbers: NDArray[np.int64], made_of: Mapping[int, tuple[int, int]] | None
) -> NDArray[np.int64]:
    """The rows of merges all of whose symbols are left.

    If tokens stay as steps, of each token only the merge that ever makes it: that is of what it
    consists where it is left over.
    """
    merges = table.merges
    is_left = numbers >= 0
    kept = is_left[merges.left] & is_left[merges.right] & is_left[merges.joined]
    if made_of is not None:
        pairs = [made_of.get(joined) for joined in merges.joined.tolist()]
        rows = zip(merges.left.tolist(), merges.right.tolist(), strict=True)
        kept &= np.fromiter(map(eq, rows, pairs), np.bool_, len(merges))
    return np.flatnonzero(kept)


def _merges(table: SymbolTable, rows: NDArray[np.int64], numbers: NDArray[np.int64]) -> MergeTable:
    merges, old = table.merges, table.spec.merges
    left, right, joined = (
        numbers[column[rows]].astype(np.uint32)
        for column in (merges.left, merges.right, merges.joined)
    )
    # A rank table ranks by id, as long as all of its symbols are tokens.
    by_id = np.array_equal(old.rank, old.joined) and bool(np.all(np.diff(joined.astype(int)) >= 0))
    ranks = np.unique(merges.rank[rows], return_inverse=True)[1].astype(np.uint32)
    return MergeTable(left, right, joined, joined.copy() if by_id else ranks)


def _residues(
    symbols: Collection[int], made_of: Mapping[int, tuple[int, int]], numbers: NDArray[np.int64]
) -> dict[int, tuple[TokenId, ...]]:
    gone = set(symbols)
    residues: dict[int, tuple[TokenId, ...]] = {}
    for symbol in symbols:
        parts: list[TokenId] = []
        open_parts = [symbol]
        while open_parts:
            part = open_parts.pop()
            if part in gone:
                open_parts += made_of[part][::-1]
            else:
                parts.append(int(numbers[part]))
        residues[int(numbers[symbol])] = tuple(parts)
    return residues


def _vocabulary(vocabulary: Vocabulary, id_map: NDArray[np.int64]) -> Vocabulary:
    def left(ids: Iterable[TokenId]) -> frozenset[TokenId]:
        return frozenset(int(id_map[token]) for token in ids if id_map[token] >= 0)

    end_mark = vocabulary.end_of_word_id
    return Vocabulary(
        {
            int(id_map[token]): data
            for token, data in sorted(vocabulary.tokens.items())
            if id_map[token] >= 0
        },
        tuple(int(id_map[token]) for token in vocabulary.byte_ids),
        None if end_mark is None else int(id_map[end_mark]),
        left(vocabulary.ends_word),
        left(vocabulary.continues_word),
    )


def _post_processor(post: PostProcessor, id_map: NDArray[np.int64]) -> PostProcessor:
    def renamed(pieces: tuple[TemplatePiece, ...]) -> tuple[TemplatePiece, ...]:
        return tuple(
            replace(piece, ids=tuple(int(id_map[token]) for token in piece.ids)) for piece in pieces
        )

    return replace(post, single=renamed(post.single), pair=renamed(post.pair))


def _training(spec: TokenizerSpec, n_merges: int, rows: NDArray[np.int64]) -> TrainingRecord | None:
    """The evidence that still holds: the counts of the merges that are left."""
    record = spec.training
    if record is None or len(record.merge_counts) != n_merges:
        return record
    return replace(record, merge_counts=tuple(record.merge_counts[row] for row in rows.tolist()))
