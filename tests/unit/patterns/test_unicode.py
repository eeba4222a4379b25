import sys
import unicodedata

import pytest
import regex

from bytepair.patterns import UNICODE_VERSION, has_disputed
from bytepair.patterns._unicode import WHITE_SPACE, property_set, word_set

CATEGORIES = [
    *("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe"),
    *("Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co"),
]

# Unicode 16 made it Mc; Pythons before 3.14 have it as Mn.
RECLASSIFIED = {0x1171E}


def codes_of(name: str) -> set[int]:
    """The pinned set of a property, one by one."""
    codes = property_set(name)
    assert codes is not None
    return {code for low, high in codes.ranges for code in range(low, high + 1)}


@pytest.fixture(scope="module")
def undisputed() -> list[str]:
    """Every assigned character that all Unicode versions since the pinned one see alike."""
    everything = (chr(code) for code in range(sys.maxunicode + 1))
    assigned = (char for char in everything if unicodedata.category(char) != "Cn")
    return [char for char in assigned if not has_disputed(char)]


@pytest.mark.parametrize("category", CATEGORIES)
def test_category_is_that_of_the_standard_library(category: str, undisputed: list[str]) -> None:
    """Python may know an older Unicode; what it has assigned keeps its category."""
    expected = {ord(char) for char in undisputed if unicodedata.category(char) == category}
    assert expected - codes_of(category) <= RECLASSIFIED


def test_categories_do_not_overlap_and_their_letter_is_their_union() -> None:
    r"""Each code point has one category, so `\p{L}` is Lu, Ll, Lt, Lm and Lo."""
    by_category = {category: codes_of(category) for category in CATEGORIES}
    assert sum(map(len, by_category.values())) == len(set().union(*by_category.values()))
    for letter in "LMNPSZ":
        parts = [codes for name, codes in by_category.items() if name[0] == letter]
        assert codes_of(letter) == set().union(*parts)


@pytest.mark.parametrize("name", ["Alphabetic", "L", "N", "P", "S", "M"])
def test_property_is_that_of_the_regex_package(name: str, undisputed: list[str]) -> None:
    """Its tables are newer: on undisputed characters there is nothing to differ about."""
    expected = {ord(char) for char in regex.findall(rf"\p{{{name}}}", "".join(undisputed))}
    assert expected == codes_of(name) & set(map(ord, undisputed))


def test_white_space_is_that_of_the_regex_package() -> None:
    """str.isspace also takes U+001C to U+001F, which no tokenizer's regex does."""
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    assert [chr(c) in regex.findall(r"\s", everything) for c in range(0x1C, 0x20)] == [False] * 4
    assert set(map(ord, regex.findall(r"\s", everything))) == {
        code for low, high in WHITE_SPACE.ranges for code in range(low, high + 1)
    }


@pytest.mark.parametrize(
    ("char", "is_word"),
    [
        *((char, True) for char in "aé漢٣_Ⅷ\u0301\u200d\u203f"),
        *((char, False) for char in "²- 😀\u00b7\u2009\0"),
    ],
)
def test_word_characters_are_those_of_uts18(char: str, is_word: bool) -> None:
    r"""Letters, marks, decimal digits, connectors and joiners: Rust's \w; Python's is another."""
    assert (ord(char) in word_set()) is is_word


@pytest.mark.parametrize("name", ["Klingon", "", "lu", "Script=Greek", "LuX"])
def test_unknown_property_is_no_set(name: str) -> None:
    """The compiler then leaves the pattern to the regex engine, which may know it."""
    assert property_set(name) is None


def test_disputed_characters_are_those_newer_than_the_pinned_version() -> None:
    """U+088F came with Unicode 17, U+0897 with 16: a character is disputed until pinned."""
    assert UNICODE_VERSION == "16.0.0"
    assert has_disputed("text \u088f")
    assert not has_disputed("text é 漢 😀 \u0897")
