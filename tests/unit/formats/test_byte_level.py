"""Merges as two tokens in a line: the core and the dictionary make the same of any lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair.errors import FormatError
from bytepair.formats._byte_level import merge_list

VOCAB = {"a": 3, "b": 9, "ab": 4, "é": 1, "abé": 2, "aa": 7, "\ud800": 8, "b\ud800": 10}


def outcome(lines, vocab):
    """The merges, or the complaint."""
    try:
        return list(merge_list(lines, "line {}".format, vocab))
    except FormatError as error:
        return str(error)


@given(
    lines=st.lists(st.sampled_from(["a b", "ab é", "a a", "a", "a  b", "a b ", "x a", "b \ud800"])),
    dropped=st.sampled_from(["\ud800", "a", "abé"]),
)
def test_both_engines_make_the_same_of_any_lines(lines, dropped):
    """What one takes the other takes, and both complain alike."""
    vocab = {token: number for token, number in VOCAB.items() if token[-1] != dropped[-1]}
    by_number = dict(enumerate(lines, 5))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BYTEPAIR_ENGINE", "python")
        wanted = outcome(by_number, vocab)
    assert outcome(by_number, vocab) == wanted


def test_lines_are_merges_in_order():
    """As ids, the first one first."""
    lines = {1: "a b", 3: "ab é"}
    assert outcome(lines, VOCAB) == [(3, 9, 4, 0), (4, 1, 2, 1)]
    assert outcome({}, VOCAB) == []


def test_a_line_is_named_as_asked():
    """By the number it came with."""
    assert outcome({7: "a b", 9: "a b"}, VOCAB) == (
        "line 9: 'a' and 'b' were already merged (line 7)"
    )
