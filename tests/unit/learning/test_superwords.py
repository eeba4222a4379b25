"""Learning in two stages: small corpora, worked out by hand, and what does not go together."""

import numpy as np
import pytest

from bytepair.errors import ArgumentError, BytepairWarning, PatternError
from bytepair.learning import MergeLearner
from bytepair.model import SplitRules, WordCounts
from bytepair.patterns import phrase_pattern

GPT2_PHRASES = SplitRules(phrase_pattern("gpt2"), special_tokens=("<s>",))
PHRASES = WordCounts.from_mapping({" ab ab": 4, " ab": 3, ".": 9, " c ab": 2}, GPT2_PHRASES)


def learner(engine: str, n_merges: int, superwords: object, **options: object) -> MergeLearner:
    """Of so many merges, and a special token."""
    options = {"word_pattern": "gpt2", "superwords": superwords, "engine": engine, **options}
    return MergeLearner(vocab_size=257 + n_merges, **options)


def test_words_come_first_and_superwords_last(engine):
    """`ab` 13 times; ` ab` 13; then phrases: ` ab ab` 4 times, ` c` and ` c ab` twice."""
    spec = learner(engine, 5, 3).learn(PHRASES)
    made = [spec.vocabulary.tokens[number] for number in range(256, 261)]
    assert made == [b" a", b" ab", b" ab ab", b" c", b" c ab"]
    assert spec.training.merge_counts == (13, 13, 4, 2, 2)
    assert [token.id for token in spec.added_tokens] == [261]
    assert spec.rules == GPT2_PHRASES


def test_a_first_stage_that_finds_too_few_leaves_more_to_the_second(engine):
    """Words give 3 merges, of 4 that were wanted."""
    spec = learner(engine, 5, 1).learn(PHRASES)
    made = [spec.vocabulary.tokens[number] for number in range(256, 261)]
    assert made == [b" a", b" ab", b" c", b" ab ab", b" c ab"]


def test_a_share_is_one_of_the_vocabulary(engine):
    """One hundredth of 262 tokens are three."""
    shared = learner(engine, 5, 0.01).learn(PHRASES)
    assert shared == learner(engine, 5, 3).learn(PHRASES)
    assert shared.training.options["superwords"] == 0.01


@pytest.mark.parametrize("ties", ["lowest", "huggingface", "first", "bytes"])
def test_ties_go_on_into_the_second_stage(engine, ties):
    """Space a is (256, ' ' + a); with signs around, all pairs are as frequent as it is."""
    phrases = WordCounts.from_mapping({"~ a": 2, "! a": 2, "\u00ad a": 1}, GPT2_PHRASES)
    spec = learner(engine, 2, 1, ties=ties).learn(phrases)
    expected = {"lowest": b"! a", "huggingface": b"! a", "first": b"~ a", "bytes": b"~ a"}
    assert spec.vocabulary.tokens[256] == b" a"
    assert spec.vocabulary.tokens[257] == expected[ties]


def test_seeds_may_be_superwords(engine):
    """They come before all, and are merged in phrases only."""
    spec = learner(engine, 5, 1, seed_tokens=[" c ab"]).learn(PHRASES)
    made = [spec.vocabulary.tokens[number] for number in range(256, 261)]
    assert b" c ab" in made[:4]
    assert made[4] == b" ab ab"


def test_characters_may_be_the_alphabet(engine):
    """Both stages have the same ones."""
    phrases = WordCounts.from_mapping({"日本 日本": 3, "日": 2}, GPT2_PHRASES)
    spec = MergeLearner(
        vocab_size=256 + 3 + 4,
        alphabet="chars",
        superwords=1,
        word_pattern="gpt2",
        engine=engine,
        min_frequency=1,
    ).learn(phrases)
    assert [spec.vocabulary.tokens[number].decode() for number in range(259, 262)] == [
        "日本",
        " 日本",
        "日本 日本",
    ]


@pytest.mark.parametrize("wanted", [0, -1, 0.0, 1.0, 2.5, True, "9", float("nan")])
def test_neither_a_number_nor_a_share_is_refused(wanted):
    """Before anything is counted."""
    with pytest.raises(ArgumentError, match="superwords must be a number of tokens"):
        MergeLearner(superwords=wanted, word_pattern="gpt2")


def test_what_does_not_go_with_superwords_is_refused(engine):
    """Each with its reason."""
    with pytest.raises(ArgumentError, match="do not go with end_of_word"):
        learner(engine, 5, 3, alphabet="chars", end_of_word="</w>")
    with pytest.raises(ArgumentError, match="need word_pattern="):
        learner(engine, 5, 3, word_pattern=None)
    with pytest.raises(PatternError, match="not a known name"):
        learner(engine, 5, 3, word_pattern="gpt")
    with pytest.raises(ArgumentError, match="superwords=6 are 6 tokens, and vocab_size=262 leaves"):
        learner(engine, 5, 6).learn(PHRASES)
    with pytest.raises(ArgumentError, match="leaves room for 4"):
        learner(engine, 5, 5).require_room(2)
    words = WordCounts.from_mapping({" ab": 3}, SplitRules(phrase_pattern("gpt2")))
    base = MergeLearner(vocab_size=257, engine=engine).learn(words)
    with pytest.raises(ArgumentError, match="do not go with a tokenizer to go on from"):
        learner(engine, 5, 3).learn(words, base=base)


def test_counts_of_words_are_refused(engine):
    """In them nothing is joined across their borders."""
    words = WordCounts.from_mapping({" ab": 3}, SplitRules(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+|."))
    with pytest.raises(ArgumentError, match="what was counted are words"):
        learner(engine, 5, 3, word_pattern=words.rules.pattern).learn(words)


def test_fewer_superwords_than_wanted_are_told(engine):
    """As of any merges."""
    with pytest.warns(BytepairWarning, match="only 5 of 9 merges"):
        spec = learner(engine, 9, 4).learn(PHRASES)
    assert len(spec.merges) == 5


def test_numpy_numbers_are_numbers(engine):
    """As for other options."""
    assert learner(engine, 5, np.int64(3)).learn(PHRASES) == learner(engine, 5, 3).learn(PHRASES)
