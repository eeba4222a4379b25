from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair.normalizers import NAMES, normalize
from bytepair.tokenizer import Tokenizer

EOT = "<|endoftext|>"
TEXT = st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from("eE\u0301ﬁÅ \t\n\u3000ΣİA")))
MakeTokenizer = Callable[..., Tokenizer]


@pytest.fixture(scope="session")
def normalizing(spec: Any, engine: str) -> MakeTokenizer:
    """The small tokenizer with other normalisers."""

    def make(*names: str) -> Tokenizer:
        return Tokenizer(replace(spec, rules=replace(spec.rules, normalizer=names)), engine=engine)

    return make


@pytest.mark.parametrize(
    "names", [(), *((name,) for name in NAMES), ("nfkc", "lowercase")], ids=str
)
@given(text=TEXT)
def test_decoding_gives_the_normalised_text(
    normalizing: MakeTokenizer, names: tuple[str, ...], text: str
) -> None:
    """The round trip loses what the normaliser takes away and nothing else."""
    tok = normalizing(*names)
    expected = normalize(text.encode(), names).decode()
    assert tok.decode(tok.encode_ordinary(text)) == expected
    ids = tok.encode(text, disallowed_special=())
    assert tok.decode(ids) == expected
    assert tok.count(text) == len(ids)
    assert tok.encode_batch([text, "A"], disallowed_special=()) == [ids, tok.encode("A")]


def test_equal_texts_after_normalising_have_equal_ids(normalizing: MakeTokenizer) -> None:
    """That is what a normaliser is for."""
    tok = normalizing("nfc", "lowercase")
    assert tok.encode("CAFE\u0301") == tok.encode("caf\u00e9")
    assert tok.encode_to_numpy("CAFE\u0301").tolist() == tok.encode("caf\u00e9")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"A{EOT}B", ["a", EOT, "b"]),
        (f"A{EOT.upper()}", ["a<|endoftext|>"]),
        (f"{EOT}\u0301", [EOT, "\u0301"]),
    ],
    ids=["kept", "upper-case-is-text", "accent-behind-it"],
)
def test_special_tokens_are_found_before_the_text_is_normalised(
    normalizing: MakeTokenizer, text: str, expected: list[str]
) -> None:
    """They survive lower case, and what only becomes one by it stays ordinary text."""
    tok = normalizing("nfc", "lowercase")
    plain = [tok.encode_ordinary(piece) if piece != EOT else [600] for piece in expected]
    ids = tok.encode(text, allowed_special="all")
    assert ids == [token for piece in plain for token in piece]
    assert tok.encode_batch([text], allowed_special="all") == [ids]
    assert tok.decode(ids) == "".join(expected)


@pytest.mark.parametrize("names", [("nfc",), ("lowercase",)], ids=str)
@given(data=st.binary())
def test_bytes_that_are_no_text_pass(
    normalizing: MakeTokenizer, names: tuple[str, ...], data: bytes
) -> None:
    """A normaliser does not make bytes an error."""
    tok = normalizing(*names)
    assert tok.decode_bytes(tok.encode_ordinary(data)) == normalize(data, names)
