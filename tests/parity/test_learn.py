"""Both engines learn the merges that counting everything anew would find, and Hugging Face's."""

import json
from collections import Counter

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

import bytepair
import oracles
from bytepair import BytepairWarning, MergeLearner, MergeTable, WordCounts
from bytepair.engines import NAMES, LearnTask, select
from bytepair.patterns import NAMED
from inputs import fewer, runs, sources

TIES = {"lowest": "order", "first": "first", "bytes": "bytes"}
fewer_merges = pytest.mark.filterwarnings("ignore:only .* merges were found")

letters = st.sampled_from(["ab", "abc", "aé日"])
corpora = letters.flatmap(
    lambda few: st.dictionaries(st.text(few, min_size=1), st.integers(1, 4), min_size=1, max_size=8)
)


spellings = st.lists(st.sampled_from([b"a", b"b", b"\xff"]), min_size=1, max_size=4).map(b"".join)
weighted_words = st.tuples(st.lists(st.integers(0, 2), max_size=12), st.integers(1, 4))


def learned(engine: str, words, contents, step: int, n_merges: int, dtype=np.uint32, **options):
    """Merges by the engine, `step` at a time."""
    symbols = np.array([s for word, _ in words for s in word], dtype)
    offsets = np.cumsum([0, *(len(word) for word, _ in words)])
    counts = np.array([count for _, count in words], np.int64)
    learner = select(engine).learner(LearnTask(symbols, offsets, counts, contents, **options))
    merges: list[tuple] = []
    while len(merges) < n_merges and (more := learner.advance(min(step, n_merges - len(merges)))):
        merges += map(tuple, more)
    return merges


@pytest.mark.parametrize("ties", ["order", "first", "bytes"])
@pytest.mark.parametrize("end_mark", [False, True])
@given(
    words=st.lists(weighted_words, max_size=8),
    order=st.permutations(range(4)),
    min_frequency=st.integers(1, 5),
    max_token_length=st.none() | st.integers(1, 6),
    step=st.integers(1, 50),
    blocked=st.frozensets(spellings, max_size=3),
    blocked_pairs=st.frozensets(st.tuples(spellings, spellings), max_size=3),
)
def test_both_engines_learn_what_recounting_finds(
    ties, end_mark, words, order, min_frequency, max_token_length, step, blocked, blocked_pairs
):
    """Few symbols and equal counts: runs, overlaps and ties at every step."""
    contents = [b"a", b"b", b"\xff"] + [b""] * end_mark
    words = [([*word, 3] if end_mark else word, count) for word, count in words]
    options = {"ties": ties, "min_frequency": min_frequency, "max_token_length": max_token_length}
    options["order"] = [rank for rank in order if end_mark or rank < 3]
    options |= {"blocked": blocked, "blocked_pairs": blocked_pairs}
    expected = oracles.learn(words, contents, 60, **options)
    for engine in NAMES:
        assert learned(engine, words, contents, step, 60, **options) == expected


@pytest.mark.parametrize("ties", ["order", "first", "bytes"])
@given(
    words=st.lists(weighted_words, max_size=8),
    order=st.permutations(range(3)),
    n_done=st.integers(0, 30),
    max_token_length=st.none() | st.integers(1, 6),
    as_bytes=st.booleans(),
    blocked=st.frozensets(spellings, max_size=3),
)
def test_learning_goes_on_from_merges_as_if_it_had_not_stopped(
    ties, words, order, n_done, max_token_length, as_bytes, blocked
):
    """The merges so far are all there is to it: what comes next follows from them."""
    contents = [b"a", b"b", b"\xff"]
    options = {"ties": ties, "max_token_length": max_token_length, "blocked": blocked}
    expected = oracles.learn(words, contents, 60, order=order, **options)
    done = expected[:n_done]
    lengths = [1, 1, 1]
    for (left, right, _, _), content in zip(done, _parts(done, contents), strict=True):
        contents.append(b"".join(content))
        lengths.append(lengths[left] + lengths[right])
    options |= {
        "order": [*order, *range(3, len(contents))],
        "lengths": np.array(lengths, np.uint32),
        "merges": MergeTable.from_merges(merge[:3] for merge in done),
    }
    dtype = np.uint8 if as_bytes else np.uint32
    for engine in NAMES:
        more = learned(engine, words, contents, 7, 60 - n_done, dtype=dtype, **options)
        assert more == expected[n_done:]


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("fallback", [False, True])
@pytest.mark.parametrize("end", [None, "</w>"])
@given(corpus=corpora, min_frequency=st.integers(1, 3), limit=st.none() | st.integers(1, 4))
@fewer_merges
def test_characters_merge_as_recounting_finds(ties, fallback, end, corpus, min_frequency, limit):
    """The ids before the merges: 256 bytes if asked for, code points ascending, the end mark."""
    chars = sorted(set("".join(corpus)))
    contents = [bytes([byte]) for byte in range(256 * fallback)] + [c.encode() for c in chars]
    first = 256 * fallback
    words = [([first + chars.index(c) for c in word], count) for word, count in corpus.items()]
    if end:
        words = [([*word, len(contents)], count) for word, count in words]
        contents.append(b"")
    options = {"min_frequency": min_frequency, "max_token_length": limit}
    merges = oracles.learn(words, contents, 40, ties=TIES[ties], **options)
    for engine in NAMES:
        spec = MergeLearner(
            vocab_size=len(contents) + 40,
            ties=ties,
            alphabet="chars",
            end_of_word=end,
            byte_fallback=fallback,
            engine=engine,
            **options,
        ).learn(WordCounts.from_mapping(corpus))
        assert [merge[:3] for merge in spec.merges] == [merge[:3] for merge in merges]
        assert spec.training.merge_counts == tuple(merge[3] for merge in merges)
        tokens = list(contents)
        tokens += [b"".join(parts) for parts in _parts(merges, contents)]
        assert list(spec.vocabulary.tokens.values()) == tokens


def _parts(merges, contents):
    content = dict(enumerate(contents))
    for left, right, joined, _ in merges:
        content[joined] = content[left] + content[right]
        yield content[left], content[right]


@pytest.mark.parametrize("engine", NAMES)
@fewer_merges
def test_low_lower_lowest(engine):
    """The example everyone begins with; after three merges: low _, lowe r _, lowe s t _."""
    words = {"low": 1, "lower": 1, "lowest": 1}
    spec = chars_learner(engine, vocab_size=11, end_of_word="_", min_frequency=1).learn(
        WordCounts.from_mapping(words)
    )
    tokenizer = bytepair.Tokenizer(spec, engine=engine)
    assert merged(spec) == ["lo", "low", "lowe"]
    pieces = [tokenizer.decode_tokens_bytes(tokenizer.encode(word)) for word in words]
    assert pieces == [[b"low", b""], [b"lowe", b"r", b""], [b"lowe", b"s", b"t", b""]]


def chars_learner(engine: str, **options) -> MergeLearner:
    return MergeLearner(
        alphabet="chars", byte_fallback=False, ties="first", engine=engine, **options
    )


def merged(spec) -> list[str]:
    return [spec.vocabulary.tokens[joined].decode() for _, _, joined, _ in spec.merges]


@pytest.mark.parametrize("engine", NAMES)
def test_the_word_dictionary_of_the_paper(engine):
    """Sennrich et al.: es, est, est</w>, lo, low, ne, and the words they are used on."""
    counts = WordCounts.from_mapping({"low": 5, "lower": 2, "newest": 6, "widest": 3})
    spec = chars_learner(engine, vocab_size=11 + 6, end_of_word="</w>").learn(counts)
    assert merged(spec) == ["es", "est", "est", "lo", "low", "ne"]
    assert spec.vocabulary.ends_word == {10, 13}
    tokenizer = bytepair.Tokenizer(spec, engine=engine)
    id_of = {token: number for number, token in spec.vocabulary.tokens.items()}
    assert tokenizer.encode("lower") == [15, id_of[b"e"], id_of[b"r"], 10]
    assert tokenizer.encode("newest") == [16, id_of[b"w"], 13]


@pytest.mark.parametrize("engine", NAMES)
def test_a_sentence_in_two_tokens(engine):
    """Bytes, no pre-tokens: learning ends by itself after 44 merges."""
    with pytest.warns(BytepairWarning, match="only 44 of 64 merges"):
        tokenizer = bytepair.train(
            ["the quick brown fox jumps over the lazy dog. " * 30],
            vocab_size=320,
            pattern=None,
            ties="first",
            special_tokens=[],
            engine=engine,
        )
    merges = [merge[:3] for merge in tokenizer.merges]
    assert merges[:3] == [(116, 104, 256), (256, 101, 257), (257, 32, 258)]
    assert {(291, 111, 292), (292, 103, 293)} < set(merges)
    assert tokenizer.encode("the quick brown fox jumps over the lazy dog") == [258, 293]


@pytest.mark.parametrize("ties", TIES)
def test_real_text_merges_as_recounting_finds(ties):
    """Words as they are, where sites come and go for hundreds of merges."""
    counts = WordCounts.from_mapping(Counter("".join(sources(25_000)).split()))
    words = [(list(word), count) for word, count in counts]
    singles = [bytes([byte]) for byte in range(256)]
    expected = oracles.learn(words, singles, 150, ties=TIES[ties], min_frequency=2)
    for engine in NAMES:
        spec = MergeLearner(vocab_size=406, ties=ties, engine=engine).learn(counts)
        assert [merge[:3] for merge in spec.merges] == [merge[:3] for merge in expected]


# ---------------------------------------------------------------------- Hugging Face


def by_hugging_face(documents, pattern: str, vocab_size: int, min_frequency: int = 2) -> list:
    """Pairs of byte strings, in the order in which `BpeTrainer` learns them."""
    tokenizer = Tokenizer(models.BPE())
    cut = pre_tokenizers.Split(Regex(pattern), "isolated")
    to_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([cut, to_bytes])
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(iter(documents), trainer)
    byte_of = {char: byte for byte, char in enumerate(oracles.huggingface_alphabet())}
    pairs = json.loads(tokenizer.to_str())["model"]["merges"]
    return [tuple(bytes(map(byte_of.__getitem__, part)) for part in pair) for pair in pairs]


def by_us(documents, pattern: str, vocab_size: int, engine: str, **options) -> list:
    """The same from us."""
    tokenizer = bytepair.train(
        documents,
        vocab_size=vocab_size,
        pattern=pattern,
        ties="huggingface",
        special_tokens=[],
        engine=engine,
        **options,
    )
    tokens = tokenizer.spec.vocabulary.tokens
    return [(tokens[left], tokens[right]) for left, right, _, _ in tokenizer.merges]


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "o200k"])
def test_merges_are_those_of_hugging_face_pair_for_pair(name):
    """More than five megabytes of real text, eight thousand tokens."""
    documents = sources(5_000_000)
    expected = by_hugging_face(documents, NAMED[name], 8000)
    assert len(expected) == 8000 - 256
    assert by_us(documents, name, 8000, "native") == expected


def test_the_twin_learns_the_merges_of_hugging_face():
    """The same from the obvious engine, on less."""
    documents = sources(300_000)
    expected = by_hugging_face(documents, NAMED["o200k"], 3000)
    assert by_us(documents, "o200k", 3000, "python") == expected


@given(documents=st.lists(runs("ab é", 60).map(bytes.decode), max_size=4), least=st.integers(1, 3))
@fewer(4)
@fewer_merges
def test_ties_fall_as_hugging_face_lets_them(documents, least):
    """Where nearly every choice is a tie; all its bytes follow its printable alphabet."""
    documents.append("b a")
    expected = by_hugging_face(documents, NAMED["gpt2"], 290, least)
    for engine in NAMES:
        merges = by_us(documents, "gpt2", 290, engine, min_frequency=least)
        assert merges == expected


@pytest.mark.parametrize("engine", NAMES)
def test_a_tie_shows_whose_order_of_bytes_it_is(engine):
    """To Hugging Face a space comes after the letters, as bytes go it comes before them."""
    assert by_hugging_face(["zzz yx yx q"], NAMED["gpt2"], 257) == [(b"y", b"x")]
    counts = WordCounts.from_mapping({"zzz": 1, " yx": 2, " q": 1})
    for ties, pair in [("huggingface", (121, 120)), ("lowest", (32, 121)), ("bytes", (122, 122))]:
        spec = MergeLearner(vocab_size=257, ties=ties, engine=engine).learn(counts)
        assert next(iter(spec.merges))[:2] == pair


@pytest.mark.parametrize("engine", NAMES)
def test_counts_do_not_overflow(engine):
    """Five thousand million do not fit into 32 bits."""
    counts = WordCounts.from_mapping({"the": 3_000_000_000, "thy": 2_000_000_000, "xy": 10})
    spec = MergeLearner(vocab_size=260, engine=engine).learn(counts)
    assert merged(spec) == ["th", "the", "thy", "xy"]
    assert spec.training.merge_counts == (5_000_000_000, 3_000_000_000, 2_000_000_000, 10)
