"""Bytes written out by hand from what each format's own readers expect."""

import hashlib
import json
import struct
from itertools import pairwise

import numpy as np
import pyarrow.parquet as pq
import pytest

from bytepair.data.shards import LAYOUTS, ShardOptions
from bytepair.errors import ArgumentError

DOCUMENTS = [[1, 2, 299], [], [7, 299]]
IDS = [1, 2, 299, 7, 299]
U16 = bytes.fromhex("0100 0200 2b01 0700 2b01")
U32 = bytes.fromhex("01000000 02000000 2b010000 07000000 2b010000")
ENDS = bytes.fromhex("0300000000000000 0300000000000000 0500000000000000")
TYPES = [("flat", "<u2"), ("flat", "<u4"), ("llmc", "<u2"), ("megatron", "<u2")]
TYPES += [("megatron", "<i4"), ("datatrove", "<u2"), ("datatrove", "<u4"), ("parquet", "<i4")]


def _options(dtype):
    return ShardOptions(np.dtype(dtype), "tok", "ab12", 300, None, 299)


def _content(folder, name):
    return (folder / name).read_bytes()


@pytest.mark.parametrize(("dtype", "code", "ids"), [("<u2", 8, U16), ("<i4", 4, U32)])
def test_megatron_files_byte_for_byte(write, tmp_path, dtype, code, ids):
    """Magic, version 1, type, counts; then lengths, byte offsets and document borders."""
    write("megatron", DOCUMENTS, dtype)
    size = np.dtype(dtype).itemsize
    head = b"MMIDIDX\0\0" + bytes.fromhex("0100000000000000") + bytes([code])
    counts = struct.pack("<QQ", 3, 4)
    tables = struct.pack("<3i3q4q", 3, 0, 2, 0, 3 * size, 3 * size, 0, 1, 2, 3)
    assert _content(tmp_path, "s.bin") == ids
    assert _content(tmp_path, "s.idx") == head + counts + tables
    assert len(head + counts + tables) == 34 + 20 * 3 + 8


@pytest.mark.parametrize(("dtype", "ids"), [("<u2", U16), ("<u4", U32)])
def test_flat_files_byte_for_byte(write, tmp_path, dtype, ids):
    """Ids alone, an index of ends, and what one must know to map them."""
    write("flat", DOCUMENTS, dtype)
    assert _content(tmp_path, "s.bin") == ids
    assert _content(tmp_path, "s.bin.index") == ENDS
    assert json.loads(_content(tmp_path, "s.bin.json")) == {
        "dtype": {"<u2": "uint16", "<u4": "uint32"}[dtype],
        "n_tokens": 5,
        "n_documents": 3,
        "tokenizer": "tok",
        "tokenizer_sha256": "ab12",
        "n_vocab": 300,
        "bos": None,
        "eos": 299,
    }


@pytest.mark.parametrize(
    ("dtype", "head", "ids"),
    [("<u2", (20240520, 1, 5), U16), ("<u4", (20240801, 7, 5), U32)],
)
def test_llmc_file_byte_for_byte(write, tmp_path, dtype, head, ids):
    """A head of 256 int32, of which three say something."""
    write("llmc", DOCUMENTS, dtype)
    assert _content(tmp_path, "s.bin") == struct.pack("<3i", *head) + bytes(253 * 4) + ids
    assert _content(tmp_path, "s.bin.index") == ENDS


@pytest.mark.parametrize(("dtype", "size", "ids"), [("<u2", 2, U16), ("<u4", 4, U32)])
def test_datatrove_files_byte_for_byte(write, tmp_path, dtype, size, ids):
    """Ids, ends in ids, and three lines of which the last is for people."""
    write("datatrove", DOCUMENTS, dtype)
    assert _content(tmp_path, "s.ds") == ids
    assert _content(tmp_path, "s.ds.index") == ENDS
    assert _content(tmp_path, "s.ds.metadata") == f"tok|{size}\n5\n5.00 T".encode()


def test_parquet_has_a_row_of_int32_a_document(write, tmp_path):
    """As trainers of Hugging Face's read it; an empty document is an empty list, not null."""
    write("parquet", DOCUMENTS, "<i4")
    table = pq.read_table(tmp_path / "s.parquet")
    assert table.to_pydict() == {"input_ids": DOCUMENTS}
    assert str(table.schema.field("input_ids").type) == "list<element: int32>"


@pytest.mark.parametrize(("layout", "dtype"), TYPES)
@pytest.mark.parametrize("documents", [DOCUMENTS, [[]], [[], [5]]], ids=["some", "none", "first"])
def test_what_is_written_is_read(write, tmp_path, layout, dtype, documents):
    """Each document's ids, also where a file has none, which cannot be mapped."""
    write(layout, documents, dtype)
    ids, offsets = LAYOUTS[layout].read(tmp_path, "s", _options(dtype))
    rows = [ids[a:b].tolist() for a, b in pairwise(offsets.tolist())]
    assert rows == documents
    assert ids.dtype == np.dtype(dtype)


@pytest.mark.parametrize(("layout", "dtype"), TYPES)
def test_documents_in_parts_give_the_same_files(write, layout, dtype):
    """A document that is longer than memory is written as it comes."""
    documents = [document for document in DOCUMENTS if document]
    assert write(layout, documents, dtype) == write(layout, documents, dtype, cut=True)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_facts_are_those_of_the_files_and_nothing_else_is_left(write, tmp_path, layout):
    """Checksums that are not of what lies on disk are worth nothing."""
    facts = write(layout, DOCUMENTS, "<i4" if layout in ("parquet", "megatron") else "<u2")
    contents = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    found = {name: (len(c), hashlib.sha256(c).hexdigest()) for name, c in contents.items()}
    assert {name: (one.n_bytes, one.sha256) for name, one in facts.items()} == found


@pytest.mark.parametrize("layout", LAYOUTS)
def test_shard_that_is_given_up_leaves_nothing(tmp_path, layout):
    """Nor does anything half-written ever have the name of a shard."""
    writer = LAYOUTS[layout].writer(tmp_path, "s", _options("<i4" if "t" in layout else "<u2"))
    writer.write(np.array([1, 2], "<i4"), np.array([2], np.int64))
    assert all(path.name.startswith(".") for path in tmp_path.iterdir())
    writer.discard()
    assert list(tmp_path.iterdir()) == []


def test_many_row_groups_hold_all_rows(write, tmp_path, monkeypatch):
    """Rows go to disk by the million ids; here by the two."""
    monkeypatch.setattr("bytepair.data.shards._parquet._GROUP_TOKENS", 2)
    writer = LAYOUTS["parquet"].writer(tmp_path, "s", _options("<i4"))
    for document in DOCUMENTS:
        writer.write(np.array(document, "<i4"), np.array([len(document)], np.int64))
    writer.finish()
    file = pq.ParquetFile(tmp_path / "s.parquet")
    assert file.num_row_groups == 2
    assert file.read().to_pydict() == {"input_ids": DOCUMENTS}


@pytest.mark.parametrize(
    ("layout", "n_vocab", "expected"),
    [
        ("flat", 65_536, "uint16"),
        ("flat", 65_537, "uint32"),
        ("llmc", 65_536, "uint16"),
        ("megatron", 65_499, "uint16"),
        ("megatron", 65_500, "int32"),
        ("datatrove", 65_537, "uint32"),
        ("parquet", 300, "int32"),
    ],
)
def test_type_of_ids_is_the_smallest_that_holds_them(layout, n_vocab, expected):
    """An id that does not fit would become another one without a word; Megatron's own limit."""
    dtype = LAYOUTS[layout].dtype(n_vocab)
    assert (dtype.name, dtype.str[0]) == (expected, "<")


def test_type_that_is_too_small_is_refused():
    """70,000 would become 4,464."""
    with pytest.raises(ArgumentError, match=r"'uint16': too small.*up to 70,000"):
        LAYOUTS["flat"].dtype(70_001, "uint16")
    assert LAYOUTS["megatron"].dtype(65_536, "uint16").name == "uint16"
    assert LAYOUTS["flat"].dtype(300, "uint32").name == "uint32"


def test_type_that_a_layout_does_not_have_is_refused():
    """Megatron has no code for it: its reader would stop."""
    with pytest.raises(ArgumentError, match="megatron shards have uint16 or int32"):
        LAYOUTS["megatron"].dtype(300, "uint32")
