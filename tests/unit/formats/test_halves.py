"""Every way to put a token together from two others: the core and the dictionary find the same."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair.formats._halves import halves
from bytepair.model import Tokens

TOKENS = st.sets(
    st.one_of(st.text("ab", min_size=1, max_size=8).map(str.encode), st.binary(min_size=1)),
    max_size=40,
)


def rows(tokens):
    """As (left, right, whole)."""
    return list(zip(*(column.tolist() for column in halves(Tokens.of(tokens))), strict=True))


@given(tokens=TOKENS, data=st.data())
def test_all_pairs_that_are_a_token_are_found(tokens, data):
    """Those, and no others, by whole and then by the length of left."""
    ids = data.draw(st.permutations(range(0, 3 * len(tokens), 3)))
    id_by_token = dict(zip(sorted(tokens), ids, strict=True))
    pairs = sorted(
        (id_by_token[left + right], len(left), id_by_token[left], id_by_token[right])
        for left, right in product(tokens, tokens)
        if left + right in id_by_token
    )
    wanted = [(left, right, whole) for whole, _, left, right in pairs]
    assert rows({number: token for token, number in id_by_token.items()}) == wanted


@pytest.mark.parametrize("engine", ["python", ""])
def test_both_engines_find_them(monkeypatch, engine):
    """Without the core a dictionary does."""
    monkeypatch.setenv("BYTEPAIR_ENGINE", engine)
    tokens = {0: b"\x00", 1: b"\x00\x00", 2: b"a", 5: b"a\x00", 9: b"\x00a\x00"}
    assert rows(tokens) == [(0, 0, 1), (2, 0, 5), (0, 5, 9)]
    assert rows({}) == []
