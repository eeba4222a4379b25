"""Thousands of strings made to break tokenizers: the libraries give the same ids.

`benchmarks/parity_encode.py` does the same with a million of them and published vocabularies.
"""

import base64
import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import tiktoken
import tokenizers

import bytepair
from bytepair.engines import NAMES, select
from bytepair.patterns import NAMED
from inputs import medley
from strings import CHUNK, byte_strings, code_points, strings, without_surrogates

SPECIALS = ("<|endoftext|>", "<|im_start|>", "<|fim|>")
PATTERNS = ["gpt2", "cl100k", "o200k"]
EVERYTHING = {"allowed_special": "all", "disallowed_special": ()}

each_pattern = pytest.mark.parametrize("pattern", PATTERNS)
each_engine = pytest.mark.parametrize("engine", NAMES)


@cache
def tokenizer_of(pattern: str, engine: str) -> bytepair.Tokenizer:
    """Trained on other strings of these kinds, so that it has merges in every script."""
    corpus = (*medley(), *strings(3, 0, 3 * CHUNK))
    trained = bytepair.train(corpus, vocab_size=3000, pattern=pattern, special_tokens=SPECIALS)
    return bytepair.Tokenizer(trained.spec, engine=engine)


@cache
def hugging_face(pattern: str) -> tokenizers.Tokenizer:
    with TemporaryDirectory() as folder:
        tokenizer_of(pattern, "native").save(folder)
        return tokenizers.Tokenizer.from_file(str(Path(folder, "tokenizer.json")))


@cache
def openai(pattern: str) -> tiktoken.Encoding:
    with TemporaryDirectory() as folder:
        path = Path(folder, "x.tiktoken")
        tokenizer_of(pattern, "native").save(path)
        lines = [line.split() for line in path.read_bytes().splitlines()]
        sidecar = json.loads(Path(folder, "x.tiktoken.json").read_text("utf-8"))
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    names = ("name", "pat_str", "special_tokens")
    return tiktoken.Encoding(**{name: sidecar[name] for name in names}, mergeable_ranks=ranks)


def made() -> list[str]:
    """Strings of every kind, with whole special tokens and halves of them."""
    return strings(7, 0, 3 * CHUNK, SPECIALS)


@each_engine
@each_pattern
def test_hugging_face_gives_the_same_ids(pattern, engine):
    """With surrogates replaced as we replace them, since it takes none."""
    texts = made()
    rows = hugging_face(pattern).encode_batch_fast([without_surrogates(text) for text in texts])
    encoded = tokenizer_of(pattern, engine).encode_batch(texts, **EVERYTHING)
    assert_equal(texts, encoded, [row.ids for row in rows])


@each_engine
@each_pattern
def test_tiktoken_gives_the_same_ids(pattern, engine):
    """Special tokens as such, and as text."""
    texts = made()
    ours, theirs = tokenizer_of(pattern, engine), openai(pattern)
    assert_equal(texts, ours.encode_batch(texts, **EVERYTHING), [
        theirs.encode(text, allowed_special="all") for text in texts
    ])  # fmt: skip
    ordinary = [theirs.encode_ordinary(text) for text in texts]
    assert_equal(texts, ours.encode_ordinary_batch(texts), ordinary)


@pytest.mark.native_only
@each_pattern
def test_every_plane_is_cut_alike(pattern):
    """Code points among their neighbours, one in every 97; surrogates too."""
    texts = [text for first in range(0, 0x110000, 97) for text in code_points(first, 1)]
    encoded = tokenizer_of(pattern, "native").encode_ordinary_batch(texts)
    assert_equal(texts, encoded, [openai(pattern).encode_ordinary(text) for text in texts])


@each_engine
@each_pattern
def test_bytes_that_are_no_text_come_back(pattern, engine):
    """Cut characters, overlong forms, encoded surrogates; by one call and by a batch."""
    data = byte_strings(7, 0, CHUNK)
    tokenizer = tokenizer_of(pattern, engine)
    rows = tokenizer.encode_ordinary_batch(data)
    assert [tokenizer.decode_bytes(row) for row in rows] == data
    assert [tokenizer.encode_ordinary(item) for item in data[::8]] == rows[::8]


@each_pattern
def test_engines_agree_on_bytes_that_are_no_text(pattern):
    """No library says where such bytes are to be cut: the twin is the oracle."""
    data = byte_strings(11, 0, CHUNK)
    native, python = (tokenizer_of(pattern, engine).encode_ordinary_batch(data) for engine in NAMES)
    assert_equal(data, native, python)


@pytest.mark.native_only
@each_pattern
def test_pre_tokens_are_counted_as_they_are_cut(pattern):
    """What benchmarks time is the work that encoding does."""
    splitter = select("native").splitter(NAMED[pattern])
    data = [*byte_strings(5, 0, CHUNK), b"", "".join(medley()).encode()]
    assert [splitter.count(item) for item in data] == [len(splitter.split(item)) for item in data]


@pytest.mark.parametrize(
    ("text", "expected"), [("\ud83d\ude00", "😀"), ("\ude00\ud83d", "\ufffd\ufffd"), ("é", "é")]
)
def test_surrogates_are_replaced_by_the_rule(text, expected):
    """A pair is its character, a lone half U+FFFD; the libraries are asked with that."""
    assert without_surrogates(text) == expected


def test_strings_are_the_same_for_the_same_seed():
    """A failure must be found again, from its number."""
    many = strings(1, 0, 3 * CHUNK, SPECIALS)
    assert strings(1, CHUNK, 10, SPECIALS) == many[CHUNK : CHUNK + 10]
    assert strings(2, 0, 10, SPECIALS) != many[:10]


def assert_equal(texts, ours, theirs):
    """Show the first text that differs, not all of them."""
    differing = [row for row in zip(texts, ours, theirs, strict=True) if row[1] != row[2]]
    assert differing[:1] == []
