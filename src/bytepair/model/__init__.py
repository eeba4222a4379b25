"""The nouns every stage hands to the next: frozen values, no I/O, no algorithm."""

from bytepair.model._byte_alphabet import BYTE_TO_CHAR
from bytepair.model._chunk import Chunk, TextFile
from bytepair.model._conventions import NAMED_TOKENS, Conventions
from bytepair.model._counts import WordCounts
from bytepair.model._counts_file import CountsFile
from bytepair.model._counts_table import COUNT_TABLES
from bytepair.model._fingerprint import fingerprint
from bytepair.model._merges import MergeBatch, MergeTable
from bytepair.model._numbers import at_least_one
from bytepair.model._options import ExtendOptions
from bytepair.model._progress import Progress, ProgressCallback, ProgressReporter
from bytepair.model._residues import residues_as_tokens, tokens_as_residues
from bytepair.model._rules import SplitRules
from bytepair.model._skipped import Skipped
from bytepair.model._spec import AddedToken, TokenizerSpec
from bytepair.model._steps import (
    Behavior,
    CharMap,
    DecoderStep,
    Metaspace,
    NormalizerStep,
    PostProcessor,
    Precompiled,
    PrefixSpace,
    Prepend,
    PreTokenizerStep,
    Replace,
    Split,
    Strip,
    StripFirst,
    StripText,
    TemplatePiece,
    WordEnds,
    WordStarts,
)
from bytepair.model._text import byte_positions, to_utf8
from bytepair.model._tokens import Tokens
from bytepair.model._training import TrainingRecord
from bytepair.model._types import TIES, Alphabet, LengthUnit, Merge, OnError, Pair, Ties, TokenId
from bytepair.model._vocabulary import Vocabulary

__all__ = [
    "BYTE_TO_CHAR",
    "COUNT_TABLES",
    "NAMED_TOKENS",
    "TIES",
    "AddedToken",
    "Alphabet",
    "Behavior",
    "CharMap",
    "Chunk",
    "Conventions",
    "CountsFile",
    "DecoderStep",
    "ExtendOptions",
    "LengthUnit",
    "Merge",
    "MergeBatch",
    "MergeTable",
    "Metaspace",
    "NormalizerStep",
    "OnError",
    "Pair",
    "PostProcessor",
    "PreTokenizerStep",
    "Precompiled",
    "PrefixSpace",
    "Prepend",
    "Progress",
    "ProgressCallback",
    "ProgressReporter",
    "Replace",
    "Skipped",
    "Split",
    "SplitRules",
    "Strip",
    "StripFirst",
    "StripText",
    "TemplatePiece",
    "TextFile",
    "Ties",
    "TokenId",
    "TokenizerSpec",
    "Tokens",
    "TrainingRecord",
    "Vocabulary",
    "WordCounts",
    "WordEnds",
    "WordStarts",
    "at_least_one",
    "byte_positions",
    "fingerprint",
    "residues_as_tokens",
    "to_utf8",
    "tokens_as_residues",
]
