"""Open a tokenizer: find out what a path holds, and hand it to the reader that knows it."""

import os
from collections.abc import Mapping
from pathlib import Path

from bytepair.errors import ArgumentError, FormatError
from bytepair.formats._hf_read import read_huggingface
from bytepair.formats._tiktoken_read import read_tiktoken
from bytepair.model import TokenId, TokenizerSpec

_SUPPORTED = "a folder with a tokenizer.json, a .json file of that kind, or a .tiktoken file"
# Files by which other tokenizers are known, most telling first.
_FOREIGN_FILES = {
    "tekken.json": "a tekken tokenizer",
    "tokenizer.model": "a SentencePiece model",
    "spiece.model": "a SentencePiece model",
    "merges.txt": "vocab.json and merges.txt of GPT-2",
    "vocab.txt": "a WordPiece vocabulary",
}
_FOREIGN_SUFFIXES = {
    ".gguf": "a GGUF model",
    ".model": "a SentencePiece model",
    ".pkl": "a pickle",
    ".txt": "a text file",
}


def read(
    path: str | os.PathLike[str],
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, TokenId] | None = None,
) -> TokenizerSpec:
    """Read a tokenizer from disk; nothing is ever fetched from elsewhere.

    Args:
        path: a folder with a `tokenizer.json`, such a file itself, or a `.tiktoken` file.
        pattern: for `.tiktoken` files, which lack one: a name or a regex.
        special_tokens: for `.tiktoken` files: content -> id.

    Raises:
        FormatError: the file is missing, damaged, or of a kind not supported.
        ArgumentError: `pattern` or `special_tokens` for a file that has its own.
        PatternError: `pattern` is not a known name, or not a usable regex.
    """
    source = Path(path)
    if source.suffix.lower() == ".tiktoken" and not source.is_dir():
        return read_tiktoken(source, pattern=pattern, special_tokens=special_tokens)
    source = _tokenizer_json(source)
    for name, value in (("pattern", pattern), ("special_tokens", special_tokens)):
        if value is not None:
            raise ArgumentError(f"{source} has its own {name}: leave {name}= out")
    return read_huggingface(source)


def _tokenizer_json(source: Path) -> Path:
    if source.is_dir():
        if not (source / "tokenizer.json").is_file():
            raise FormatError(f"{source}: {_found(source)} (supported: {_SUPPORTED})")
        return source / "tokenizer.json"
    if not source.exists():
        raise FormatError(f"{source}: no such file or folder")
    if source.suffix.lower() != ".json" or source.name in _FOREIGN_FILES:
        kind = _FOREIGN_FILES.get(source.name) or _FOREIGN_SUFFIXES.get(source.suffix.lower())
        what = f"{kind} is not supported yet" if kind else "not a tokenizer file by its name"
        raise FormatError(f"{source}: {what} (supported: {_SUPPORTED})")
    return source


def _found(folder: Path) -> str:
    for name, kind in _FOREIGN_FILES.items():
        if (folder / name).is_file():
            return f"found {name}; {kind} is not supported yet"
    names = sorted(entry.name for entry in folder.iterdir())
    if not names:
        return "the folder is empty"
    shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    return f"no tokenizer.json in this folder (it holds: {shown})"
