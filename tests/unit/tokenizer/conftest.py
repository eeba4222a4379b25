"""One small tokenizer, and tiktoken with the same ranks beside it."""

from dataclasses import replace

import pytest
import tiktoken

import bytepair
from bytepair.model import AddedToken, TokenizerSpec

SPECIALS = ["<|endoftext|>", "<|im_start|>", "two words\n"]
CORPUS = [
    "The quick brown fox jumps over the lazy dog; the dog, they say, didn't mind it.\n" * 4,
    "Größe und Straße, naïve café. Съешь же ещё этих мягких французских булок.\n" * 3,
    "def encode(text: str) -> list[int]:\n    return [rank[byte] for byte in text.encode()]\n" * 3,
    "日本語のテキスト、漢字とかな。 हिन्दी में लिखा हुआ 😀👍🏽 12345 67890\r\n" * 3,
]


def rank_table(spec: TokenizerSpec) -> dict[bytes, int]:
    """Token bytes -> id."""
    return {content: token for token, content in spec.vocabulary.tokens.items()}


@pytest.fixture(scope="session")
def spec() -> TokenizerSpec:
    """500 tokens, and three special ones with a gap before them."""
    trained = bytepair.train(CORPUS, vocab_size=500, pattern="cl100k", special_tokens=SPECIALS).spec
    added = tuple(AddedToken(content, 600 + 10 * n) for n, content in enumerate(SPECIALS))
    return replace(trained, added_tokens=added, name="small")


@pytest.fixture(scope="session")
def tok(spec: TokenizerSpec, engine: str) -> bytepair.Tokenizer:
    """On each engine."""
    return bytepair.Tokenizer(spec, engine=engine)


@pytest.fixture(scope="session")
def encoding(spec: TokenizerSpec) -> tiktoken.Encoding:
    """The oracle: tiktoken, told the same."""
    assert spec.rules.pattern is not None
    return tiktoken.Encoding(
        "small",
        pat_str=spec.rules.pattern,
        mergeable_ranks=rank_table(spec),
        special_tokens={token.content: token.id for token in spec.added_tokens},
    )


@pytest.fixture(scope="session")
def byte_tok(engine: str) -> bytepair.Tokenizer:
    """Of ab 256, abc 257, é 258; every id below is its byte. No pattern, no special token."""
    corpus = ["abc"] * 3 + ["é"] * 2
    return bytepair.train(corpus, vocab_size=259, pattern=None, special_tokens=[], engine=engine)
