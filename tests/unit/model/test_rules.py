import pickle
from typing import Any

import pytest

from bytepair.errors import ArgumentError
from bytepair.model import AddedToken, SplitRules


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        (("<a>", ""), "must be non-empty strings, got ''"),
        (("<a>", "<b>", "<a>"), "'<a>' is given twice"),
        (("<a>", None), "must be non-empty strings, got None"),
        ((b"<a>",), "must be non-empty strings, got b'<a>'"),
        (("\ud800",), r"'\\ud800' holds a surrogate"),
        ("<a>", "must be several strings, got the string '<a>'"),
    ],
    ids=["empty", "twice", "none", "bytes", "surrogate", "one-string"],
)
def test_special_tokens_that_cannot_work_are_refused(tokens: Any, message: str) -> None:
    """An empty token matches everywhere (tiktoken never returns); one string would be letters."""
    with pytest.raises(ArgumentError, match=message):
        SplitRules(special_tokens=tokens)


def test_rules_accept_any_text_as_a_special_token() -> None:
    """Spaces, newlines, NUL and other scripts are as good as angle brackets."""
    tokens = ("two words", "\n\n", "\0", "日本", "<a>", "<a>b")
    assert SplitRules(special_tokens=tokens).special_tokens == tokens


def test_rules_are_values() -> None:
    """They travel between stages and processes, so they compare, hash and pickle by content."""
    rules = SplitRules(r"\S+", ("nfc",), ("<a>",))
    copy = pickle.loads(pickle.dumps(rules))
    assert copy == rules
    assert hash(copy) == hash(rules)
    assert rules != SplitRules(r"\S+", ("nfc",), ("<b>",))


@pytest.mark.parametrize("content", ["", None, b"<a>", "\udc80"])
def test_added_token_refuses_what_no_text_holds(content: Any) -> None:
    """A spec can be made by hand; an empty token would be found between any two characters."""
    with pytest.raises(ArgumentError):
        AddedToken(content, 5)
