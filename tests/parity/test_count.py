"""Both engines count every pre-token, wherever documents, chunks and special tokens end."""

from collections import Counter
from collections.abc import Sequence
from typing import get_args

import hypothesis.strategies as st
import pytest
from hypothesis import example, given

import oracles
from bytepair import FrequencyAnalyzer, WordCounts
from bytepair.engines import NAMES, select
from bytepair.engines.python import pre_tokens
from bytepair.model import Behavior, Chunk, Split, SplitRules
from bytepair.normalizers import Aligned
from bytepair.patterns import NAMED
from inputs import documents, fewer, is_settled, runs

PATTERNS = [None, NAMED["gpt2"], NAMED["o200k"], r"\w+|\W", r"[a-z]+", r"[^<]+|<"]
SPECIALS = [
    (),
    ("<|endoftext|>",),
    ("<a>", "<b>", "<a><b>"),
    ("aa", "a", "aba"),
    ("ab", "ba"),
    ("é", "\n\n"),
]

patterns = st.sampled_from(PATTERNS)
specials = st.sampled_from(SPECIALS)
contents = st.sampled_from([token.encode() for tokens in SPECIALS for token in tokens])
texts = st.lists(documents(3) | runs("ab<>é\n ", 20) | contents, max_size=4)
texts = texts.map(b"".join).filter(is_settled)
corpora = st.lists(texts, max_size=5)
SPLITS = (r"\s+", r"\d", "[ab]", "ab|b", r"\p{L}+|\p{N}", r"\s+(?!\S)", NAMED["o200k"])
splits = st.builds(
    Split, st.sampled_from(SPLITS), st.sampled_from(get_args(Behavior)), st.booleans()
)
chains = st.lists(splits, min_size=1, max_size=3).map(tuple)


def rows(counts: WordCounts) -> list[tuple[bytes, int, int]]:
    """(pre-token, how often, where first), as the oracle gives it."""
    return [(word, n, int(at)) for (word, n), at in zip(counts, counts.first, strict=True)]


def fed(engine: str, pattern: str | None, special: Sequence[str], corpus: Sequence[bytes]):
    """A counter that has counted the corpus."""
    counter = select(engine).counter(SplitRules(pattern, special_tokens=tuple(special)))
    counter.feed(corpus, 0)
    return counter


def result(counter) -> list[tuple[bytes, int, int]]:
    return rows(counter.result(SplitRules(), 0, 0))


@given(pattern=patterns, special=specials, corpus=corpora)
def test_both_engines_count_what_a_counter_over_regex_counts(pattern, special, corpus):
    """Words, counts, first places and their order; no word crosses documents or special tokens."""
    expected = oracles.count(pattern, special, corpus)
    for engine in NAMES:
        assert result(fed(engine, pattern, special, corpus)) == expected


@given(pattern=patterns, special=specials, document=texts, sizes=st.lists(st.integers(0, 9)))
def test_a_document_in_parts_counts_as_the_whole(pattern, special, document, sizes):
    """A part may end within a character, a pre-token or a special token."""
    expected = oracles.count(pattern, special, [document])
    for engine in NAMES:
        counter = select(engine).counter(SplitRules(pattern, special_tokens=tuple(special)))
        done = end = 0
        for size in sizes:
            end = min(end + size, len(document))
            done += counter.feed_part(document[done:end], done, False)
        assert counter.feed_part(document[done:], done, True) == len(document) - done
        assert result(counter) == expected


@given(steps=chains, special=specials, corpus=corpora, cut=st.integers(0, 99))
def test_several_splits_count_the_pieces_that_they_leave(steps, special, corpus, cut):
    """What one removes is no word; a document may come in two parts."""
    rules = SplitRules(special_tokens=special, steps=steps)
    expected = pieces(steps, special, corpus)
    for engine in NAMES:
        counter = select(engine).counter(rules)
        position = 0
        for document in corpus:
            done = counter.feed_part(document[:cut], position, False)
            counter.feed_part(document[done:], position + done, True)
            position += len(document)
        assert result(counter) == expected


def pieces(steps, special: Sequence[str], corpus: Sequence[bytes]) -> list[tuple[bytes, int, int]]:
    """The same from pre-tokenising stretch by stretch, which is held against Hugging Face."""
    total: Counter[bytes] = Counter()
    first: dict[bytes, int] = {}
    position = 0
    for document in corpus:
        for stretch, is_special in oracles.between(special, document):
            words = [] if is_special else pre_tokens(SplitRules(steps=steps), Aligned.of(stretch))
            for word in words:
                total[word.data] += 1
                first.setdefault(word.data, position + int(word.starts[0]))
            position += len(stretch)
    return [(word, n, first[word]) for word, n in total.items()]


@given(pattern=patterns, special=specials, corpus=corpora, seed=st.randoms())
@fewer(2)
def test_counters_add_up_in_any_order(pattern, special, corpus, seed):
    """Threads take documents as they come; the counts and first places do not show it."""
    starts = [sum(map(len, corpus[:number])) for number in range(len(corpus))]
    for engine in NAMES:
        rules = SplitRules(pattern, special_tokens=tuple(special))
        counters = [select(engine).counter(rules) for _ in range(3)]
        for number in seed.sample(range(len(corpus)), len(corpus)):
            seed.choice(counters).feed([corpus[number]], starts[number])
        counters[0].merge(counters[2])
        counters[0].merge(counters[1])
        assert result(counters[0]) == oracles.count(pattern, special, corpus)


@pytest.mark.parametrize("engine", NAMES)
@pytest.mark.parametrize("threads", [1, 2])
@given(pattern=patterns, special=specials, corpus=corpora, size=st.integers(1, 9))
@example(pattern=None, special=("ab", "ba"), corpus=[b"ababab"], size=3)
def test_chunks_do_not_show_in_the_counts(engine, threads, pattern, special, corpus, size):
    """Also of documents too large to hold, here those of more than two bytes."""
    analyzer = FrequencyAnalyzer(threads=threads, engine=engine)
    chunks = [chunk for document in corpus for chunk in chopped(document, size)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bytepair.frequency._analyzer._OPEN_BYTES", 3)
        patch.setattr("bytepair.frequency._analyzer._TASK_BYTES", 20)
        counts = analyzer.count(chunks, SplitRules(pattern, special_tokens=special))
    assert rows(counts) == oracles.count(pattern, special, corpus)
    assert (counts.n_documents, counts.n_bytes) == (len(corpus), sum(map(len, corpus)))


def chopped(document: bytes, size: int) -> list[Chunk]:
    """The document in chunks of a few bytes."""
    starts = range(0, max(len(document), 1), size)
    return [Chunk(document[at : at + size], at + size >= len(document)) for at in starts]


@pytest.mark.parametrize("engine", NAMES)
def test_the_longest_special_token_is_cut_out_where_several_begin(engine):
    """The leftmost first, then the longest, as in encoding; what is left over is text."""
    counter = fed(engine, None, ["<a>", "<a><b>", "aa"], [b"x<a><b>y<a>aaa<a"])
    assert result(counter) == [(b"x", 1, 0), (b"y", 1, 7), (b"a<a", 1, 13)]


@pytest.mark.parametrize("engine", NAMES)
def test_words_never_cross_documents(engine):
    """Two documents that end and begin alike are not one text."""
    counter = fed(engine, r"[a-z]+", [], [b"ab", b"", b"ab", b"cab"])
    assert result(counter) == [(b"ab", 2, 0), (b"cab", 1, 4)]


def test_a_document_of_many_chunks_counts_as_its_lines():
    """Twenty megabytes in one document, never held: each line is counted as often as it stands."""
    line = "the lazy dog, naïve 2024<|x|>\n".encode()
    chunks = [Chunk(line * 1000, is_last=False)] * 650 + [Chunk(b"")]
    rules = SplitRules(NAMED["gpt2"], special_tokens=("<|x|>",))
    counts = FrequencyAnalyzer(engine="native").count(chunks, rules)
    once = oracles.count(rules.pattern, rules.special_tokens, [line])
    assert rows(counts) == [(word, n * 650_000, at) for word, n, at in once]


@pytest.mark.parametrize("engine", NAMES)
@given(pattern=patterns, special=specials, corpus=corpora, cut=st.integers(0, 5))
def test_merged_tables_are_the_table_of_the_whole(engine, pattern, special, corpus, cut):
    """First places of the second part lie behind all of the first."""
    rules = SplitRules(pattern, special_tokens=special)
    analyzer = FrequencyAnalyzer(threads=1, engine=engine)

    def counted(part: Sequence[bytes]) -> WordCounts:
        return analyzer.count(map(Chunk, part), rules)

    parts = [counted(corpus[:cut]), counted(corpus[cut:])]
    assert analyzer.merge(iter(parts)) == counted(corpus)
