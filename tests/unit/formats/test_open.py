"""Opening: what a path holds, and what to say if it is nothing we know."""

import pytest

from bytepair import formats
from bytepair.errors import ArgumentError, FormatError

SUPPORTED = r"\(supported: a folder with a tokenizer\.json, a \.json file of that kind, or a \.tik"


@pytest.mark.parametrize("name", ["nowhere", "x.json", "x.tiktoken", "x.gguf", "a/b", "nul\0"])
def test_a_missing_file_is_a_format_error(name, tmp_path):
    """Also under a folder that does not exist, and with a name no file can have."""
    with pytest.raises(FormatError, match=r"no such file|cannot be read|not a tokenizer file"):
        formats.read(tmp_path / name, pattern="gpt2" if "tiktoken" in name else None)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([], "the folder is empty"),
        (["vocab.json", "merges.txt"], "found merges.txt; vocab.json and merges.txt of GPT-2"),
        (["config.json", "tokenizer.model"], "found tokenizer.model; a SentencePiece model"),
        (["a", "b"], r"no tokenizer.json in this folder \(it holds: a, b\)"),
        (list("abcdefg"), r"\(it holds: a, b, c, d, e, …\)"),
    ],
    ids=["empty", "gpt2", "sentencepiece", "other", "many"],
)
def test_a_folder_without_a_tokenizer_says_what_is_there(files, message, tmp_path):
    """Whoever chose the wrong folder sees it at once."""
    for name in files:
        (tmp_path / name).touch()
    with pytest.raises(FormatError, match=message) as caught:
        formats.read(tmp_path)
    assert caught.match(SUPPORTED)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("x.gguf", "a GGUF model is not supported yet"),
        ("x.model", "a SentencePiece model is not supported yet"),
        ("tekken.json", "a tekken tokenizer is not supported yet"),
        ("merges.txt", "vocab.json and merges.txt of GPT-2 is not supported yet"),
        ("tokenizer", "not a tokenizer file by its name"),
    ],
)
def test_a_foreign_file_is_called_by_its_name(name, message, tmp_path):
    """And what can be read is named."""
    (tmp_path / name).touch()
    with pytest.raises(FormatError, match=message) as caught:
        formats.read(tmp_path / name)
    assert caught.match(SUPPORTED)


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


def test_a_changed_file_is_read_again(rank_lines, tmp_path):
    """No cache by path: the second reading sees the second content."""
    path = tmp_path / "x.tiktoken"
    path.write_bytes(b"\n".join(rank_lines))
    assert len(formats.read(path, pattern="gpt2").vocabulary) == 257
    path.write_bytes(b"\n".join(rank_lines[:256]))
    assert len(formats.read(path, pattern="gpt2").vocabulary) == 256
