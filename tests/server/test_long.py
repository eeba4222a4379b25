"""Long strings of a body are read in pieces, with the same result."""

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bytepair.server import _long
from bytepair.server._long import Parts

HARD = [
    '"',
    "\\",
    "\\\\",
    '\\"',
    "\n",
    "é",
    "日",
    "🌶",
    "\u2028",
    "\x00",
    "a b",
    "\\u0041",
    "x" * 50,
]


@pytest.fixture(autouse=True, scope="module")
def tiny():
    """Every string is long, and pieces are a few bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_long, "_LONG_BODY", 1)
        patch.setattr(_long, "_LONG_STRING", 8)
        patch.setattr(_long, "_PIECE", 3)
        yield


@given(
    st.dictionaries(st.sampled_from("abc"), st.lists(st.sampled_from(HARD)).map("".join)),
    st.booleans(),
    st.sampled_from([None, 1]),
)
@settings(max_examples=300)
def test_what_is_put_back_is_what_was_sent(value, escaped, indent):
    """Quotes, backslashes, escapes, pairs of escapes: no cut goes through any of them."""
    value = {**value, "rows": list(value.values())}
    body = json.dumps(value, ensure_ascii=escaped, indent=indent).encode()
    parts = Parts(body)
    assert parts.put_back(msgspec.json.decode(parts.short)) == value


def test_long_strings_are_taken_out():
    """Otherwise the test above would say nothing."""
    parts = Parts(b'{"a": "0123456789", "b": "short"}')
    assert list(parts.texts.values()) == ["0123456789"]
    assert b"0123456789" not in parts.short


@pytest.mark.parametrize(
    "body",
    [b'{"a": "0123456789', b'{"a": "01234\\u00zz56789"}', b'{"a": "0123456789\\', b'"' * 99,
     b'{"a": "0123456789\\ud83d"}', b'{"a": "01234\x0156789"}'],
)  # fmt: skip
def test_what_is_no_json_is_left_to_the_parser(body):
    """Its complaint is about the whole body."""
    parts = Parts(body)
    assert (parts.short, parts.texts) == (body, {})


@pytest.mark.parametrize("unit", [b"\\\\", b'\\"'], ids=["backslashes", "quotes"])
def test_bodies_made_to_be_slow_are_left_to_the_parser(unit):
    """Looking for places to cut must not cost more than it spares."""
    body = b'{"a": "' + unit * 2_000_000 + b'"}'
    parts = Parts(body)
    assert (parts.short, parts.texts) == (body, {})
