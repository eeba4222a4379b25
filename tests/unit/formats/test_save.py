"""Saving: which files appear, and what is there after a disk has failed."""

import errno
import os
from dataclasses import replace

import pytest

from bytepair import formats
from bytepair.errors import ArgumentError, ExportError, SaveError
from bytepair.model import AddedToken, CharMap, Prepend, SplitRules, TrainingRecord, WordEnds


def everything_in(folder):
    """Relative paths of all there is."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("new/folder", ["tokenizer.json", "tokenizer_config.json", "training.json"]),
        ("new/x.json", ["x.json"]),
        ("new/x.tiktoken", ["x.tiktoken", "x.tiktoken.json"]),
    ],
)
def test_the_files_written_are_given_back(name, files, spec, tmp_path):
    """Missing folders are made; nothing else appears."""
    spec = replace(spec, training=TrainingRecord())
    paths = formats.write(spec, tmp_path / name)
    assert [path.name for path in paths] == files
    assert all(path.is_file() for path in paths)
    assert [p for p in everything_in(tmp_path) if (tmp_path / p).is_file()] == sorted(
        path.relative_to(tmp_path).as_posix() for path in paths
    )


def test_a_single_file_leaves_its_neighbours_alone(spec, tmp_path):
    """A training record beside it may belong to another tokenizer."""
    (tmp_path / "training.json").write_text("{}", encoding="utf-8")
    formats.write(spec, str(tmp_path / "x.json"))
    assert everything_in(tmp_path) == ["training.json", "x.json"]


@pytest.mark.parametrize("name", ["new/deep/folder", "new/x.json", "new/x.tiktoken"])
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_nothing(name, call, spec, tmp_path, monkeypatch):
    """Neither a file, nor half of one, nor the folders made for it."""

    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(SaveError, match="No space left on device"):
        formats.write(spec, tmp_path / name)
    assert everything_in(tmp_path) == []


def test_a_full_disk_leaves_what_was_there(spec, tmp_path, monkeypatch):
    """The old tokenizer is whole."""
    formats.write(spec, tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}

    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(SaveError):
        formats.write(replace(spec, ignore_merges=True), tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("name", ["file/x", "file/x/y.json", "file/y.tiktoken", "file"])
def test_a_file_in_the_way_is_reported(name, spec, tmp_path):
    """A folder cannot be made where a file is."""
    (tmp_path / "file").write_bytes(b"kept")
    with pytest.raises(SaveError, match="cannot be made a folder"):
        formats.write(spec, tmp_path / name, None)
    assert (tmp_path / "file").read_bytes() == b"kept"


def test_a_folder_that_may_not_be_written_is_reported(spec, tmp_path, monkeypatch):
    """Simulated: a test that runs as root may write everywhere."""

    def fail(*_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("tempfile.mkstemp", fail)
    with pytest.raises(SaveError, match="Permission denied"):
        formats.write(spec, tmp_path / "x.tiktoken")
    assert everything_in(tmp_path) == []


def test_a_refusal_comes_before_anything_is_written(spec, tmp_path):
    """Not even the folder."""
    with pytest.raises(ExportError):
        formats.write(replace(spec, decoder=(WordEnds(),)), tmp_path / "new")
    with pytest.raises(ArgumentError):
        formats.write(spec, tmp_path / "new", "pickle")
    assert everything_in(tmp_path) == []


@pytest.mark.parametrize("name", ["x", "x.tiktoken"])
@pytest.mark.parametrize(
    ("added", "message"),
    [
        ([("<s>", 300), ("<s>", 301)], "the added token '<s>', or its id 300, appears twice"),
        ([("<s>", 300), ("<t>", 300)], "the added token '<s>', or its id 300, appears twice"),
        ([("<s>", 256)], "id 256 is given to both the added token '<s>' and b'ab'"),
    ],
    ids=["two-ids", "one-id", "taken"],
)
def test_added_tokens_that_could_not_be_read_back_are_refused(name, added, message, spec, tmp_path):
    """The same rules as for reading: no file leaves here that would not come in again."""
    tokens = tuple(AddedToken(content, number) for content, number in added)
    with pytest.raises(ExportError) as caught:
        formats.write(replace(spec, added_tokens=tokens), tmp_path / name)
    assert message in str(caught.value)
    assert everything_in(tmp_path) == []


def test_what_only_sentencepiece_can_say_is_refused(spec, tmp_path):
    """Symbols that are found in normalised text as they stand, and character maps."""
    symbol = AddedToken("  ", 300, special=False, normalized=True, verbatim=True)
    spaces = SplitRules(normalizer=(Prepend(" "),))
    with pytest.raises(ExportError, match="which no format but SentencePiece's own can say"):
        formats.write(replace(spec, rules=spaces, added_tokens=(symbol,)), tmp_path / "x")
    with pytest.raises(ExportError, match="cannot express SentencePiece's character map"):
        formats.write(replace(spec, rules=SplitRules(normalizer=(CharMap(()),))), tmp_path / "x")
    formats.write(replace(spec, added_tokens=(symbol,)), tmp_path / "x")


def test_a_name_that_is_not_utf8_can_be_saved(spec, tmp_path):
    """Names come from folders, and these may hold any byte."""
    spec = replace(spec, name="caf\udce9", training=TrainingRecord())
    formats.write(spec, tmp_path / "x")
    formats.write(spec, tmp_path / "x.tiktoken")
    assert formats.read(tmp_path / "x").name == formats.read(tmp_path / "x.tiktoken").name
    assert formats.read(tmp_path / "x").name == "caf\udce9"
