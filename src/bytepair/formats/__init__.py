"""Tokenizers on disk, in the formats of other programs: read, and written.

A file that is not understood in full, or a tokenizer that a format cannot express exactly, is
refused with the reason: wrong ids are worse than none.
"""

from bytepair.formats._conventions import tokenizer_config
from bytepair.formats._expressible import require_format, require_residues
from bytepair.formats._hf_read import parse_huggingface
from bytepair.formats._hf_write import token_spellings
from bytepair.formats._open import read
from bytepair.formats._save import huggingface_json, write
from bytepair.formats._target import FORMATS, Format, format_for

__all__ = [
    "FORMATS",
    "Format",
    "format_for",
    "huggingface_json",
    "parse_huggingface",
    "read",
    "require_format",
    "require_residues",
    "token_spellings",
    "tokenizer_config",
    "write",
]
