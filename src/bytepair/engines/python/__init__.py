"""The pure-Python engine: every inner loop in its obvious form.

It is the oracle the core is tested against, the fallback where there is no compiler, and the
text to read for whoever wants to know what the core does.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bytepair.engines._interface import DecodingRules, LearnTask, PruneTask, Tally
from bytepair.engines.python._count import Counter
from bytepair.engines.python._cut import Cutter, Found, forbidden_token
from bytepair.engines.python._decode import (
    Decoder,
    plain_ids,
    refuse_unknown,
)
from bytepair.engines.python._encode import Encoder, Token
from bytepair.engines.python._join import Chance, join_symbols
from bytepair.engines.python._json_text import ids_json, take_out, text_json
from bytepair.engines.python._learn import Learner
from bytepair.engines.python._pretokenize import pre_tokens
from bytepair.engines.python._prune import Pruner, ResiduePruner
from bytepair.engines.python._split import Splitter
from bytepair.engines.python._symbol_table import Rows, SymbolTable, all_ids, named_ids
from bytepair.engines.python._symbols import (
    FirstSymbols,
    character_ids,
    unknown_character,
    whole_words,
)
from bytepair.engines.python._tally import tally
from bytepair.model import AddedToken, NormalizerStep, SplitRules, TokenId, TokenizerSpec


class PythonEngine:
    """Makes the loops of this engine; see `bytepair.engines.Engine`."""

    name = "python"
    take_out = staticmethod(take_out)
    ids_json, text_json = staticmethod(ids_json), staticmethod(text_json)

    def splitter(self, pattern: str | None) -> Splitter:
        """Cuts documents."""
        return Splitter(pattern)

    def counter(self, rules: SplitRules) -> Counter:
        """Counts pre-tokens."""
        return Counter(rules)

    def learner(self, task: LearnTask) -> Learner:
        """Learns merges."""
        return Learner(task)

    def pruner(self, task: PruneTask) -> Pruner | ResiduePruner:
        """Removes tokens."""
        return ResiduePruner(task) if task.strategy == "residues" else Pruner(task)

    def tally(
        self, ids: NDArray[np.uint32], offsets: NDArray[np.int64], shapes: NDArray[np.uint32]
    ) -> Tally:
        """Counts what tokens make of texts."""
        return tally(ids, offsets, shapes)

    def encoder(self, spec: TokenizerSpec, cache_bytes: int | None = None) -> Encoder:
        """Turns text into ids."""
        return Encoder(spec, cache_bytes)

    def cutter(
        self,
        added_tokens: Sequence[AddedToken],
        forbidden: Sequence[str] = (),
        normalizer: Sequence[NormalizerStep] = (),
    ) -> Cutter:
        """Finds added tokens."""
        return Cutter(added_tokens, forbidden, normalizer)

    def decoder(
        self, bytes_by_id: Mapping[TokenId, bytes], rules: DecodingRules | None = None
    ) -> Decoder:
        """Turns ids into bytes."""
        return Decoder(bytes_by_id, rules)


ENGINE = PythonEngine()

__all__ = [
    "ENGINE",
    "Chance",
    "Counter",
    "Cutter",
    "Decoder",
    "Encoder",
    "FirstSymbols",
    "Found",
    "Learner",
    "Pruner",
    "PythonEngine",
    "ResiduePruner",
    "Rows",
    "Splitter",
    "SymbolTable",
    "Token",
    "all_ids",
    "character_ids",
    "forbidden_token",
    "ids_json",
    "join_symbols",
    "named_ids",
    "plain_ids",
    "pre_tokens",
    "refuse_unknown",
    "take_out",
    "tally",
    "text_json",
    "unknown_character",
    "whole_words",
]
