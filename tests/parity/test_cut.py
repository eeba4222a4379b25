"""Both engines find added tokens where Hugging Face finds them."""

import hypothesis.strategies as st
import pytest
import tokenizers
from hypothesis import assume, given

from bytepair.engines import NAMES, select
from bytepair.model import AddedToken

FLAGS = st.fixed_dictionaries(
    {name: st.booleans() for name in ("lstrip", "rstrip", "single_word", "normalized", "special")}
)
PIECES = st.text("ab \n<é_", min_size=1, max_size=3)
TOKENS = st.lists(st.tuples(PIECES, FLAGS), max_size=5, unique_by=lambda token: token[0])
TEXTS = st.text("aab \n\t<é_x\u3000\u0301\u200d中", max_size=14)


def added(tokens: list[tuple[str, dict[str, bool]]]) -> list[AddedToken]:
    """Special tokens come first, as Hugging Face numbers them."""
    tokens = sorted(tokens, key=lambda token: not token[1]["special"])
    return [AddedToken(content, n, **flags) for n, (content, flags) in enumerate(tokens, start=1)]


def hugging_face(tokens: list[AddedToken], text: str) -> list[tuple[int, int, int]]:
    """(start, end, id) of the added tokens; all other text is unknown to the model, id 0."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE({"?": 0}, [], unk_token="?"))
    for token in tokens:
        flags = {name: getattr(token, name) for name in ("lstrip", "rstrip", "single_word")}
        given_as = tokenizers.AddedToken(token.content, normalized=token.normalized, **flags)
        add = tokenizer.add_special_tokens if token.special else tokenizer.add_tokens
        add([given_as])
    try:
        encoding = tokenizer.encode(text)
    except BaseException as panic:  # Rust's is no Exception
        assume(type(panic).__name__ != "PanicException")  # two tokens want the same white space
        raise
    found = [(*span, n) for span, n in zip(encoding.offsets, encoding.ids, strict=True) if n]
    return [(len(text[:a].encode()), len(text[:b].encode()), n) for a, b, n in found]


@pytest.mark.parametrize("engine", NAMES)
@given(tokens=TOKENS.map(added), text=TEXTS)
def test_added_tokens_are_found_where_hugging_face_finds_them(
    engine: str, tokens: list[AddedToken], text: str
) -> None:
    """Tokens that overlap, that take white space, that stand alone, in two groups."""
    assert select(engine).cutter(tokens).cut(text.encode()) == hugging_face(tokens, text)


@pytest.mark.parametrize("engine", NAMES)
@given(tokens=TOKENS.map(added), data=TEXTS.map(str.encode), more=TEXTS.map(str.encode))
def test_what_is_not_held_back_is_certain(
    engine: str, tokens: list[AddedToken], data: bytes, more: bytes
) -> None:
    """Of a stream only that part may be encoded which no later text can change."""
    cutter = select(engine).cutter(tokens)
    certain = len(data) - cutter.held_back(data)
    before = [found for found in cutter.cut(data) if found[1] <= certain]
    whole = cutter.cut(data + more)
    assert whole[: len(before)] == before
    assert all(start >= certain for start, _, _ in whole[len(before) :])
    assert all(start >= certain for start, _, _ in cutter.cut(data)[len(before) :])


@pytest.mark.parametrize("engine", NAMES)
@given(tokens=TOKENS.map(added), data=TEXTS.map(str.encode), place=st.integers(0, 40))
def test_text_may_stop_within_a_character(
    engine: str, tokens: list[AddedToken], data: bytes, place: int
) -> None:
    """Bytes of white space or of a letter may still be on their way."""
    cutter = select(engine).cutter(tokens)
    part = data[:place]
    certain = len(part) - cutter.held_back(part)
    before = [found for found in cutter.cut(part) if found[1] <= certain]
    assert [found for found in cutter.cut(data) if found[0] < certain] == before


@given(
    tokens=TOKENS.map(added),
    data=st.one_of(
        TEXTS.map(str.encode),
        st.binary(),
        st.lists(
            st.sampled_from([b"\xe3", b"\x80", b"\xcc", b"\x81", b"a", b" ", b"<", b"\xc3"])
        ).map(b"".join),
    ),
)
def test_the_engines_find_the_same_in_any_bytes(tokens: list[AddedToken], data: bytes) -> None:
    """Also where text is broken, and where it may go on."""
    forbidden = [token.content for token in tokens if token.lstrip]
    native, twin = (select(name).cutter(tokens, forbidden) for name in ("native", "python"))
    assert native.cut(data) == twin.cut(data)
    assert native.find_forbidden(data) == twin.find_forbidden(data)
    assert native.held_back(data) == twin.held_back(data)


BEGINNINGS = {
    chr(code).encode()[:size]
    for code in (*range(0x80, 0xD800), *range(0xE000, 0x110000))
    for size in range(1, len(chr(code).encode()))
}


@pytest.mark.parametrize("engine", NAMES)
def test_what_may_become_a_character_is_held_back_before_white_space(engine: str) -> None:
    """And no other bytes: what begins like a surrogate, for one, never will."""
    cutter = select(engine).cutter([AddedToken("<", 1, lstrip=True)])
    ends = [bytes([first, second]) for first in range(0xC0, 0x100) for second in range(0x7F, 0xC1)]
    wrong = []
    for end in ends:
        is_space = end.decode("utf-8", "replace").isspace()
        if cutter.held_back(end) != (2 if end in BEGINNINGS or is_space else 0):
            wrong.append(end)
    assert wrong == []
