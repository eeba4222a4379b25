from dataclasses import replace
from typing import Any

import pytest
import tiktoken

import bytepair
from bytepair.errors import InputTypeError, UnknownTokenError
from bytepair.model import AddedToken, MergeTable, TokenizerSpec, Vocabulary
from bytepair.patterns import NAMED
from bytepair.tokenizer import Tokenizer


def test_sizes_and_ids_are_those_of_tiktoken(tok: Tokenizer, encoding: tiktoken.Encoding) -> None:
    """497 ordinary tokens, three special ones, and gaps between them."""
    assert tok.n_vocab == encoding.n_vocab == 621
    assert tok.max_token_value == encoding.max_token_value == 620
    assert tok.vocab_size == 500
    assert tok.eot_token == encoding.eot_token == 600
    assert tok.special_tokens_set == encoding.special_tokens_set
    assert tok.token_byte_values() == encoding.token_byte_values()
    assert tok.name == encoding.name == "small"


def test_is_special_token_is_that_of_tiktoken(tok: Tokenizer, encoding: tiktoken.Encoding) -> None:
    """For every id, those in the gaps included."""
    ids = range(tok.n_vocab + 1)
    assert [tok.is_special_token(token) for token in ids] == [
        encoding.is_special_token(token) for token in ids
    ]


def test_every_token_is_found_by_its_bytes(tok: Tokenizer, encoding: tiktoken.Encoding) -> None:
    """Ordinary and special; as tiktoken finds it."""
    contents = [*tok.token_byte_values(), *(content.encode() for content in tok.special_tokens)]
    assert len(contents) == tok.vocab_size
    for content in contents:
        token = tok.encode_single_token(content)
        assert token == encoding.encode_single_token(content)
        assert tok.decode_single_token_bytes(token) == content


def test_single_token_is_found_by_text_too(tok: Tokenizer) -> None:
    """A lone surrogate is U+FFFD here as everywhere; it is no single token."""
    assert tok.encode_single_token("<|endoftext|>") == 600
    assert tok.encode_single_token("a") == 97
    assert tok.encode_single_token(bytearray(b"a")) == 97  # type: ignore[arg-type]
    with pytest.raises(UnknownTokenError, match=r"no token is exactly b'\\xef\\xbf\\xbd'"):
        tok.encode_single_token("\ud800")


@pytest.mark.parametrize("text", ["no such token", b"", "", "<|other|>"])
def test_text_that_is_no_token_is_a_key_error(
    tok: Tokenizer, encoding: tiktoken.Encoding, text: Any
) -> None:
    """As in tiktoken, but with words."""
    with pytest.raises(KeyError):
        encoding.encode_single_token(text)
    with pytest.raises(UnknownTokenError, match=r"no token is exactly b'.*encode\(\) gives the"):
        tok.encode_single_token(text)


@pytest.mark.parametrize("value", [None, 97, ["a"]], ids=repr)
def test_single_token_of_another_type_is_refused(tok: Tokenizer, value: Any) -> None:
    """An id is not its text."""
    with pytest.raises(InputTypeError, match="expected str or bytes, got"):
        tok.encode_single_token(value)


def test_end_of_text_is_missed_with_words(byte_tok: Tokenizer) -> None:
    """A KeyError, as in tiktoken."""
    with pytest.raises(UnknownTokenError, match="no special token"):
        byte_tok.eot_token  # noqa: B018  # asking is the test


def test_end_of_text_must_be_special(spec: TokenizerSpec, engine: str) -> None:
    """A token of that name which is always matched does not end a text."""
    added = (AddedToken("<|endoftext|>", 600, special=False),)
    tok = Tokenizer(replace(spec, added_tokens=added), engine=engine)
    assert tok.special_tokens == {}
    with pytest.raises(KeyError):
        tok.eot_token  # noqa: B018  # asking is the test


def test_what_is_returned_may_be_changed(tok: Tokenizer) -> None:
    """The tokenizer is immutable: it gives copies."""
    tok.special_tokens["<x>"] = 5
    tok.special_tokens_set.add("<x>")
    tok.token_byte_values().clear()
    assert tok.special_tokens == {"<|endoftext|>": 600, "<|im_start|>": 610, "two words\n": 620}
    assert len(tok.token_byte_values()) == 497


def test_parts_are_those_of_the_spec(tok: Tokenizer, spec: TokenizerSpec) -> None:
    """Whoever exports or explains a tokenizer starts from them."""
    assert tok.spec is spec
    assert tok.merges is spec.merges
    assert tok.pattern == NAMED["cl100k"]
    assert repr(tok) == "<Tokenizer 'small': 500 tokens>"
    assert repr(bytepair.Tokenizer(replace(spec, name="x" * 3))).startswith("<Tokenizer 'xxx'")


def test_added_token_that_is_an_ordinary_one_too_counts_once(engine: str) -> None:
    """Files list such tokens twice, with one id."""
    tokens = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}
    spec = TokenizerSpec(
        Vocabulary(tokens, tuple(range(256))),
        MergeTable.from_merges([(97, 98, 256)]),
        added_tokens=(AddedToken("ab", 256, special=False),),
    )
    tok = Tokenizer(spec, engine=engine)
    assert (tok.vocab_size, tok.n_vocab) == (257, 257)
    assert tok.encode("ab") == tok.encode_ordinary("ab") == [256]
    assert tok.encode_single_token("ab") == 256
