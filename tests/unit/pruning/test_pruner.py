"""`VocabularyPruner`: what goes, what stays, and what is left of the tokenizer."""

from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair
from bytepair import Tokenizer, TokenizerSpec, VocabularyPruner, WordCounts
from bytepair.engines import PruneStrategy
from bytepair.errors import (
    ArgumentError,
    CorpusError,
    InputTypeError,
    UnknownTokenError,
)
from bytepair.model import (
    AddedToken,
    MergeTable,
    PostProcessor,
    Progress,
    SplitRules,
    TemplatePiece,
    Vocabulary,
)

STRATEGIES = get_args(PruneStrategy)
HELLO = WordCounts.from_mapping({"hello": 3, "low": 2, "he": 1})


@pytest.fixture
def hello() -> TokenizerSpec:
    """He 256, ll 257, hell 258, hello 259, ow 260 and the special token <s> 261."""
    tokens = [bytes([byte]) for byte in range(256)] + [b"he", b"ll", b"hell", b"hello", b"ow"]
    merges = [(104, 101, 256), (108, 108, 257), (256, 257, 258), (258, 111, 259), (111, 119, 260)]
    return TokenizerSpec(
        Vocabulary(dict(enumerate(tokens)), tuple(range(256))),
        MergeTable.from_merges(merges),
        SplitRules(pattern=r"[a-z]+|[^a-z]+", special_tokens=("<s>",)),
        (AddedToken("<s>", 261),),
        post_processor=PostProcessor(single=(TemplatePiece(ids=(261,)), TemplatePiece("A"))),
    )


def removed(result: bytepair.PruneResult) -> list[tuple[bytes, int]]:
    """What went, with what it cost, in order."""
    return [(token.data, token.cost) for token in result.report.removed]


# ------------------------------------------------------------------ what goes


def test_the_cheapest_leaf_goes_first_and_makes_a_leaf_of_its_parts(
    hello: TokenizerSpec, engine: str
) -> None:
    """First ow (2 times); then hello (3) for hell o, hell for he ll, and ll (3) before he (4)."""
    result = VocabularyPruner(vocab_size=258, engine=engine).prune(hello, HELLO)
    assert removed(result) == [(b"ow", 2), (b"hello", 3), (b"hell", 3), (b"ll", 3)]
    assert result.report.corpus.tokens_before == 3 + 4 + 1
    assert result.report.corpus.tokens_after == 3 * 4 + 2 * 3 + 1


def test_a_step_goes_with_the_only_token_that_it_leads_to(engine: str) -> None:
    """Without abc it is ab c; without ab, of which abc is made, a bc: two tokens as well."""
    merges = [(97, 98, 256), (256, 99, 257), (98, 99, 258)]
    tokens = [bytes([byte]) for byte in range(256)] + [b"ab", b"abc", b"bc"]
    spec = TokenizerSpec(
        Vocabulary(dict(enumerate(tokens)), tuple(range(256))), MergeTable.from_merges(merges)
    )
    counts = WordCounts.from_mapping({"abc": 10, "bc": 7})
    result = VocabularyPruner(max_cost=5, engine=engine).prune(spec, counts)
    assert removed(result) == [(b"abc", 10), (b"ab", 0)]
    one = VocabularyPruner(vocab_size=258, engine=engine).prune(spec, counts)
    assert removed(one) == [(b"bc", 7)]


def test_whole_words_lose_the_steps_between(hello: TokenizerSpec, engine: str) -> None:
    """Hello is looked up: hell and ll are only on the way, and cost nothing."""
    result = VocabularyPruner(max_cost=0, strategy="whole-words", engine=engine).prune(hello, HELLO)
    assert removed(result) == [(b"hell", 0), (b"ll", 0)]
    assert result.spec.ignore_merges
    assert result.tokenizer.encode("hello hell") == [257, 32, 256, 108, 108]


def test_residues_leave_the_id_space_and_stay_as_steps(hello: TokenizerSpec, engine: str) -> None:
    """Hell is still made on the way to hello; where nothing follows, he l l stand for it."""
    result = VocabularyPruner(max_cost=0, strategy="residues", engine=engine).prune(hello, HELLO)
    assert removed(result) == [(b"hell", 0), (b"ll", 0)]
    assert sorted(result.spec.residues.values()) == [(108, 108), (256, 108, 108)]
    assert result.tokenizer.encode("hello hell") == [257, 32, 256, 108, 108]
    assert not result.spec.ignore_merges


def test_of_equals_the_latest_goes(engine: str) -> None:
    """Nothing tells unused tokens apart: the one that was learned last earned least."""
    spec = bytepair.train(["abcabd"] * 3, vocab_size=259, pattern=None, special_tokens=[]).spec
    counts = WordCounts.from_mapping({"ab": 1})
    result = VocabularyPruner(max_cost=0, engine=engine).prune(spec, counts)
    assert [token.id for token in result.report.removed] == [258, 257]


def test_max_loss_is_a_total_and_max_cost_is_of_each(hello: TokenizerSpec, engine: str) -> None:
    """Costs are 2, 3, 3, 3, 4: see above."""
    pruner = VocabularyPruner(max_loss=7, engine=engine)
    assert len(removed(pruner.prune(hello, HELLO))) == 2
    pruner = VocabularyPruner(max_cost=2, engine=engine)
    assert len(removed(pruner.prune(hello, HELLO))) == 1
    pruner = VocabularyPruner(vocab_size=261, max_loss=10**30, engine=engine)
    assert len(removed(pruner.prune(hello, HELLO))) == 1


# ------------------------------------------------------------------ what stays


def test_a_token_to_keep_keeps_all_it_is_made_of(hello: TokenizerSpec, engine: str) -> None:
    """Without hell there is no way to hello."""
    result = VocabularyPruner(max_cost=99, keep=["hello"], engine=engine).prune(hello, HELLO)
    assert removed(result) == [(b"ow", 2)]


@pytest.mark.parametrize("keep", ["hello", b"hello", 259, np.uint32(259)])
def test_residues_keep_what_is_named_and_nothing_else(hello: TokenizerSpec, keep: Any) -> None:
    """Its parts stay as steps."""
    result = VocabularyPruner(vocab_size=258, keep=[keep], strategy="residues").prune(hello, HELLO)
    assert result.tokenizer.encode("hello") == [256]
    assert result.spec.vocabulary.tokens[256] == b"hello"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_bytes_and_added_tokens_always_stay(
    spec: TokenizerSpec, counts: WordCounts, strategy: PruneStrategy, engine: str
) -> None:
    """All the way down, any bytes still come back."""
    pruner = VocabularyPruner(vocab_size=258, strategy=strategy, engine=engine)
    tok = pruner.prune(spec, counts).tokenizer
    data = bytes(range(256)) + "größte 日本".encode()
    assert tok.encode(data) == list(data)
    assert tok.special_tokens == {"<|endoftext|>": 256, "<|pad|>": 257}


def test_what_a_token_to_keep_needs_can_make_a_size_impossible(hello: TokenizerSpec) -> None:
    """Said once it is known, with what is possible."""
    with pytest.raises(ArgumentError, match=r"cannot be reached: .* 261 are left"):
        VocabularyPruner(vocab_size=258, keep=["hello"]).prune(hello, HELLO)


# ------------------------------------------------------------------ what is left


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_ids_close_up_in_their_old_order(
    spec: TokenizerSpec, counts: WordCounts, strategy: PruneStrategy
) -> None:
    """So that rows of embeddings can be taken by the map."""
    result = VocabularyPruner(vocab_size=280, strategy=strategy).prune(spec, counts)
    gone = [token.id for token in result.report.removed]
    assert len(gone) == 22
    assert np.flatnonzero(result.id_map == -1).tolist() == sorted(gone)
    assert result.kept_ids.tolist() == [i for i in range(302) if i not in gone]
    assert result.id_map[result.kept_ids].tolist() == list(range(280))
    before, after = Tokenizer(spec), result.tokenizer
    for old, new in enumerate(result.id_map.tolist()):
        if new >= 0:
            old_bytes = before.decode_single_token_bytes(old)
            assert after.decode_single_token_bytes(new) == old_bytes


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_merge_names_what_is_gone(
    spec: TokenizerSpec, counts: WordCounts, strategy: PruneStrategy
) -> None:
    """A dangling merge makes Hugging Face's library refuse the file."""
    left = VocabularyPruner(vocab_size=280, strategy=strategy).prune(spec, counts).spec
    known = {*left.vocabulary.tokens, *left.residues}
    assert known.issuperset(i for row in left.merges for i in row[:3])
    assert left.merges.is_merge_list


WORDS = ["low", "er", "est", "new", "s", "th", "e", "wid", "größ", "日", "本", "Gr"]


def passed(spec: TokenizerSpec, ids: list[int]) -> set[int]:
    """The tokens with all that merging makes on the way to them."""
    pair_by_token = {joined: (left, right) for left, right, joined, _ in spec.merges}
    seen: set[int] = set()
    rest = list(ids)
    while rest:
        token = rest.pop()
        seen.add(token)
        rest += pair_by_token.get(token, ())
    return seen


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(words=st.lists(st.sampled_from(WORDS), max_size=9))
def test_text_that_used_no_removed_token_becomes_the_same_tokens(
    strategy: PruneStrategy, words: list[str], pruned: dict[str, bytepair.PruneResult]
) -> None:
    """With the new id for each. Only `whole-words` removes steps to tokens that stay."""
    result, before = pruned[strategy], pruned["before"].tokenizer
    text = " ".join(words) + "".join(words)
    ids = before.encode(text)
    used = passed(before.spec, ids) if strategy == "whole-words" else set(ids)
    if all(result.id_map[token] >= 0 for token in used):
        assert result.tokenizer.encode(text) == result.id_map[ids].tolist()


@pytest.fixture(scope="module")
def pruned(spec: TokenizerSpec, counts: WordCounts) -> dict[str, bytepair.PruneResult]:
    """By each strategy; and as it was before."""
    results = {
        strategy: VocabularyPruner(vocab_size=285, strategy=strategy).prune(spec, counts)
        for strategy in STRATEGIES
    }
    results["before"] = VocabularyPruner(vocab_size=302).prune(spec, counts)
    return results


def test_nothing_changes_where_nothing_has_to_go(
    spec: TokenizerSpec, pruned: dict[str, bytepair.PruneResult]
) -> None:
    """Neither ids nor ranks."""
    assert pruned["before"].spec == spec
    assert pruned["before"].id_map.tolist() == list(range(302))


def test_everything_that_names_an_id_follows(hello: TokenizerSpec) -> None:
    """Added tokens, templates, the token of unknown characters, marks at words."""
    result = VocabularyPruner(vocab_size=260).prune(hello, HELLO)
    assert result.spec.added_tokens == (AddedToken("<s>", 259),)
    assert result.tokenizer.encode("hell", add_special_tokens=True) == [259, 258]


@pytest.mark.parametrize("strategy", ["leaves", "residues"])
def test_characters_and_the_end_mark_stay(strategy: PruneStrategy, engine: str) -> None:
    """Words are made of them, seen in this corpus or not."""
    options: dict[str, Any] = {"alphabet": "chars", "end_of_word": "</w>", "byte_fallback": False}
    spec = bytepair.train(
        ["low lower lowest größer"] * 5,
        vocab_size=24,
        pattern="whitespace",
        special_tokens=[],
        **options,
    ).spec
    counts = WordCounts.from_mapping({"low": 3, " low": 9})
    left = VocabularyPruner(vocab_size=15, strategy=strategy, engine=engine).prune(spec, counts)
    assert left.tokenizer.decode(left.tokenizer.encode("low größer")) == "low größer"
    assert left.spec.vocabulary.end_of_word_id == spec.vocabulary.end_of_word_id
    assert left.spec.vocabulary.end_of_word_id in left.spec.vocabulary.ends_word


def test_counts_of_merges_stay_beside_their_merges(spec: TokenizerSpec, counts: WordCounts) -> None:
    """What the training found is still evidence for what is left."""
    left = VocabularyPruner(vocab_size=290).prune(spec, counts).spec
    assert left.training is not None
    assert spec.training is not None
    count_by_token = dict(
        zip(
            [spec.vocabulary.tokens[joined] for _, _, joined, _ in spec.merges],
            spec.training.merge_counts,
            strict=True,
        )
    )
    assert list(left.training.merge_counts) == [
        count_by_token[left.vocabulary.tokens[joined]] for _, _, joined, _ in left.merges
    ]


def test_of_a_rank_table_ranks_stay_ids(engine: str) -> None:
    """As a rank file has them; several ways to a token share its rank."""
    tokens = [bytes([b]) for b in range(256)] + [b"ab", b"bc", b"abc", b"abcd"]
    rows = [(97, 98, 256, 256), (98, 99, 257, 257), (97, 257, 258, 258), (256, 99, 258, 258)]
    table = np.array([*rows, (258, 100, 259, 259)], np.uint32).T
    spec = TokenizerSpec(
        Vocabulary(dict(enumerate(tokens)), tuple(range(256))), MergeTable(*table.copy())
    )
    counts = WordCounts.from_mapping({"abcd": 1, "abc": 5, "ab": 1})
    left = VocabularyPruner(vocab_size=258, engine=engine).prune(spec, counts).spec
    assert list(left.merges) == [(97, 98, 256, 256), (256, 99, 257, 257)]


# ------------------------------------------------------------------ what cannot be


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "nothing says how far"),
        ({"vocab_size": 0}, "vocab_size must be a whole number of 1 or more, got 0"),
        ({"vocab_size": 2.5}, "vocab_size must be a whole number"),
        ({"max_loss": -1}, "max_loss must be a number of tokens.* got -1"),
        ({"max_cost": True}, "max_cost must be a number of tokens.* got True"),
        ({"max_loss": 0.1}, "max_loss must be a number of tokens.* got 0.1"),
        ({"max_cost": 1, "strategy": "roots"}, "strategy must be one of leaves, whole-words"),
    ],
)
def test_options_that_cannot_be_right(options: dict[str, Any], says: str) -> None:
    """Before any work."""
    with pytest.raises(ArgumentError, match=says):
        VocabularyPruner(**options)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"vocab_size": 256}, ArgumentError, "256 is too small: 257 tokens stay"),
        ({"vocab_size": 257, "keep": ["ow"]}, ArgumentError, "257 is too small: 258 tokens stay"),
        ({"vocab_size": 263}, ArgumentError, "263 is larger than the vocabulary, which has 262"),
        ({"max_cost": 0, "keep": ["low"]}, UnknownTokenError, "'low' is no token"),
        ({"max_cost": 0, "keep": [999]}, UnknownTokenError, "999 is no token"),
        ({"max_cost": 0, "keep": [None]}, InputTypeError, "expected tokens as text, bytes or ids"),
    ],
)
def test_what_does_not_go_with_the_tokenizer_is_said_before_counting(
    hello: TokenizerSpec, options: dict[str, Any], error: type[Exception], says: str
) -> None:
    """`require_room` needs no corpus."""
    with pytest.raises(error, match=says):
        VocabularyPruner(**options).require_room(hello)


@pytest.mark.parametrize(
    ("counts", "error", "says"),
    [
        (WordCounts.from_mapping({}), CorpusError, "no word in it"),
        (WordCounts.from_mapping({"日本": 3}), CorpusError, "none of the 1 distinct words"),
        ({"low": 1}, InputTypeError, "expected WordCounts, got dict"),
        (
            WordCounts.from_mapping({"low": 1}, SplitRules(pattern=".")),
            ArgumentError,
            "cut by other rules than the tokenizer's: pattern '.'",
        ),
    ],
)
def test_words_that_tell_nothing(
    hello: TokenizerSpec, counts: Any, error: type[Exception], says: str
) -> None:
    """No word, none of the vocabulary, other words."""
    with pytest.raises(error, match=says):
        VocabularyPruner(vocab_size=260).prune(hello, counts)


def test_whole_words_need_words_that_can_be_looked_up(hello: TokenizerSpec) -> None:
    """An orphan would be found that was not found before; characters have marks and fallbacks."""
    pruner = VocabularyPruner(max_cost=0, strategy="whole-words")
    orphaned = replace(hello, merges=MergeTable.from_merges([(104, 101, 256), (108, 108, 257)]))
    with pytest.raises(ArgumentError, match=r"token 258 \(b'hell'\) is never made by merging"):
        pruner.prune(orphaned, HELLO)
    with pytest.raises(ArgumentError, match="Use 'leaves' or 'residues'"):
        pruner.require_room(replace(hello, alphabet="chars"))


def test_residues_are_not_pruned_again(hello: TokenizerSpec) -> None:
    """What is left over would have to be told apart twice."""
    result = VocabularyPruner(max_cost=0, strategy="residues").prune(hello, HELLO)
    with pytest.raises(ArgumentError, match="prune the one it came from"):
        VocabularyPruner(max_cost=0).prune(result.spec, HELLO)


def test_progress_tells_the_newest_removal(hello: TokenizerSpec) -> None:
    """The first and the last moment at least."""
    moments: list[Progress] = []
    VocabularyPruner(vocab_size=260).prune(hello, HELLO, progress=moments.append)
    assert moments[-1] == Progress("prune", 2, 2, "tokens", "hello")


def test_the_record_of_the_training_tells_of_each_pruning(
    spec: TokenizerSpec, counts: WordCounts
) -> None:
    """Its options alone would say that the smaller vocabulary was trained."""
    assert spec.training is not None
    once = VocabularyPruner(vocab_size=290).prune(spec, counts).spec
    twice = VocabularyPruner(vocab_size=285, strategy="residues").prune(once, counts).spec
    assert twice.training is not None
    n_before = len(spec.vocabulary.tokens) + len(spec.added_tokens)
    assert twice.training.pruned == (
        {"strategy": "leaves", "vocab_before": n_before, "vocab_after": 290},
        {"strategy": "residues", "vocab_before": 290, "vocab_after": 285},
    )
    assert twice.training.options == spec.training.options


@pytest.mark.parametrize("keep", ["hello", b"hello"])
def test_one_token_to_keep_may_be_given_as_a_string(hello: TokenizerSpec, keep: Any) -> None:
    """As one special token may where a tokenizer is trained; never letter by letter."""
    left = VocabularyPruner(vocab_size=258, keep=keep, strategy="residues").prune(hello, HELLO)
    assert b"hello" in left.spec.vocabulary.tokens.values()
    assert VocabularyPruner(vocab_size=258, keep=keep).keep == (keep,)


def test_a_result_is_shown_in_one_line(spec: TokenizerSpec, counts: WordCounts) -> None:
    """A prompt must not be flooded with all tokens and merges."""
    result = VocabularyPruner(vocab_size=290).prune(spec, counts)
    n_before = len(spec.vocabulary.tokens) + len(spec.added_tokens)
    assert repr(result) == f"<PruneResult {spec.name!r}: {n_before} -> 290 tokens>"
