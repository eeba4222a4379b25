"""Tokens that learning only passed through: what PickyBPE's threshold finds, as residues.

When a merge takes nearly all occurrences of a token, that token was a step on the way to a longer
one. PickyBPE (Chizhov et al. 2024, https://arxiv.org/abs/2409.04599) measures it by the merge's
*intersection over self*: occurrences of the pair, over occurrences of the token. Here such a token
becomes a residue: its merge stays as it is, and no row of the vocabulary (decision 0009).
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bytepair.engines import PruneTask, select
from bytepair.engines.python import SymbolTable, all_ids
from bytepair.errors import ArgumentError
from bytepair.model import TokenizerSpec, WordCounts
from bytepair.pruning._apply import map_ids, take_out
from bytepair.pruning._borders import Words, cut_at_borders


def share_taken(
    spec: TokenizerSpec, counts: WordCounts, engine: str | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two float64[merges]: which share of the left and of the right symbol each merge took.

    Of their occurrences in the corpus at that moment, 0 to 1; 0 where there was none.

    Raises:
        ArgumentError: merges that were not learned one after the other.

    Cost: one pass over the words; then each merge is undone.
    """
    table = SymbolTable(spec)
    merges = table.merges
    if not merges.is_merge_list or len(np.unique(merges.joined)) < len(merges):
        raise ArgumentError(
            "the merges of this tokenizer were not learned one after the other, each for a token "
            "of its own: what each took cannot be told."
        )
    # What stands in the corpus at the end; backwards, each merge gives back what it took, and
    # what it made is then as frequent as when it was made.
    frequency: list[int] = _uses(table, counts, engine).tolist()
    shares = np.zeros((2, len(merges)))
    rows = zip(merges.left.tolist(), merges.right.tolist(), merges.joined.tolist(), strict=True)
    for row, (left, right, joined) in reversed([*enumerate(rows)]):
        n_joined = frequency[joined]
        frequency[left] += n_joined
        frequency[right] += n_joined
        n_taken = n_joined if left != right else 2 * n_joined
        for side, symbol in enumerate((left, right)):
            shares[side, row] = n_taken / frequency[symbol] if n_taken else 0.0
    return shares[0], shares[1]


def without_intermediate(
    spec: TokenizerSpec,
    counts: WordCounts,
    threshold: float,
    *,
    vocab_size: int | None = None,
    engine: str | None = None,
) -> TokenizerSpec:
    """A tokenizer whose intermediate tokens are residues.

    Args:
        spec: as learned from `counts`.
        threshold: a token goes once a merge takes this share, 0 to 1, of its occurrences or more.
            Bytes, or the alphabet, stay.
        vocab_size: only the first merges are taken, so many that this many tokens are left. None,
            or if that is never so: all of them.
    """
    table = SymbolTable(spec)
    shares = share_taken(spec, counts, engine)
    n_left = len(all_ids(spec)) - len(table.merges)
    gone: dict[int, None] = {}
    n_merges = 0
    for n_merges, found in enumerate(_found(table, shares, threshold)):
        n_before = len(gone)
        gone |= dict.fromkeys(found)
        n_left += (n_merges > 0) - (len(gone) - n_before)
        if n_left == vocab_size:
            break
    return _cut(table, n_merges, list(gone))


def _found(
    table: SymbolTable, shares: tuple[NDArray[np.float64], NDArray[np.float64]], threshold: float
) -> Iterator[list[int]]:
    """Before the first merge nothing; then, by merge, the symbols of which it took so much."""
    yield []
    columns = (table.merges.left.tolist(), table.merges.right.tolist())
    first = table.first
    for row in range(len(table.merges)):
        yield [
            column[row]
            for column, share in zip(columns, shares, strict=True)
            if share[row] >= threshold and not first[column[row]]
        ]


def _cut(table: SymbolTable, n_merges: int, gone: list[int]) -> TokenizerSpec:
    spec, merges = table.spec, table.merges
    made = zip(merges.left.tolist(), merges.right.tolist(), merges.joined.tolist(), strict=True)
    made_of = {joined: (left, right) for left, right, joined in [*made][:n_merges]}
    removed = table.ids[[*gone, *merges.joined[n_merges:]]].tolist()
    id_map = map_ids(spec, removed)
    return take_out(table, id_map, ignore_merges=spec.ignore_merges, made_of=made_of)


def _uses(table: SymbolTable, counts: WordCounts, engine: str | None) -> NDArray[np.int64]:
    """How often each symbol stands in the corpus."""
    contents, content_offsets = table.contents()
    words = Words(
        *table.words(counts),
        np.ascontiguousarray(counts.counts, np.int64),
        table.whole(counts, looks_up=False),
    )
    task = PruneTask(
        *cut_at_borders(words, contents, content_offsets[1:]),
        table.merges,
        contents,
        content_offsets,
        np.zeros(len(table), np.uint8),
        "residues",
    )
    return select(engine).pruner(task).uses()
