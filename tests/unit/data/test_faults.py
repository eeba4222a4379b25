"""A corrupt shard among many: named, and an error or skipped."""

import gzip
import random
from pathlib import Path

import pytest

from bytepair.data import read_chunks
from bytepair.errors import ArgumentError, BytepairWarning, CorpusError
from bytepair.model import Chunk

LETTERS = random.Random(7)


def shards(folder: Path, broken: bytes, name: str) -> list[Path]:
    """Three files, the one in the middle as given."""
    paths = [folder / "a.txt", folder / name, folder / "c.txt"]
    for path, content in zip(paths, (b"first", broken, b"last"), strict=True):
        path.write_bytes(content)
    return paths


def test_a_file_that_is_cut_short_gives_what_can_be_read(tmp_path: Path, read_documents) -> None:
    """Its document ends where it can no longer be read; the files behind it come as always."""
    text = bytes(LETTERS.choices(range(97, 123), k=300_000))
    paths = shards(tmp_path, gzip.compress(text)[:-90_000], "b.txt.gz")
    with pytest.raises(CorpusError, match=r"b\.txt\.gz: damaged or cut short"):
        read_documents(paths, block_bytes=1000)
    with pytest.warns(BytepairWarning, match=r"b\.txt\.gz: damaged.*rest of the file is skipped"):
        documents = read_documents(paths, block_bytes=1000, on_error="skip")
    assert (documents[0], documents[2]) == (b"first", b"last")
    assert len(documents) == 3
    assert text.startswith(documents[1])
    assert 100_000 < len(documents[1]) < 300_000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("b.txt.gz", b"no gzip"),
        ("b.jsonl", b'{"text": "good"}\n{"text": 7}\n{"text": "late"}\n'),
        ("b.jsonl", b'{"text": "good"}\n{"te'),
        ("b.jsonl.gz", gzip.compress(b'{"text": "good"}\n' * 9)[:-9]),
    ],
    ids=["no-gzip", "no-string", "half-a-record", "no-end"],
)
def test_records_before_a_fault_count(
    tmp_path: Path, read_documents, name: str, content: bytes
) -> None:
    """The fault is named with file and, in records, line."""
    paths = shards(tmp_path, content, name)
    with pytest.raises(CorpusError, match=name):
        read_documents(paths)
    with pytest.warns(BytepairWarning, match=name) as caught:
        documents = read_documents(paths, on_error="skip")
    assert len(caught) == 1
    assert (documents[0], documents[-1]) == (b"first", b"last")
    assert set(documents[1:-1]) <= {b"good", b""}
    assert b"good" in documents or "jsonl" not in name


def test_a_file_that_grows_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    """Records may have been read or not: whoever resumes would count others."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "one"}\n{"text": "two"}\n', encoding="utf-8")

    def read(on_error) -> list[bytes]:
        data = []
        for chunk in read_chunks(path, on_error=on_error):
            assert isinstance(chunk, Chunk)
            data.append(chunk.data)
            if len(data) == 1:
                path.write_text('{"text": "one"}\n{"text": "two"}\n\n', encoding="utf-8")
        return data

    with pytest.raises(CorpusError, match=r"a\.jsonl: was written to while it was read"):
        read("fail")
    path.write_text('{"text": "one"}\n{"text": "two"}\n', encoding="utf-8")
    with pytest.warns(BytepairWarning, match="was written to while it was read"):
        assert read("skip") == [b"one", b"two"]


def test_other_ways_to_go_on_do_not_exist() -> None:
    """Refused at once."""
    with pytest.raises(ArgumentError, match="on_error must be 'fail' or 'skip', got 'ignore'"):
        read_chunks(["a"], on_error="ignore")  # type: ignore[call-overload]
