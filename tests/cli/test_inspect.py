"""`bytepair inspect`: the tokens of a text, seen."""

import json
import os
import shlex

import pytest


def test_tokens_stand_above_their_ids(invoke, saved, tok):
    """In a pipe: bars instead of colours, and nothing else that is not text."""
    ids = tok.encode("is ugly")
    cells = [tok.decode([token]).replace(" ", "·") for token in ids]
    widths = [max(len(cell), len(str(token))) for cell, token in zip(cells, ids, strict=True)]
    top, bottom = invoke("inspect", saved, "is ugly").stdout.splitlines()[:2]
    rows = [[*cells], [str(token) for token in ids]]
    padded = [[c.ljust(w) for c, w in zip(row, widths, strict=True)] for row in rows]
    assert [top, bottom] == ["│" + "│".join(row) + "│" for row in padded]


def test_the_last_line_counts(invoke, saved):
    """Z is in no merge: é is two bytes, so three tokens and two characters."""
    assert invoke("inspect", saved, "Zé").stdout.splitlines()[-1] == (
        "3 tokens  ·  3 bytes  ·  2 characters  ·  1.00 bytes a token"
    )


def test_text_that_is_not_utf8_has_no_number_of_characters(invoke, saved):
    """Any number would be invented."""
    last = invoke("inspect", saved, stdin=b"\xff").stdout.splitlines()[-1]
    assert last == "1 token  ·  1 byte  ·  1.00 bytes a token"


def test_nothing_has_no_tokens(invoke, saved):
    """An empty argument is a text, not a missing one."""
    assert invoke("inspect", saved, "").stdout == "0 tokens  ·  0 bytes  ·  0 characters\n"


def test_text_that_names_a_file_gets_a_note(here, invoke, saved):
    """The other commands take files: seven letters in silence would be taken for the content."""
    (here / "my zen.txt").write_bytes(b"Z")
    result = invoke("inspect", saved, "my zen.txt", "--json")
    assert json.loads(result.stdout)["n_bytes"] == 10
    assert result.stderr == (
        "note: this is the text 'my zen.txt'; to inspect the file: "
        f"bytepair inspect {shlex.quote(saved)} - < 'my zen.txt'\n"
    )


@pytest.mark.parametrize("text", ["my zen.txt", "better " * 999], ids=["no-file", "long"])
def test_text_that_names_no_file_gets_none(here, invoke, saved, text):
    """Also where the operating system would not even look for so long a name."""
    assert invoke("inspect", saved, text).stderr == ""


@pytest.mark.parametrize("arguments", [[], ["-"]], ids=["no-text", "dash"])
def test_standard_input_is_inspected_too(invoke, saved, arguments):
    """A file's worth of text does not fit on the command line."""
    assert invoke("inspect", saved, *arguments, stdin=b"Z").stdout.startswith("│Z │\n│90│")


def test_an_argument_that_is_not_utf8_is_taken_as_it_is(run, saved):
    """A shell hands over bytes; Python wraps them in surrogates, which are no text."""
    result = run("inspect", saved, b"a\xffb".decode("utf-8", "surrogateescape"), "--json")
    assert result.returncode == 0
    assert [token["bytes"] for token in json.loads(result.stdout)["tokens"]] == ["61", "ff", "62"]


def test_escape_sequences_never_reach_the_terminal(run, saved):
    """With colours on, every escape is one of ours: a colour, never what the text holds."""
    env = {**os.environ, "FORCE_COLOR": "1", "TERM": "xterm-256color"}
    del env["NO_COLOR"]
    evil = b"\x1b]0;title\x07\x1b[2J\x9b31m\xc2\x9b31m\x08\r"
    output = run("inspect", saved, input=evil, env=env).stdout
    assert b"\x1b[" in output
    assert all(
        part.split(b"m")[0].strip(b"0123456789;") == b"" for part in output.split(b"\x1b[")[1:]
    )
    assert not set(output.replace(b"\x1b[", b"")) & (set(range(32)) - {10})


def test_special_tokens_are_text_unless_allowed(invoke, saved, tok):
    """The same rule as for `encode` and `count`."""
    allowed = invoke("inspect", saved, "--allow-special", "<|endoftext|>").stdout
    assert allowed.startswith(f"│<|endoftext|>│\n│{tok.eot_token}          │")
    assert str(tok.eot_token) not in invoke("inspect", saved, "<|endoftext|>").stdout


def test_json_is_exact(invoke, saved, tok):
    """What the grid abbreviates or makes visible is here as it is."""
    output = json.loads(
        invoke("inspect", saved, "--json", "--allow-special", "é<|endoftext|>").stdout
    )
    end = {"id": tok.eot_token, "text": "<|endoftext|>", "bytes": b"<|endoftext|>".hex()}
    assert output == {
        "n_tokens": 3,
        "n_bytes": 15,
        "n_chars": 14,
        "bytes_per_token": 5.0,
        "tokens": [
            {"id": 195, "text": None, "bytes": "c3", "start": 0, "end": 1, "special": False},
            {"id": 169, "text": None, "bytes": "a9", "start": 1, "end": 2, "special": False},
            {**end, "start": 2, "end": 15, "special": True},
        ],
    }
