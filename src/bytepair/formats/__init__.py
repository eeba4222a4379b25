"""Tokenizers on disk: those of other programs read, Hugging Face's and tiktoken's written as well.

A file that is not understood in full, or a tokenizer that a format cannot express exactly, is
refused with the reason: wrong ids are worse than none.
"""

from bytepair.formats._expressible import FORMATS, Format, format_for, require_format
from bytepair.formats._hf_read import parse_huggingface
from bytepair.formats._open import read
from bytepair.formats._save import huggingface_json, write

__all__ = [
    "FORMATS",
    "Format",
    "format_for",
    "huggingface_json",
    "parse_huggingface",
    "read",
    "require_format",
    "write",
]
