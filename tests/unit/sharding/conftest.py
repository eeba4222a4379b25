import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import bytepair

TEXT = "low lower lowest, and the new one is newer: wider than the widest low one. "


@pytest.fixture(scope="session")
def tok() -> bytepair.Tokenizer:
    """280 tokens, the last of which are `<s>` and `</s>`."""
    return bytepair.train([TEXT * 9], vocab_size=280, special_tokens=["<s>", "</s>"])


@pytest.fixture
def texts() -> list[str]:
    """Documents of many lengths: empty, short, with other scripts, one longer than a shard."""
    long = TEXT * 12
    return ["", "low", TEXT, "lower\n", long, "", "é中文 one", *(TEXT[n:] for n in range(30))]


@pytest.fixture
def corpus(tmp_path: Path, texts: Sequence[str]) -> Path:
    """`texts` as a JSONL file."""
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    return path


@pytest.fixture
def contents() -> Callable[[Path], dict[str, bytes]]:
    """Name -> bytes of the files of a folder, subfolders too."""

    def of(folder: Path) -> dict[str, bytes]:
        paths = (path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}

    return of
