"""BPE on single tokens, against the definition tried out pair by pair."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair.errors import ExportError
from bytepair.formats._replay import as_merge_list, replay, replay_all
from bytepair.model import MergeTable, TokenizerSpec, Vocabulary

RANKS = st.dictionaries(
    st.tuples(st.integers(0, 9), st.integers(0, 9)),
    st.tuples(st.integers(0, 5), st.integers(3, 9)),
    max_size=30,
)


def by_definition(symbols, ranks):
    """Try every pair, join the best, start again."""
    symbols, last = list(symbols), None
    while found := [(ranks[p][0], i) for i, p in enumerate(pairwise(symbols)) if p in ranks]:
        _, place = min(found)
        last = symbols[place], symbols[place + 1]
        symbols[place : place + 2] = [ranks[last][1]]
    return symbols, last


@given(st.lists(st.integers(0, 2), max_size=40), RANKS)
def test_replay_joins_by_rank_and_then_from_the_left(symbols, ranks):
    """Also where ranks are shared, and where a join makes a pair of lower rank possible."""
    assert replay(symbols, ranks) == by_definition(symbols, ranks)


def rank_table(tokens):
    """A specification with the bytes and these tokens (ids from 256), joined by any split."""
    singles = [bytes([byte]) for byte in range(256)]
    ids = {token: number for number, token in enumerate([*singles, *tokens])}
    rows = [
        (ids[token[:cut]], ids[token[cut:]], ids[token])
        for token in tokens
        for cut in range(1, len(token))
        if token[:cut] in ids and token[cut:] in ids
    ]
    merges = MergeTable.from_merges(rows)
    table = MergeTable(merges.left, merges.right, merges.joined, merges.joined)
    return TokenizerSpec(Vocabulary({i: t for t, i in ids.items()}, tuple(range(256))), table)


def test_each_token_keeps_the_merge_that_makes_it():
    """Of the splits of ".:.:", only ".:" + ".:" ever happens."""
    spec = rank_table([b".:", b":.", b".:.:"])
    dot, colon = ord("."), ord(":")
    assert as_merge_list(spec) == [(dot, colon, 256), (colon, dot, 257), (256, 256, 258)]


def test_a_token_without_a_merge_is_an_orphan():
    """What merging leaves of it is shown; a list of merges cannot contain it."""
    spec = rank_table([b"ab", b"bc", b"abcd"])
    orphan = list(replay_all(spec))[-1]
    assert (orphan.token, orphan.parts, orphan.is_made) == (258, [256, 99, 100], False)
    assert as_merge_list(spec) == [(97, 98, 256), (98, 99, 257)]


def test_a_part_may_rank_after_what_it_makes():
    """Rank 256 is "aab", whose part "aa" has rank 257: it is merged late, and then at once."""
    spec = rank_table([b"aab", b"aa"])
    assert as_merge_list(spec) == [(257, 98, 256), (97, 97, 257)]


def test_ranks_decide_the_order_and_not_the_ids():
    """Not even in a table where several merges share a rank."""
    spec = rank_table([b"ab", b"bc", b"abc"])
    ranks = 300 - spec.merges.rank
    merges = MergeTable(spec.merges.left, spec.merges.right, spec.merges.joined, ranks)
    made = as_merge_list(TokenizerSpec(spec.vocabulary, merges))
    assert [joined for _, _, joined in made] == [258, 257, 256]


def test_shared_ranks_are_no_merge_list():
    """Which of two tokens comes first could not be said."""
    spec = rank_table([b"ab", b"bc"])
    same = MergeTable(spec.merges.left, spec.merges.right, spec.merges.joined, spec.merges.rank * 0)
    with pytest.raises(ExportError, match="tokens 256 and 257 share the rank 0"):
        as_merge_list(TokenizerSpec(spec.vocabulary, same))


def test_characters_are_symbols_where_the_alphabet_is_characters():
    """As in SentencePiece's files; a token of a character that has none is made of nothing."""
    tokens = {0: b"?!", 1: "é".encode(), 2: "日".encode(), 3: "é日".encode(), 4: "日é日".encode()}
    merges = MergeTable.from_merges([(1, 2, 3), (2, 3, 4)])
    table = MergeTable(merges.left, merges.right, merges.joined, merges.joined)
    spec = TokenizerSpec(Vocabulary(tokens), table, alphabet="chars")
    assert [making.token for making in replay_all(spec)] == [3, 4]
    assert as_merge_list(spec) == [(1, 2, 3), (2, 3, 4)]
