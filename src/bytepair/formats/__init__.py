"""Tokenizers on disk: those of other programs read, Hugging Face's and tiktoken's written as well.

A file that is not understood in full, or a tokenizer that a format cannot express exactly, is
refused with the reason: wrong ids are worse than none.
"""

from bytepair.formats._expressible import FORMATS, Format, format_for, require_format
from bytepair.formats._open import read
from bytepair.formats._save import write

__all__ = ["FORMATS", "Format", "format_for", "read", "require_format", "write"]
