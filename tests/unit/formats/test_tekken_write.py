"""`tekken.json`: ids that begin with the special tokens, and what does not fit that."""

import json
from dataclasses import replace

import pytest

from bytepair import formats
from bytepair.errors import ExportError
from bytepair.formats._tiktoken_read import rank_spec
from bytepair.model import AddedToken, Tokens

CONTENTS = [*(bytes([byte]) for byte in range(256)), b"ab", b"\xc3\xa9", b"abc"]
SPECIALS = (AddedToken("<unk>", 0), AddedToken("<s>", 1))


@pytest.fixture
def tekken():
    """Two special tokens, the bytes, ab (258), é (259), abc (260)."""
    tokens = Tokens.of(dict(enumerate(CONTENTS, 2)))
    return rank_spec("", tokens, SPECIALS, pattern="[a-z]+|[^a-z]+", name="t")


def test_what_is_written(tekken, tmp_path):
    """Ranks count from 0; a token that is no text has none."""
    (path,) = formats.write(tekken, tmp_path, "tekken")
    content = json.loads(path.read_text(encoding="utf-8"))
    assert path.name == "tekken.json"
    assert content["config"]["default_vocab_size"] == 261
    assert content["config"]["default_num_special_tokens"] == 2
    assert content["vocab"][256] == {"rank": 256, "token_bytes": "YWI=", "token_str": "ab"}
    assert content["vocab"][255]["token_str"] is None
    assert content["special_tokens"][1] == {"rank": 1, "token_str": "<s>", "is_control": True}


def test_it_comes_back(tekken, tmp_path):
    """Tokens, merges, specials; the pattern in the words that other engines read alike."""
    again = formats.read(formats.write(tekken, tmp_path / "x-tekken.json")[0])
    assert (again.vocabulary, again.merges, again.added_tokens) == (
        tekken.vocabulary,
        tekken.merges,
        tekken.added_tokens,
    )


@pytest.mark.parametrize(
    ("tokens", "specials", "message"),
    [
        (dict(enumerate(CONTENTS)), (AddedToken("<s>", 259),), "'<s>' has id 259; in tekken.json"),
        (dict(enumerate(CONTENTS, 2)), SPECIALS[:1], "id 1 is free"),
        (dict(enumerate(CONTENTS)) | {300: b"x!"}, (), "ids have no gaps, and here they have"),
        (dict(enumerate([b"ab", *CONTENTS[:256]])), (), "the first 256 tokens are the bytes"),
        (
            dict(enumerate(CONTENTS, 2)),
            (SPECIALS[0], AddedToken("<s>", 1, special=False)),
            "'<s>' is not special: it is always matched",
        ),
    ],
    ids=["specials-last", "free-id", "gap", "bytes-not-first", "not-special"],
)
def test_ids_that_do_not_fit_are_refused(tokens, specials, message, tmp_path):
    """Numbering anew would make rows of an embedding stand for other tokens."""
    spec = rank_spec("", Tokens.of(tokens), specials, pattern="[a-z]+|[^a-z]+", name="t")
    with pytest.raises(ExportError, match=message):
        formats.write(spec, tmp_path, "tekken")
    assert list(tmp_path.iterdir()) == []


def test_what_tiktoken_would_merge_otherwise_is_refused(spec, tmp_path):
    """It is tiktoken that runs the file."""
    with pytest.raises(ExportError, match="is never made by merging"):
        formats.write(replace(spec, merges=type(spec.merges).from_merges([])), tmp_path, "tekken")
