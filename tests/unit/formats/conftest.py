"""Tokenizer files made by hand, small enough to read."""

import base64
import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bytepair import formats
from bytepair.model import BYTE_TO_CHAR, MergeTable, SplitRules, TokenizerSpec, Vocabulary

Json = dict[str, object]


def _byte_level(**step: object) -> Json:
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True} | step


@pytest.fixture
def hf_file() -> Json:
    """A byte-level `tokenizer.json`: 256 bytes, he (256), ll (257), hell (258), <s> (259)."""
    vocab = {char: byte for byte, char in enumerate(BYTE_TO_CHAR)}
    vocab |= {"he": 256, "ll": 257, "hell": 258}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": 259, "content": "<s>", "special": True}],
        "normalizer": None,
        "pre_tokenizer": _byte_level(use_regex=True),
        "post_processor": None,
        "decoder": _byte_level(),
        "model": {"type": "BPE", "vocab": vocab, "merges": [["h", "e"], ["l", "l"], ["he", "ll"]]},
    }


@pytest.fixture
def save(tmp_path: Path) -> Callable[[object], Path]:
    """Writes a value as a `tokenizer.json` in a folder named "mine"; gives back its path."""

    def save(value: object) -> Path:
        path = tmp_path / "mine" / "tokenizer.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")
        return path

    return save


@pytest.fixture
def chars_file(hf_file) -> Json:
    """As `hf_file`, with characters for symbols: <unk> (0), a, b, c, ▁ (1 to 4), ab (5), ▁c (6)."""
    vocab = {"<unk>": 0, "a": 1, "b": 2, "c": 3, "▁": 4, "ab": 5, "▁c": 6}
    model = {"type": "BPE", "unk_token": "<unk>", "vocab": vocab}
    model["merges"] = [["a", "b"], ["▁", "c"]]
    return hf_file | {"model": model, "pre_tokenizer": None, "decoder": {"type": "Fuse"}}


@pytest.fixture
def fallback_file(hf_file) -> Json:
    """Fallback bytes (0 to 255), a (256), é (257), aé (258)."""
    vocab = {f"<0x{byte:02X}>": byte for byte in range(256)} | {"a": 256, "é": 257, "aé": 258}
    model = {"type": "BPE", "byte_fallback": True, "vocab": vocab, "merges": ["a é"]}
    decoder = {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]}
    return hf_file | {"model": model, "decoder": decoder, "pre_tokenizer": None}


def at(document: Json, path: str, value: object) -> Json:
    """A copy of `document` with the member at `path` ("model.vocab") set."""
    document = copy.deepcopy(document)
    *parents, last = path.split(".")
    place: Any = document
    for key in parents:
        place = place[int(key) if key.isdigit() else key]
    place[int(last) if last.isdigit() else last] = value
    return document


@pytest.fixture
def read_with(save) -> Callable[..., TokenizerSpec]:
    """Reads a file with some members set: `read_with(file, {"model.vocab.x": 9})`."""

    def read_with(file: Json, members: Json) -> TokenizerSpec:
        for path, value in members.items():
            file = at(file, path, value)
        return formats.read(save(file))

    return read_with


@pytest.fixture
def again(tmp_path: Path) -> Callable[[TokenizerSpec], TokenizerSpec]:
    """Writes a specification and reads it back."""

    def again(spec: TokenizerSpec) -> TokenizerSpec:
        formats.write(spec, tmp_path / spec.name)
        return formats.read(tmp_path / spec.name)

    return again


@pytest.fixture
def rank_lines() -> list[bytes]:
    """The lines of a rank file with the 256 bytes (rank = byte) and `ab` (256)."""
    tokens = [*(bytes([byte]) for byte in range(256)), b"ab"]
    return [b"%s %d" % (base64.b64encode(token), rank) for rank, token in enumerate(tokens)]


@pytest.fixture
def spec() -> TokenizerSpec:
    """A byte-level tokenizer: ab (256), abc (257); pre-tokens are runs of letters, and gaps."""
    tokens = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab", 257: b"abc"}
    merges = MergeTable.from_merges([(97, 98, 256), (256, 99, 257)])
    return TokenizerSpec(Vocabulary(tokens, tuple(range(256))), merges, SplitRules("[a-z]+"))
