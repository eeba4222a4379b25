"""Shards in the hands of those for whom they are made, and files as their own writers make them."""

import json
from itertools import accumulate

import pytest

import bytepair
from bytepair.data import open_shards, read_chunks

TEXTS = [
    "low lower",
    "",
    "lowest",
    "low " * 60,
    "é中文",
    "one more",
    *("low " * n for n in range(20)),
]


@pytest.fixture(scope="module")
def tok():
    """With `<end>` as its last token."""
    return bytepair.train(
        ["low lower lowest"] * 9, vocab_size=262, special_tokens=["<end>"], name="tok"
    )


@pytest.fixture
def sharded(tok, tmp_path):
    """Shard `TEXTS`; gives the folder and the documents' ids."""
    corpus = tmp_path / "a.jsonl"
    lines = [json.dumps({"text": text}) + "\n" for text in TEXTS]
    corpus.write_text("".join(lines), encoding="utf-8")

    def make(layout, eos="<end>", **options):
        bytepair.shard(tok, corpus, tmp_path / "out", format=layout, eos=eos, **options)
        end = [] if eos is None else [261]
        return tmp_path / "out", [tok.encode(text) + end for text in TEXTS]

    return make


@pytest.mark.parametrize("dtype", ["uint16", "int32"])
@pytest.mark.parametrize("eos", ["<end>", None])
def test_megatron_reads_and_writes_the_same(sharded, consumer, tmp_path, dtype, eos):
    """megatron-core's IndexedDataset and its builder; without an end there are empty documents."""
    folder, documents = sharded("megatron", eos, dtype=dtype)
    (read,) = consumer("megatron", folder, "shard_00000_00000")
    assert read == [[documents, documents], list(range(len(documents) + 1)), dtype]
    consumer("megatron_writes", tmp_path, dtype, json.dumps(documents))
    for suffix in (".bin", ".idx"):
        ours = folder / f"shard_00000_00000{suffix}"
        assert ours.read_bytes() == (tmp_path / f"theirs{suffix}").read_bytes()


def test_megatron_reads_every_shard(sharded, consumer):
    """Also one that is a single document, longer than a shard."""
    folder, documents = sharded("megatron", shard_tokens=40)
    n_shards = open_shards(folder).n_shards
    assert n_shards > 5
    stems = [f"shard_00000_{number:05d}" for number in range(n_shards)]
    read = [documents[0] for documents, *_ in consumer("megatron", folder, *stems)]
    assert [document for shard in read for document in shard] == documents


@pytest.mark.parametrize(("dtype", "size"), [("uint16", 2), ("uint32", 4)])
def test_datatrove_reads_and_writes_the_same(sharded, consumer, tmp_path, dtype, size):
    """Windows as nanotron takes them, and the files byte for byte."""
    folder, documents = sharded("datatrove", dtype=dtype)
    path = folder / "shard_00000_00000.ds"
    read = consumer("datatrove", path, size, 7)
    flat = [token for document in documents for token in document]
    starts = range(0, len(flat) - 7, 8)
    assert read["windows"] == [flat[start : start + 8] for start in starts]
    assert read["ends"] == list(accumulate(map(len, documents)))
    consumer("datatrove_writes", tmp_path, size, json.dumps(documents))
    for suffix in ("", ".index", ".metadata"):
        theirs = (tmp_path / f"theirs.ds{suffix}").read_bytes()
        assert path.with_name(path.name + suffix).read_bytes() == theirs


@pytest.mark.parametrize("shard_tokens", [50, 100_000])
def test_datasets_loads_a_folder_of_parquet(sharded, consumer, shard_tokens):
    """As it is, whatever else lies in it."""
    folder, documents = sharded("parquet", shard_tokens=shard_tokens)
    read = consumer("datasets_reads", folder)
    assert read["input_ids"] == documents
    assert "int32" in read["type"]


def test_data_set_that_datasets_saved_is_read(consumer, tmp_path):
    """A dictionary of splits, each in several Arrow files: all of it, sorted by path."""
    consumer("datasets_writes", tmp_path / "saved", json.dumps(TEXTS))
    texts = [chunk.data.decode() for chunk in read_chunks(tmp_path / "saved")]
    half = len(TEXTS) // 2
    assert texts == [*TEXTS[half:], *TEXTS[:half]]


def test_torch_maps_ids_without_a_copy(sharded, consumer):
    """A tensor of the file's own memory."""
    folder, documents = sharded("flat")
    read = consumer("torch_reads", folder / "shard_00000_00000.bin")
    assert read == {"first": 7, "dtype": "torch.uint16", "n": sum(map(len, documents))}
