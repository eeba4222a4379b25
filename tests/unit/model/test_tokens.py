"""`Tokens`: a mapping of ids to bytes that lies flat."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair.model import Tokens, Vocabulary

IDS = st.integers(0, 2**32 - 1) | st.integers(0, 9)
TOKENS = st.dictionaries(IDS, st.binary(max_size=5), max_size=9)


@given(TOKENS)
def test_it_is_the_mapping_that_it_was_made_of(tokens):
    """By ascending id, whatever the order was."""
    flat = Tokens.of(tokens)
    assert flat == tokens
    assert tokens == flat
    assert list(flat.items()) == sorted(tokens.items())
    assert (list(flat), list(flat.values()), len(flat)) == (
        sorted(tokens),
        [tokens[token] for token in sorted(tokens)],
        len(tokens),
    )
    assert [flat[token] for token in tokens] == list(tokens.values())


@given(tokens=TOKENS, others=TOKENS)
def test_replaced_is_a_dictionary_updated(tokens, others):
    """Those of new ids come to their place."""
    assert Tokens.of(tokens).replaced(others) == tokens | others


@given(
    tokens=st.dictionaries(IDS, st.binary(max_size=7).map(lambda b: bytes(x % 3 for x in b))),
    old=st.sampled_from([b"\0", b"\0\1", b"\0\0", b"\1\2\1", b"\2\2\2"]),
    new=st.sampled_from([b"", b"\2", b"\0\0", b"\1\1\1\1"]),
    but=st.sets(IDS, max_size=3),
)
def test_with_text_replaces_in_each_token_as_bytes_do(tokens, old, new, but):
    """Not across their borders, and from the left where occurrences overlap."""
    expected = {i: b if i in but else b.replace(old, new) for i, b in tokens.items()}
    assert Tokens.of(tokens).with_text(old, new, but) == expected


@pytest.mark.parametrize("token", [-1, 2**32, 5, "7", None, 7.5])
def test_what_is_no_id_is_not_in_it(token):
    """As in a dictionary, nothing is raised."""
    tokens = Tokens.of({7: b"a"})
    assert token not in tokens
    assert tokens.get(token) is None


def test_unequal_are_those_that_differ_in_an_id_in_bytes_or_in_a_border():
    """And what is no mapping."""
    tokens = Tokens.of({1: b"ab", 2: b"c"})
    for other in (
        {1: b"a", 2: b"bc"},
        {1: b"ab", 3: b"c"},
        {1: b"ab"},
        {1: b"ab", 2: b"d"},
        [1, 2],
    ):
        assert tokens != (Tokens.of(other) if isinstance(other, dict) else other)


def test_it_cannot_be_changed():
    """What shares it between threads may rely on it."""
    tokens = Tokens.of({1: b"a"})
    with pytest.raises(ValueError, match="read-only"):
        tokens.ids[0] = 2
    with pytest.raises(TypeError):
        hash(tokens)


def test_copies_and_pickles_are_equal_and_no_larger_for_having_been_read():
    """The dictionary of look-ups is not part of the value."""
    tokens = Tokens.of(dict.fromkeys(range(100), b"token"))
    size = len(pickle.dumps(tokens))
    assert len(list(tokens.items())) == 100
    assert len(pickle.dumps(tokens)) == size
    assert pickle.loads(pickle.dumps(tokens)) == copy.deepcopy(tokens) == tokens


def test_a_vocabulary_keeps_its_tokens_flat():
    """And equals one that was made of the same in another order, or of a changed dictionary."""
    given_tokens = {3: b"c", 1: b"a"}
    vocabulary = Vocabulary(given_tokens)
    given_tokens[5] = b"e"
    assert vocabulary == Vocabulary(Tokens.of({1: b"a", 3: b"c"}))
    assert vocabulary.flat is vocabulary.tokens
    assert (vocabulary.max_id, Vocabulary({}).max_id) == (3, -1)
    assert repr(vocabulary.tokens) == "{1: b'a', 3: b'c'}"
    assert repr(Tokens.of(dict.fromkeys(range(1000), b""))) == "<1,000 tokens>"


def test_ids_that_numpy_holds_are_found():
    """Ids come out of arrays."""
    assert Tokens.of({7: b"a"})[np.uint32(7)] == b"a"
