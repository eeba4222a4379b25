"""What lands in the shards; the oracle is `Tokenizer.encode`, one document at a time."""

import gzip
import json
import threading
from itertools import pairwise

import numpy as np
import pytest

import bytepair
from bytepair.data import open_shards
from bytepair.errors import ArgumentError, CorpusError, InputTypeError

FORMATS = ["flat", "llmc", "megatron", "parquet", "datatrove"]


def _lists(shards):
    return [document.tolist() for document in shards]


@pytest.mark.parametrize("layout", FORMATS)
@pytest.mark.parametrize("shard_tokens", [1, 40, 100_000])
def test_every_document_is_there_in_order(tok, corpus, texts, tmp_path, layout, shard_tokens):
    """Whatever the shards' size: also one that every document passes."""
    shards = bytepair.shard(tok, corpus, tmp_path / "out", format=layout, shard_tokens=shard_tokens)
    assert _lists(shards) == [tok.encode(text) for text in texts]
    assert len(shards) == len(texts)
    assert shards.n_tokens == sum(tok.count_batch(texts))


@pytest.mark.parametrize(("bos", "eos"), [(None, "</s>"), ("<s>", None), ("<s>", "</s>")])
def test_documents_begin_and_end_as_asked(tok, corpus, texts, tmp_path, bos, eos):
    """Each exactly once, empty documents too."""
    shards = bytepair.shard(tok, corpus, tmp_path / "out", bos=bos, eos=eos, shard_tokens=50)
    first, last = ([] if t is None else [tok.special_tokens[t]] for t in (bos, eos))
    assert _lists(shards) == [first + tok.encode(text) + last for text in texts]
    assert (shards.bos, shards.eos) == (first[0] if first else None, last[0] if last else None)


def test_shards_are_as_full_as_whole_documents_allow(tok, corpus, texts, tmp_path):
    """The stated rule, worked out here: a document that does not fit begins the next shard, and
    one that is longer than a shard has one to itself.
    """
    shards = bytepair.shard(tok, corpus, tmp_path / "out", shard_tokens=60)
    expected = [[]]
    for size in tok.count_batch(texts):
        if expected[-1] and sum(expected[-1]) + size > 60:
            expected.append([])
        expected[-1].append(size)
    found = [np.diff(shards.shard(n).offsets).tolist() for n in range(shards.n_shards)]
    assert found == expected
    assert [sum(sizes) > 60 for sizes in found].count(True) == 1


@pytest.mark.parametrize("shuffle", [None, 7])
def test_bytes_do_not_depend_on_threads_or_batches(
    tok, corpus, tmp_path, contents, shuffle, monkeypatch
):
    """A cluster, a laptop, another version's batches: the same data set."""
    options = {"eos": "</s>", "shard_tokens": 50, "shuffle": shuffle}
    bytepair.shard(tok, corpus, tmp_path / "a", threads=1, **options)
    bytepair.shard(tok, corpus, tmp_path / "b", threads=8, **options)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    monkeypatch.setattr("bytepair.sharding._part._BATCH_BYTES", 100)
    bytepair.shard(tok, corpus, tmp_path / "c", **options)
    ids = {name: data for name, data in contents(tmp_path / "a").items() if name[0] != "_"}
    assert ids.items() <= contents(tmp_path / "c").items()


def test_shuffling_moves_documents_within_their_window(tok, corpus, texts, tmp_path):
    """All of them stay; another seed gives another order, the same one the same."""
    orders = {}
    for seed in (0, 1):
        shards = bytepair.shard(
            tok, corpus, tmp_path / str(seed), shuffle=10, seed=seed, shard_tokens=70
        )
        orders[seed] = _lists(shards)
        for start in range(0, len(texts), 10):
            window = [tok.encode(text) for text in texts[start : start + 10]]
            assert sorted(orders[seed][start : start + 10]) == sorted(window)
    assert orders[0] != orders[1]
    again = bytepair.shard(tok, corpus, tmp_path / "2", shuffle=10, shard_tokens=99)
    assert _lists(again) == orders[0]


def test_texts_are_cut_at_the_separator(tok, texts, tmp_path):
    """As `encode_files` does it, which is the oracle here; each file of a folder in turn."""
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text("---".join(texts), encoding="utf-8")
    (folder / "b.txt").write_text("", encoding="utf-8")
    (folder / "c.txt").write_text("one---two---", encoding="utf-8")
    shards = bytepair.shard(tok, folder, tmp_path / "out", separator="---", shard_tokens=80)
    ids, offsets = tok.encode_files(sorted(folder.iterdir()), separator="---")
    assert _lists(shards) == [ids[a:b].tolist() for a, b in pairwise(offsets)]


@pytest.mark.parametrize("layout", FORMATS)
@pytest.mark.parametrize("shard_tokens", [30, 200, 100_000])
def test_long_document_is_read_in_parts(tok, tmp_path, monkeypatch, texts, layout, shard_tokens):
    """A text larger than memory: here parts are of 50 bytes, and the result is the same."""
    parted = texts[:8]
    file = tmp_path / "a.txt"
    file.write_text("---".join(parted), encoding="utf-8")
    options = {"separator": "---", "bos": "<s>", "eos": "</s>", "shard_tokens": shard_tokens}
    whole = bytepair.shard(tok, file, tmp_path / "whole", format=layout, **options)
    _read_in_parts_of(monkeypatch, 50)
    parts = bytepair.shard(tok, file, tmp_path / "parts", format=layout, **options)
    assert _lists(parts) == [[278, *tok.encode(text), 279] for text in parted]
    facts = [(one.n_tokens, one.files) for one in whole.manifest.shards]
    assert [(one.n_tokens, one.files) for one in parts.manifest.shards] == facts


def _read_in_parts_of(monkeypatch, n_bytes):
    import bytepair.sharding._part as module

    read = module.read_records
    monkeypatch.setattr(module, "read_records", lambda *a, **o: read(*a, **o, whole_bytes=n_bytes))


def test_special_tokens_in_documents_are_text_unless_allowed(tok, tmp_path):
    """What somebody wrote must not end a document by itself."""
    file = tmp_path / "a.txt"
    file.write_text("low</s>", encoding="utf-8")
    (plain,) = bytepair.shard(tok, file, tmp_path / "a")
    (special,) = bytepair.shard(tok, file, tmp_path / "b", allow_special=True)
    assert plain.tolist() == tok.encode_ordinary("low</s>")
    assert special.tolist() == tok.encode("low</s>", allowed_special="all")


def test_all_kinds_of_files_give_the_same_shards(tok, corpus, texts, tmp_path, zstd):
    """JSONL plain and packed, Parquet, Arrow: what differs is only how it is stored."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"text": texts})
    pq.write_table(table, tmp_path / "a.parquet")
    with pa.ipc.new_stream(str(tmp_path / "a.arrow"), table.schema) as writer:
        writer.write_table(table)
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(corpus.read_bytes()))
    (tmp_path / "a.jsonl.zst").write_bytes(zstd.compress(corpus.read_bytes()))
    wanted = bytepair.shard(tok, corpus, tmp_path / "out", shard_tokens=50).manifest.shards
    for name in ("a.parquet", "a.arrow", "a.jsonl.gz", "a.jsonl.zst"):
        shards = bytepair.shard(tok, tmp_path / name, tmp_path / f"{name}-out", shard_tokens=50)
        assert [one.files for one in shards.manifest.shards] == [one.files for one in wanted]


def test_parts_have_whole_files_and_shards_of_their_own(tok, tmp_path):
    """What several machines can share: no part needs to know where the one before ended."""
    for n in range(5):
        (tmp_path / f"{n}.txt").write_text("low " * (n + 1), encoding="utf-8")
    files = sorted(tmp_path.glob("*.txt"))
    for parts in range(1, 6):
        shards = bytepair.shard(tok, files, tmp_path / f"out{parts}", parts=parts)
        assert shards.n_shards == parts
        assert _lists(shards) == [tok.encode("low " * (n + 1)) for n in range(5)]
    with pytest.raises(ArgumentError, match="parts=6, and 5 files"):
        bytepair.shard(tok, files, tmp_path / "out6", parts=6)


def test_two_bytes_an_id_is_not_taken_for_a_large_vocabulary(tmp_path):
    """65,536 would become 0. The largest id counts, not the number of tokens."""
    spec = bytepair.train(["low"] * 9, vocab_size=258).spec
    from dataclasses import replace

    from bytepair.model import AddedToken

    tok = bytepair.Tokenizer(replace(spec, added_tokens=(AddedToken("<end>", 70_000),)))
    (tmp_path / "a.txt").write_text("low", encoding="utf-8")
    shards = bytepair.shard(tok, tmp_path / "a.txt", tmp_path / "out", eos="<end>")
    assert (shards.dtype.name, shards[0].tolist()) == ("uint32", [*tok.encode("low"), 70_000])
    with pytest.raises(ArgumentError, match="too small"):
        bytepair.shard(tok, tmp_path / "a.txt", tmp_path / "b", dtype="uint16")
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"eos": "<|end|>"}, r"eos='<\|end\|>': no special token of 'bytepair'.*'<s>', '</s>'"),
        ({"bos": "low"}, r"bos='low': no special token"),
        ({"format": "npy"}, "format must be one of flat, llmc, megatron, parquet, datatrove"),
        ({"shard_tokens": 0}, "shard_tokens must be a whole number of 1 or more"),
        ({"format": "llmc", "shard_tokens": 1 << 31}, "holds at most 2,147,483,647"),
        ({"shuffle": 0}, "shuffle must be"),
        ({"seed": -1}, "seed must be"),
        ({"separator": ""}, "separator must be"),
        ({"on_error": "ignore"}, "on_error must be 'fail' or 'skip'"),
        ({"parts": 0}, "parts must be"),
        ({"dtype": "int64"}, "flat shards have uint16 or uint32"),
    ],
)
def test_option_that_cannot_be_right_is_refused_at_once(tok, corpus, tmp_path, options, message):
    """Before a folder is made, not after hours of work."""
    with pytest.raises(ArgumentError, match=message):
        bytepair.shard(tok, corpus, tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


def test_only_files_can_be_sharded(tok, tmp_path):
    """Documents in memory cannot be read again when work is resumed."""
    for corpus in (["some text"], "-", iter([])):
        with pytest.raises(InputTypeError, match="shards are made from files"):
            bytepair.shard(tok, corpus, tmp_path / "out")
    with pytest.raises(InputTypeError, match="expected a Tokenizer"):
        bytepair.shard("gpt2", tmp_path, tmp_path / "out")


def test_progress_goes_from_nothing_to_all_of_it(tok, corpus, tmp_path):
    """In bytes as they are stored, so that the end is known from the beginning."""
    moments = []
    bytepair.shard(tok, corpus, tmp_path / "out", progress=moments.append)
    size = corpus.stat().st_size
    assert (moments[0].stage, moments[0].done, moments[0].total) == ("shard", 0, size)
    assert (moments[-1].done, moments[-1].unit) == (size, "bytes")


def test_error_of_the_callback_ends_the_work_and_its_threads(tok, corpus, tmp_path):
    """Ctrl-C comes in the same way: no thread may go on, nothing half-written may stay."""

    def fail(moment):
        raise RuntimeError("enough")

    n_threads = threading.active_count()
    with pytest.raises(RuntimeError, match="enough"):
        bytepair.shard(tok, corpus, tmp_path / "out", progress=fail)
    assert threading.active_count() == n_threads
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["_manifest.json"]


def test_no_document_at_all_is_an_error(tok, tmp_path):
    """An empty data set is a mistake in a path or a field, found when training begins."""
    (tmp_path / "a.jsonl").write_text(json.dumps({"other": 1}), encoding="utf-8")
    with pytest.raises(CorpusError, match="no document was left to write: all 1 had to be skipped"):
        bytepair.shard(tok, tmp_path / "a.jsonl", tmp_path / "out", on_error="skip")


def test_documents_that_are_all_empty_are_still_documents(tok, tmp_path):
    """A file without a byte cannot be mapped, and is read all the same."""
    (tmp_path / "a.jsonl").write_text('{"text": ""}\n' * 3, encoding="utf-8")
    shards = bytepair.shard(tok, tmp_path / "a.jsonl", tmp_path / "out")
    assert _lists(open_shards(tmp_path / "out")) == [[], [], []]
    assert shards.n_tokens == 0
