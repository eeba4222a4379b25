"""Explanations of any model against what encoding gives, and against merging by hand."""

from functools import cache
from itertools import pairwise

import hypothesis.strategies as st
import pytest
from hypothesis import given

import bytepair
from bytepair.engines.python import FirstSymbols
from bytepair.errors import EncodeError
from bytepair.model import TokenizerSpec
from bytepair.tokenizer import MergeTree, Tokenizer, WordSteps
from models import Toy, toys

CORPUS = [
    "The quick brown fox jumps over the lazy dog; the dog, they say, didn't mind it. " * 4,
    "Größe und Straße, naïve café, 12345 67890\r\n" * 3,
    "def encode(text: str) -> list[int]:\n    return [rank[byte] for byte in text]\n" * 3,
]


def merged_by_hand(spec: TokenizerSpec, word: bytes) -> list[tuple[int, int, int]]:
    """(rank, number of the left symbol, joined) of each merge: the lowest rank, the leftmost."""
    rank_by_pair = spec.merges.rank_by_pair()
    symbols = [symbol.id for symbol in FirstSymbols(spec).of(word)]
    steps = []
    while True:
        pairs = enumerate(pairwise(symbols))
        sites = [(*rank_by_pair[pair], at) for at, pair in pairs if pair in rank_by_pair]
        if not sites:
            return steps
        rank, joined, at = min(sites, key=lambda site: (site[0], site[2]))
        symbols[at : at + 2] = [joined]
        steps.append((rank, at, joined))


def check(tok: Tokenizer, word: WordSteps) -> None:
    """What a word's explanation says of itself must be so."""
    if word.how != "merged":
        assert word.steps == ()
        return
    expected = merged_by_hand(tok.spec, word.data)
    assert [(step.rank, step.joined) for step in word.steps] == [(r, j) for r, _, j in expected]
    *_, last = stages = list(word.stages())
    assert [len(stage) for stage in stages] == [len(word.symbols) - n for n in range(len(stages))]
    assert all(b"".join(stage) == word.data for stage in stages)
    assert len(word.stops) == len(last) - 1
    for (_, at, _), stage, following in zip(expected, stages[:-1], stages[1:], strict=True):
        assert following[at] == stage[at] + stage[at + 1]


@given(toy=toys(), text=st.text("abcé ", max_size=12), engine=st.sampled_from(["native", "python"]))
def test_every_kind_of_model_is_explained(toy: Toy, text: str, engine: str) -> None:
    """Bytes and characters, marks of words, unknown tokens, fallback, words looked up."""
    tok = Tokenizer(toy.spec(), engine=engine)
    try:
        ids = tok.encode(text)
    except EncodeError:
        return
    explanation = tok.explain(text)
    assert explanation.ids == ids
    for word in explanation.words:
        check(tok, word)


@cache
def trained() -> Tokenizer:
    """A merge list over bytes."""
    return bytepair.train(CORPUS, vocab_size=370, pattern="cl100k")


@cache
def of_kind(kind: str, folder: str) -> Tokenizer:
    """The same as ranks, or without the tokens that are only steps."""
    if kind == "residues":
        return trained().prune(CORPUS, vocab_size=320, strategy="residues").tokenizer
    trained().save(f"{folder}/x.tiktoken")
    return bytepair.load(f"{folder}/x.tiktoken")


@pytest.mark.parametrize("kind", ["ranks", "residues"])
@given(text=st.text() | st.lists(st.sampled_from(CORPUS)).map("".join).map(lambda s: s[:200]))
def test_ranks_and_residues_are_explained(kind: str, text: str, tmp_path_factory) -> None:
    """One folder for all examples is enough: nothing is written twice."""
    tok = of_kind(kind, str(tmp_path_factory.getbasetemp()))
    explanation = tok.explain(text, allowed_special=set())
    assert explanation.ids == tok.encode(text, disallowed_special=())
    for word in explanation.words:
        check(tok, word)


def leaves(tree: MergeTree) -> bytes:
    """The bytes at the ends of a tree."""
    return b"".join(map(leaves, tree.parts)) if tree.parts else tree.data


@given(toy=toys(may_fail=False))
def test_every_tree_is_made_of_its_parts(toy: Toy) -> None:
    """By merges that are in the table, down to what no merge makes."""
    tok = Tokenizer(toy.spec())
    table = {(left, right, joined, rank) for left, right, joined, rank in tok.merges}
    made = set(tok.merges.joined.tolist())
    for token in tok.spec.vocabulary:
        trees = [tok.merge_tree(token)]
        assert leaves(trees[0]) == tok.spec.vocabulary.tokens[token]
        while trees:
            tree = trees.pop()
            assert bool(tree.parts) == (tree.id in made)
            if tree.parts:
                left, right = tree.parts
                assert (left.id, right.id, tree.id, tree.rank) in table
            trees += tree.parts
