"""Opening: what a path holds, and what to say if it is nothing we know."""

import json

import pytest

import foreign
from bytepair import formats
from bytepair.errors import ArgumentError, FormatError, InputTypeError, MissingExtraError
from bytepair.model import BYTE_TO_CHAR

SUPPORTED = r"\(supported: tokenizer\.json, bytepair\.json, tekken\.json, x\.tiktoken, vocab"


@pytest.mark.parametrize("name", ["nowhere", "x.json", "x.tiktoken", "x.gguf", "a/b", "nul\0"])
def test_a_missing_file_is_a_format_error(name, tmp_path):
    """Also under a folder that does not exist, and with a name no file can have."""
    with pytest.raises(FormatError, match=r"no such file or folder|cannot be read"):
        formats.read(tmp_path / name)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([], "the folder is empty"),
        (["config.json", "vocab.txt"], "found vocab.txt; a WordPiece vocabulary is not BPE"),
        (["a", "b"], r"no tokenizer that is known in this folder \(it holds: a, b\)"),
        (["a.tiktoken", "b.tiktoken"], r"\(it holds: a.tiktoken, b.tiktoken\)"),
        (["merges.txt"], r"\(it holds: merges.txt\)"),
        (list("abcdefg"), r"\(it holds: a, b, c, d, e, …\)"),
    ],
    ids=["empty", "wordpiece", "other", "two", "half", "many"],
)
def test_a_folder_without_a_tokenizer_says_what_is_there(files, message, tmp_path):
    """Whoever chose the wrong folder sees it at once."""
    for name in files:
        (tmp_path / name).touch()
    with pytest.raises(FormatError, match=message) as caught:
        formats.read(tmp_path)
    assert caught.match(SUPPORTED)


@pytest.mark.parametrize(
    "names",
    [
        ["tokenizer.json", "tekken.json", "tokenizer.model", "vocab.json", "merges.txt"],
        ["tekken.json", "tokenizer.model", "x.gguf"],
        ["spiece.model", "vocab.json", "merges.txt"],
        ["x.tiktoken", "config.json"],
        ["tokenizer.model.v3"],
        ["x.gguf", "a.txt"],
        ["vocab.json", "merges.txt", "config.json"],
    ],
)
def test_a_folder_is_read_by_its_most_telling_file(names, tmp_path):
    """Models are published with the same tokenizer in several forms."""
    for name in names:
        (tmp_path / name).write_bytes(b"?")
    with pytest.raises((FormatError, MissingExtraError)) as caught:
        formats.read(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / names[0]}:")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("vocab.txt", "a WordPiece vocabulary is not BPE"),
        ("x.pkl", "a pickle can run any program when it is opened, and is never read"),
        ("tokenizer", "not a tokenizer file, by its name and its first bytes"),
    ],
)
def test_a_foreign_file_is_called_by_its_name(name, message, tmp_path):
    """And what can be read is named."""
    (tmp_path / name).touch()
    with pytest.raises(FormatError, match=message) as caught:
        formats.read(tmp_path / name)
    assert caught.match(SUPPORTED)


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer.model", "x.tiktoken"])
def test_a_pointer_of_git_lfs_is_called_so(name, tmp_path):
    """What a clone without that extension has in place of large files."""
    text = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match="a Git LFS pointer, not the file itself"):
        formats.read(tmp_path / name)


@pytest.mark.parametrize("name", ["x", "x.bin", "x.txt"])
def test_a_kind_is_seen_by_the_first_bytes_where_the_name_says_nothing(
    name, hf_file, rank_lines, tmp_path
):
    """Caches name files by their hashes."""
    path = tmp_path / name
    path.write_text(json.dumps(hf_file), encoding="utf-8")
    assert len(formats.read(path).merges) == 3
    path.write_bytes(b"\n".join(rank_lines))
    assert len(formats.read(path, pattern="gpt2").merges) == 1
    path.write_bytes(foreign.sentencepiece_model(byte_fallback=True))
    assert len(formats.read(path).vocabulary.byte_ids) == 256
    tokens = [*BYTE_TO_CHAR, "ab"]
    foreign.write_gguf(path, "gpt2", tokens, merges=["a b"], tokenizer_pre="gpt-2")
    assert len(formats.read(path).vocabulary) == 257


@pytest.mark.parametrize("extra", [{"pattern": "gpt2"}, {"special_tokens": {}}])
def test_a_file_with_its_own_rules_takes_no_others(extra, hf_file, save):
    """Two patterns for one tokenizer are a mistake, whichever would win."""
    with pytest.raises(ArgumentError, match=f"has its own {next(iter(extra))}"):
        formats.read(save(hf_file), **extra)


def test_an_unreadable_file_is_a_format_error(tmp_path, monkeypatch):
    """Simulated: a test that runs as root may read everything."""

    def fail(_):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "tokenizer.json").touch()
    monkeypatch.setattr("pathlib.Path.read_bytes", fail)
    with pytest.raises(FormatError, match=r"cannot be read: .*Permission denied"):
        formats.read(tmp_path)


def test_reading_opens_no_socket(hf_file, rank_lines, save, tmp_path, monkeypatch):
    """Loading from a path works in places without a network."""

    def fail(*_, **__):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr("socket.socket", fail)
    (tmp_path / "x.tiktoken").write_bytes(b"\n".join(rank_lines))
    formats.write(formats.read(save(hf_file)), tmp_path / "out")
    formats.write(formats.read(tmp_path / "x.tiktoken", pattern="gpt2"), tmp_path / "y.tiktoken")
    (tmp_path / "x.model").write_bytes(foreign.sentencepiece_model())
    formats.read(tmp_path / "x.model")
    tokens, merges = [*BYTE_TO_CHAR, "ab"], ["a b"]
    foreign.write_gguf(tmp_path / "x.gguf", "gpt2", tokens, merges=merges, tokenizer_pre="gpt-2")
    formats.read(tmp_path / "x.gguf")


def test_a_changed_file_is_read_again(rank_lines, tmp_path):
    """No cache by path: the second reading sees the second content."""
    path = tmp_path / "x.tiktoken"
    path.write_bytes(b"\n".join(rank_lines))
    assert len(formats.read(path, pattern="gpt2").vocabulary) == 257
    path.write_bytes(b"\n".join(rank_lines[:256]))
    assert len(formats.read(path, pattern="gpt2").vocabulary) == 256


@pytest.mark.parametrize("path", [3, None, ["mine"], b"mine"])
def test_what_is_no_path_is_refused_with_its_type(path, spec):
    """By `read` and `write` alike, in words of this package."""
    for use in (formats.read, lambda path: formats.write(spec, path)):
        with pytest.raises(InputTypeError, match=r"^path: expected str or os\.PathLike, got"):
            use(path)


def test_the_empty_name_is_no_folder(spec, tmp_path, monkeypatch):
    """A variable that was never set must not load whatever lies in the current folder."""
    formats.write(spec, tmp_path)
    monkeypatch.chdir(tmp_path)
    for use in (formats.read, lambda path: formats.write(spec, path)):
        with pytest.raises(ArgumentError, match="the empty string names nothing"):
            use("")
