import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, normalizers

from bytepair.errors import ArgumentError
from bytepair.normalizers import NAMES, normalize, resolve

HUGGING_FACE = {
    "nfc": normalizers.NFC(),
    "nfkc": normalizers.NFKC(),
    "lowercase": normalizers.Lowercase(),
    "collapse-whitespace": normalizers.Replace(Regex(r"\s+"), " "),
}
# Python, regex and Hugging Face know different Unicode versions. What Unicode 3.2 had assigned is
# old enough for all of them, and its normal forms may never change.
OLD = st.characters(exclude_categories=["Cn", "Cs", "Co"], max_codepoint=0x1E943).filter(
    lambda char: unicodedata.ucd_3_2_0.category(char) != "Cn"
)
ODD = st.sampled_from(
    "e\u0301ﬁⅧ①Å\u212bΣςİıßẞﬀ가\u1100\u1161\u11a8ǅ \t\n\r\v\f\x1c\x85\u00a0\u3000"
)
TEXT = st.text(st.one_of(OLD, ODD))


@pytest.mark.parametrize("name", NAMES)
@given(text=TEXT)
def test_normaliser_does_what_hugging_face_does(name: str, text: str) -> None:
    """A saved tokenizer.json names theirs: both must make the same text of any text."""
    expected: str = HUGGING_FACE[name].normalize_str(text)
    assert normalize(text.encode(), [name]).decode() == expected


@pytest.mark.parametrize(("name", "form"), [("nfc", "NFC"), ("nfkc", "NFKC")])
@given(text=st.text())
def test_unicode_forms_are_those_of_the_standard_library(name: str, form: Any, text: str) -> None:
    """Any text, unassigned characters included."""
    assert normalize(text.encode(), [name]).decode() == unicodedata.normalize(form, text)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("nfc", "e\u0301 ﬁ", "\u00e9 ﬁ"),
        ("nfc", "\u1112\u1161\u11ab", "한"),
        ("nfkc", "ﬁ ① ＡＢ", "fi 1 AB"),
        ("lowercase", "ΟΔΟΣ", "οδοσ"),  # str.lower() would end it with ς
        ("lowercase", "İẞ", "i\u0307ß"),
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
    around = normalize(b" A ", [name])
    assert normalize(data, [name]) == b"\xff\xc3" + around + data[5:]


@pytest.mark.parametrize("name", NAMES)
@given(data=st.binary())
def test_normalising_twice_changes_nothing_more(name: str, data: bytes) -> None:
    """Training normalises a corpus that may have been normalised before."""
    once = normalize(data, [name])
    assert normalize(once, [name]) == once


def test_normalisers_run_in_the_order_given() -> None:
    """NFKC makes the sign ™ two capitals, which then must be lowered, not before."""
    assert normalize("™".encode(), ["nfkc", "lowercase"]) == b"tm"
    assert normalize("™".encode(), ["lowercase", "nfkc"]) == b"TM"


def test_no_normaliser_gives_the_very_same_bytes() -> None:
    """Nothing is decoded or copied on the usual way."""
    data = b"\xff text"
    assert normalize(data, ()) is data


@pytest.mark.parametrize(
    ("given_as", "expected"),
    [
        (None, ()),
        ([], ()),
        ("nfc", ("nfc",)),
        (["nfkc", "lowercase"], ("nfkc", "lowercase")),
        (("nfc", "nfc"), ("nfc", "nfc")),
    ],
)
def test_names_are_given_alone_or_together(given_as: Any, expected: tuple[str, ...]) -> None:
    """The rules hold a tuple, whatever was typed."""
    assert resolve(given_as) == expected


@pytest.mark.parametrize("given_as", ["NFC", "nfd", "", ["nfc", None], [["nfc"]], "lower"])
def test_unknown_normaliser_lists_the_known_ones(given_as: Any) -> None:
    """Skipped silently, it would give other ids than the user believes."""
    known = r"is not known \(known: nfc, nfkc, lowercase, collapse-whitespace\)"
    with pytest.raises(ArgumentError, match=known):
        resolve(given_as)


@pytest.mark.parametrize("given_as", [5, 0, True, str.lower, {"nfc"}, {"nfc": 1}], ids=repr)
def test_what_is_no_list_of_names_is_refused(given_as: Any) -> None:
    """A set has no order, and a function could not be saved."""
    with pytest.raises(ArgumentError, match="must be None, a name or a list of names, got"):
        resolve(given_as)
