"""Open a tokenizer: find out what a path holds, and hand it to the reader that knows it."""

import os
from collections.abc import Mapping
from pathlib import Path

from bytepair.errors import ArgumentError
from bytepair.formats._clip_read import read_clip
from bytepair.formats._gguf_read import read_gguf
from bytepair.formats._gpt2_read import gpt2_files, read_gpt2
from bytepair.formats._hf_read import read_huggingface
from bytepair.formats._kind import Kind, file_in, kind_of
from bytepair.formats._own import read_own
from bytepair.formats._path import path_of
from bytepair.formats._sentencepiece_read import read_sentencepiece
from bytepair.formats._tekken_read import read_tekken
from bytepair.formats._tiktoken_read import read_tiktoken
from bytepair.model import TokenId, TokenizerSpec

_TAKE_PATTERN: tuple[Kind, ...] = ("tiktoken", "gpt2", "gguf")
_TAKE_SPECIALS: tuple[Kind, ...] = ("tiktoken", "gpt2")


def read(
    path: str | os.PathLike[str],
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, TokenId] | None = None,
) -> TokenizerSpec:
    """Read a tokenizer from disk; nothing is ever fetched from elsewhere.

    Args:
        path: a file of one of the kinds that the package's documentation lists under "load", or a
            folder that holds one.
        pattern: for files that do not say how text is cut: a name or a regex.
        special_tokens: for files that do not say which tokens are special: content -> id.

    Raises:
        FormatError: the file is missing, damaged, or of a kind not supported.
        InputTypeError: `path` is none.
        ArgumentError: `path` is empty; `pattern` or `special_tokens` for a file that has its own.
        PatternError: `pattern` is not a known name, or not a usable regex.
        MissingExtraError: the package that reads such files is not installed.
    """
    source = path_of(path)
    if source.is_dir():
        source = file_in(source)
    kind = kind_of(source)
    for name, value, takers in (
        ("pattern", pattern, _TAKE_PATTERN),
        ("special_tokens", special_tokens, _TAKE_SPECIALS),
    ):
        if value is not None and kind not in takers:
            raise ArgumentError(f"{source} has its own {name}: leave {name}= out")
    return _read(kind, source, pattern, special_tokens)


def _read(
    kind: Kind,
    source: Path,
    pattern: str | None,
    special_tokens: Mapping[str, TokenId] | None,
) -> TokenizerSpec:
    match kind, gpt2_files(source):
        case "bytepair", _:
            return read_own(source)
        case "tiktoken", _:
            return read_tiktoken(source, pattern=pattern, special_tokens=special_tokens)
        case "gpt2", (vocab, merges):
            return read_gpt2(vocab, merges, pattern=pattern, special_tokens=special_tokens)
        case "gguf", _:
            return read_gguf(source, pattern=pattern)
        case "sentencepiece", _:
            return read_sentencepiece(source)
        case "tekken", _:
            return read_tekken(source)
        case "clip", _:
            return read_clip(source)
    return read_huggingface(source)
