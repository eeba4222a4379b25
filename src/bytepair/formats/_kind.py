"""What kind of tokenizer a path holds: by its name where that says it, else by its first bytes."""

import re
from pathlib import Path
from typing import Literal

from bytepair.errors import FormatError
from bytepair.formats._clip_read import is_clip_merges, unpacked_head
from bytepair.formats._gguf_read import GGUF_MAGIC
from bytepair.formats._gpt2_read import gpt2_files

Kind = Literal[
    "huggingface", "bytepair", "tekken", "tiktoken", "gpt2", "sentencepiece", "gguf", "clip"
]

OWN_FILE = "bytepair.json"
"""What bytepair's own form is called in a folder."""

SUPPORTED = (
    "tokenizer.json, bytepair.json, tekken.json, x.tiktoken, vocab.json with merges.txt, "
    "a SentencePiece .model, x.gguf, or a folder with one of these"
)

# In a folder the most telling comes first; a pattern counts if one file alone matches.
_IN_FOLDER = (
    *(OWN_FILE, "tokenizer.json", "tekken.json", "tokenizer.model", "spiece.model"),
    *("sentencepiece.bpe.model", "*.tiktoken", "*.model", "*.model.v*", "*.gguf"),
)
_SENTENCEPIECE_NAME = re.compile(r"\.model(\.v\d+\w*)?$")
_OWN_START = re.compile(rb'\s*\{\s*"format"\s*:\s*"bytepair"')
_TEKKEN_START = re.compile(rb'\s*\{\s*"config"\s*:\s*\{\s*"pattern"')
_RANK_LINE = re.compile(rb"[A-Za-z0-9+/]+=* \d+\s")
_OTHER = {
    "vocab.txt": "a WordPiece vocabulary is not BPE",
    ".pkl": "a pickle can run any program when it is opened, and is never read",
    ".pickle": "a pickle can run any program when it is opened, and is never read",
}
_HEAD_BYTES = 4096
_LFS = b"version https://git-lfs.github.com/spec/"


def file_in(folder: Path) -> Path:
    """The file in a folder that holds its tokenizer.

    Raises:
        FormatError: there is none; the message says what there is.
    """
    for pattern in _IN_FOLDER:
        match [file for file in folder.glob(pattern) if file.is_file()]:
            case [file]:
                return file
    if (pair := gpt2_files(folder)) is not None:
        return pair[0]
    raise FormatError(f"{folder}: {_holds(folder)} (supported: {SUPPORTED})")


def _holds(folder: Path) -> str:
    names = sorted(entry.name for entry in folder.iterdir())
    if not names:
        return "the folder is empty"
    for name in names:
        if name in _OTHER:
            return f"found {name}; {_OTHER[name]}"
    shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    return f"no tokenizer that is known in this folder (it holds: {shown})"


def kind_of(path: Path) -> Kind:
    """How a file is read.

    Raises:
        FormatError: it is missing or cannot be read, or it is nothing that is known here.
    """
    head = _head(path)
    if head.startswith(_LFS):
        raise FormatError(
            f"{path}: this is a Git LFS pointer, not the file itself. Fetch it with: git lfs pull"
        )
    if _OWN_START.match(head):
        return "bytepair"
    kind = _kind_by_name(path) or _kind_by_head(head)
    if kind is None and path.suffix.lower() == ".json":
        return "huggingface"
    if kind is None:
        reason = _OTHER.get(path.name) or _OTHER.get(path.suffix.lower())
        what = reason or "not a tokenizer file, by its name and its first bytes"
        raise FormatError(f"{path}: {what} (supported: {SUPPORTED})")
    return kind


def _kind_by_name(path: Path) -> Kind | None:
    name = path.name.lower()
    if "tekken" in name and name.endswith(".json"):
        return "tekken"
    if name.endswith(".tiktoken"):
        return "tiktoken"
    if name.endswith(".gguf"):
        return "gguf"
    if _SENTENCEPIECE_NAME.search(name):
        return "sentencepiece"
    return "gpt2" if gpt2_files(path) else None


def _kind_by_head(head: bytes) -> Kind | None:
    if head.startswith(GGUF_MAGIC):
        return "gguf"
    if is_clip_merges(head):
        return "clip"
    if _TEKKEN_START.match(head):
        return "tekken"
    if head.lstrip().startswith(b"{"):
        return "huggingface"
    if _RANK_LINE.match(head):
        return "tiktoken"
    # The first entry of a SentencePiece model is its first piece, which its type and length begin.
    return "sentencepiece" if re.match(rb"\n[\x05-\x40]\n", head) else None


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return unpacked_head(file.read(_HEAD_BYTES))
    except FileNotFoundError as error:
        raise FormatError(f"{path}: no such file or folder") from error
    except (OSError, ValueError) as error:  # ValueError: a name no file can have
        raise FormatError(f"{path}: cannot be read: {error}") from error
