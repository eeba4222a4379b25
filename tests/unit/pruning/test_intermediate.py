"""PickyBPE's threshold, against a learner that counts everything anew before every merge."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair import MergeLearner, WordCounts
from bytepair.engines import NAMES
from bytepair.errors import ArgumentError
from bytepair.model import MergeTable
from bytepair.pruning import share_taken, without_intermediate

COUNTS = st.dictionaries(
    st.text("abc", min_size=1, max_size=12).map(str.encode),
    st.integers(1, 9),
    min_size=1,
    max_size=6,
)


def joined(word: list[bytes], pair: tuple[bytes, bytes]) -> list[bytes]:
    """From the left."""
    out: list[bytes] = []
    while word:
        n = 2 if tuple(word[:2]) == pair else 1
        out.append(b"".join(word[:n]))
        word = word[n:]
    return out


def by_definition(
    counts: dict[bytes, int], merges: list[tuple[bytes, bytes]], threshold: float, n_wanted: int
) -> tuple[int, set[bytes]]:
    """(merges until so many tokens of them are left, tokens that a merge took nearly all of)."""
    words = {word: [bytes([b]) for b in word] for word in counts}
    gone: set[bytes] = set()
    for n_merges, pair in enumerate(merges, 1):
        before = Counter[bytes]()
        taken = Counter[bytes]()
        for word, count in counts.items():
            after = joined(words[word], pair)
            n_joined = len(words[word]) - len(after)
            for token in words[word]:
                before[token] += count
            for part in pair:
                taken[part] += count * n_joined
            words[word] = after
        gone |= {p for p in pair if len(p) > 1 and taken[p] >= threshold * before[p]}
        if n_merges - len(gone) == n_wanted:
            return n_merges, gone
    return len(merges), gone


def learned(counts: WordCounts, engine: str):
    """All merges there are, and their parts as bytes."""
    with pytest.warns(UserWarning, match="were found"):
        spec = MergeLearner(vocab_size=600, min_frequency=1, engine=engine).learn(counts)
    tokens = spec.vocabulary.tokens
    return spec, [(tokens[left], tokens[right]) for left, right, *_ in spec.merges]


@pytest.mark.parametrize("engine", NAMES)
@given(counts=COUNTS, threshold=st.sampled_from([0.3, 0.5, 0.75, 0.9, 1.0]), n=st.integers(1, 12))
def test_tokens_go_once_a_merge_takes_nearly_all_of_them(engine, counts, threshold, n):
    """Which, and after how many merges; the rest is learned as ever."""
    words = WordCounts.from_mapping(counts)
    spec, merges = learned(words, engine)
    n_merges, gone = by_definition(counts, merges, threshold, n)
    smaller = without_intermediate(spec, words, threshold, vocab_size=256 + n, engine=engine)
    assert len(smaller.merges) == n_merges
    made = {left + right for left, right in merges[:n_merges]}
    assert {t for t in smaller.vocabulary.tokens.values() if len(t) > 1} == made - gone
    stand = smaller.residues.values()
    assert {b"".join(smaller.vocabulary.tokens[i] for i in parts) for parts in stand} == gone


def test_a_run_takes_two_of_a_kind():
    """Of four, a merge of neighbours takes all; of five, four."""
    for word, share in ((b"aaaa", 1.0), (b"aaaaa", 0.8)):
        counts = WordCounts.from_mapping({word: 1})
        spec = MergeLearner(vocab_size=257, min_frequency=1).learn(counts)
        left, right = share_taken(spec, counts)
        assert left.tolist() == right.tolist() == [share]


def test_what_was_not_learned_merge_by_merge_is_refused():
    """Two ways to a token: neither tells how often it was made."""
    counts = WordCounts.from_mapping({"abc": 3})
    spec = MergeLearner(vocab_size=258).learn(counts)
    both = MergeTable.from_merges([(97, 98, 256), (98, 99, 257), (256, 99, 258), (97, 257, 258)])
    object.__setattr__(spec, "merges", both)
    with pytest.raises(ArgumentError, match="not learned one after the other"):
        share_taken(spec, counts)


def test_pairs_in_the_oracle_are_joined_from_the_left():
    """The oracle itself, by hand."""
    assert joined([b"a"] * 3, (b"a", b"a")) == [b"aa", b"a"]
    assert list(pairwise(joined([b"a", b"b", b"a"], (b"a", b"b")))) == [(b"ab", b"a")]
