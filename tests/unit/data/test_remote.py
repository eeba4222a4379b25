import gzip
import pickle

import pytest

import bytepair
from bytepair.data import Place, RemotePath, corpus_files, input_path, read_chunks, read_records
from bytepair.errors import CorpusError, MissingExtraError
from bytepair.model import Chunk

fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def memory():
    """Fsspec's file system in memory, empty again afterwards."""
    filesystem = fsspec.filesystem("memory")
    yield filesystem
    filesystem.store.clear()
    filesystem.pseudo_dirs[:] = [""]


def _put(memory, **content_by_name):
    for name, content in content_by_name.items():
        memory.pipe(f"/corpus/{name.replace('_', '.')}", content)


def test_url_is_read_like_a_file(memory):
    """Compressed or not, whatever it is called there."""
    _put(memory, a_txt=b"one", b_jsonl_gz=gzip.compress(b'{"text": "two"}\n{"text": "3"}'))
    assert list(read_chunks("memory://corpus/a.txt")) == [Chunk(b"one")]
    chunks = read_chunks([RemotePath("memory://corpus/b.jsonl.gz")])
    assert list(chunks) == [Chunk(b"two"), Chunk(b"3")]


def test_parquet_is_read_where_it_lies(memory):
    """Columns of it; nothing is copied to this machine first."""
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow as pa

    with memory.open("/corpus/a.parquet", "wb") as stream:
        parquet.write_table(pa.table({"text": ["x", "y"]}), stream)
    assert list(read_chunks("memory://corpus/a.parquet")) == [Chunk(b"x"), Chunk(b"y")]


@pytest.mark.parametrize("url", ["memory://corpus", "memory://corpus/*.txt"])
def test_folders_and_patterns_are_looked_up(memory, url):
    """In the order of their names, hidden ones left out."""
    _put(memory, b_txt=b"2", a_txt=b"1")
    memory.pipe("/corpus/.hidden", b"no")
    files = corpus_files(url)
    assert [str(file) for file in files] == ["memory:///corpus/a.txt", "memory:///corpus/b.txt"]
    assert [chunk.data for chunk in read_chunks(url)] == [b"1", b"2"]


def test_reading_goes_on_from_a_place(memory):
    """A stream that cannot seek would have to be read anew."""
    _put(memory, a_txt=b"one--two--three")
    files = corpus_files("memory://corpus/a.txt")
    records = list(read_records(files, Place(), separator=b"--"))
    assert list(read_records(files, records[1].place, separator=b"--")) == records[1:]


def test_training_reads_urls(memory):
    """One door for all: what can be sharded can be trained on."""
    _put(memory, a_txt=b"low lower lowest " * 9)
    tok = bytepair.train("memory://corpus/a.txt", vocab_size=258, special_tokens=[])
    assert tok.vocab_size == 258


def test_missing_url_is_named(memory):
    """With what the server said."""
    with pytest.raises(CorpusError, match=r"memory://corpus/none\.txt: cannot be read"):
        list(read_chunks("memory://corpus/none.txt"))
    with pytest.raises(CorpusError, match="no file there"):
        list(read_chunks("memory://corpus/*.txt"))


def test_missing_packages_are_named(monkeypatch):
    """Fsspec itself, or what it needs for this kind of URL."""
    with pytest.raises(MissingExtraError, match="another package"):
        list(read_chunks("abfs://container/a.txt"))
    monkeypatch.setitem(__import__("sys").modules, "fsspec.core", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'bytepair\[data\]'"):
        list(read_chunks("s3://bucket/a.txt"))


def test_remote_path_is_a_value():
    """It lies in lists, sets and pickles as a Path does; `Path` itself would take it apart."""
    path = input_path("s3://bucket/a/b.jsonl.gz?versionId=1")
    assert (path.name, path.suffix, path.stem) == ("b.jsonl.gz", ".gz", "b.jsonl")
    assert pickle.loads(pickle.dumps(path)) == path
    assert str(input_path("a/b.txt")) == "a/b.txt"
