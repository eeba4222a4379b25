"""The beginning of a text that so many tokens hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair
from bytepair.engines import NAMES
from bytepair.errors import ArgumentError


@pytest.fixture(scope="module")
def tok() -> bytepair.Tokenizer:
    """Words with the space before them, and a space with the first half of an emoji."""
    corpus = ["I love you love love 🍕 🍣 🍗 🍔 I love"] * 9
    return bytepair.train(corpus, vocab_size=268, special_tokens=["<s>"])


def test_a_character_that_is_not_whole_is_left_out(tok):
    """A token goes on into the emoji; no U+FFFD comes of it."""
    ids = tok.encode("I love 🍕")
    n = next(n for n in range(1, len(ids)) if "\ufffd" in tok.decode(ids[:n]))
    cut = tok.truncate("I love 🍕", n)
    assert cut.text in {"I love", "I love "}
    assert cut.text + cut.rest == "I love 🍕"


@pytest.mark.parametrize("engine", NAMES)
@given(text=st.text("I love 🍕é<s>\n"), n=st.integers(1, 9))
def test_it_is_a_beginning_within_the_limit(tok, engine, text, n):
    """Both parts are the text; what fits is not cut."""
    tok = bytepair.Tokenizer(tok.spec, engine=engine)
    cut = tok.truncate(text, n)
    assert cut.text + cut.rest == text
    assert cut.n_tokens == tok.count(cut.text, disallowed_special=()) <= n
    assert cut.is_truncated == (tok.count(text, disallowed_special=()) > n)


def test_special_tokens_count_as_such_if_they_may(tok):
    """Else they are text."""
    assert tok.truncate("<s><s>", 1, allowed_special="all").text == "<s>"
    assert tok.truncate("<s><s>", 1).text == "<"


def test_a_beginning_that_has_more_tokens_by_itself_is_made_shorter(tok):
    """Counted anew, since a cut pre-token may fall apart."""
    from bytepair.tokenizer._truncate import truncated

    assert truncated("abc", [0, 1], 1, count=lambda part: 3 * len(part)).text == ""
    assert truncated("abc", [0, 2], 1, count=len).text == ""
    assert truncated("abc", [0, 1, 2], 2, count=len).text == "ab"


@pytest.mark.parametrize("n", [0, -1, 1.5, None])
def test_a_limit_that_is_none_is_refused(tok, n):
    """No token holds nothing."""
    with pytest.raises(ArgumentError, match="max_tokens must be a whole number of 1 or more"):
        tok.truncate("low", n)
