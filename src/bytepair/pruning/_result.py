"""`PruneResult`: the smaller tokenizer, and what leads to it from the one before."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bytepair.errors import ArgumentError
from bytepair.model import TokenizerSpec
from bytepair.pruning._report import PruneReport

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer


@dataclass(frozen=True, eq=False)
class PruneResult:
    """What a pruning gives.

    Attributes:
        spec: the tokenizer that is left, as a value.
        id_map: int64[largest old id + 1]: the new id of each old one, -1 for those that are gone
            (or never were). New ids are 0, 1, 2, ..., in the order of the old ones.
        report: what was removed and what it cost.
    """

    spec: TokenizerSpec
    id_map: NDArray[np.int64]
    report: PruneReport
    engine: str | None = None

    def __repr__(self) -> str:
        before, after = self.report.vocab_before, self.report.vocab_after
        return f"<PruneResult {self.spec.name!r}: {before:,} -> {after:,} tokens>"

    @cached_property
    def tokenizer(self) -> "Tokenizer":
        """The tokenizer that is left."""
        from bytepair.tokenizer import Tokenizer  # the stages know each other by values otherwise

        return Tokenizer(self.spec, engine=self.engine)

    @property
    def kept_ids(self) -> NDArray[np.int64]:
        """int64[new ids]: the old id of each new one."""
        return np.flatnonzero(self.id_map >= 0)

    def slice_embeddings(self, array: NDArray[Any]) -> NDArray[Any]:
        """Rows of the tokens that are left, in the order of their new ids: a new array.

        Args:
            array: one row for each old id (embeddings, output weights, biases); rows beyond the
                largest old id, as models are padded with, are left out.

        Raises:
            ArgumentError: the array has fewer rows than there are old ids.

        >>> import numpy as np
        >>> import bytepair
        >>> tok = bytepair.train(["low lower"] * 3, vocab_size=260, special_tokens=[])
        >>> result = tok.prune(["low low"], vocab_size=257)
        >>> result.slice_embeddings(np.zeros((260, 8))).shape
        (257, 8)
        """
        rows = np.asarray(array)
        if rows.ndim == 0 or len(rows) < len(self.id_map):
            n_rows = "no rows" if rows.ndim == 0 else f"{len(rows)} rows"
            raise ArgumentError(
                f"the array has {n_rows}, but the vocabulary before pruning has ids up to "
                f"{len(self.id_map) - 1}, so {len(self.id_map)} are needed. Is it another model's?"
            )
        return rows[self.kept_ids]
