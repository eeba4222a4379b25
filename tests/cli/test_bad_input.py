"""Whatever is wrong with the input: one clear message, exit code 1, nothing left behind."""

import gzip
import os
import shlex
import tempfile
from pathlib import Path

import pytest

TEXT = "low lower lowest\n" * 9


@pytest.fixture
def place(here: Path) -> Path:
    """A folder with what can be wrong with a corpus."""
    (here / "good.txt").write_text(TEXT, encoding="utf-8")
    (here / "not-utf8.txt").write_bytes(b"low \xff lower")
    (here / "none.txt").write_bytes(b"")
    (here / "cut.txt.gz").write_bytes(gzip.compress(TEXT.encode() * 99)[:-30])
    (here / "no.txt.gz").write_bytes(b"this was never compressed")
    (here / "bad.jsonl").write_text('{"text": "a"}\n{"title": "b"}\n', encoding="utf-8")
    (here / "empty").mkdir()
    (here / "binary").mkdir()
    (here / "binary" / "x.bin").write_bytes(b"\0\1\2")
    return here


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.txt"], "'missing.txt': No such file or directory."),
        (["*.md"], "'*.md': No such file or directory; read as a glob pattern, it matches no"),
        (["empty"], "empty: no text file in this folder"),
        (["binary"], "binary: no text file in this folder (skipped: 1 binary)"),
        (["cut.txt.gz"], "cut.txt.gz: damaged or cut short"),
        (["no.txt.gz"], "no.txt.gz: damaged or cut short"),
        (["not-utf8.txt", "--alphabet", "chars"], "not UTF-8 at byte 4"),
        (["none.txt"], "the corpus is empty"),
        (["bad.jsonl"], "bad.jsonl:2: no field 'text'; this record has the fields 'title'"),
        (["good.txt", "--vocab-size", "100"], "--vocab-size 100 is too small: "),
        (["good.txt", "--special-token", "a", "--special-token", "a"], "'a' is given twice"),
        (["good.txt", "--special-token", ""], "must be non-empty strings, got ''"),
        (["good.txt", "--pattern", "a|[b-"], "unterminated character set at position 5"),
        (["good.txt", "--pattern", "gpt5"], "pattern 'gpt5' is not a known name (known: gpt2,"),
        (["good.txt", "--pattern", "a*"], "matches the empty text"),
        (["good.txt", "--normalizer", "nfx"], "normalizer 'nfx' is not known"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_training_refuses(place, invoke, files_in, arguments, message):
    """Each names what is wrong, and leaves the folder as it was."""
    before = files_in(place)
    result = invoke("train", *arguments, "-o", "out", exit_code=1)
    assert result.stderr.startswith("error: ")
    assert message in result.stderr
    assert result.stdout == ""
    assert files_in(place) == before


def test_text_that_is_not_utf8_is_trained_as_bytes(place, invoke):
    """Only characters need text; bytes are bytes."""
    invoke("train", "not-utf8.txt", "-o", "out", "--vocab-size", 257)
    assert Path("out/tokenizer.json").is_file()


def test_the_place_in_an_invalid_regex_is_shown(place, invoke):
    """A caret below the character, as the eye expects it."""
    result = invoke("train", "good.txt", "-o", "out", "--pattern", "a|[b-", exit_code=1)
    _, pattern, caret = result.stderr.splitlines()
    assert pattern.strip() == "a|[b-"
    assert caret.index("^") - pattern.index("a|[b-") == 5


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        ("good.txt", [], "no format is known that ends in .txt"),
        ("out.gguf", [], "llama.cpp cuts what it calls 'gpt-4o' by a simpler regex"),
        ("out.model", [], "no tokenizer that is trained here"),
        ("out/vocab.json", [], "all that reads them cuts by the pattern 'gpt2'"),
        ("out.tiktoken", ["--normalizer", "nfc"], "tiktoken cannot normalise text (nfc)"),
        ("out.tiktoken", ["--alphabet", "chars"], "tiktoken merges bytes, not characters"),
        ("good.txt/out", [], "good.txt/out: cannot be written: good.txt: Not a directory"),
        ("empty.json", [], "empty.json: is a folder"),
    ],
    ids=[
        "text",
        "gguf",
        "sentencepiece",
        "gpt2",
        "normalised-tiktoken",
        "chars-tiktoken",
        "below-a-file",
        "folder",
    ],
)
def test_what_could_not_be_saved_is_not_trained(place, invoke, target, options, message):
    """The corpus does not even exist: after hours of training this would come too late."""
    Path("empty.json").mkdir()
    result = invoke("train", "missing.txt", "-o", target, *options, exit_code=1)
    assert message in result.stderr


def test_a_read_only_place_is_found_before_training(place, invoke, monkeypatch):
    """Root may write anywhere, so the refusal of the operating system is played."""

    def refuse(**_: object) -> None:
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    result = invoke("train", "missing.txt", "-o", "deep/er/out", exit_code=1)
    assert result.stderr.startswith("error: deep/er/out: cannot be written: .: Permission denied.")


@pytest.mark.skipif(
    not Path("/proc/self").is_dir(), reason="there is no place root cannot write to"
)
@pytest.mark.parametrize("command", [["train", "good.txt", "-o"], ["convert", "saved"]])
def test_a_place_that_cannot_be_written_to(place, invoke, tok, command):
    """A real refusal, for whoever runs the tests."""
    tok.save("saved")
    result = invoke(*command, "/proc/out", exit_code=1)
    assert result.stderr.startswith("error: /proc")


@pytest.mark.parametrize("command", ["encode", "decode", "count", "inspect"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "broken: no tokenizer that is known in this folder"),
        (b"", "broken/tokenizer.json: "),
        (b'{"model": {"type": "BPE"', "broken/tokenizer.json: the JSON ends too early"),
        (b"\xff\xfe{}", "broken/tokenizer.json: "),
        (b"[1, 2]", "broken/tokenizer.json: "),
        (b'{"version": "1.0"}', "broken/tokenizer.json: this is not a tokenizer.json"),
        (b'{"model": {"type": "Unigram", "vocab": []}}', "broken/tokenizer.json: "),
    ],
    ids=["missing", "empty", "cut-short", "not-utf8", "no-object", "no-model", "other-model"],
)
def test_a_damaged_tokenizer(here, invoke, command, content, message):
    """Every command that loads one says which file, and what about it."""
    Path("broken").mkdir()
    Path("broken/README").write_bytes(b"")
    if content is not None:
        Path("broken/tokenizer.json").write_bytes(content)
    result = invoke(command, "broken", stdin=b"1", exit_code=1)
    assert result.stderr.startswith(f"error: {message}")


@pytest.mark.parametrize("command", ["encode", "decode", "count"])
@pytest.mark.parametrize(
    ("name", "reason"), [("missing", "No such file or directory"), ("folder", "Is a directory")]
)
def test_a_file_that_cannot_be_read(here, invoke, saved, command, name, reason):
    """An error of the operating system is shown as it is, with the name."""
    Path("folder").mkdir()
    first, *_ = invoke(command, saved, name, exit_code=1).stderr.splitlines()
    assert first == f"error: {name}: {reason}."


@pytest.mark.parametrize("command", ["encode", "count"])
@pytest.mark.parametrize("text", ["Simple is better", "better " * 99], ids=["short", "long"])
def test_text_where_a_file_belongs_gets_a_line_that_works(here, invoke, tok, command, text):
    """`inspect` takes text, so people try the same here; a long text is too long for a name."""
    tok.save("my tok")
    _, note = invoke(command, "my tok", text, exit_code=1).stderr.splitlines()
    told, _, pasted = note.partition(" | bytepair ")
    assert told == 'note: text itself goes in by a pipe: echo "…"'
    ids = tok.encode(text)
    expected = " ".join(map(str, ids)) if command == "encode" else str(len(ids))
    assert invoke(*shlex.split(pasted), stdin=f"{text}\n").stdout == f"{expected}\n"


def test_ids_where_a_file_belongs_get_no_hint_for_text(here, invoke, saved):
    """`decode` reads no text."""
    assert "note:" not in invoke("decode", saved, "72 105", exit_code=1).stderr


def test_a_name_with_escape_sequences_is_shown_harmlessly(here, invoke, saved):
    """An archive from elsewhere may hold such names; they must not reach the terminal."""
    result = invoke("count", saved, "\x1b[2Jx", exit_code=1)
    assert result.stderr.startswith("error: \\x1b[2Jx: No such file or directory.\n")


@pytest.mark.parametrize(
    "value",
    ["<|endoftext|>", "=5", "<|endoftext|>=five", "a=-1", "a=99999999999", "a=²"],
)
def test_a_special_token_without_its_id(here, invoke, saved, value):
    """The call is wrong, so exit code 2; the message shows one that is right."""
    result = invoke("count", saved, "--special-token", value, exit_code=2)
    assert "'<|endoftext|>=100257'" in result.stderr


def test_a_special_token_given_twice(here, invoke, saved):
    """Nobody could know which of the two ids is meant."""
    options = ["--special-token", "a=1", "--special-token", "a=2"]
    assert "given twice" in invoke("count", saved, *options, exit_code=2).stderr


def test_a_file_that_knows_its_pattern_takes_no_other(here, invoke, saved):
    """Ignoring the option would give ids the user did not ask for."""
    result = invoke("count", saved, "--pattern", "gpt2", exit_code=1)
    assert "has its own pattern: leave --pattern out" in result.stderr


def test_too_little_memory_is_no_traceback(here, invoke, saved, monkeypatch):
    """It is the user's input that is too large, not the program that is wrong."""

    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("bytepair.Tokenizer.encode_batch_to_numpy", exhausted)
    assert invoke("encode", saved, exit_code=1).stderr.startswith("error: out of memory.")
