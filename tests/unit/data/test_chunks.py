import gzip
import io
import math
import os
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair.data import corpus_files, corpus_size, read_chunks
from bytepair.errors import ArgumentError, CorpusError, InputTypeError
from bytepair.model import Chunk, TextFile


@pytest.mark.parametrize(
    "content",
    [b"a\r\nb\rc\n", b"\xef\xbb\xbfmarked", b"a\0b", b"\xff\xfe\xc3", b"no newline"],
    ids=["crlf", "byte-order-mark", "nul", "not-utf8", "no-final-newline"],
)
def test_text_file_comes_through_byte_for_byte(tmp_path, content):
    """A reader that translates newlines or drops marks gives ids no other tool gives."""
    file = tmp_path / "a.txt"
    file.write_bytes(content)
    assert list(read_chunks(file)) == [Chunk(content)]


@given(content=st.binary(max_size=40), block_bytes=st.integers(1, 12))
def test_blocks_join_to_the_file_and_only_the_final_one_is_last(
    tmp_path_factory, content, block_bytes
):
    """Also when the size is a multiple of the block: an extra end would split a pre-token."""
    file = tmp_path_factory.mktemp("blocks") / "a.txt"
    file.write_bytes(content)
    chunks = list(read_chunks(file, block_bytes=block_bytes))
    n_blocks = math.ceil(len(content) / block_bytes)
    assert b"".join(chunk.data for chunk in chunks) == content
    assert [chunk.is_last for chunk in chunks] == [False] * (n_blocks - 1) + [True] * bool(content)
    assert all(0 < len(chunk.data) <= block_bytes for chunk in chunks)


def test_files_in_place_are_those_that_need_no_work_to_be_text(tmp_path):
    """Compressed files and records are read all the same, and an empty file is no document."""
    (tmp_path / "a.txt").write_bytes(b"as it is")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"packed"))
    (tmp_path / "c.jsonl").write_bytes(b'{"text": "record"}\n')
    (tmp_path / "d.txt").write_bytes(b"")
    expected = [TextFile(tmp_path / "a.txt", 8), Chunk(b"packed"), Chunk(b"record")]
    for corpus in (tmp_path, iter(sorted(tmp_path.iterdir()))):
        assert list(read_chunks(corpus, in_place=True)) == expected
    assert list(read_chunks(["text"], in_place=True)) == [Chunk(b"text")]


def test_file_of_exactly_two_blocks_ends_once(tmp_path):
    """The case a reader that stops at a short block gets wrong."""
    file = tmp_path / "a.txt"
    file.write_bytes(b"abcdef")
    assert list(read_chunks(file, block_bytes=3)) == [Chunk(b"abc", False), Chunk(b"def", True)]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no file there has size 0")
@pytest.mark.parametrize("in_place", [False, True])
def test_file_whose_size_is_said_to_be_zero_is_read(in_place):
    """The files of /proc are made while they are read."""
    (chunk,) = read_chunks("/proc/self/status", in_place=in_place)
    assert chunk.data.startswith(b"Name:")


def test_empty_file_is_no_document(tmp_path):
    """Nothing was written, so nothing is counted; files around it stay separate."""
    for name, content in {"a.txt": b"a", "b.txt": b"", "c.txt": b"c"}.items():
        (tmp_path / name).write_bytes(content)
    assert list(read_chunks(tmp_path)) == [Chunk(b"a"), Chunk(b"c")]


def test_default_block_is_four_mebibytes(tmp_path):
    """The bound on memory that the documentation states."""
    file = tmp_path / "a.txt"
    file.write_bytes(b"x" * (4 * 1024 * 1024 + 1))
    assert [len(chunk.data) for chunk in read_chunks(file)] == [4 * 1024 * 1024, 1]


@pytest.mark.parametrize("block_bytes", [0, -1])
def test_block_size_below_one_is_refused(tmp_path, block_bytes):
    """A size of 0 would read nothing and call the corpus empty; -1 would read it whole."""
    with pytest.raises(ArgumentError, match=f"block_bytes is {block_bytes}"):
        read_chunks(tmp_path, block_bytes=block_bytes)


def test_paths_are_looked_up_in_the_call(tmp_path):
    """A wrong name is reported before any work has begun."""
    with pytest.raises(CorpusError):
        read_chunks(tmp_path / "missing.txt")


def test_suffix_decides_what_a_file_is(tmp_path, read_documents):
    """One list may hold text and records; each file is read by its own rule."""
    text, records = tmp_path / "a.txt", tmp_path / "b.jsonl"
    text.write_bytes(b'{"text": "x"}\n')
    records.write_bytes(b'{"text": "x"}\n{"text": "y"}\n')
    assert read_documents([text, records]) == [b'{"text": "x"}\n', b"x", b"y"]


def test_file_named_twice_is_read_twice(tmp_path, read_documents):
    """Repeating a file is a way to give it weight."""
    file = tmp_path / "a.txt"
    file.write_bytes(b"a")
    assert read_documents((file, file)) == [b"a", b"a"]


def test_iterator_of_paths_is_read_like_a_list(tmp_path, read_documents):
    """`folder.glob("*.txt")` is an iterator, and its first path must not get lost."""
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(name.encode())
    assert read_documents(iter(sorted(tmp_path.glob("*.txt")))) == [b"a.txt", b"b.txt"]


def test_str_among_paths_is_refused(tmp_path):
    """The name would otherwise be trained on as if it were a text."""
    file = tmp_path / "a.txt"
    file.write_bytes(b"a")
    with pytest.raises(InputTypeError, match=r"item 1 is str among paths.*Path\(\.\.\.\)"):
        read_chunks([file, "b.txt"])


@pytest.mark.parametrize("corpus", [b"text", bytearray(b"text"), memoryview(b"text")])
def test_bytes_given_directly_are_refused_with_the_remedy(corpus):
    """They could be a path or a document, and iterating them gives numbers."""
    with pytest.raises(InputTypeError, match=r"put documents in a list, \[data\]"):
        read_chunks(corpus)


def test_mapping_is_refused_with_the_remedy():
    """Iterating it would train on its keys without a word."""
    with pytest.raises(InputTypeError, match=r"dict cannot be read.*corpus\.values\(\)"):
        read_chunks({"train": "a text"})


@pytest.mark.parametrize("corpus", [None, 7, 1.5], ids=["None", "int", "float"])
def test_what_is_no_corpus_is_refused_by_type(corpus):
    """The message names what came and what was wanted."""
    with pytest.raises(InputTypeError, match=f"{type(corpus).__name__} cannot be read.*a path"):
        read_chunks(corpus)


def test_dash_reads_standard_input_as_one_document(monkeypatch):
    """`-` is what pipes are called; the bytes are not decoded on the way."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"a\r\n\xff\0bc")))
    chunks = list(read_chunks("-", block_bytes=3))
    assert chunks == [Chunk(b"a\r\n", False), Chunk(b"\xff\0b", False), Chunk(b"c", True)]


def test_dash_as_path_is_a_file_of_that_name(tmp_path, monkeypatch):
    """Only the bare string means standard input, so a file called `-` can still be read."""
    monkeypatch.chdir(tmp_path)
    Path("-").write_bytes(b"dash")
    assert list(read_chunks(Path("-"))) == [Chunk(b"dash")]


@pytest.mark.parametrize("stdin", [None, io.StringIO("text")], ids=["none", "text-only"])
def test_standard_input_without_bytes_is_an_error(monkeypatch, stdin):
    """Windowed programs have no standard input, notebooks one that gives only text."""
    monkeypatch.setattr(sys, "stdin", stdin)
    with pytest.raises(CorpusError, match="standard input"):
        list(read_chunks("-"))


def test_standard_input_that_fails_is_named(monkeypatch):
    """A pipe can break; the user is told which of the inputs it was."""
    broken = SimpleNamespace(read=lambda _: (_ for _ in ()).throw(OSError(5, "Input/output error")))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=broken))
    with pytest.raises(CorpusError, match="standard input: cannot be read: Input/output error"):
        list(read_chunks("-"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_named_pipe_is_read_when_given_itself(tmp_path):
    """Shells hand `<(command)` over as the path of a pipe."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"from a pipe",), daemon=True)
    writer.start()
    assert list(read_chunks(pipe)) == [Chunk(b"from a pipe")]
    writer.join()
    assert corpus_size(pipe) is None


def test_corpus_files_lists_what_is_read_and_is_itself_a_corpus(tmp_path, read_documents):
    """So a program can look the files up once, print them and read exactly these."""
    for name in ("b.txt", "a.txt", "c[1].txt"):
        (tmp_path / name).write_bytes(name.encode())
    files = corpus_files(tmp_path)
    assert files == [tmp_path / name for name in ("a.txt", "b.txt", "c[1].txt")]
    assert read_documents(files) == [b"a.txt", b"b.txt", b"c[1].txt"]


def test_corpus_files_is_none_for_what_has_no_files(tmp_path):
    """Looking into an iterator would take items out of it, so it is left alone."""
    paths = iter([tmp_path])
    assert [corpus_files(corpus) for corpus in (["text"], [b"x"], [], "-", paths)] == [None] * 5
    assert next(paths) == tmp_path


def test_corpus_size_is_the_number_of_bytes_read(tmp_path):
    """Progress needs the total that the chunks will add up to."""
    (tmp_path / "a.txt").write_bytes(b"a" * 1000)
    (tmp_path / "b.txt").write_bytes(b"\xff" * 24)
    assert corpus_size(tmp_path) == 1024
    assert corpus_size([tmp_path / "b.txt"] * 2) == 48


@pytest.mark.parametrize("name", ["a.txt.gz", "a.jsonl", "a.ndjson.zst"])
def test_corpus_size_is_unknown_where_disk_and_text_differ(tmp_path, name):
    """A bar that ends at 30 % or 300 % is worse than none."""
    (tmp_path / "plain.txt").write_bytes(b"a")
    (tmp_path / name).write_bytes(b"x")
    assert corpus_size(tmp_path) is None


def test_corpus_size_is_unknown_for_documents():
    """They are counted as they come."""
    assert corpus_size(["a", "b"]) is None
    assert corpus_size("-") is None
