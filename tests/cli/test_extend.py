"""`bytepair extend`: more tokens, and what there was stays."""

import json
from pathlib import Path

import pytest

import bytepair


@pytest.fixture
def tokenizer(here: Path) -> bytepair.Tokenizer:
    """A saved tokenizer, and a corpus beside it."""
    Path("corpus.txt").write_text("lower lowest newest widest " * 4, encoding="utf-8")
    tokenizer = bytepair.train(["low low"], vocab_size=259)
    tokenizer.save("old")
    return tokenizer


def test_an_option_means_what_the_argument_means(tokenizer, invoke):
    """The library is the oracle."""
    options = {"min_frequency": 3, "blocked_tokens": ["st"], "seed_tokens": ["wi"]}
    expected = tokenizer.extend([Path("corpus.txt")], vocab_size=264, **options)
    arguments = ["--min-frequency", 3, "--blocked-token", "st", "--seed-token", "wi"]
    invoke("extend", "old", "corpus.txt", "-o", "new", "--vocab-size", 264, *arguments)
    loaded = bytepair.load("new")
    assert loaded.merges == expected.merges
    assert loaded.spec.vocabulary == expected.spec.vocabulary
    assert loaded.special_tokens == {"<|endoftext|>": 258}


def test_the_report_tells_what_is_new(tokenizer, invoke):
    """In words and in numbers."""
    arguments = ("old", "corpus.txt", "-o", "new", "--vocab-size", 264)
    assert invoke("extend", *arguments).stdout.startswith(
        "new: 264 tokens (259 as before, 5 new)\n"
    )
    facts = json.loads(invoke("extend", *arguments, "--json").stdout)
    assert (facts["vocab_size"], facts["n_new"], facts["replaced"]) == (264, 5, True)


def test_no_room_is_an_error_before_anything_is_read(tokenizer, invoke):
    """The message says how many there are."""
    result = invoke("extend", "old", "corpus.txt", "-o", "new", "--vocab-size", 259, exit_code=1)
    assert "--vocab-size 259 leaves no room: 'bytepair' has 259 tokens already" in result.stderr
