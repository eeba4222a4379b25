"""The inner loops, twice: `python` is the obvious twin, the native one runs the C++ core."""

from bytepair.engines._interface import Counter, Decoder, Encoder, Engine, Learner, Splitter
from bytepair.engines._select import NAMES, engine, select

__all__ = [
    "NAMES",
    "Counter",
    "Decoder",
    "Encoder",
    "Engine",
    "Learner",
    "Splitter",
    "engine",
    "select",
]
