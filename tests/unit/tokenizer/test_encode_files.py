"""`encode_files`: what it refuses before it reads. Its ids: tests/unit/engines."""

import gzip
from pathlib import Path

import pytest

from bytepair.errors import ArgumentError, CorpusError, InputTypeError
from bytepair.tokenizer import Tokenizer


@pytest.mark.parametrize("separator", [3, ["\n"], 0])
def test_a_separator_is_text(tok: Tokenizer, separator: object) -> None:
    """Zero too, which is as false as None."""
    with pytest.raises(InputTypeError, match=r"^separator: expected str or bytes, got"):
        tok.encode_files([], separator=separator)  # type: ignore[arg-type]  # the point


@pytest.mark.parametrize("separator", ["", b""])
def test_an_empty_separator_is_refused(tok: Tokenizer, separator: str | bytes) -> None:
    """As by training: None says that each file is one document."""
    with pytest.raises(ArgumentError, match="separator must not be empty"):
        tok.encode_files([], separator=separator)


@pytest.mark.parametrize("name", ["a.gz", "a.GZ", "a.zst", "a.zstd"])
def test_a_compressed_file_is_not_encoded_as_it_lies(
    tok: Tokenizer, name: str, tmp_path: Path
) -> None:
    """Training unpacks such files: ids of the packed bytes would be a silent surprise."""
    (tmp_path / name).write_bytes(gzip.compress(b"the dog"))
    with pytest.raises(CorpusError, match=rf"{name}: is compressed"):
        tok.encode_files(tmp_path / name)


def test_a_pattern_of_names_is_called_so(tok: Tokenizer, tmp_path: Path) -> None:
    """Training takes patterns; files encoded row by row are named one by one."""
    (tmp_path / "a.txt").write_text("the dog", encoding="utf-8")
    with pytest.raises(CorpusError, match="glob patterns are not looked into"):
        tok.encode_files(tmp_path / "*.txt")
