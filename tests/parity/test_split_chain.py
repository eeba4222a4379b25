"""Splits one inside the other: behaviours as Hugging Face has them, borders that are certain."""

import hypothesis.strategies as st
import pytest
from hypothesis import given
from tokenizers import Regex, pre_tokenizers

from bytepair import _core  # noqa: TID251  (no engine offers the pieces of a chain by themselves)
from bytepair.engines import select
from bytepair.model import Split
from bytepair.patterns import NAMED
from inputs import documents, fewer, long_documents, texts

NATIVE = select("native")

BEHAVIORS = ["isolated", "removed", "merged_with_previous", "merged_with_next", "contiguous"]
PATTERNS = [
    *NAMED.values(),
    *(r"\s+", r"\s", r"\d{1,3}", r"\p{N}", r"[a-c]+", "ab|a", r"[^ ]b|c", "\u2581", r"\p{P}"),
    *(r"[一-龥\u3040-ゟ゠-ヿ]+", r" ?\p{L}+|\s+", r" ?[^(\s|[.,!?…。，、।۔،])]+"),
]
DEEPSEEK = (
    Split(r"\p{N}{1,3}"),
    Split(r"[一-龥\u3040-ゟ゠-ヿ]+"),
    Split(
        r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
        r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
)
STARCODER = (Split(r"\p{N}"), Split(NAMED["gpt2"]))

steps = st.builds(Split, st.sampled_from(PATTERNS), st.sampled_from(BEHAVIORS), st.booleans())
chains = st.lists(steps, min_size=1, max_size=3).map(tuple)
plain_steps = st.builds(Split, st.sampled_from(PATTERNS))
plain_chains = st.lists(plain_steps, min_size=1, max_size=3).map(tuple)


def chain_of(steps: tuple[Split, ...]) -> _core.SplitChain:
    """The core's chain."""
    return _core.SplitChain(
        [(NATIVE.splitter(step.pattern), step.behavior, step.invert) for step in steps]
    )


def pieces(steps: tuple[Split, ...], data: bytes) -> list[bytes]:
    """The pre-tokens, by the core."""
    return [data[start:end] for start, end in chain_of(steps).split(data)]


def pieces_of_hugging_face(steps: tuple[Split, ...], text: str) -> list[bytes]:
    """The pre-tokens, by `tokenizers`."""
    parts = [pre_tokenizers.Split(Regex(s.pattern), s.behavior, invert=s.invert) for s in steps]
    return [piece.encode() for piece, _ in pre_tokenizers.Sequence(parts).pre_tokenize_str(text)]


@given(steps=chains | plain_chains, text=texts(40))
def test_any_chain_cuts_as_hugging_face_does(steps, text):
    """A piece of one split is a whole text to the next, whatever becomes of matches."""
    assert pieces(steps, text.encode()) == pieces_of_hugging_face(steps, text)


@given(steps=chains | plain_chains, data=long_documents())
@fewer(2)
def test_any_chain_cuts_long_texts_as_hugging_face_does(steps, data):
    """Plain splits become one machine, which works through many blocks; others go by levels."""
    text = data.decode("utf-8", "ignore")
    assert pieces(steps, text.encode()) == pieces_of_hugging_face(steps, text)


@pytest.mark.parametrize("steps", [DEEPSEEK, STARCODER], ids=["deepseek", "starcoder"])
@given(data=long_documents())
@fewer(4)
def test_published_chains_cut_as_hugging_face_does(steps, data):
    """Digits apart, scripts apart, then words."""
    text = data.decode("utf-8", "ignore")
    assert pieces(steps, text.encode()) == pieces_of_hugging_face(steps, text)


def cut_apart(steps: tuple[Split, ...], data: bytes, start: int) -> bool:
    """Whether there was a certain border; if so, both sides are cut as in the whole."""
    chain = chain_of(steps)
    border = chain.certain_border(data, start, len(data))
    if border is None:
        return False
    behind = [(border + begin, border + end) for begin, end in chain.split(data[border:])]
    assert chain.split(data[:border]) + behind == chain.split(data)
    return True


@given(steps=chains | plain_chains, data=documents(40), start=st.integers(0, 100))
def test_both_sides_of_a_certain_border_are_cut_as_in_the_whole(steps, data, start):
    """So that threads can share one document, whatever its bytes."""
    cut_apart(steps, data, min(start, len(data)))


@pytest.mark.parametrize("pattern", NAMED.values(), ids=NAMED)
@given(data=long_documents(), start=st.integers(0, 1000))
def test_named_patterns_are_cut_alike_on_both_sides_of_a_border(pattern, data, start):
    """The patterns that matter, in texts of all scripts."""
    cut_apart((Split(pattern),), data, min(start, len(data)))


@pytest.mark.parametrize("pattern", NAMED.values(), ids=NAMED)
def test_ordinary_text_has_a_border_after_nearly_every_word(pattern):
    """Otherwise a large document would never be shared."""
    text = b"The quick brown fox, so they said in 1885, jumps over the lazy dog.\n" * 20
    assert all(cut_apart((Split(pattern),), text, start) for start in range(0, 1200, 97))
