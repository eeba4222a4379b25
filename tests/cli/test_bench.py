"""`bytepair bench`: who takes part, whose ids are right, and what is shown."""

import json
import os
from dataclasses import replace

import numpy as np
import pytest

from bytepair.cli import _peers, _race

QUICK = ("--seconds", "0", "--threads", "1")


@pytest.fixture(autouse=True)
def _few_calls(monkeypatch):
    """Nothing here is about time."""
    monkeypatch.setattr(_race, "_CALLS", 1)


@pytest.fixture
def books(here, text):
    """A file with four texts."""
    (here / "books.txt").write_text(text, encoding="utf-8")
    return "books.txt"


@pytest.fixture
def only(monkeypatch):
    """Let only these libraries be known."""

    def choose(**libraries):
        named = {name.replace("_", "-"): load for name, load in libraries.items()}
        monkeypatch.setattr(_peers, "LIBRARIES", named)

    return choose


def facts(invoke, *arguments):
    return json.loads(invoke("bench", *arguments, *QUICK, "--json").stdout)


def test_installed_libraries_give_the_same_ids(invoke, saved, books, text):
    """Both reference libraries load what we saved; each has three rounds at least."""
    result = facts(invoke, saved, books, "--lines")
    assert (result["n_texts"], result["n_bytes"]) == (4, len(text) - 4)
    assert (result["threads"], result["reference"]) == (1, "tokenizers")
    by_name = {library["name"]: library for library in result["libraries"]}
    assert next(iter(by_name)) == "bytepair"
    for name in ("bytepair", "tokenizers", "tiktoken"):
        assert by_name[name]["n_differing"] == 0
        assert len(by_name[name]["rounds_s"]) == 3


def test_a_tiktoken_file_is_judged_by_tiktoken(invoke, tok, here, books):
    """Its pattern and special tokens come from the sidecar."""
    tok.save("small.tiktoken")
    assert facts(invoke, "small.tiktoken", books)["reference"] == "tiktoken"


def test_other_ids_are_marked_not_hidden(invoke, saved, books, only):
    """One id too many in the last text only."""
    theirs = _peers.LIBRARIES["tokenizers"]

    def one_more(source, threads):
        library = theirs(source, threads)

        def encode_batch(texts):
            *rows, last = library.encode_batch(texts)
            return [*rows, [*last, 0]]

        return replace(library, encode_batch=encode_batch)

    only(bytepair=_peers.LIBRARIES["bytepair"], tokenizers=theirs, tiktoken=one_more)
    assert facts(invoke, saved, books, "--lines")["libraries"][2]["n_differing"] == 1
    shown = invoke("bench", saved, books, "--lines", *QUICK).stdout
    assert "≠ tiktoken: other ids in 1 of 4 texts." in shown


def test_a_library_that_cannot_load_says_why(invoke, saved, books, only):
    """Also if it panics: what Rust raises then is no Exception."""

    class PanicException(BaseException):
        pass

    def panics(_source, _threads):
        raise PanicException("called `unwrap()` on\na `None` value")

    only(bytepair=_peers.LIBRARIES["bytepair"], tiktoken=panics)
    shown = " ".join(invoke("bench", saved, books, *QUICK).stdout.split())
    assert "tiktoken takes no part: PanicException: called `unwrap()` on a `None` value" in shown


def test_a_missing_library_names_the_extra(invoke, saved, books, only):
    """What is not measured must be seen to be missing."""
    only(bytepair=_peers.LIBRARIES["bytepair"], no_such_library=None)
    result = invoke("bench", saved, books, *QUICK)
    assert "not installed: no-such-library. pip install 'bytepair[bench]'" in result.stderr
    assert facts(invoke, saved, books)["libraries"][1] == {
        "name": "no-such-library",
        "version": None,
        "reason": "not installed",
    }


def test_the_table_fits_a_terminal(invoke, saved, books):
    """80 columns, whatever libraries are here."""
    assert max(map(len, invoke("bench", saved, books, *QUICK).stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("megabytes", "n_bytes"), [("0.001", 999), ("0.001001", 1001)], ids=["inside é", "between"]
)
def test_texts_are_cut_between_characters(invoke, saved, here, megabytes, n_bytes):
    """Half a character would be another one: U+FFFD, of three bytes."""
    (here / "x").write_text("a" + "é" * 2000, encoding="utf-8")
    assert facts(invoke, saved, "x", "--mb", megabytes)["n_bytes"] == n_bytes


def test_no_text_is_an_error(invoke, saved, here):
    """Nothing could be divided by its time."""
    (here / "empty").write_bytes(b"")
    result = invoke("bench", saved, "empty", *QUICK, exit_code=1)
    assert "there is no text to encode" in result.stderr


def test_the_environment_is_as_before(invoke, saved, books):
    """Libraries are told their threads by variables, which are not ours to keep."""
    before = dict(os.environ)
    invoke("bench", saved, books, *QUICK)
    assert dict(os.environ) == before


def test_without_files_python_itself_is_read(invoke, saved):
    """A first try needs no corpus."""
    assert facts(invoke, saved, "--mb", "0.01")["n_bytes"] == 10_000


@pytest.mark.parametrize(
    ("rows", "n_differing"),
    [
        ([[1, 2], [3]], 0),
        ([[1, 2], [], [3]], 0),
        ([[1], [2, 3]], 2),
        ([[1, 2], [4]], 1),
        ([[1, 2, 3]], 2),
    ],
    ids=["equal", "empty row left out", "borders", "one token", "rows"],
)
def test_rows_are_compared_token_by_token(rows, n_differing):
    """Equal in total is not equal."""
    right = (np.array([1, 2, 3], np.uint32), np.array([0, 2, 3], np.int64))
    assert _peers.n_differing(_peers.ragged(rows), right) == n_differing
