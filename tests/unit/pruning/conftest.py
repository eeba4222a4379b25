"""One small tokenizer whose words overlap, and its corpus counted."""

import pytest

import bytepair
from bytepair.model import TokenizerSpec, WordCounts
from bytepair.pipeline import count_words

CORPUS = [
    "low lower lowest slow slower slowest newer newest wide wider widest\n" * 3,
    "the lower the slower; the newest is the widest, the slowest the lowest\n" * 2,
    "größer größte Größe 日本語 日本 漢字\n" * 2,
]


@pytest.fixture(scope="session")
def spec() -> TokenizerSpec:
    """300 tokens and two special ones."""
    specials = ["<|endoftext|>", "<|pad|>"]
    return bytepair.train(CORPUS, vocab_size=302, pattern="gpt2", special_tokens=specials).spec


@pytest.fixture(scope="session")
def counts(spec: TokenizerSpec) -> WordCounts:
    """What the tokenizer was trained on."""
    return count_words(spec, CORPUS)
