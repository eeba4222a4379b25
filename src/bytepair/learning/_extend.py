"""A tokenizer to which tokens are added: whatever it had stays."""

from dataclasses import replace
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from bytepair.engines.python import all_ids
from bytepair.errors import ArgumentError
from bytepair.learning._beginning import Beginning
from bytepair.learning._symbols import Symbols
from bytepair.model import (
    MergeBatch,
    MergeTable,
    SplitRules,
    TokenizerSpec,
    TrainingRecord,
    Vocabulary,
)


def require_extensible(base: TokenizerSpec, vocab_size: int) -> None:
    """Refuse a tokenizer to which nothing can be added.

    Raises:
        ArgumentError: it has as many tokens already, or symbols that are no tokens.
    """
    n_tokens = len(all_ids(base))
    if vocab_size <= n_tokens:
        raise ArgumentError(
            f"vocab_size={vocab_size} leaves no room: {base.name!r} has {n_tokens} tokens already, "
            "and all of them stay."
        )
    if base.residues:
        raise ArgumentError(
            f"{base.name!r} was pruned by strategy 'residues': some of its symbols have no id. Go "
            "on from the tokenizer it was pruned from."
        )


def require_same_cuts(counts: SplitRules, base: SplitRules) -> None:
    """Refuse words that were cut by other rules.

    Raises:
        ArgumentError: pattern, steps or normalisers differ.
    """
    cut = (counts.pattern, counts.normalizer, counts.steps)
    is_handmade = cut == (None, (), ())
    if not is_handmade and cut != (base.pattern, base.normalizer, base.steps):
        raise ArgumentError(
            f"these words were cut by other rules than those of the tokenizer to go on from: "
            f"pattern {counts.pattern!r:.60} where it has {base.pattern!r:.60}. Count them anew."
        )


def fingerprint(spec: TokenizerSpec) -> str:
    """A digest of what learning depends on."""
    tokens = spec.vocabulary.flat
    arrays = (tokens.ids, tokens.offsets, spec.merges.left, spec.merges.right, spec.merges.rank)
    digest = sha256(tokens.data)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(repr((spec.rules, spec.added_tokens, spec.ignore_merges)).encode())
    return digest.hexdigest()


def extended(
    base: TokenizerSpec,
    beginning: Beginning,
    symbols: Symbols,
    merges: MergeBatch,
    record: TrainingRecord,
    name: str,
) -> TokenizerSpec:
    """The tokenizer with what was learned: with ids and ranks behind all of its own."""
    old_ids = np.arange(0, dtype=np.uint32) if beginning.ids is None else beginning.ids
    first_id = max(all_ids(base)) + 1
    new_ids = np.arange(first_id, first_id + len(merges), dtype=np.uint32)
    ids = np.concatenate([old_ids, new_ids])
    number = dict(enumerate(ids.tolist()))
    new_symbols = range(len(old_ids), len(ids))
    vocabulary = base.vocabulary
    return replace(
        base,
        vocabulary=Vocabulary(
            {**vocabulary.tokens, **{number[s]: symbols.contents[s] for s in new_symbols}},
            vocabulary.byte_ids,
            vocabulary.end_of_word_id,
            vocabulary.ends_word.union(number[s] for s in new_symbols if s in symbols.ends_word),
            vocabulary.continues_word.union(
                number[s] for s in new_symbols if s in symbols.continues_word
            ),
        ),
        merges=_appended(base.merges, merges, ids),
        name=name,
        training=_record(base, record),
    )


def _appended(old: MergeTable, new: MergeBatch, ids: NDArray[np.uint32]) -> MergeTable:
    left, right, joined = ids[new.left], ids[new.right], ids[new.joined]
    if len(old) and np.array_equal(old.rank, old.joined):  # a rank table ranks by id
        ranks = joined
    else:
        first_rank = int(old.rank.max()) + 1 if len(old) else 0
        ranks = np.arange(first_rank, first_rank + len(new), dtype=np.uint32)
    return MergeTable(
        np.concatenate([old.left, left]),
        np.concatenate([old.right, right]),
        np.concatenate([old.joined, joined]),
        np.concatenate([old.rank, ranks]).astype(np.uint32),
    )


def _record(base: TokenizerSpec, record: TrainingRecord) -> TrainingRecord:
    """The evidence of both trainings; 0 where nobody knows how often a pair occurred."""
    old = base.training
    known = old is not None and len(old.merge_counts) == len(base.merges)
    counts = old.merge_counts if old is not None and known else (0,) * len(base.merges)
    options = {**record.options, "base": base.name, "base_vocab_size": len(all_ids(base))}
    return replace(
        record,
        options=options,
        merge_counts=(*counts, *record.merge_counts),
        pruned=() if old is None else old.pruned,
    )
