"""Tokens that do nothing: in a corpus, or in any text."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bytepair.engines import Engine, PruneTask, select
from bytepair.engines.python import SymbolTable
from bytepair.model import TokenId, TokenizerSpec, residues_as_tokens
from bytepair.pruning._measure import Usage, unreachable


@dataclass(frozen=True)
class IdleTokens:
    """Ids, ascending. Bytes, or the alphabet, are not among them.

    Attributes:
        unreachable: tokens that no text yields: their own bytes come back as other tokens. Source
            of the notion: Land and Bartolo 2024, https://arxiv.org/abs/2405.05417.
        residues: tokens that never stand in the corpus, but that tokens which do are made of.
        unused: tokens that never stand in the corpus and are in nothing that does.
    """

    unreachable: tuple[TokenId, ...]
    residues: tuple[TokenId, ...]
    unused: tuple[TokenId, ...]

    @classmethod
    def of(cls, table: SymbolTable, usage: Usage, engine: Engine) -> "IdleTokens":
        """Told apart by what each symbol is used for."""
        is_idle = (usage.uses == 0) & ~table.first
        is_passed = usage.passed()
        kinds = (unreachable(table, usage, engine), is_idle & is_passed, is_idle & ~is_passed)
        return cls(*(tuple(table.ids[chosen].tolist()) for chosen in kinds))

    def without(self, ids: Collection[TokenId]) -> "IdleTokens":
        """All but these."""
        kinds = (self.unreachable, self.residues, self.unused)
        return IdleTokens(*(tuple(i for i in kind if i not in ids) for kind in kinds))


def idle_tokens(
    spec: TokenizerSpec, uses: NDArray[np.int64], engine: str | None = None
) -> IdleTokens:
    """The tokens that do nothing where each id stands so often.

    Args:
        uses: how often each id stands in a corpus; ids beyond stand nowhere.

    Raises:
        ArgumentError: merges make one token of different symbols.

    >>> import bytepair
    >>> spec = bytepair.train(["low low lower"], vocab_size=259, special_tokens=[]).spec
    >>> idle_tokens(spec, np.bincount([257, 257])).residues
    (256,)
    """
    whole = residues_as_tokens(spec)
    table = SymbolTable(whole)
    contents, content_offsets = table.contents()
    none = np.zeros(0, np.int64)
    words = (none.astype(np.uint32), np.zeros(1, np.int64), none, none)
    removable = np.zeros(len(table), np.uint8)
    made_by = PruneTask(*words, table.merges, contents, content_offsets, removable)
    chosen = select(engine)
    usage = Usage.of(chosen.pruner(made_by))
    counted = np.zeros(max(len(uses), int(table.ids.max()) + 1), np.int64)
    counted[: len(uses)] = uses
    found = IdleTokens.of(table, Usage(counted[table.ids], usage.made_of), chosen)
    return found.without(spec.residues)
