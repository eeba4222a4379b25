import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair.normalizers import NAMES, normalize

from .conftest import HUGGING_FACE

ALL = [chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]
MARKS = "\u0301\u0323\u0308\u0345\u05b0\u3099\u093c\u0f71\u0f72"
ODD = (
    "ﬁⅧ①Å\u212bΣςİıßẞﬀ가각\u1100\u1161\u11a8\u3131\u314fǅ \t\n\r\v\f\x1c\x85\u00a0\u3000ạ̈\U00011938"
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("aeoq" + MARKS + ODD))

each_name = pytest.mark.parametrize("names", HUGGING_FACE, ids="+".join)


@pytest.mark.native_only
@each_name
def test_every_character_alone_becomes_what_hugging_face_makes_of_it(
    names: tuple[str, ...],
) -> None:
    """A loaded tokenizer.json names their normalisers: any other text could get other ids."""
    text = "\n".join(ALL)
    assert normalize(text.encode(), names).decode() == HUGGING_FACE[names].normalize_str(text)


@pytest.mark.native_only
@each_name
def test_every_character_among_letters_and_marks_too(names: tuple[str, ...]) -> None:
    """Whether it moves, joins or parts its neighbours shows only there."""
    known = (char for char in ALL if unicodedata.category(char) not in {"Cn", "Co"})
    text = "\n".join(f"q{char}\u0323e\u0301" for char in known)
    assert normalize(text.encode(), names).decode() == HUGGING_FACE[names].normalize_str(text)


@each_name
@given(text=TEXT)
def test_any_text_becomes_what_hugging_face_makes_of_it(names: tuple[str, ...], text: str) -> None:
    """Rows of marks, Hangul in pieces, and whatever else."""
    expected: str = HUGGING_FACE[names].normalize_str(text)
    assert normalize(text.encode(), names).decode() == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("nfc", "e\u0301 ﬁ", "\u00e9 ﬁ"),
        ("nfc", "\u1112\u1161\u11ab", "한"),
        ("nfd", "\u1ed9 한", "o\u0323\u0302 \u1112\u1161\u11ab"),
        ("nfkc", "ﬁ ① ＡＢ", "fi 1 AB"),
        ("nfkd", "ﬁ é", "fi e\u0301"),
        ("lowercase", "ΟΔΟΣ", "οδοσ"),  # str.lower() would end it with ς
        ("lowercase", "İẞ", "i\u0307ß"),
        ("strip-accents", "e\u0301é", "eé"),
        ("collapse-whitespace", " a \t\r\n\u3000b\x1c", " a b\x1c"),
        ("collapse-whitespace", "\n\n", " "),
    ],
)
def test_normaliser_by_example(name: str, text: str, expected: str) -> None:
    """Worked by hand from the Unicode charts."""
    assert normalize(text.encode(), [name]) == expected.encode()


@pytest.mark.parametrize("name", NAMES)
def test_bytes_that_are_not_text_stay(name: str) -> None:
    """Normalising must not be where a corpus of bytes is damaged; what is text around them is."""
    data = b"\xff\xc3 A \xe2\x82" + "\u00e9".encode() + b"\x80"
    around, accented = normalize(b" A ", [name]), normalize("\u00e9".encode(), [name])
    assert normalize(data, [name]) == b"\xff\xc3" + around + b"\xe2\x82" + accented + b"\x80"


@pytest.mark.parametrize("name", NAMES)
@given(data=st.binary() | TEXT.map(str.encode))
def test_normalising_twice_changes_nothing_more(name: str, data: bytes) -> None:
    """Training normalises a corpus that may have been normalised before."""
    once = normalize(data, [name])
    assert normalize(once, [name]) == once
