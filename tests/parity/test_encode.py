"""Both engines give the ids that replaying the merges gives, and that the libraries give."""

import base64
import json
import random
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import hypothesis.strategies as st
import numpy as np
import pytest
import tiktoken
import tokenizers
from hypothesis import given

import bytepair
import oracles
from bytepair import MergeTable, Tokenizer, TokenizerSpec
from bytepair.engines import NAMES
from bytepair.errors import BytepairWarning, EncodeError
from bytepair.model import SplitRules, Vocabulary
from bytepair.normalizers import normalize
from bytepair.patterns import NAMED
from inputs import documents, fewer, is_settled, medley, runs, settled_documents, sources, texts

# The others are written in dialects that the oracle reads otherwise, or (CLIP) for lower case.
PATTERNS = [name for name in NAMED if name not in {"bloom", "clip", "kimi-k2"}]
SPECIALS = ("<|endoftext|>", "<|im_start|>", "<|fim|>")

# ---------------------------------------------------------------------- tokenizers to try


def trained(**options) -> TokenizerSpec:
    """A small vocabulary from fragments and source code."""
    options = {"vocab_size": 1000, "special_tokens": SPECIALS, **options}
    return bytepair.train(medley(), **options).spec


def ranked(ignore_merges: bool) -> TokenizerSpec:
    """A rank table: any split of a token is a merge, also of tokens that no merge order made."""
    choose = random.Random(8)
    words = "".join(medley()).split()
    tokens = {word.encode()[:6] for word in choose.sample(words, 300)}
    tokens |= {token[:size] for token in tokens for size in (2, 3) if choose.random() < 0.5}
    more = sorted(token for token in tokens if len(token) > 1)
    choose.shuffle(more)
    with TemporaryDirectory() as folder:
        path = Path(folder, "some.tiktoken")
        everything = [*(bytes([byte]) for byte in range(256)), *more]
        lines = (b"%s %d\n" % (base64.b64encode(t), i) for i, t in enumerate(everything))
        path.write_bytes(b"".join(lines))
        specials = {token: 1000 + number for number, token in enumerate(SPECIALS)}
        spec = bytepair.load(path, pattern="cl100k", special_tokens=specials).spec
    return replace(spec, ignore_merges=ignore_merges)


def without_merges(spec: TokenizerSpec) -> TokenizerSpec:
    """Every fifth token is made by no merge, so it is found only as a whole pre-token."""
    kept = [merge[:3] for merge in spec.merges if merge[2] % 5]
    return replace(spec, merges=MergeTable.from_merges(kept), ignore_merges=True)


KINDS: dict[str, Callable[[], TokenizerSpec]] = {
    **{name: (lambda name=name: trained(pattern=name)) for name in PATTERNS},
    "no pattern": lambda: trained(pattern=None, ties="first"),
    "gaps": lambda: trained(pattern=r"[a-z]+|\p{L}+(?=\s)", ties="huggingface"),
    "characters": lambda: trained(alphabet="chars", vocab_size=1300, ties="bytes"),
    "characters, no pattern": lambda: trained(alphabet="chars", pattern=None, vocab_size=1500),
    "end mark": lambda: trained(alphabet="chars", end_of_word="</w>", pattern="whitespace"),
    "rank table": lambda: ranked(ignore_merges=False),
    "rank table, whole words": lambda: ranked(ignore_merges=True),
    "orphans": lambda: without_merges(trained(pattern="gpt2")),
}
kinds = pytest.mark.parametrize("kind", KINDS)


@cache
def spec_of(kind: str) -> TokenizerSpec:
    return KINDS[kind]()


@cache
def tokenizer_of(kind: str, engine: str) -> Tokenizer:
    return Tokenizer(spec_of(kind), engine=engine)


# ---------------------------------------------------------------------- the definition


@kinds
@given(data=settled_documents(20))
def test_ids_are_those_of_replaying_the_merges(kind, data):
    """Lowest rank first, leftmost of equals; on text and on bytes that are none."""
    expected = oracles.encode(spec_of(kind), data)
    for engine in NAMES:
        tokenizer = tokenizer_of(kind, engine)
        assert tokenizer.encode_ordinary(data) == expected
        assert tokenizer.count(data) == len(expected)


@st.composite
def merge_tables(draw) -> TokenizerSpec:
    """Merges over a, b, c: a list in any order, or a table in which all ways to a token share
    its rank; two pairs may make the same token.
    """
    tokens = [b"a", b"b", b"c"]
    pairs: dict[tuple[int, int], int] = {}
    for _ in range(draw(st.integers(1, 12))):
        left, right = (draw(st.integers(0, len(tokens) - 1)) for _ in "lr")
        content = tokens[left] + tokens[right]
        if content not in tokens:
            tokens.append(content)
        pairs.setdefault((left, right), tokens.index(content))
    rows = draw(st.permutations([(*pair, joined) for pair, joined in pairs.items()]))
    ranks = list(range(len(rows)))
    if draw(st.booleans()):
        rows.sort(key=lambda row: row[2])
        ranks = [row[2] for row in rows]
    columns = np.array([[*row, rank] for row, rank in zip(rows, ranks, strict=True)], np.uint32).T
    byte_ids = tuple(max(byte - ord("a"), 0) for byte in range(256))
    vocabulary = Vocabulary(dict(enumerate(tokens)), byte_ids)
    table = MergeTable(*(np.ascontiguousarray(column) for column in columns))
    return TokenizerSpec(vocabulary, table, SplitRules())


@given(spec=merge_tables(), words=st.lists(runs("abc", 100), max_size=5))
def test_any_merges_are_replayed_alike(spec, words):
    """Short words are joined by one way in the core, those of more than 40 symbols by another."""
    for engine in NAMES:
        tokenizer = Tokenizer(spec, engine=engine)
        for word in words:
            assert tokenizer.encode_ordinary(word) == oracles.encode(spec, word)


@given(data=documents(20))
def test_normalised_text_gets_the_ids_of_what_it_became(data):
    """What is normalised is what lies between special tokens, before it is split."""
    names = ("nfkc", "lowercase", "collapse-whitespace")
    plain = spec_of("o200k")
    spec = replace(plain, rules=replace(plain.rules, normalizer=names))
    for engine in NAMES:
        expected = tokenizer_of("o200k", engine).encode_ordinary(normalize(data, names))
        tokenizer = Tokenizer(spec, engine=engine)
        assert tokenizer.encode_ordinary(data) == expected
        with_special = tokenizer.encode(b"<|fim|>" + data, allowed_special={"<|fim|>"}, **ANY)
        assert with_special == [spec.added_tokens[2].id, *expected]


ANY = {"disallowed_special": ()}


# ---------------------------------------------------------------------- there and back


special_texts = st.lists(texts(4) | st.sampled_from(SPECIALS), max_size=6).map("".join)


@kinds
@given(text=special_texts)
def test_text_comes_back_exactly(kind, text):
    """Whether special tokens are seen as such or as text; by either engine."""
    for engine in NAMES:
        tokenizer = tokenizer_of(kind, engine)
        assert tokenizer.decode(tokenizer.encode_ordinary(text)) == text
        assert tokenizer.decode(tokenizer.encode(text, **ANY)) == text
        assert tokenizer.decode(tokenizer.encode(text, allowed_special="all", **ANY)) == text


@kinds
@given(data=st.binary(max_size=60) | documents(20))
def test_any_bytes_come_back_exactly(kind, data):
    """Also those that are no text."""
    for engine in NAMES:
        tokenizer = tokenizer_of(kind, engine)
        assert tokenizer.decode_bytes(tokenizer.encode_ordinary(data)) == data
        assert tokenizer.decode_bytes(tokenizer.encode(data, allowed_special="all")) == data


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in {"rank table", "orphans"}])
def test_every_learned_token_encodes_to_itself(kind):
    """Its bytes alone, uncut, are joined to it again: no token is learned in vain."""
    spec = replace(spec_of(kind), rules=SplitRules())
    vocabulary = spec.vocabulary
    learned = set(vocabulary.tokens) - set(vocabulary.byte_ids)
    if vocabulary.end_of_word_id is not None:  # the end of a word is added to what is encoded
        learned = vocabulary.ends_word - {vocabulary.end_of_word_id}
    for engine in NAMES:
        tokenizer = Tokenizer(spec, engine=engine)
        for token in learned:
            assert tokenizer.encode_ordinary(vocabulary.tokens[token]) == [token]


# ---------------------------------------------------------------------- the libraries

BYTE_LEVEL = [*PATTERNS, "no pattern", "rank table, whole words"]


@cache
def hugging_face(kind: str) -> tokenizers.Tokenizer:
    """What `tokenizers` makes of what we saved."""
    with TemporaryDirectory() as folder:
        tokenizer_of(kind, "native").save(folder)
        return tokenizers.Tokenizer.from_file(str(Path(folder, "tokenizer.json")))


@cache
def openai(kind: str) -> tiktoken.Encoding:
    """What `tiktoken` makes of what we saved."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "x.tiktoken")
        tokenizer_of(kind, "native").save(path)
        lines = [line.split() for line in path.read_bytes().splitlines()]
        sidecar = json.loads(Path(folder, "x.tiktoken.json").read_text("utf-8"))
    return tiktoken.Encoding(
        sidecar["name"],
        pat_str=sidecar["pat_str"],
        mergeable_ranks={base64.b64decode(token): int(rank) for token, rank in lines},
        special_tokens=sidecar["special_tokens"],
    )


@pytest.mark.parametrize("kind", [*BYTE_LEVEL, "gaps", "characters", "orphans"])
@given(text=special_texts)
def test_hugging_face_gives_the_same_ids(kind, text):
    """Special tokens are always matched there."""
    expected = hugging_face(kind).encode(text).ids
    for engine in NAMES:
        assert tokenizer_of(kind, engine).encode(text, allowed_special="all") == expected


# What clip and bloom match leaves parts of a text over, which tiktoken drops.
@pytest.mark.parametrize("kind", [kind for kind in BYTE_LEVEL if kind not in ("clip", "bloom")])
@given(text=special_texts)
def test_tiktoken_gives_the_same_ids(kind, text):
    """With special tokens, with one of them, and with none."""
    theirs = openai(kind)
    for engine in NAMES:
        ours = tokenizer_of(kind, engine)
        assert ours.encode_ordinary(text) == theirs.encode_ordinary(text)
        for allowed in ("all", set(), {"<|fim|>"}):
            options = {"allowed_special": allowed, "disallowed_special": ()}
            assert ours.encode(text, **options) == theirs.encode(text, **options)


@given(text=st.text(st.sampled_from("a \ud83d\ude00\udfff\ud800é") | st.characters(), max_size=8))
@fewer(2)
def test_surrogates_become_what_they_become_in_tiktoken(text):
    """A pair its code point, a lone one U+FFFD, by whichever method."""
    expected = openai("cl100k").encode_ordinary(text)
    for engine in NAMES:
        tokenizer = tokenizer_of("cl100k", engine)
        assert tokenizer.encode(text) == tokenizer.encode_ordinary(text) == expected
        assert tokenizer.encode_batch([text]) == [expected]
        assert tokenizer.encode_to_numpy(text).tolist() == expected
        assert tokenizer.count(text) == len(expected)
        assert [piece.id for piece in tokenizer.inspect(text).pieces] == expected


# ---------------------------------------------------------------------- size and threads

LONG = {
    "one letter": "a" * 200_000,
    "spaces": " " * 200_000,
    "two letters": "ab" * 100_000,
    "letters": "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=200_000)),
    "line ends": "\r\n" * 100_000,
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
@pytest.mark.parametrize("kind", ["cl100k", "rank table"])
def test_a_very_long_word_gets_the_same_ids_in_both_engines(kind, text):
    """One pre-token of 200,000 characters."""
    native, python = (tokenizer_of(kind, engine) for engine in NAMES)
    ids = native.encode_ordinary(text)
    assert ids == python.encode_ordinary(text)
    assert native.decode(ids) == text


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("engine", NAMES)
def test_threads_do_not_show_in_a_batch(engine, threads):
    """Rows come in the order of the texts, empty ones too."""
    tokenizer = tokenizer_of("o200k", engine)
    batch = ["", *medley()[:150], "", SPECIALS[0], "\ud83d", b"\xff\xfe a"]
    rows = [tokenizer.encode(text, allowed_special="all") for text in batch]
    options = {"threads": threads, "allowed_special": "all"}
    assert tokenizer.encode_batch(batch, **options) == rows
    ids, offsets = tokenizer.encode_batch_to_numpy(batch, **options)
    assert ids.dtype == np.uint32
    assert ids.tolist() == [token for row in rows for token in row]
    assert np.diff(offsets).tolist() == tokenizer.count_batch(batch, **options)
    assert np.diff(offsets).tolist() == list(map(len, rows))
    ordinary = tokenizer.encode_ordinary_batch(batch, threads=threads)
    assert ordinary == [tokenizer.encode_ordinary(text) for text in batch]


# ---------------------------------------------------------------------- what neither can do


@given(data=documents(4).filter(is_settled))
@fewer(4)
def test_without_fallback_both_engines_miss_the_same_character(data):
    """The first one without a token is named, by whichever method."""
    spec = trained(alphabet="chars", byte_fallback=False, vocab_size=300, special_tokens=())
    outcomes = set()
    for engine in NAMES:
        tokenizer = Tokenizer(spec, engine=engine)
        for encode in (tokenizer.encode, tokenizer.count, tokenizer.encode_to_numpy):
            try:
                encode(data)
                outcomes.add("")
            except EncodeError as error:
                outcomes.add(str(error))
    assert len(outcomes) == 1


def test_a_pattern_that_needs_a_regex_engine_gives_the_same_ids():
    """The core then joins what Python cuts."""
    spec = replace(spec_of("gpt2"), rules=SplitRules(r"(?<=a)b|\w+?\b|\W"))
    with warnings.catch_warnings(action="ignore", category=BytepairWarning):
        native, python = (Tokenizer(spec, engine=engine) for engine in NAMES)
    for text in sources(20_000)[:1]:
        expected = python.encode_ordinary(text)
        assert native.encode_ordinary(text) == expected == oracles.encode(spec, text.encode())
        assert native.count(text) == len(expected)
        assert native.encode_ordinary_batch([text, "", text]) == [expected, [], expected]


def test_of_a_pair_named_twice_the_first_entry_counts() -> None:
    """Files that do so are refused; a table made by hand must still mean the same to both."""
    tokens = {**{byte: bytes([byte]) for byte in range(256)}, 256: b"ab", 257: b"ab"}
    merges = MergeTable.from_merges([(97, 98, 256), (97, 98, 257)])
    spec = TokenizerSpec(Vocabulary(tokens, tuple(range(256))), merges)
    for engine in ("native", "python"):
        assert bytepair.Tokenizer(spec, engine=engine).encode("ab") == [256]
