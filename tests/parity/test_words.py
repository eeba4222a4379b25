"""The twin makes of a word what Hugging Face's BPE makes of it."""

import re

import hypothesis.strategies as st
import pytest
import tokenizers
from hypothesis import assume, given
from tokenizers import pre_tokenizers

from bytepair.engines import Spans
from bytepair.engines.python import ENGINE
from bytepair.errors import EncodeError
from models import Piece, Toy, toys

NONE = ENGINE.cutter([])
WORDS = st.text("abcé", max_size=16)
ODD_WORDS = st.text("abcéx中<", max_size=12) | st.sampled_from(["<unk>", "<0x61>", "</w>", "a</w>"])


def hugging_face(toy: Toy, dropout: float | None = None) -> tokenizers.Tokenizer:
    """The model with what spells bytes, if there is a need."""
    tokenizer = toy.hugging_face(dropout)
    if toy.by_bytes:
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return tokenizer


def parts_without_token(toy: Toy, word: str) -> list[Piece]:
    """Those bytes or characters of a word that the model does not know where they stand."""
    chars = [char.encode() for char in word]
    parts = [bytes([byte]) for byte in word.encode()] if toy.by_bytes else chars
    last = len(parts) - 1
    wanted = [
        Piece(part, toy.has_prefix and n > 0, toy.has_suffix and n == last)
        for n, part in enumerate(parts)
    ]
    return [piece for piece in wanted if piece not in toy.pieces]


def in_characters(text: str, spans: Spans) -> list[tuple[int, int]]:
    """The characters that each token has a part of."""
    char_of = [n for n, char in enumerate(text) for _ in char.encode()]
    ends = zip(spans.starts.tolist(), spans.ends.tolist(), strict=True)
    return [(char_of[start], char_of[end - 1] + 1) for start, end in ends]


@given(toy=toys(), text=ODD_WORDS)
def test_ids_and_places_are_those_of_hugging_face(toy: Toy, text: str) -> None:
    """Prefixes, suffixes, unknown parts that are fused or not, bytes for them, whole words."""
    has_all = toy.unk_id is not None or toy.fallback_at is not None
    assume(has_all or not parts_without_token(toy, text))
    expected = hugging_face(toy).encode(text)
    spans = ENGINE.encoder(toy.spec()).encode_spans(text, NONE)
    assert spans.ids.tolist() == expected.ids
    assert in_characters(text, spans) == expected.offsets


@given(toy=toys(), text=ODD_WORDS)
def test_part_without_token_is_an_error_where_nothing_stands_for_it(toy: Toy, text: str) -> None:
    """Hugging Face leaves it out without a word."""
    missing = parts_without_token(toy, text)
    assume(missing and toy.unk_id is None and toy.fallback_at is None)
    assume(not (toy.ignore_merges and Piece(text.encode()) in toy.pieces))
    with pytest.raises(EncodeError, match=re.escape(f"(bytes {missing[0].data.hex(' ')})")):
        ENGINE.encoder(toy.spec()).encode(text, NONE)


@given(toy=toys(), text=WORDS)
def test_dropout_of_everything_joins_nothing(toy: Toy, text: str) -> None:
    """Nor is a whole word looked up where there is a dropout at all."""
    has_all = toy.unk_id is not None or toy.fallback_at is not None
    assume(has_all or not parts_without_token(toy, text))
    encoder = ENGINE.encoder(toy.spec())
    assert encoder.encode_dropout(text, NONE, 1.0, 0) == hugging_face(toy, 1.0).encode(text).ids
    assert encoder.encode_dropout(text, NONE, 0.0, 0) == hugging_face(toy, 0.0).encode(text).ids
