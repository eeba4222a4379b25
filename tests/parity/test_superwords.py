"""Superwords: what both engines learn is what the whole corpus, never counted, would give; and what
they learn is what Hugging Face's library does with the saved file.
"""

import warnings
from itertools import pairwise

import hypothesis.strategies as st
import numpy as np
import pytest
import regex
import tokenizers
from hypothesis import given

import bytepair
import oracles
from bytepair import BytepairWarning
from bytepair.engines import NAMES
from bytepair.patterns import NAMED, phrase_pattern
from inputs import fewer, runs, texts

WORDS = ("a b", " a", "b", ", a", ".\n", "1", "'s", " \n\t", "aB", "é", "  ")
corpora = st.lists(
    st.lists(st.sampled_from(WORDS), max_size=12).map("".join), min_size=1, max_size=4
)
TIES = {"lowest": "order", "first": "first", "bytes": "bytes"}


def learned(documents, *, n_merges: int, n_superwords: int, **options):
    """A tokenizer without special tokens; merges need not be as many as wanted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BytepairWarning)
        return bytepair.train(
            documents,
            vocab_size=256 + n_merges,
            superwords=n_superwords,
            special_tokens=[],
            **options,
        )


def by_brute_force(documents, pattern: str, n_merges: int, n_superwords: int, ties: str):
    """(merges, ids of each document): every place of the corpus is looked at, each for itself."""
    contents = [bytes([byte]) for byte in range(256)]
    phrases = [
        phrase
        for document in documents
        for phrase in oracles.cuts(phrase_pattern(pattern), document.encode())
    ]
    words = [word for phrase in phrases for word in oracles.cuts(NAMED[pattern], phrase)]
    first = oracles.learn(
        [([*word], 1) for word in words],
        contents,
        n_merges - n_superwords,
        ties=ties,
        min_frequency=2,
    )
    contents += [b"".join(_spelt(first, merge)) for merge in range(len(first))]
    after = [_replayed([*phrase], first) for phrase in phrases]
    second = oracles.learn(
        [(phrase, 1) for phrase in after],
        contents,
        n_merges - len(first),
        ties=ties,
        min_frequency=2,
    )
    merges = [*first, *second]
    return [merge[:3] for merge in merges], [_replayed(phrase, second) for phrase in after]


def _replayed(symbols, merges):
    for left, right, joined, _ in merges:
        symbols = oracles.replaced(symbols, (left, right), joined)
    return symbols


def _spelt(merges, number: int):
    parts = merges[number][:2]
    for part in parts:
        yield bytes([part]) if part < 256 else b"".join(_spelt(merges, part - 256))


@pytest.mark.parametrize("engine", NAMES)
@pytest.mark.parametrize("ties", TIES)
@given(documents=corpora, n_merges=st.integers(1, 30), share=st.floats(0.1, 0.9))
@fewer(4)
def test_what_is_learned_from_counts_is_what_the_whole_corpus_gives(
    engine, ties, documents, n_merges, share
):
    """Phrases are counted and words derived from them; and encoding is what training did."""
    n_superwords = max(1, round(n_merges * share))
    merges, rows = by_brute_force(documents, "o200k", n_merges, n_superwords, TIES[ties])
    if not any(documents):
        return
    tok = learned(documents, n_merges=n_merges, n_superwords=n_superwords, ties=ties, engine=engine)
    assert [tuple(merge)[:3] for merge in tok.merges] == merges
    ids = [token for document in documents for token in tok.encode(document)]
    assert ids == [token for row in rows for token in row]


@pytest.fixture(scope="module", params=["o200k", "gpt2"])
def prose(request) -> "bytepair.Tokenizer":
    """Trained on text that is full of what comes again."""
    lines = [f"the cat of the house, and the dog of the {n}.\n\treturn x;\n" for n in range(40)]
    corpus = ["".join(lines)] * 3
    return learned(corpus, n_merges=120, n_superwords=60, pattern=request.param)


@given(text=texts(30) | st.lists(st.sampled_from((*WORDS, " the", " of the", "; x"))).map("".join))
def test_hugging_face_gives_the_same_ids(prose, tmp_path_factory, text):
    """The file says one split by phrases and one list of merges: there is nothing else to it."""
    path = tmp_path_factory.getbasetemp() / f"superwords-{len(prose.spec.rules.pattern)}"
    if not path.exists():
        prose.save(path)
    theirs = _loaded(str(path / "tokenizer.json"))
    assert prose.encode(text) == theirs.encode(text).ids


_files: dict[str, tokenizers.Tokenizer] = {}


def _loaded(path: str) -> tokenizers.Tokenizer:
    return _files.setdefault(path, tokenizers.Tokenizer.from_file(path))


@pytest.mark.parametrize(
    "pattern", ["gpt2", "r50k", "cl100k", "llama3", "o200k", "qwen2", "tekken", "kimi-k2"]
)
@given(text=texts(30) | st.lists(st.sampled_from(WORDS)).map("".join))
def test_no_phrase_ends_within_a_word(pattern, text):
    """So a first stage is as ever, but where white space stands before a number: the pattern would
    leave its last character to what follows, and there nothing takes it. A pattern that takes all
    white space at the end (`$`) takes the whole run, for a phrase ends there.
    """
    words = oracles.cuts(NAMED[pattern], text.encode())
    phrases = oracles.cuts(phrase_pattern(pattern), text.encode())
    assert ends(phrases) <= ends(words)
    of_phrases = [word for phrase in phrases for word in oracles.cuts(NAMED[pattern], phrase)]
    assert ends(of_phrases) <= ends(words)
    for place in ends(words) - ends(of_phrases):
        behind = text.encode()[place:].decode()
        assert regex.match(r"\s+\p{N}", behind)


def ends(pieces) -> set[int]:
    """Where pieces end."""
    return set(np.cumsum([len(piece) for piece in pieces]).tolist())


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_number_of_threads_does_not_matter(threads):
    """Phrases are divided among counters, and joined in shares."""
    documents = [f"{n % 7} of the {n % 11}{'x' * (n % 5)}, and so on. " * 3000 for n in range(20)]
    one = learned(documents, n_merges=300, n_superwords=100, threads=1, engine="native")
    other = learned(documents, n_merges=300, n_superwords=100, threads=threads, engine="native")
    assert one.spec == other.spec


@given(data=runs("ab ,.\n", 200) | st.text("ab ,.\n1é", max_size=400).map(str.encode))
def test_stages_of_joining_make_what_one_would(prose_of_many_merges, data):
    """The core joins words first and phrases then; the twin joins all at once."""
    native, twin = prose_of_many_merges
    assert native.encode(data) == twin.encode(data)
    assert native.encode_ordinary_batch([data, data])[1] == twin.encode(data)


@pytest.fixture(scope="module")
def prose_of_many_merges():
    """(native, python): with merges enough for two stages."""
    rng = np.random.default_rng(0)
    syllables = [a + b for a in ("", "b", "ab", "ba", "é") for b in ("a", "aa", "ab", "bb", "ba")]
    words = ["".join(rng.choice(syllables, rng.integers(1, 4))) for _ in range(300)]
    texts = [" ".join(rng.choice(words, 12)) + rng.choice([", ", ".\n", " 1 "]) for _ in range(900)]
    native = learned(texts, n_merges=600, n_superwords=200, engine="native")
    spaces = [content for content in native.spec.vocabulary.tokens.values() if b"a " in content]
    assert len(native.spec.merges) == 600
    assert len(spaces) > 20
    return native, bytepair.Tokenizer(native.spec, engine="python")


def test_every_token_is_found_in_text_of_itself(prose):
    """No two ways lead to the same bytes, so joining them gives the token."""
    rank_by_pair = {(left, right): (rank, to) for left, right, to, rank in prose.spec.merges}
    contents = [*prose.spec.vocabulary.tokens.values()]
    assert len(set(contents)) == len(contents)
    for token, content in prose.spec.vocabulary.tokens.items():
        assert oracles.join([*content], rank_by_pair) == [token]
    assert all(a != b for a, b in pairwise(contents))
