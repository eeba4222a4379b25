"""Documents that cannot be read or encoded: named with file and record, and left out if asked."""

import gzip
import json

import pytest

import bytepair
from bytepair.errors import CorpusError

GOOD = b'{"text": "low"}\n'


def _shard(tok, path, on_error="skip", **options):
    return bytepair.shard(tok, path, path.parent / "out", on_error=on_error, **options)


def _lists(shards):
    return [document.tolist() for document in shards]


@pytest.mark.parametrize(
    ("name", "content", "where", "problem"),
    [
        ("a.jsonl", GOOD + b'{"body": "x"}\n' + GOOD, "a.jsonl:2", "no field 'text'"),
        ("a.jsonl", GOOD + b'{"text": 7}\n' + GOOD, "a.jsonl:2", "holds a number, not a string"),
        ("a.jsonl", GOOD + b'{"text": null}\n' + GOOD, "a.jsonl:2", "holds null, not a string"),
        ("a.jsonl", GOOD + b'{"text": "caf\xe9"}\n' + GOOD, "a.jsonl:2", "not UTF-8"),
        ("a.jsonl", GOOD + b'{"text": "x\n' + GOOD, "a.jsonl:2", "not JSON"),
        ("a.txt", b"low---caf\xe9---low", "a.txt: document 2", "not UTF-8"),
    ],
)
def test_bad_document_fails_or_is_left_out(tok, tmp_path, name, content, where, problem):
    """By default nothing is lost without a word; if skipping is asked for, the manifest tells."""
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(CorpusError, match=problem) as caught:
        _shard(tok, path, "fail", separator="---")
    assert f"{tmp_path}/{where}:" in str(caught.value)
    assert "on_error='skip'" in caught.value.__notes__[0]
    (tmp_path / "out" / "_manifest.json").unlink()
    shards = _shard(tok, path, separator="---")
    assert _lists(shards) == [tok.encode("low")] * 2
    (skipped,) = shards.manifest.skipped
    assert skipped.where == f"{tmp_path}/{where}"
    assert problem in skipped.problem


def test_columns_and_rows_are_named(tok, tmp_path):
    """Of Parquet: a null, and a file whose column is another type among good ones."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = tmp_path / "in"
    folder.mkdir()
    pq.write_table(pa.table({"text": ["low", None, "low"]}), folder / "a.parquet")
    pq.write_table(pa.table({"text": [1, 2]}), folder / "b.parquet")
    pq.write_table(pa.table({"content": ["x"]}), folder / "c.parquet")
    shards = _shard(tok, folder)
    assert _lists(shards) == [tok.encode("low")] * 2
    assert [
        one.problem.removeprefix(f"{folder}/").partition(". ")[0] for one in _skipped(shards)
    ] == [
        "a.parquet: row 2: no text: column 'text' is null.",
        "b.parquet: column 'text' holds int64, not strings",
        "c.parquet: no column 'text'; this file has 'content'",
    ]


def _skipped(shards):
    return shards.manifest.skipped


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst"])
def test_file_that_was_cut_short_is_named(tok, tmp_path, zstd, name):
    """A download that broke off; half of its last document must not be taken for one."""
    lines = b"".join(json.dumps({"text": f"low {n}" * 9}).encode() + b"\n" for n in range(3_000))
    path = tmp_path / name
    path.write_bytes((zstd.compress if name.endswith("zst") else gzip.compress)(lines)[:-9])
    with pytest.raises(CorpusError, match=rf"{name}: damaged or cut short.*Line \d+ is cut short"):
        _shard(tok, path, "fail")
    (tmp_path / "out" / "_manifest.json").unlink()
    shards = _shard(tok, path, shard_tokens=20_000)
    assert len(_skipped(shards)) == 1
    texts = [f"low {n}" * 9 for n in range(len(shards))]
    assert _lists(shards) == tok.encode_batch(texts)


def test_file_that_cannot_be_opened_is_never_skipped(tok, tmp_path, monkeypatch):
    """A server that is away for a moment would cost its files without a word."""
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for file in files:
        file.write_text("low", encoding="utf-8")

    def remove(moment):
        files[1].unlink(missing_ok=True)

    monkeypatch.setattr("bytepair.sharding._part._BATCH_DOCUMENTS", 1)
    corpus = [files[0]] * 9 + [files[1]]
    with pytest.raises(CorpusError, match=r"b\.txt: cannot be read"):
        bytepair.shard(tok, corpus, tmp_path / "out", on_error="skip", progress=remove)


@pytest.fixture(scope="module")
def ascii_tok():
    """Knows the letters it has seen, and nothing else."""
    return bytepair.train(
        ["low lower"] * 9, vocab_size=10, alphabet="chars", byte_fallback=False, special_tokens=[]
    )


def test_character_without_a_token_is_a_problem_of_its_document(ascii_tok, tmp_path):
    """One of many in a batch: the others are encoded."""
    path = tmp_path / "a.jsonl"
    path.write_text(GOOD.decode() + '{"text": "lõw"}\n' + GOOD.decode(), encoding="utf-8")
    with pytest.raises(CorpusError, match=r"a\.jsonl:2: "):
        _shard(ascii_tok, path, "fail")
    (tmp_path / "out" / "_manifest.json").unlink()
    shards = _shard(ascii_tok, path)
    assert _lists(shards) == [ascii_tok.encode("low")] * 2
    assert "a.jsonl:2: " in _skipped(shards)[0].problem


@pytest.mark.parametrize("bad", ["õ", "\udcff"], ids=["no-token", "not-utf8"])
@pytest.mark.parametrize("at", [0, 25, 70, 95])
@pytest.mark.parametrize("shard_tokens", [10, 60, 1_000])
def test_problem_in_a_long_document_leaves_nothing_of_it(
    ascii_tok, tmp_path, monkeypatch, bad, at, shard_tokens
):
    """Parts of it may have gone to a shard of their own already, or lie in memory."""
    import bytepair.sharding._part as module

    read = module.read_records
    monkeypatch.setattr(module, "read_records", lambda *a, **o: read(*a, **o, whole_bytes=20))
    long = "low " * at + bad + "low" * 20
    path = tmp_path / "a.txt"
    path.write_text(f"low---{long}---lower", encoding="utf-8", errors="surrogateescape")
    shards = _shard(ascii_tok, path, separator="---", shard_tokens=shard_tokens)
    assert _lists(shards) == [ascii_tok.encode("low"), ascii_tok.encode("lower")]
    assert [one.where for one in _skipped(shards)] == [f"{path}: document 2"]


@pytest.mark.parametrize("layout", ["megatron", "llmc"])
def test_document_longer_than_a_format_can_say_is_a_problem(tok, tmp_path, monkeypatch, layout):
    """2**31 ids in earnest, five here."""
    from dataclasses import replace

    import bytepair.sharding._part as module
    from bytepair.data.shards import LAYOUTS

    read = module.read_records
    monkeypatch.setattr(module, "read_records", lambda *a, **o: read(*a, **o, whole_bytes=9))
    small = replace(LAYOUTS[layout], max_document=5, max_shard=5)
    monkeypatch.setitem(LAYOUTS, layout, small)
    path = tmp_path / "a.txt"
    path.write_text("low---" + "low wide " * 9 + "---low", encoding="utf-8")
    shards = _shard(tok, path, separator="---", format=layout, shard_tokens=5)
    assert _lists(shards) == [tok.encode("low")] * 2
    assert "document 2: has more than 4 ids" in _skipped(shards)[0].problem


def test_what_was_skipped_is_told_once_however_often_work_was_resumed(tok, tmp_path, contents):
    """Batches are read again from their beginning; their problems are not counted again."""
    path = tmp_path / "a.jsonl"
    path.write_bytes((GOOD * 3 + b"bad\n" + GOOD * 2 + b"null\n") * 5 + b"bad\n")
    options = {"shard_tokens": 5, "on_error": "skip"}
    shards = bytepair.shard(tok, path, tmp_path / "out", **options)
    assert len(_skipped(shards)) == 11
    whole = contents(tmp_path / "out")
    for number in range(shards.n_shards):
        (tmp_path / "out" / f"shard_00000_{number:05d}.bin").unlink()
        bytepair.shard(tok, path, tmp_path / "out", resume=True, **options)
        assert contents(tmp_path / "out") == whole
