"""The inner loops, twice: `python` is the obvious twin, the native one runs the C++ core."""

from bytepair.engines._interface import (
    Counter,
    Cutter,
    Decoder,
    DecodingRules,
    Encoder,
    Engine,
    Learner,
    Pruner,
    PruneStrategy,
    PruneTask,
    Ragged,
    Removal,
    Spans,
    Splitter,
    Text,
    TokenIds,
)
from bytepair.engines._select import NAMES, engine, select

__all__ = [
    "NAMES",
    "Counter",
    "Cutter",
    "Decoder",
    "DecodingRules",
    "Encoder",
    "Engine",
    "Learner",
    "PruneStrategy",
    "PruneTask",
    "Pruner",
    "Ragged",
    "Removal",
    "Spans",
    "Splitter",
    "Text",
    "TokenIds",
    "engine",
    "select",
]
