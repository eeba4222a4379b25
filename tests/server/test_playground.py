"""What the page at `/` asks: columns of tokens, where a pattern cuts; and how it is guarded."""

from dataclasses import replace

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

import bytepair
from bytepair import Tokenizer
from bytepair.model import AddedToken
from bytepair.patterns import resolve
from bytepair.server import Settings, create_app
from serving import TEXT, Client


@pytest.fixture(scope="module")
def shared(tok):
    """One service for many examples."""
    app = create_app(Settings(log="off"), [("small", tok)])
    client = Client(app)
    yield client
    client.close()
    app.pool.close()


@given(text=st.text(), allowed=st.sampled_from(["all", [], ["<|end|>"]]))
@settings(deadline=None, max_examples=100)
def test_columns_are_those_of_inspect(shared, tok, text, allowed):
    """They are made without an object for each token, and must say the same."""
    text += TEXT + "<|end|>low"
    request = {"text": text, "columns": True, "allowed_special": allowed}
    answer = shared.post("/v1/inspect", request).json
    pieces = tok.inspect(text, allowed_special=allowed).pieces
    assert answer["ids"] == [piece.id for piece in pieces]
    assert answer["ends"] == [piece.end for piece in pieces]
    assert answer["special"] == [n for n, piece in enumerate(pieces) if piece.special]
    assert answer["n_characters"] == len(text)


def test_columns_tell_an_added_token_from_one_of_the_same_id(make):
    """A file can list "low" as added though merges make it: only a match is special."""
    trained = bytepair.train(["low lower " * 9], vocab_size=260, special_tokens=[])
    listed = AddedToken("low", trained.encode("low")[0], special=True)
    tokenizer = Tokenizer(replace(trained.spec, added_tokens=(listed,)))
    client = make(named=[("small", tokenizer)])
    for allowed in ("all", []):
        request = {"text": "low", "columns": True, "allowed_special": allowed}
        answer = client.post("/v1/inspect", request).json
        pieces = tokenizer.inspect("low", allowed_special=allowed).pieces
        assert answer["ids"] == [listed.id] == [piece.id for piece in pieces]
        assert answer["special"] == ([0] if allowed == "all" else [])


def test_pretokens_end_where_the_pattern_says(client):
    """The `regex` package, given the same pattern, is the judge."""
    answer = client.post("/v1/pretokens", {"text": TEXT, "pattern": "gpt2"}).json
    words = regex.findall(resolve("gpt2"), TEXT)
    ends, end = [], 0
    for word in words:
        end += len(word.encode())
        ends.append(end)
    assert answer["ends"] == ends


def test_without_a_pattern_a_text_is_one_pretoken(client):
    """As training does it."""
    answer = client.post("/v1/pretokens", {"text": "low low", "pattern": None}).json
    assert answer["ends"] == [7]


def test_pages_allow_no_inline_script_or_style(client):
    """Whatever stands in a text, a browser must not run it."""
    for path in ("/", "/docs"):
        answer = client.get(path)
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert "trusted-types" in answer.headers["content-security-policy"]
        assert b"<style" not in answer.body
        assert b" style=" not in answer.body
        assert b"<script>" not in answer.body
