"""The inner loops, twice: `python` is the obvious twin, the native one runs the C++ core."""

from bytepair.engines._interface import (
    Counter,
    Cutter,
    Decoder,
    DecodingRules,
    Encoder,
    Engine,
    Learner,
    LearnTask,
    Pruner,
    PruneStrategy,
    PruneTask,
    Ragged,
    Removal,
    Spans,
    Splitter,
    Tally,
    Text,
    TokenIds,
)
from bytepair.engines._select import NAMES, engine, select
from bytepair.engines._shapes import token_shapes

__all__ = [
    "NAMES",
    "Counter",
    "Cutter",
    "Decoder",
    "DecodingRules",
    "Encoder",
    "Engine",
    "LearnTask",
    "Learner",
    "PruneStrategy",
    "PruneTask",
    "Pruner",
    "Ragged",
    "Removal",
    "Spans",
    "Splitter",
    "Tally",
    "Text",
    "TokenIds",
    "engine",
    "select",
    "token_shapes",
]
