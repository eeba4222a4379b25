"""What a vocabulary must hold and must not, and how it grows: against recounting everything."""

import re
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given
from tokenizers import Tokenizer as HuggingFace

import bytepair
import oracles
from bytepair import BytepairWarning, MergeLearner, WordCounts
from bytepair.engines import NAMES
from bytepair.errors import ArgumentError, CorpusError, ExportError
from bytepair.model import Split, SplitRules, TokenizerSpec, Vocabulary
from inputs import fewer

fewer_merges = pytest.mark.filterwarnings("ignore:only .* merges were found")
words = st.text("abé", min_size=1, max_size=8)
corpora = st.dictionaries(words, st.integers(1, 4), min_size=1, max_size=8)
SINGLES = [bytes([byte]) for byte in range(256)]


def learned(spec, n_first: int = 256) -> list[tuple[int, int, int]]:
    """Merges, without ranks."""
    return [merge[:3] for merge in spec.merges if merge[2] >= n_first]


def joined(words, merges):
    """Words after merges, one merge after the other."""
    rows = [(list(word), count) for word, count in words]
    for left, right, new in merges:
        rows = [(oracles.replaced(word, (left, right), new), count) for word, count in rows]
    return rows


def grown(contents, merges):
    """What symbols stand for after merges."""
    contents = list(contents)
    for left, right, _ in merges:
        contents.append(contents[left] + contents[right])
    return contents


# ---------------------------------------------------------------------- seeds, blocks, lengths


@given(corpus=corpora, seeds=st.lists(words, min_size=1, max_size=4, unique=True))
@fewer(2)
@fewer_merges
def test_seed_tokens_are_learned_from_themselves_and_the_rest_on_top(corpus, seeds):
    """Every one is one token, and what follows is what recounting finds after their merges."""
    expected = oracles.learn([(list(s.encode()), 1) for s in seeds], SINGLES, 99)
    first = [merge[:3] for merge in expected]
    rows = joined([(word.encode(), count) for word, count in corpus.items()], first)
    expected = first + [m[:3] for m in oracles.learn(rows, grown(SINGLES, first), 9)]
    for engine in NAMES:
        learner = MergeLearner(
            vocab_size=256 + len(first) + 9, seed_tokens=seeds, min_frequency=1, engine=engine
        )
        spec = learner.learn(WordCounts.from_mapping(corpus))
        assert learned(spec) == expected
        tokenizer = bytepair.Tokenizer(spec, engine=engine)
        assert all(len(tokenizer.encode(seed)) == 1 for seed in seeds)
        assert spec.training.merge_counts[: len(first)] == (0,) * len(first)


@given(corpus=corpora, blocked=st.frozensets(words, max_size=4), mark=st.sampled_from([None, "_"]))
@fewer(2)
@fewer_merges
def test_blocked_tokens_never_come_about(corpus, blocked, mark):
    """With an end mark "ab" and "ab_" are two tokens: only what is named is blocked."""
    named = blocked | {word + "_" for word in blocked if mark and len(word) % 2}
    for engine in NAMES:
        learner = MergeLearner(
            vocab_size=300,
            alphabet="chars",
            end_of_word=mark,
            blocked_tokens=named,
            min_frequency=1,
            engine=engine,
        )
        spec = learner.learn(WordCounts.from_mapping(corpus))
        spelled = {
            data.decode() + "_" * (token in spec.vocabulary.ends_word)
            for token, data in spec.vocabulary.tokens.items()
            if token in set(spec.merges.joined.tolist())
        }
        assert not spelled & named


def test_what_is_blocked_with_the_mark_is_not_blocked_without() -> None:
    """And the other way round; the words are "ab_" and "abc_"."""
    for blocked, expected in (("ab_", [b"ab", b"abc", b"abc"]), ("ab", [b"b", b"ab", b"bc"])):
        spec = MergeLearner(
            vocab_size=4 + 3,
            alphabet="chars",
            byte_fallback=False,
            end_of_word="_",
            blocked_tokens=[blocked],
            ties="first",
        ).learn(WordCounts.from_mapping({"ab": 5, "abc": 3}))
        assert [spec.vocabulary.tokens[m] for m in spec.merges.joined.tolist()] == expected


@pytest.mark.parametrize("alphabet", ["bytes", "chars"])
@given(corpus=corpora, limit=st.integers(1, 4), unit=st.sampled_from(["bytes", "characters"]))
@fewer(2)
@fewer_merges
def test_no_token_exceeds_the_length_in_its_unit(corpus, limit, unit, alphabet):
    """Characters that begin in a token; half a character is none, or one, but never two."""
    for engine in NAMES:
        learner = MergeLearner(
            vocab_size=300,
            max_token_length=limit,
            length_unit=unit,
            alphabet=alphabet,
            min_frequency=1,
            engine=engine,
        )
        spec = learner.learn(WordCounts.from_mapping(corpus))
        contents = [spec.vocabulary.tokens[token] for token in spec.merges.joined.tolist()]
        characters = [len(re.findall(rb"[\x00-\x7f\xc0-\xff]", data)) for data in contents]
        assert all(n <= limit for n in (map(len, contents) if unit == "bytes" else characters))


@pytest.mark.parametrize(
    ("unit", "expected"),
    [("bytes", ["日"]), ("characters", ["日", "本", "日本"])],
)
@fewer_merges
def test_a_limit_in_characters_is_not_one_in_bytes(unit, expected):
    """Two characters of three bytes each are six bytes."""
    spec = MergeLearner(
        vocab_size=300, max_token_length=2 if unit[0] == "c" else 3, length_unit=unit
    )
    learnt = spec.learn(WordCounts.from_mapping({"日本": 5, "日": 9}))
    found = [learnt.vocabulary.tokens[m].decode("utf-8", "ignore") for m in learnt.merges.joined]
    assert [text for text in expected if text in found] == expected
    assert ("日本" in found) == (unit == "characters")


@given(corpus=corpora, limit=st.integers(1, 2))
@fewer_merges
def test_characters_beyond_the_alphabet_are_bytes_and_join_nothing(corpus, limit):
    """No text is lost, and no token is learned across one."""
    for engine in NAMES:
        spec = MergeLearner(
            vocab_size=300, alphabet="chars", limit_alphabet=limit, min_frequency=1, engine=engine
        ).learn(WordCounts.from_mapping(corpus))
        tokenizer = bytepair.Tokenizer(spec, engine=engine)
        for word in corpus:
            assert tokenizer.decode(tokenizer.encode(word)) == word
        chars = {data.decode() for data in [*spec.vocabulary.tokens.values()][256 : 256 + limit]}
        made = "".join(spec.vocabulary.tokens[m].decode() for m in spec.merges.joined.tolist())
        assert set(made) <= chars


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed_tokens": "ab"}, "seed_tokens must be several tokens, got the one 'ab'"),
        ({"seed_tokens": [""]}, "seed_tokens: a token cannot be empty"),
        ({"seed_tokens": ["ab"], "blocked_tokens": [b"ab"]}, "both have 'ab'"),
        ({"blocked_pairs": [("a",)]}, r"expected \(left, right\), got \('a',\)"),
        ({"limit_alphabet": 5}, "limit_alphabet needs alphabet='chars' with byte_fallback=True"),
        ({"length_unit": "words"}, "length_unit must be one of bytes, characters"),
        ({"seed_tokens": ["abc"], "vocab_size": 257}, "2 tokens are needed for seed_tokens"),
        ({"seed_tokens": ["abc"], "max_token_length": 2}, "'abc' cannot be made"),
        ({"seed_tokens": ["a<s>"]}, "holds the special token '<s>'"),
    ],
)
def test_wishes_that_cannot_be_are_refused(options, message):
    """With the token that is meant."""
    counts = WordCounts.from_mapping({"ab": 2}, SplitRules(special_tokens=("<s>",)))
    with pytest.raises(ArgumentError, match=message):
        MergeLearner(**{"vocab_size": 300, **options}).learn(counts)


@fewer_merges
def test_seeds_that_no_text_becomes_are_a_warning():
    """They are there all the same: a pattern may cut them only where they stand alone."""
    for options, reason in (
        ({"pattern": "o200k"}, "are cut by the pattern"),
        ({"pattern": None, "normalizer": "lowercase"}, "change when text is normalised"),
    ):
        with pytest.warns(BytepairWarning, match=f"{reason}.*: 'A 1'"):
            tokenizer = bytepair.train(["ab"], vocab_size=300, seed_tokens=["A 1"], **options)
        assert b"A 1" in tokenizer.spec.vocabulary.id_by_bytes


def test_an_exact_size_or_none():
    """A model whose embeddings are sized in advance wants no surprise."""
    with pytest.raises(CorpusError, match="only 1 of 43 merges were found"):
        bytepair.train(["ab ab"], vocab_size=300, exact_size=True)
    assert bytepair.train(["ab ab"], vocab_size=258, exact_size=True).vocab_size == 258


def test_reserved_tokens_are_special_and_last():
    """They count, and a corpus cannot teach them."""
    tokenizer = bytepair.train(
        ["ab ab <|reserved_1|>"] * 3, vocab_size=260, reserved_tokens=2, special_tokens=["<s>"]
    )
    assert tokenizer.special_tokens == {"<s>": 257, "<|reserved_0|>": 258, "<|reserved_1|>": 259}
    assert b"ab" in tokenizer.spec.vocabulary.id_by_bytes


# ---------------------------------------------------------------------- digits


def by_hand(text: str, digits: str) -> list[str]:
    """Runs of digits cut from the right, and what lies between as it is."""
    size = 1 if digits == "single" else 3
    pieces: list[str] = []
    for run in re.findall(r"[0-9٣²]+|[^0-9٣²]+", text):
        first = len(run) % size
        groups = [run[:first], *(run[at : at + size] for at in range(first, len(run), size))]
        pieces += [g for g in groups if g] if run[0] in "0123456789٣²" else [run]
    return pieces


@given(text=st.text("0123 ٣²a.", max_size=12), digits=st.sampled_from(["single", "threes"]))
def test_digits_are_cut_as_by_hand(text, digits):
    """Numbers of any script; without a pattern the rest stays whole."""
    rules = bytepair.Preprocessor(pattern=None, digits=digits, special_tokens=[]).rules
    for engine in NAMES:
        counts = bytepair.FrequencyAnalyzer(engine=engine).count(
            bytepair.Preprocessor(pattern=None, special_tokens=[]).chunks([text.encode()]), rules
        )
        pieces = by_hand(text, digits)
        expected = {piece.encode(): pieces.count(piece) for piece in pieces}
        assert dict(counts) == expected


@fewer_merges
@pytest.mark.parametrize("digits", ["single", "threes"])
def test_digits_are_cut_so_by_hugging_face_too(digits, tmp_path: Path):
    """In what is saved; tiktoken has one pattern, and says so."""
    texts = ["a1234567 12 x 3", "in 2026: 1000000.5 ٣٣٣٣ no2", "１２３４５"]
    tokenizer = bytepair.train(texts * 3, vocab_size=330, digits=digits, special_tokens=[])
    tokenizer.save(tmp_path / "saved")
    theirs = HuggingFace.from_file(str(tmp_path / "saved" / "tokenizer.json"))
    loaded = bytepair.load(tmp_path / "saved")
    for text in texts:
        assert theirs.encode(text).ids == tokenizer.encode(text) == loaded.encode(text)
    with pytest.raises(ExportError, match="one pattern"):
        tokenizer.save(tmp_path / "x.tiktoken")


# ---------------------------------------------------------------------- going on


@pytest.mark.parametrize("ties", ["lowest", "huggingface", "first", "bytes"])
@given(corpus=corpora, n_first=st.integers(0, 6))
@fewer(2)
@fewer_merges
def test_going_on_with_the_same_words_is_learning_more_at_once(ties, corpus, n_first):
    """The merges so far are all there is to a learner."""
    counts = WordCounts.from_mapping(corpus)
    for engine in NAMES:
        options = {"ties": ties, "min_frequency": 1, "engine": engine}
        whole = MergeLearner(vocab_size=270, **options).learn(counts)
        first = MergeLearner(vocab_size=256 + n_first, **options).learn(counts)
        assume(len(first.vocabulary) < 270)
        more = MergeLearner(vocab_size=270, **options).learn(counts, base=first)
        assert (more.vocabulary, more.merges) == (whole.vocabulary, whole.merges)
        assert more.training.merge_counts == whole.training.merge_counts


@given(old=corpora, new=corpora, n_first=st.integers(1, 6), as_ranks=st.booleans())
@fewer(2)
@fewer_merges
def test_new_merges_are_what_recounting_finds_after_the_old_ones(old, new, n_first, as_ranks):
    """Ids go on behind the special tokens; a rank table is read as tiktoken reads it."""
    rules = SplitRules(special_tokens=("<s>",))
    spec = MergeLearner(vocab_size=257 + n_first, min_frequency=1).learn(
        WordCounts.from_mapping(old, rules)
    )
    first = learned(spec)
    rows = joined([(word.encode(), count) for word, count in new.items()], first)
    contents = grown(SINGLES, first)
    expected = oracles.learn(rows, contents, 5)
    ids = {number: number + (number >= len(contents)) for number in range(300)}  # <s> is between
    wanted = [(ids[left], ids[right], ids[new_one]) for left, right, new_one, _ in expected]
    for engine in NAMES:
        learner = MergeLearner(vocab_size=257 + len(first) + 5, min_frequency=1, engine=engine)
        more = learner.learn(WordCounts.from_mapping(new), base=spec)
        assert learned(more)[len(first) :] == wanted
        assert learned(more)[: len(first)] == first
        assert {**more.vocabulary.tokens}.items() >= {**spec.vocabulary.tokens}.items()
        assert more.added_tokens == spec.added_tokens


@fewer_merges
@pytest.mark.parametrize("kind", ["huggingface", "tiktoken"])
@pytest.mark.parametrize("engine", NAMES)
def test_a_loaded_tokenizer_goes_on_and_is_saved_again(kind, engine, tmp_path: Path):
    """Whatever the file: old ids stay, and the other library gives the new ids as we do."""
    english = ["the quick brown fox jumps over the lazy dog " * 3]
    german = "zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich "
    place = tmp_path / ("old.tiktoken" if kind == "tiktoken" else "old")
    bytepair.train(english, vocab_size=290, pattern="gpt2").save(place)
    loaded = bytepair.load(place)
    larger = loaded.extend([german * 3], vocab_size=320, engine=engine)
    assert {**larger.spec.vocabulary.tokens}.items() >= {**loaded.spec.vocabulary.tokens}.items()
    assert larger.special_tokens == loaded.special_tokens
    new_ids = set(larger.spec.vocabulary.tokens) - set(loaded.spec.vocabulary.tokens)
    assert min(new_ids) == loaded.vocab_size
    assert larger.count(german) < loaded.count(german)
    new = tmp_path / ("new.tiktoken" if kind == "tiktoken" else "new")
    larger.save(new)
    again = bytepair.load(new)
    assert again.encode(german + english[0]) == larger.encode(german + english[0])
    assert larger.decode(larger.encode(german)) == german


@fewer_merges
def test_what_is_a_token_already_is_not_made_twice(tmp_path: Path):
    """A token that no merge reaches (as in some published files) keeps its bytes to itself."""
    spec = MergeLearner(vocab_size=258).learn(WordCounts.from_mapping({"abc": 3}))
    tokens = {**spec.vocabulary.tokens, 300: b"cd"}
    odd = TokenizerSpec(Vocabulary(tokens, tuple(range(256))), spec.merges)
    for engine in NAMES:
        learner = MergeLearner(vocab_size=262, engine=engine)
        more = learner.learn(WordCounts.from_mapping({"cd": 9, "cde": 9}), base=odd)
        contents = list(more.vocabulary.tokens.values())
        assert len(set(contents)) == len(contents)
        assert contents[-2:] == [b"de", b"cde"]
        assert max(more.vocabulary.tokens) == 302


def test_words_that_are_looked_up_whole_teach_nothing():
    """With ignore_merges a word that is a token is one already."""
    spec = MergeLearner(vocab_size=258).learn(WordCounts.from_mapping({"abc": 3}))
    tokens = {**spec.vocabulary.tokens, 258: b"xyz"}
    odd = TokenizerSpec(Vocabulary(tokens, tuple(range(256))), spec.merges, ignore_merges=True)
    counts = WordCounts.from_mapping({"xyz": 9, "uv": 2})
    more = MergeLearner(vocab_size=260).learn(counts, base=odd)
    assert more.vocabulary.tokens[259] == b"uv"


def test_going_on_is_refused_where_it_cannot_be():
    """No room; other cuts."""
    spec = MergeLearner(vocab_size=258).learn(WordCounts.from_mapping({"abc": 3}))
    counts = WordCounts.from_mapping({"ab": 2})
    with pytest.raises(ArgumentError, match="leaves no room"):
        MergeLearner(vocab_size=258).learn(counts, base=spec)
    other = WordCounts.from_mapping({"ab": 2}, SplitRules(steps=(Split("a"),)))
    with pytest.raises(ArgumentError, match="cut by other rules"):
        MergeLearner(vocab_size=300).learn(other, base=spec)


def test_going_on_can_be_resumed(tmp_path: Path):
    """The checkpoint knows what it goes on from."""
    base = bytepair.train(["low lower lowest"] * 3, vocab_size=262)
    corpus = ["newer wider newest widest " * 3]
    options = {"checkpoint": tmp_path / "checkpoint", "resume": True}
    expected = base.extend(corpus, vocab_size=268)
    assert base.extend(corpus, vocab_size=268, **options) == expected
    assert base.extend(corpus, vocab_size=268, **options) == expected
    other = bytepair.train(["other words"] * 3, vocab_size=262)
    with pytest.raises(ArgumentError, match="was begun with base="):
        other.extend(corpus, vocab_size=268, **options)


@pytest.mark.parametrize("engine", NAMES)
def test_characters_go_on_too(engine):
    """A vocabulary of characters with byte fallback; bytes that stand in join nothing."""
    base = MergeLearner(vocab_size=256 + 3 + 1, alphabet="chars").learn(
        WordCounts.from_mapping({"abc": 5})
    )
    counts = WordCounts.from_mapping({"abé": 9, "éé": 9, "bcbc": 3})
    with pytest.warns(BytepairWarning, match="only"):
        more = MergeLearner(vocab_size=270, engine=engine).learn(counts, base=base)
    new = [data for token, data in more.vocabulary.tokens.items() if token >= 260]
    assert new == [b"bc", b"bcbc"] or new[0] == b"bc"
    assert all(np.isin([len(set(data) - set(b"abc")) for data in new], [0]))
