"""Every published pattern compiles, and cuts where the engine it was written for cuts."""

from collections.abc import Iterator

import hypothesis.strategies as st
import pytest
import regex
import tiktoken
from hypothesis import given
from tokenizers import Regex, pre_tokenizers

from bytepair.engines.python._pretokenize import Span, joined
from bytepair.model import BYTE_TO_CHAR, Split
from bytepair.patterns import (
    NAMED,
    SEQUENCES,
    Automaton,
    automaton,
    for_oniguruma,
    has_disputed,
    split_steps,
)
from inputs import texts
from published import HUGGING_FACE, TIKTOKEN

SPELT = {char: bytes([byte]) for byte, char in enumerate(BYTE_TO_CHAR)}


def tables_of(pattern: str) -> Automaton:
    """The tables of a pattern that must compile; a warning would fail the test too."""
    tables = automaton(pattern)
    assert tables is not None
    return tables


def spans(tables: Automaton, text: str) -> Iterator[Span]:
    """What matches and what lies between, by a walk through the tables."""
    place = gap = 0
    while place < len(text):
        end = walk(tables, text, place)
        if end is None:
            place += 1
            continue
        if gap < place:
            yield Span(gap, place, False)
        yield Span(place, end, True)
        place = gap = end
    if gap < len(text):
        yield Span(gap, len(text), False)


def walk(tables: Automaton, text: str, place: int) -> int | None:
    """The end of the match at a place."""
    state, end = 1, None
    for at in range(place, len(text) + 1):
        column = tables.class_of(ord(text[at])) if at < len(text) else tables.n_classes
        entry = int(tables.transitions[state, column])
        end = at if entry & 1 else end
        state = entry >> 1
        if state == 0:
            break
    return end


def cut(step: Split, text: str) -> list[str]:
    """The pieces that a step leaves."""
    found = list(spans(tables_of(step.pattern), text))
    if step.invert:
        found = [Span(start, end, not is_match) for start, end, is_match in found]
    return [text[span.start : span.end] for span in joined(found, step.behavior)]


def pieces_of_tiktoken(pattern: str, text: str) -> list[str]:
    """What it matches. Every part of the text is a token, so a token shows where it cut."""
    parts = {text[a:b].encode() for a in range(len(text)) for b in range(a, len(text) + 1)}
    tokens = {bytes([byte]) for byte in range(256)} | parts - {b""}
    ranks = {token: rank for rank, token in enumerate(sorted(tokens, key=len))}
    encoding = tiktoken.Encoding("", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return [t.decode() for t in encoding.decode_tokens_bytes(encoding.encode_ordinary(text))]


@pytest.mark.parametrize("name", HUGGING_FACE)
@given(text=texts())
def test_patterns_of_files_compile_and_cut_as_hugging_face_does(name, text):
    """Read as Oniguruma reads them."""
    published = HUGGING_FACE[name]
    expected = pre_tokenizers.Split(Regex(published), "isolated").pre_tokenize_str(text)
    assert cut(Split(for_oniguruma(published)), text) == [piece for piece, _ in expected]


@pytest.mark.parametrize("name", TIKTOKEN)
@given(text=texts(6).filter(lambda text: len(text) < 24))
def test_patterns_for_tiktoken_compile_and_cut_as_it_does(name, text):
    """Our dialect is that of its engine: the pattern is taken as it is."""
    found = spans(tables_of(TIKTOKEN[name]), text)
    ours = [text[span.start : span.end] for span in found if span.is_match]
    assert pieces_of_tiktoken(TIKTOKEN[name], text) == ours


@pytest.mark.parametrize("name", [name for name in TIKTOKEN if name != "kimi-k2"])
@given(text=texts().filter(lambda text: not has_disputed(text) and "İ" not in text))
def test_patterns_cut_as_the_regex_package_does(name, text):
    """It backtracks and knows nothing of tables; `&&` it does not know either."""
    expected = regex.findall(TIKTOKEN[name].replace(r"\s++$", r"\s++\Z"), text)
    found = spans(tables_of(TIKTOKEN[name]), text)
    assert [text[span.start : span.end] for span in found if span.is_match] == expected


@pytest.mark.parametrize(
    ("name", "published"),
    [
        *((name, HUGGING_FACE[name]) for name in ("gpt2", "llama3", "qwen2", "qwen3.5", "tekken")),
        *((name, TIKTOKEN[name]) for name in ("r50k", "o200k", "kimi-k2")),
        ("bloom", HUGGING_FACE["bloom"]),
        ("p50k", TIKTOKEN["r50k"]),
    ],
)
def test_named_pattern_is_the_published_one(name, published):
    """So a pattern out of a file is known by its name again."""
    assert NAMED[name] == published


def _split(pattern: str) -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.Split(Regex(pattern), "isolated")


_BYTE_LEVEL = pre_tokenizers.ByteLevel(add_prefix_space=False)
_LETTERS = SEQUENCES["deepseek-llm"][1].pattern
PRE_TOKENIZERS = {
    "deepseek-llm": [
        *map(
            _split, ["[\r\n]", _LETTERS, *(HUGGING_FACE[f"deepseek-llm {n}"] for n in ("signs",))]
        ),
        *map(_split, [r"\s+$", HUGGING_FACE["deepseek-llm cjk"]]),
        pre_tokenizers.Digits(True),
    ],
    "deepseek-coder": [
        *map(_split, ["[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", HUGGING_FACE["deepseek-llm cjk"]]),
        pre_tokenizers.Digits(True),
    ],
    "deepseek-v3": [_split(HUGGING_FACE[f"deepseek {n}"]) for n in ("numbers", "cjk", "words")],
    "starcoder": [pre_tokenizers.Digits(True), _split(HUGGING_FACE["gpt2"])],
    "superbpe": [_split(r"\p{N}+"), _split(r"(?=(\d{3})+(?!\d))")],
    "tiny-aya": [_split(r"\d{1,3}(?=(?:\d{3})*\b)"), _split(HUGGING_FACE["gpt-oss"])],
    "falcon": [
        pre_tokenizers.Punctuation("contiguous"),
        _BYTE_LEVEL,
        pre_tokenizers.Digits(False),
        _split("[0-9][0-9][0-9]"),
    ],
}


def by_steps(steps: tuple[Split, ...], text: str) -> list[bytes]:
    """The pieces that the steps leave; those by bytes look at how a byte is spelt."""
    pieces, is_spelt = [text], False
    for step in steps:
        if step.by_bytes and not is_spelt:
            pieces = ["".join(BYTE_TO_CHAR[byte] for byte in piece.encode()) for piece in pieces]
            is_spelt = True
        pieces = [part for piece in pieces for part in cut(step, piece)]
    if not is_spelt:
        return [piece.encode() for piece in pieces]
    return [b"".join(SPELT[char] for char in piece) for piece in pieces]


@pytest.mark.parametrize("name", SEQUENCES)
@given(text=texts())
def test_sequences_compile_and_cut_as_hugging_face_does(name, text):
    """Each step sees the pieces that the last one left, and these only."""
    theirs = pre_tokenizers.Sequence(PRE_TOKENIZERS[name]).pre_tokenize_str(text)
    if name == "falcon":
        expected = [b"".join(SPELT[char] for char in piece) for piece, _ in theirs]
    else:
        expected = [piece.encode() for piece, _ in theirs]
    assert by_steps(SEQUENCES[name], text) == expected


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?=(\d{3})+(?!\d))",
        r"(?=(?:[0-9]{2})+(?![0-9]))",
        r"\d{1,3}(?=(?:\d{3})*\b)",
        r"\d{1,3}(?=(\d{3})*(?!\d))",
        r"\d{1,2}(?=(\d\d)*(?!\d))",
        r"\p{N}{1,3}(?=(?:\p{N}{3})*$)",
    ],
)
@given(text=st.text(st.sampled_from("1234567890٣ aé²_.\n"), max_size=24))
def test_digits_in_groups_from_the_right_are_cut_as_hugging_face_does(pattern, text):
    """In one step they need a look as far as the digits go."""
    expected = pre_tokenizers.Split(Regex(pattern), "isolated").pre_tokenize_str(text)
    steps = split_steps(Split(for_oniguruma(pattern)))
    assert by_steps(steps, text) == [piece.encode() for piece, _ in expected]
