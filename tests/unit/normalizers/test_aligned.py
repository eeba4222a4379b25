from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from bytepair.model import NormalizerStep, Prepend, Replace, Strip
from bytepair.normalizers import Aligned, normalize, normalize_aligned, normalized

from .conftest import HUGGING_FACE

Offsets = list[tuple[int, int]]
TEXT = st.text(
    "aeq É\u0301\u0323\u0308가각\u1100\u1161\u11a8éộﬁ\u3131\u314fİ中\x01\t\ufeff", max_size=8
)
STEPS: dict[str, tuple[NormalizerStep, ...]] = {
    "+".join(names): names for names in HUGGING_FACE if names != ("collapse-whitespace",)
}


def in_characters(text: str, aligned: Aligned) -> Offsets:
    """The span of each character of the normalised text, in characters of `text`."""
    place = {len(text[:n].encode()): n for n in range(len(text) + 1)}
    spans, at = [], 0
    for char in aligned.data.decode():
        first, at = at, at + len(char.encode())
        start, end = aligned.span(first, at)
        spans.append((place[start], place[end]))
    return spans


def hugging_face(normalizer: Any, text: str) -> Offsets:
    """The same, from a tokenizer whose tokens are the characters."""
    chars = dict.fromkeys(normalizer.normalize_str(text))
    tokenizer = Tokenizer(models.BPE({char: n for n, char in enumerate(chars)}, []))
    tokenizer.normalizer = normalizer
    offsets: Offsets = tokenizer.encode(text).offsets
    return offsets


@pytest.mark.parametrize("names", STEPS.values(), ids=STEPS)
@given(text=TEXT)
def test_span_holds_what_hugging_face_points_at(names: tuple[str, ...], text: str) -> None:
    """Of a group that is composed it names one character; here the span holds all of them."""
    spans = in_characters(text, normalize_aligned(text.encode(), names))
    theirs = hugging_face(HUGGING_FACE[names], text)
    assert len(spans) == len(theirs)
    for (start, end), (their_start, their_end) in zip(spans, theirs, strict=True):
        assert start <= their_start < their_end <= end
    if not names[0].startswith("nf"):
        assert spans == theirs


@pytest.mark.parametrize("names", STEPS.values(), ids=STEPS)
@given(text=TEXT)
def test_text_cut_between_spans_gives_the_same(names: tuple[str, ...], text: str) -> None:
    """A span is wide enough: whatever makes its bytes is inside."""
    data = text.encode()
    aligned = normalize_aligned(data, names)
    for place in (len(text[:n].encode()) for n in range(len(text))):
        if not any(start < place < end for start, end in zip(*aligned[1:3], strict=True)):
            before = aligned.data[: int((aligned.ends <= place).sum())]
            halves = data[:place], data[place:]
            assert [normalize(half, names) for half in halves] == [
                before,
                aligned.data[len(before) :],
            ]


@pytest.mark.parametrize("names", STEPS.values(), ids=STEPS)
@given(data=TEXT.map(str.encode) | st.binary())
def test_alignment_does_not_change_what_comes_out(names: tuple[str, ...], data: bytes) -> None:
    """Two ways, one text; the spans go from left to right."""
    aligned = normalize_aligned(data, names)
    assert aligned.data == normalize(data, names)
    assert (aligned.starts <= aligned.ends).all()
    assert (aligned.starts[1:] >= aligned.starts[:-1]).all()
    assert (aligned.ends[1:] >= aligned.ends[:-1]).all()


@pytest.mark.parametrize(
    ("text", "steps", "expected"),
    [
        ("ae\u0301b", ["nfc"], [(0, 1), (1, 3), (3, 4)]),
        ("\u1112\u1161\u11ab", ["nfc"], [(0, 3)]),
        ("한x", ["nfd"], [(0, 1), (0, 1), (0, 1), (1, 2)]),
        ("xabcy", [Replace("abc", "de")], [(0, 1), (1, 4), (1, 4), (4, 5)]),
        ("xaby", [Replace("ab", "")], [(0, 1), (3, 4)]),
        ("ab", [Replace("(?=b)", "--", is_regex=True)], [(0, 1), (1, 1), (1, 1), (1, 2)]),
        ("ab", [Replace(r"\Z", "-", is_regex=True)], [(0, 1), (1, 2), (2, 2)]),
        ("ab", [Prepend("▁▁")], [(0, 0), (0, 0), (0, 1), (1, 2)]),
        (" ab ", [Strip(), Prepend("_")], [(1, 1), (1, 2), (2, 3)]),
        (" a ", [Strip(right=False)], [(1, 2), (2, 3)]),
        ("aİb", ["lowercase"], [(0, 1), (1, 2), (1, 2), (2, 3)]),
        ("a  b", ["collapse-whitespace"], [(0, 1), (1, 3), (3, 4)]),
        ("ﬁe\u0301", ["nfkc", Replace("ié", "x")], [(0, 1), (0, 3)]),
        ("a中b", ["bert-chinese-chars"], [(0, 1), (1, 2), (1, 2), (1, 2), (2, 3)]),
    ],
)
def test_span_by_example(text: str, steps: list[NormalizerStep], expected: Offsets) -> None:
    """Worked by hand: what was put in for a stretch stands for all of it."""
    assert in_characters(text, normalize_aligned(text.encode(), steps)) == expected


def test_bytes_of_a_character_that_stays_keep_their_own_places() -> None:
    """Tokens may be parts of a character; bytes that are not text are places as well."""
    aligned = normalized(Aligned.of("é\u0301ﬁ".encode() + b"\xff", 10), ["nfkc"])
    assert aligned.data == "é\u0301fi".encode() + b"\xff"
    assert aligned.starts.tolist() == [10, 11, 12, 13, 14, 14, 17]
    assert aligned.ends.tolist() == [11, 12, 13, 14, 17, 17, 18]


def test_part_of_a_text_keeps_its_places() -> None:
    """Pre-tokens are parts of parts; a part of nothing is empty."""
    aligned = Aligned.of(b"abcdef", 5).part(2, 5)
    assert (aligned.data, aligned.span(0, 3), aligned.part(1, 2).span(0, 1)) == (
        b"cde",
        (7, 10),
        (8, 9),
    )
    assert aligned.part(1, 1).data == b""
    assert Aligned.of(b"").edited([(0, 0, "x")]).starts.tolist() == [0]


BEGINNINGS: dict[str, list[tuple[NormalizerStep, Any]]] = {
    "nothing": [],
    "behind": [(Replace("b", "x"), normalizers.Replace("b", "x"))],
    "one": [(Replace("a", "xy"), normalizers.Replace("a", "xy"))],
    "two": [(Replace("ab", "x"), normalizers.Replace("ab", "x"))],
    "removed": [(Replace("ab", ""), normalizers.Replace("ab", ""))],
    "stripped": [(Strip(), normalizers.Strip())],
    "put": [(Prepend("a"), normalizers.Prepend("a"))],
    "composed": [("nfc", normalizers.NFC())],
    "decomposed": [("nfd", normalizers.NFD())],
}


@pytest.mark.parametrize("text", ["abc", "b", "\nab", "e\u0301b", "\u00e9", "aab"])
@pytest.mark.parametrize(("one", "other"), list(product(BEGINNINGS, repeat=2)))
def test_text_begins_where_hugging_face_says(text: str, one: str, other: str) -> None:
    """Whether Metaspace puts a prefix by its scheme "first" depends on it, and so do ids."""
    components = BEGINNINGS[one] + BEGINNINGS[other]
    aligned = normalize_aligned(text.encode(), [ours for ours, _ in components])
    tokenizer = Tokenizer(models.BPE({"?": 0}, [], unk_token="?"))
    tokenizer.normalizer = normalizers.Sequence([theirs for _, theirs in components])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    n_more = len(tokenizer.encode(text)) - len(aligned.data.decode())
    assert n_more == (aligned.data != b"" and aligned.begins_text())
