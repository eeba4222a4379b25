"""Training that takes tokens out again: the stages by themselves are the oracle."""

import numpy as np
import pytest

import bytepair
from bytepair import MergeLearner, VocabularyPruner
from bytepair.engines import NAMES
from bytepair.errors import ArgumentError, BytepairWarning
from bytepair.pipeline import count_words
from bytepair.pruning import without_intermediate

CORPUS = [
    "low lower lowest slow slower slowest newer newest wide wider widest Kentucky\n" * 3,
    "the lower the slower; the newest is the widest, the slowest the lowest Kentucky\n" * 2,
]
SPECIALS = ["<|endoftext|>", "<|pad|>"]


def counted():
    """The words, and the special tokens with them."""
    spec = bytepair.train(CORPUS, vocab_size=290, special_tokens=SPECIALS).spec
    return count_words(spec, CORPUS)


@pytest.mark.parametrize("engine", NAMES)
@pytest.mark.parametrize("strategy", ["leaves", "whole-words", "residues"])
def test_prune_from_is_to_learn_more_and_prune(strategy, engine):
    """By the same words."""
    options = {"vocab_size": 275, "special_tokens": SPECIALS, "engine": engine}
    tok = bytepair.train(CORPUS, prune_from=290, prune_strategy=strategy, **options)
    counts = counted()
    larger = MergeLearner(vocab_size=290, engine=engine).learn(counts)
    expected = VocabularyPruner(vocab_size=275, strategy=strategy).prune(larger, counts).spec
    assert tok.spec == expected
    assert tok.vocab_size == 275
    assert tok.spec.training.pruned[0]["vocab_before"] == 290


@pytest.mark.parametrize("engine", NAMES)
@pytest.mark.parametrize("threshold", [0.5, 0.9, 1])
def test_a_threshold_gives_as_many_tokens_as_asked(threshold, engine):
    """Those of the stage by itself; the texts are the corpus's again."""
    options = {"vocab_size": 266, "special_tokens": SPECIALS, "engine": engine}
    tok = bytepair.train(CORPUS, residue_threshold=threshold, **options)
    counts = counted()
    larger = MergeLearner(vocab_size=290, engine=engine).learn(counts)
    expected = without_intermediate(larger, counts, threshold, vocab_size=266)
    assert tok.spec.vocabulary == expected.vocabulary
    assert tok.spec.residues == expected.residues
    assert tok.vocab_size == 266
    assert tok.decode(tok.encode(CORPUS[0], allowed_special="all")) == CORPUS[0]


def test_a_corpus_that_is_too_small_gives_fewer_tokens_and_says_so():
    """As without a threshold."""
    with pytest.warns(BytepairWarning, match=r"the vocabulary has \d+ tokens, not 1000"):
        tok = bytepair.train(CORPUS, vocab_size=1000, residue_threshold=0.9)
    assert 256 < tok.vocab_size < 1000
    with pytest.warns(BytepairWarning, match="merges were found"):
        tok = bytepair.train(CORPUS, vocab_size=1000, prune_from=2000)
    assert 256 < tok.vocab_size < 1000


def test_a_checkpoint_keeps_what_is_pruned_afterwards(tmp_path):
    """The merges of the larger vocabulary: resumed, the result is the same."""
    options = {"vocab_size": 270, "prune_from": 290, "checkpoint": tmp_path}
    first = bytepair.train(CORPUS, **options)
    again = bytepair.train(CORPUS, resume=True, **options)
    assert again.spec == first.spec


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prune_from": 300}, "prune_from=300 must be larger than vocab_size=300"),
        ({"prune_from": "many"}, "prune_from='many' must be larger"),
        ({"prune_from": 400, "prune_strategy": "all"}, "strategy must be one of"),
        ({"prune_from": 400, "alphabet": "chars"}, "'whole-words' needs alphabet='bytes'"),
        ({"residue_threshold": 0}, "residue_threshold must be a share, above 0"),
        ({"residue_threshold": 1.5}, "residue_threshold must be a share"),
        ({"residue_threshold": True}, "residue_threshold must be a share"),
        ({"residue_threshold": np.nan}, "residue_threshold must be a share"),
        ({"residue_threshold": 0.9, "prune_from": 400}, "residue_threshold and prune_from"),
        ({"residue_threshold": 0.9, "checkpoint": "x"}, "residue_threshold and checkpoint"),
        ({"residue_threshold": 0.9, "resume": True}, "residue_threshold and resume"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_read(options, message):
    """A corpus that is not there is not looked for."""
    with pytest.raises(ArgumentError, match=message):
        bytepair.train("nowhere.txt", vocab_size=300, **options)
