"""The core's normaliser changes text as the twin does."""

import unicodedata

import hypothesis.strategies as st
import pytest
from hypothesis import given

from bytepair.engines import _native
from bytepair.errors import EncodeError
from bytepair.model import NormalizerStep, Prepend, Replace, Strip
from bytepair.normalizers import FORMS, normalize, normalize_aligned

# Letters and marks that join, change places, decompose; Hangul and its parts; beyond the BMP.
CHARS = (
    "aeo \u0301\u0323\u0308\u0345\u00e9\u1e69\u212b\ufb01\u1100\u1161\u11a8\uac00\u0915\u093c\u0958"
)
CHARS += "\u0b47\u0b56\u3099\u30ab\uff76\uff9e\U00011099\U000110ba\U0001d15e\U0001d165\u0344\u0f73"
TEXTS = st.one_of(st.text(CHARS, max_size=12), st.text())
STEPS: list[NormalizerStep] = [Prepend("_"), Replace(" ", "\u2581"), Replace("ab", ""), Strip()]
STEPS += [Replace("a+", "b", is_regex=True), "lowercase", *FORMS]


@pytest.mark.parametrize("name", FORMS)
@given(data=st.one_of(TEXTS.map(str.encode), st.binary()))
def test_forms_are_those_of_the_twin(name: str, data: bytes) -> None:
    """The core looks at one character after the other and asks only about what may change."""
    assert _native.normalizer([name]).apply(data) == normalize(data, [name])


@pytest.mark.parametrize("name", FORMS)
def test_every_character_has_the_form_of_the_twin(name: str) -> None:
    """Alone between letters, and behind a mark."""
    codes = [c for c in range(0x30000) if not 0xD800 <= c < 0xE000]  # none beyond has another form
    for pattern in ("a%sa", "a\u0301%s\u0323"):
        text = "\n".join(pattern % chr(c) for c in codes).encode()
        assert _native.normalizer([name]).apply(text) == normalize(text, [name])


@pytest.mark.parametrize("name", FORMS)
@given(text=TEXTS)
def test_old_characters_have_the_form_of_the_standard_library(name: str, text: str) -> None:
    """Unicode never changes the form of a character that it knows; 9.0 knew these."""
    text = "".join(c for c in text if unicodedata.ucd_3_2_0.category(c) not in ("Cn", "Cs"))
    expected = unicodedata.normalize(FORMS[name], text)
    assert _native.normalizer([name]).apply(text.encode()) == expected.encode()


@given(steps=st.lists(st.sampled_from(STEPS), max_size=4), text=TEXTS)
def test_steps_run_in_order(steps: list[NormalizerStep], text: str) -> None:
    """Each on what the one before it left."""
    assert _native.normalizer(steps).apply(text.encode()) == normalize(text.encode(), steps)


@pytest.mark.parametrize("is_regex", [False, True])
@pytest.mark.parametrize("text", ["a", "é" * 100])
def test_both_end_at_the_same_growth(is_regex: bool, text: str) -> None:
    """256 times the text and 4096 bytes: a small file must not ask for terabytes."""
    limit = 256 * len(text.encode()) + 4096
    steps = [Replace("\n", "x" * (limit - len(text.encode())), is_regex)]
    steps.append(Replace("y", "zz", is_regex))
    data, longer = text.encode()[:-1] + b"\n", text.encode()[:-1] + b"\n\n"
    for apply in (_native.normalizer(steps).apply, lambda d: normalize(d, steps)):
        assert len(apply(data)) <= limit
        with pytest.raises(EncodeError, match="normaliser makes more than"):
            apply(longer)


@pytest.mark.parametrize("is_regex", [False, True])
def test_a_chain_of_replacements_ends_soon(is_regex: bool) -> None:
    """Twelve steps, each tenfold: a terabyte of one letter."""
    steps = [Replace("a", "a" * 10, is_regex)] * 12
    for apply in (
        _native.normalizer(steps).apply,
        lambda data: normalize(data, steps),
        lambda data: normalize_aligned(data, steps).data,
    ):
        with pytest.raises(EncodeError, match="more than 4352 bytes"):
            apply(b"a")
