"""Worked by hand: the merges lo, low, _low, _lowe, st, _lower of `low lower lowest`."""

from dataclasses import replace

import pytest

import bytepair
from bytepair.errors import ArgumentError, UnknownTokenError
from bytepair.model import AddedToken, MergeTable
from bytepair.tokenizer import CacheBlocks, MergeStep, MergeTree, Stop, Tokenizer


@pytest.fixture(scope="module")
def tok(engine: str) -> Tokenizer:
    """Six merges, two special tokens."""
    trained = bytepair.train(
        ["low lower lowest"] * 9, vocab_size=264, special_tokens=["<a>", "<b>"], engine=engine
    )
    assert trained.merges.joined.tolist() == list(range(256, 262))
    return trained


def test_merges_come_in_the_order_in_which_they_are_done(tok: Tokenizer) -> None:
    """l+o, lo+w, and s+t behind it; nothing joins low and e without the space."""
    (word,) = tok.explain("lowest").words
    assert word.symbols == (b"l", b"o", b"w", b"e", b"s", b"t")
    assert word.steps == (
        MergeStep(0, 0, b"l", b"o", 256),
        MergeStep(1, 0, b"lo", b"w", 257),
        MergeStep(4, 4, b"s", b"t", 260),
    )
    assert word.stops == (Stop(b"low", b"e", None), Stop(b"e", b"st", None))
    assert [piece.id for piece in word.pieces] == [257, 101, 260]


def test_stages_show_the_word_after_each_merge(tok: Tokenizer) -> None:
    """From bytes to tokens."""
    (word,) = tok.explain("low").words
    assert list(word.stages()) == [(b"l", b"o", b"w"), (b"lo", b"w"), (b"low",)]


def test_the_space_belongs_to_the_token(tok: Tokenizer) -> None:
    """` lower` is one token, `lower` three."""
    first, second = tok.explain("lower lower").words
    assert (first.has_space, first.elsewhere) == (False, (261,))
    assert (second.has_space, second.elsewhere) == (True, (257, 101, 114))
    assert tok.encode("lower") == [257, 101, 114]


def test_places_are_those_of_the_text(tok: Tokenizer) -> None:
    """Also behind characters of several bytes."""
    words = tok.explain("é low").words
    assert [(p.start, p.end) for word in words for p in word.pieces] == [(0, 1), (1, 2), (2, 6)]


def test_added_tokens_are_apart_even_side_by_side(tok: Tokenizer) -> None:
    """They are no pre-tokens and nothing is merged; where they are not allowed they are text."""
    words = tok.explain("<a><a>low<b>").words
    assert [(word.data, word.how) for word in words] == [
        (b"<a>", "added"),
        (b"<a>", "added"),
        (b"low", "merged"),
        (b"<b>", "added"),
    ]
    assert tok.explain("<a>", allowed_special=set()).words[0].how == "merged"


def test_a_pre_token_that_is_a_token_is_looked_up(tok: Tokenizer) -> None:
    """With `ignore_merges` nothing is merged, so there is nothing to tell."""
    (word,) = Tokenizer(replace(tok.spec, ignore_merges=True)).explain(" lower").words
    assert (word.how, word.steps, list(word.stages())) == ("looked up", (), [])


def test_a_token_that_merging_misses_is_named(tok: Tokenizer) -> None:
    """`lowe` is put in as a token that no merge makes: the stop says that it is there."""
    tokens = {**tok.spec.vocabulary.tokens, 300: b"lowe"}
    vocabulary = replace(tok.spec.vocabulary, tokens=tokens)
    word = Tokenizer(replace(tok.spec, vocabulary=vocabulary)).explain("lowe").words[0]
    assert word.stops == (Stop(b"low", b"e", 300),)


def test_residues_are_named(tok: Tokenizer) -> None:
    """` lowe` is only a step to ` lower`; where it is left over, ` low` and `e` stand for it."""
    result = tok.prune([" lower" * 9 + " low" * 9], vocab_size=261, strategy="residues")
    assert b" lowe" not in result.spec.vocabulary.tokens.values()
    small = result.tokenizer
    explanation = small.explain(" lowe")
    assert explanation.ids == small.encode(" lowe")
    assert explanation.words[0].residues == (b" lowe",)
    assert "no token itself" in str(explanation)


def test_normalised_and_other_text_is_explained(engine: str) -> None:
    """What is merged is the normalised text; places are those of the text that was given."""
    tok = bytepair.train(["é é é"], vocab_size=258, normalizer="nfc", engine=engine)
    (word,) = tok.explain("e\u0301").words
    assert (word.data, word.pieces[0].start, word.pieces[0].end) == ("é".encode(), 0, 3)
    assert tok.explain("").words == ()
    assert tok.explain(b"\xff").ids == [255]


def test_tree_of_a_token(tok: Tokenizer) -> None:
    """Low is lo and w, lo is l and o."""
    lo = MergeTree(256, b"lo", 0, (MergeTree(108, b"l"), MergeTree(111, b"o")))
    assert tok.merge_tree(257) == MergeTree(257, b"low", 1, (lo, MergeTree(119, b"w")))
    assert tok.merge_tree(262) == MergeTree(262, b"<a>")


def test_tree_of_an_unknown_id(tok: Tokenizer) -> None:
    """An error like any other for ids."""
    with pytest.raises(UnknownTokenError, match="999"):
        tok.merge_tree(999)


def test_tree_of_a_token_that_its_own_bytes_do_not_give(tok: Tokenizer) -> None:
    """`we` is made by the last merge, but its bytes never meet: o+w comes first in `owe`."""
    spec = tok.spec
    rows = [(111, 119, 300), (119, 101, 301), (111, 301, 302)]
    tokens = {**spec.vocabulary.tokens, 300: b"ow", 301: b"we", 302: b"owe"}
    vocabulary = replace(spec.vocabulary, tokens=tokens)
    tree = Tokenizer(
        replace(spec, vocabulary=vocabulary, merges=MergeTable.from_merges(rows))
    ).merge_tree(302)
    assert [part.id for part in tree.parts] == [111, 301]
    assert [part.id for part in tree.parts[1].parts] == [119, 101]


def test_deep_trees_are_shown(engine: str) -> None:
    """A chain of 2,000 merges, deeper than Python's stack."""
    alphabet = bytepair.train(["x"], vocab_size=256, special_tokens=[], engine=engine).spec
    rows = [(97 if n == 0 else 255 + n, 97, 256 + n) for n in range(2000)]
    tokens = {**alphabet.vocabulary.tokens, **{256 + n: b"a" * (n + 2) for n in range(2000)}}
    vocabulary = replace(alphabet.vocabulary, tokens=tokens)
    merges = MergeTable.from_merges(rows)
    tree = Tokenizer(replace(alphabet, vocabulary=vocabulary, merges=merges)).merge_tree(2255)
    assert len(str(tree).splitlines()) == 4001


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        ("low lower", "low lower low", 2),
        ("low lower", "low lowest", 1),
        ("", "low", 0),
        ("low", "low", 1),
        ("<a>low", "<a>lower", 2),
    ],
    ids=["longer", "differs", "empty", "same", "special"],
)
def test_shared_prefix(tok: Tokenizer, first: str, second: str, shared: int) -> None:
    """` lowest` begins with ` lowe`, another token than ` lower`."""
    assert tok.shared_prefix(first, second) == shared


def test_only_whole_blocks_are_used_again(tok: Tokenizer) -> None:
    """Seven shared tokens are three blocks of two; of ten tokens four are computed."""
    blocks = tok.cache_blocks("x" * 7, "x" * 7 + "yyy", 2)
    assert blocks == CacheBlocks(first=7, second=10, shared=7, size=2)
    assert (blocks.blocks, blocks.reused, blocks.computed) == (3, 6, 4)
    with pytest.raises(ArgumentError, match="size"):
        tok.cache_blocks("a", "b", 0)


def test_added_tokens_that_take_space_keep_their_place(tok: Tokenizer) -> None:
    """The white space that a token takes is in its data."""
    added = (AddedToken("<a>", 262, lstrip=True, rstrip=True),)
    words = Tokenizer(replace(tok.spec, added_tokens=added)).explain("low <a> low").words
    assert [word.data for word in words] == [b"low", b" <a> ", b"low"]
