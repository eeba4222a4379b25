"""Stage 5, use: text to ids and back."""

from bytepair.tokenizer._chat import MaskedIds
from bytepair.tokenizer._explain import (
    CacheBlocks,
    Explanation,
    MergeStep,
    MergeTree,
    Stop,
    WordSteps,
)
from bytepair.tokenizer._frame import Padded
from bytepair.tokenizer._inspection import Inspection, Piece
from bytepair.tokenizer._segments import Segment, SegmentCache
from bytepair.tokenizer._stream_decoder import ByteStreamDecoder, StreamDecoder
from bytepair.tokenizer._stream_encoder import StreamEncoder
from bytepair.tokenizer._tokenizer import Tokenizer, load
from bytepair.tokenizer._truncate import Truncation

__all__ = [
    "ByteStreamDecoder",
    "CacheBlocks",
    "Explanation",
    "Inspection",
    "MaskedIds",
    "MergeStep",
    "MergeTree",
    "Padded",
    "Piece",
    "Segment",
    "SegmentCache",
    "Stop",
    "StreamDecoder",
    "StreamEncoder",
    "Tokenizer",
    "Truncation",
    "WordSteps",
    "load",
]
