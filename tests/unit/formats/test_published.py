"""Published rank files, known by their contents: what they leave out is known too."""

from hashlib import sha256

import pytest
import tiktoken_ext.openai_public as openai

from bytepair import formats
from bytepair.formats import _tiktoken_read as reader
from bytepair.formats._published import PUBLISHED, RankFacts
from bytepair.model import AddedToken
from bytepair.patterns import automaton

OPENAI = ["r50k_base", "p50k_base", "cl100k_base", "o200k_base"]


@pytest.mark.parametrize("name", OPENAI)
def test_the_facts_are_tiktokens(name, monkeypatch):
    """Hash and special tokens, as its own list has them."""
    hashes = []
    monkeypatch.setattr(
        openai, "load_tiktoken_bpe", lambda _, expected_hash: hashes.append(expected_hash) or {}
    )
    theirs = openai.ENCODING_CONSTRUCTORS[name]()
    ours = PUBLISHED[hashes[0]]
    assert (ours.name, dict(ours.special_tokens)) == (name, theirs["special_tokens"])


@pytest.mark.parametrize("facts", PUBLISHED.values(), ids=lambda facts: facts.name)
def test_every_published_pattern_is_compiled(facts):
    """None falls back to a slower engine (that would be a warning)."""
    assert automaton(facts.pattern) is not None


@pytest.fixture
def published(rank_lines, tmp_path, monkeypatch):
    """A rank file, and how to make it a published one; (path, publish(facts))."""
    path = tmp_path / "downloaded"

    def publish(facts, *more):
        data = b"\n".join([*rank_lines, *more])
        path.write_bytes(data)
        monkeypatch.setattr(reader, "PUBLISHED", {sha256(data).hexdigest(): facts})
        return path

    return publish


FACTS = RankFacts("known", r"\d+", {"<e>": 300}, ("nfc",))


def test_a_published_file_needs_no_arguments(published):
    """Whatever it is called: it is known by its contents."""
    spec = formats.read(published(FACTS))
    assert (spec.name, spec.rules.pattern, spec.rules.normalizer) == ("known", r"\d+", ("nfc",))
    assert spec.added_tokens == (AddedToken("<e>", 300),)


def test_arguments_go_before_what_is_known(published):
    """With a pattern of one's own nothing is taken from elsewhere."""
    spec = formats.read(published(FACTS), special_tokens={"<f>": 301})
    assert (spec.rules.pattern, spec.rules.special_tokens) == (r"\d+", ("<f>",))
    spec = formats.read(published(FACTS), pattern=r"\w+")
    assert (spec.rules.pattern, spec.rules.special_tokens) == (r"\w+", ())
    assert spec.rules.normalizer == ()


def test_a_sidecar_goes_before_what_is_known(published):
    """Somebody put it there."""
    path = published(FACTS)
    path.with_name(path.name + ".json").write_text('{"pattern": "x+"}', encoding="utf-8")
    assert formats.read(path).rules.pattern == "x+"


def test_an_empty_token_is_left_out_where_it_is_known(published):
    """Whisper's file has one, spelt "="; no text has it, and elsewhere it is a damaged line."""
    facts = RankFacts("known", r"\d+", has_empty_token=True)
    spec = formats.read(published(facts, b"= 257"))
    assert 257 not in spec.vocabulary.tokens
