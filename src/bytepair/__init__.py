"""bytepair: the whole life of a byte-pair-encoding tokenizer."""

from bytepair import errors
from bytepair.corpus import Preprocessor
from bytepair.engines import engine
from bytepair.errors import BytepairError, BytepairWarning
from bytepair.frequency import FrequencyAnalyzer
from bytepair.learning import MergeLearner
from bytepair.model import MergeTable, Progress, TokenizerSpec, WordCounts
from bytepair.pipeline import train
from bytepair.pruning import PruneReport, PruneResult, VocabularyPruner
from bytepair.sharding import shard
from bytepair.tokenizer import Inspection, Segment, SegmentCache, Tokenizer, load

__version__: str

__all__ = [
    "BytepairError",
    "BytepairWarning",
    "FrequencyAnalyzer",
    "Inspection",
    "MergeLearner",
    "MergeTable",
    "Preprocessor",
    "Progress",
    "PruneReport",
    "PruneResult",
    "Segment",
    "SegmentCache",
    "Tokenizer",
    "TokenizerSpec",
    "VocabularyPruner",
    "WordCounts",
    "__version__",
    "engine",
    "errors",
    "load",
    "shard",
    "train",
]


def __getattr__(name: str) -> str:
    """`__version__`, as it was installed: to look it up takes a third of an import's time."""
    if name != "__version__":
        raise AttributeError(f"module 'bytepair' has no attribute {name!r}")
    from importlib.metadata import version

    return version("bytepair")
