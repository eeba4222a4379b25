"""The inner loops, twice: `python` is the obvious twin, the native one runs the C++ core."""

from bytepair.engines._interface import (
    Counter,
    Cutter,
    Decoder,
    Encoder,
    Engine,
    Learner,
    Ragged,
    Spans,
    Splitter,
    Text,
)
from bytepair.engines._select import NAMES, engine, select

__all__ = [
    "NAMES",
    "Counter",
    "Cutter",
    "Decoder",
    "Encoder",
    "Engine",
    "Learner",
    "Ragged",
    "Spans",
    "Splitter",
    "Text",
    "engine",
    "select",
]
