"""A corrupt shard among many: named, and an error or skipped."""

import gzip
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bytepair.data import Skips, read_chunks
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
        ("b.jsonl", b'{"text": "good"}\n{"te'),
        ("b.jsonl.gz", gzip.compress(b'{"text": "good"}\n' * 9)[:-9]),
    ],
    ids=["no-gzip", "half-a-record", "no-end"],
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


def test_one_corrupt_shard_among_thousands_is_named(tmp_path: Path, read_documents) -> None:
    """All the others count; nobody has to look for it."""
    for number in range(2000):
        (tmp_path / f"{number:04}.txt").write_bytes(b"good")
    (tmp_path / "1234.txt.gz").write_bytes(b"no gzip")
    with pytest.raises(CorpusError, match=r"1234\.txt\.gz: damaged"):
        read_documents(tmp_path)
    with pytest.warns(BytepairWarning, match=r"1234\.txt\.gz: damaged") as caught:
        assert read_documents(tmp_path, on_error="skip") == [b"good"] * 2000
    assert len(caught) == 1


BAD_LINES = [
    b'{"text": 7}',
    b'{"text": null}',
    b'{"other": "x"}',
    b'{"te',
    b'{"text": "\xff"}',
    b"[" * 100_000,
    b"\0",
]


def test_a_bad_line_costs_no_other(tmp_path: Path, read_documents) -> None:
    """One warning a file says how many they were; each is named with its line and its fault."""
    good = b'{"text": "good"}\n'
    content = b"".join(good + line + b"\n" for line in BAD_LINES) + good
    paths = shards(tmp_path, content, "b.jsonl")
    with pytest.raises(CorpusError, match=r"b\.jsonl:2: field 'text' holds a number"):
        read_documents(paths)
    skips = Skips()
    with pytest.warns(BytepairWarning, match=r"b\.jsonl:2: .*This and 6 more") as caught:
        documents = read_documents(paths, on_error="skip", skips=skips)
    assert documents == [b"first", *[b"good"] * 8, b"last"]
    assert [one.where for one in skips.named] == [f"{paths[1]}:{n}" for n in range(2, 15, 2)]
    assert "not UTF-8" in skips.named[4].problem
    assert (len(caught), skips.n) == (1, 7)


def test_a_null_and_a_damaged_row_group_cost_no_other_rows(tmp_path: Path, read_documents) -> None:
    """Where a file can be read on behind its damage, it is."""
    path = tmp_path / "a.parquet"
    rows = ["one", None, "three", "four", "five", "six"]
    pq.write_table(pa.table({"text": rows}), path, row_group_size=2, compression="snappy")
    start = pq.ParquetFile(path).metadata.row_group(1).column(0).data_page_offset
    data = bytearray(path.read_bytes())
    data[start : start + 12] = b"\xff" * 12
    path.write_bytes(data)
    skips = Skips()
    with pytest.warns(BytepairWarning, match=r"row 2: no text: .* This and 1 more"):
        documents = read_documents(path, on_error="skip", skips=skips)
    assert documents == [b"one", b"five", b"six"]
    assert [one.where for one in skips.named] == [f"{path}: row 2", f"{path}: row 3"]
    assert "row group 1, rows 3 to 4: damaged" in skips.named[1].problem


def test_names_of_what_is_skipped_are_bounded(tmp_path: Path) -> None:
    """A column of nulls must not fill the memory; the number is exact all the same."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": null}\n' * (Skips.MOST + 5))
    skips = Skips()
    with pytest.warns(BytepairWarning, match="This and 1,004 more of the file are skipped"):
        assert list(read_chunks(path, on_error="skip", skips=skips)) == []
    assert (skips.n, len(skips.named)) == (Skips.MOST + 5, Skips.MOST)


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
