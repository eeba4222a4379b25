"""Stage 5, use: text to ids and back."""

from bytepair.tokenizer._inspection import Inspection, Piece
from bytepair.tokenizer._tokenizer import Tokenizer, load

__all__ = ["Inspection", "Piece", "Tokenizer", "load"]
