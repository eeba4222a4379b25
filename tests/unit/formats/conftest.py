"""Tokenizer files made by hand, small enough to read."""

import base64
import json
from collections.abc import Callable
from pathlib import Path

import pytest

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
