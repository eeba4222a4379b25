"""The twin's pre-tokenisers cut as Hugging Face's do, and give every piece its place."""

from typing import Any, get_args

import hypothesis.strategies as st
import pytest
from hypothesis import given
from tokenizers import Regex, pre_tokenizers

from bytepair.engines.python import pre_tokens
from bytepair.model import (
    BYTE_TO_CHAR,
    Behavior,
    Metaspace,
    PrefixSpace,
    PreTokenizerStep,
    Split,
    SplitRules,
)
from bytepair.normalizers import Aligned
from bytepair.patterns import NAMED

PATTERNS = [
    *(r"\s+", r"\d", r"[ab]", "ab|b", r"\p{P}", r"(?<=a)b", r"\p{L}+|\p{N}", r"\s+(?!\S)"),
    *("a*", "b?", "(?=a)", "(?=b)|b", "(?<=b)", "|a", r"[^\s\p{L}]*"),  # nothing, too
    *(NAMED["gpt2"], NAMED["o200k"], NAMED["llama3"]),
]
SMALL = st.text("aab  1.▁é\n_中", max_size=10)
BEHAVIORS = get_args(Behavior)

splits = st.builds(Split, st.sampled_from(PATTERNS), st.sampled_from(BEHAVIORS), st.booleans())
metaspaces = st.builds(
    Metaspace,
    st.sampled_from("▁_a"),
    st.sampled_from(["always", "first", "never"]),
    st.booleans(),
)
# Theirs of PrefixSpace also spells bytes by their stand-ins, so it can only come last.
chains = st.tuples(
    st.lists(splits | metaspaces, min_size=1, max_size=3),
    st.sampled_from([[], [PrefixSpace()]]),
).map(lambda parts: (*parts[0], *parts[1]))


def hugging_face(step: PreTokenizerStep) -> Any:
    """The component that the step stands for."""
    match step:
        case Split(pattern, behavior, invert):
            return pre_tokenizers.Split(Regex(pattern), behavior, invert)
        case Metaspace(replacement, prepend, split):
            return pre_tokenizers.Metaspace(replacement, prepend, split)
        case PrefixSpace():
            return pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=False)


def unspelt(piece: str) -> str:
    """The text that stand-ins of bytes spell."""
    return bytes(BYTE_TO_CHAR.index(char) for char in piece).decode()


def pieces(rules: SplitRules, text: str) -> list[tuple[str, tuple[int, int]]]:
    """Each pre-token with its place in characters."""
    place = {len(text[:n].encode()): n for n in range(len(text) + 1)}
    found = []
    for piece in pre_tokens(rules, Aligned.of(text.encode())) if text else ():
        start, end = piece.span(0, len(piece.data))
        found.append((piece.data.decode(), (place[start], place[end])))
    return found


@pytest.mark.parametrize("pattern", PATTERNS)
@given(text=SMALL, behavior=st.sampled_from(BEHAVIORS), invert=st.booleans())
def test_split_cuts_as_hugging_face_does(
    pattern: str, behavior: Behavior, invert: bool, text: str
) -> None:
    """What is matched, what lies between, and what becomes of either."""
    step = Split(pattern, behavior, invert)
    expected = hugging_face(step).pre_tokenize_str(text)
    assert pieces(SplitRules(steps=(step,)), text) == expected


@pytest.mark.parametrize("pattern", PATTERNS)
@given(text=SMALL)
def test_single_pattern_cuts_as_a_split_that_isolates(pattern: str, text: str) -> None:
    """That is how it is written to a file; a match of nothing cuts as well."""
    expected = hugging_face(Split(pattern)).pre_tokenize_str(text)
    assert pieces(SplitRules(pattern), text) == expected


@given(text=SMALL, chain=chains)
def test_steps_work_on_what_the_ones_before_left(
    text: str, chain: tuple[PreTokenizerStep, ...]
) -> None:
    """Pieces are cut, dropped and changed, and still stand where they stood.

    What was put in front and then cut off stands for nothing; they say for what is behind it.
    """
    theirs = pre_tokenizers.Sequence([hugging_face(step) for step in chain])
    expected = theirs.pre_tokenize_str(text)
    if chain[-1] == PrefixSpace():
        expected = [(unspelt(piece), place) for piece, place in expected]
    found = pieces(SplitRules(steps=chain), text)
    assert [piece for piece, _ in found] == [piece for piece, _ in expected]
    for (_, place), (_, their_place) in zip(found, expected, strict=True):
        assert place == their_place or place == (their_place[0], their_place[0])


@pytest.mark.parametrize(
    ("step", "text", "expected"),
    [
        (Metaspace(), "Hey  you", [("▁Hey", 0, 3), ("▁", 3, 4), ("▁you", 4, 8)]),
        (Metaspace(prepend="never"), "Hey you", [("Hey", 0, 3), ("▁you", 3, 7)]),
        (Metaspace(split=False), " é x", [("▁é▁x", 0, 5)]),
        (Metaspace("_"), "_ a", [("_", 0, 1), ("_a", 1, 3)]),
        (PrefixSpace(), "a", [(" a", 0, 1)]),
        (PrefixSpace(), " a", [(" a", 0, 2)]),
        (Split("-", "removed"), "--", []),
    ],
)
def test_piece_by_example(
    step: PreTokenizerStep, text: str, expected: list[tuple[str, int, int]]
) -> None:
    """What was put in front stands for nothing: the piece keeps its place."""
    found = pre_tokens(SplitRules(steps=(step,)), Aligned.of(text.encode()))
    assert [(p.data.decode(), *p.span(0, len(p.data))) for p in found] == expected


def test_first_piece_is_that_at_the_beginning_of_the_text() -> None:
    """Behind an added token, or in the middle of a stream, none is."""
    rules = SplitRules(steps=(Metaspace(prepend="first"),))
    first, behind = Aligned.of(b"a b"), Aligned.of(b"a b", 3)
    assert [piece.data.decode() for piece in pre_tokens(rules, first)] == ["▁a", "▁b"]
    assert [piece.data.decode() for piece in pre_tokens(rules, behind)] == ["a", "▁b"]


@given(data=st.binary(max_size=12), chain=chains)
def test_bytes_that_are_not_text_are_cut_too(
    data: bytes, chain: tuple[PreTokenizerStep, ...]
) -> None:
    """Every byte of a piece comes from one place or from none; nothing is invented."""
    for piece in pre_tokens(SplitRules(steps=chain), Aligned.of(data)) if data else ():
        for n, (start, end) in enumerate(zip(piece.starts, piece.ends, strict=True)):
            assert start == end or data[start:end] in {b" ", piece.data[n : n + 1]}
