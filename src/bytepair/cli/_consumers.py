"""The libraries that files are written for, each asked for the ids of one text."""

import importlib
import json
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bytepair.cli._peers import LibraryError, answers, installed_version
from bytepair.formats import Format

Encode = Callable[[str], list[int]]


@dataclass(frozen=True)
class Consumer:
    """A library that has loaded a file.

    Attributes:
        name: as it is installed, with its version.
        encode: ids of a text, without what stands around it.
        finds_special: special tokens in a text are found, and are not taken for text.
    """

    name: str
    encode: Encode
    finds_special: bool


def package_of(kind: Format) -> str:
    """The package on PyPI that reads a format."""
    return _PACKAGES[kind]


def consumer_of(kind: Format, path: Path) -> Consumer | None:
    """The library that the format is of, with the file that was written; None: not installed.

    Raises:
        LibraryError: it does not take the file.
    """
    name = package_of(kind)
    if (version := installed_version(name)) is None:
        return None
    with answers():
        return Consumer(f"{name} {version}", _LOADERS[kind](path), kind not in _SPECIAL_IS_TEXT)


def _huggingface(path: Path) -> Encode:
    tok = importlib.import_module("tokenizers").Tokenizer.from_file(str(path))
    return lambda text: _ids(tok.encode(text, add_special_tokens=False))


def _ids(encoding: Any) -> list[int]:
    ids: list[int] = encoding.ids
    return ids


def _tiktoken(path: Path) -> Encode:
    lines = (line.split() for line in path.read_bytes().splitlines())
    sidecar = json.loads(Path(f"{path}.json").read_text(encoding="utf-8"))
    tok = importlib.import_module("tiktoken").Encoding(
        "converted",
        pat_str=sidecar["pat_str"],
        mergeable_ranks={b64decode(token): int(rank) for token, rank in lines},
        special_tokens=sidecar["special_tokens"],
    )

    def encode(text: str) -> list[int]:
        ids: list[int] = tok.encode(text, allowed_special="all")
        return ids

    return encode


def _gpt2(path: Path) -> Encode:
    tokenizers = importlib.import_module("tokenizers")
    tok = tokenizers.ByteLevelBPETokenizer(str(path), str(path.with_name("merges.txt")))
    config = json.loads(path.with_name("tokenizer_config.json").read_text(encoding="utf-8"))
    for token in config["added_tokens_decoder"].values():
        added = tokenizers.AddedToken(**token)
        tok.add_special_tokens([added]) if added.special else tok.add_tokens([added])
    return lambda text: _ids(tok.encode(text, add_special_tokens=False))


def _tekken(path: Path) -> Encode:
    module = importlib.import_module("mistral_common.tokens.tokenizers.tekken")
    tok = module.Tekkenizer.from_file(path)

    def encode(text: str) -> list[int]:
        ids: list[int] = tok.encode(text, bos=False, eos=False)
        return ids

    return encode


def _sentencepiece(path: Path) -> Encode:
    module = importlib.import_module("sentencepiece")
    tok = module.SentencePieceProcessor(model_file=str(path))

    def encode(text: str) -> list[int]:
        ids: list[int] = tok.encode(text)
        return ids

    return encode


def _llama_cpp(path: Path) -> Encode:
    module = importlib.import_module("llama_cpp")
    tok = module.Llama(str(path), vocab_only=True, verbose=False)

    def encode(text: str) -> list[int]:
        ids: list[int] = tok.tokenize(text.encode(), add_bos=False, special=True)
        return ids

    return encode


_PACKAGES: dict[Format, str] = {
    "huggingface": "tokenizers",
    "tiktoken": "tiktoken",
    "gpt2": "tokenizers",
    "tekken": "mistral-common",
    "gguf": "llama-cpp-python",
    "sentencepiece": "sentencepiece",
}
_LOADERS: dict[Format, Callable[[Path], Encode]] = {
    "huggingface": _huggingface,
    "tiktoken": _tiktoken,
    "gpt2": _gpt2,
    "tekken": _tekken,
    "gguf": _llama_cpp,
    "sentencepiece": _sentencepiece,
}
_SPECIAL_IS_TEXT: tuple[Format, ...] = ("tekken", "sentencepiece")

__all__ = ["Consumer", "LibraryError", "consumer_of", "package_of"]
