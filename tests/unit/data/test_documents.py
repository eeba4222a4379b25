import os
from pathlib import Path

import numpy as np
import pytest

from bytepair.data import read_chunks
from bytepair.errors import ArgumentError, InputTypeError
from bytepair.model import Chunk


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory: a.txt, b.txt and sub/."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "b.txt"):
        Path(name).write_bytes(b"content")
    Path("sub").mkdir()
    return tmp_path


def generated(items):
    yield from items


def keys(items):
    return dict.fromkeys(items).keys()


@pytest.mark.parametrize("make", [list, tuple, iter, generated, keys, np.array])
def test_items_of_any_iterable_are_documents(make):
    """Lists, generators, views and arrays alike: one whole document an item."""
    assert list(read_chunks(make(["x", "yz"]))) == [Chunk(b"x"), Chunk(b"yz")]


def test_str_is_encoded_and_bytes_pass_as_they_are():
    """Lone surrogates become U+FFFD and pairs join; bytes may be anything at all."""
    items = ["é", b"\xff\0", "\ud83d\ude00", "a\ud800", "\ufeffb\r\n"]
    expected = [b"\xc3\xa9", b"\xff\0", b"\xf0\x9f\x98\x80", b"a\xef\xbf\xbd", b"\xef\xbb\xbfb\r\n"]
    assert [chunk.data for chunk in read_chunks(items)] == expected


def test_empty_items_stay_documents():
    """Rows of a result must line up with the items of the input."""
    assert list(read_chunks(["", b"", "x"])) == [Chunk(b""), Chunk(b""), Chunk(b"x")]


def test_empty_iterable_gives_no_chunk():
    """Whether an empty corpus is an error is for the stage that needs one to say."""
    assert list(read_chunks([])) == []
    assert list(read_chunks(iter(()))) == []


def test_items_are_taken_one_by_one():
    """A stream of unknown length must not be collected first."""
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield "not a file name"

    chunks = read_chunks(endless())
    assert next(chunks) == next(chunks) == Chunk(b"not a file name")
    assert len(taken) <= 3


@pytest.mark.parametrize("item", [None, 7, ["a"], {"text": "a"}, 1.5, bytearray(b"a")], ids=repr)
@pytest.mark.parametrize("index", [0, 2])
def test_item_of_another_type_is_named_with_its_index(item, index):
    """Data sets have null rows; ending the corpus there would train on part of it."""
    items = ["x", b"y", "z"]
    items.insert(index, item)
    with pytest.raises(InputTypeError, match=f"item {index} is {type(item).__name__}, wanted str"):
        list(read_chunks(items))


def test_path_among_documents_is_refused(folder):
    """Reading it would mix what was meant as a text with what was meant as a file."""
    with pytest.raises(InputTypeError, match=r"item 1 is a path, 'a\.txt', among documents"):
        list(read_chunks(["some text", Path("a.txt")]))


def test_exception_of_the_generator_comes_through_unchanged():
    """It is the caller's own, with the caller's own traceback."""
    error = OSError(5, "the disk under the generator")

    def failing():
        yield "x"
        raise error

    chunks = read_chunks(failing())
    assert next(chunks) == Chunk(b"x")
    with pytest.raises(OSError, match="under the generator") as caught:
        next(chunks)
    assert caught.value is error


@pytest.mark.parametrize(
    "names",
    [["a.txt"], ["a.txt", "b.txt"], ["sub"], ["*.txt", "sub"], ["./a.txt", "**/b.txt"]],
    ids=" ".join,
)
@pytest.mark.parametrize("make", [list, tuple, iter, generated])
def test_strings_that_all_name_files_are_refused_before_any_chunk(folder, names, make):
    """Training on the names instead of the files would look like success."""
    chunks = read_chunks(make(names))
    with pytest.raises(ArgumentError, match=r"ambiguous.*Path\(p\) for p in.*encode\(\) for s in"):
        next(chunks)


@pytest.mark.parametrize(
    "items",
    [["a.txt", "once upon a time"], ["missing.txt"], ["*.md"], ["what?"], ["a.txt", ""]],
    ids=" ".join,
)
def test_strings_that_do_not_all_name_files_are_documents(folder, items):
    """One word of a corpus may happen to be the name of a file."""
    assert [chunk.data.decode() for chunk in read_chunks(items)] == items


def test_both_remedies_for_ambiguous_strings_work(folder, read_documents):
    """What the message says to write does what it says."""
    names = ["a.txt", "b.txt"]
    assert read_documents([Path(name) for name in names]) == [b"content", b"content"]
    assert read_documents([name.encode() for name in names]) == [b"a.txt", b"b.txt"]


@pytest.mark.parametrize(
    "text",
    ["a\0*", "\ud800*", "*" * 100_000, "*/" * 2000, "/**\n * comment\n */", "**/\0"],
    ids=["nul", "surrogate", "long", "deep", "comment", "nul-recursive"],
)
def test_text_no_file_system_accepts_is_a_document(folder, text):
    """Asking whether a text is a path must not fail on what no path can be."""
    (chunk,) = read_chunks([text])
    assert chunk.data.decode() == text.replace("\ud800", "\ufffd")


def test_list_of_path_objects_is_never_ambiguous(folder, read_documents):
    """Any object with `__fspath__` says that it is a path."""

    class Place(os.PathLike):
        def __fspath__(self):
            return "a.txt"

    assert read_documents([Place()]) == [b"content"]
