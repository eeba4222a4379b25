import sys
import unicodedata

import pytest
import regex

from bytepair.patterns import UNICODE_VERSION, has_disputed
from bytepair.patterns._codeset import CodeSet
from bytepair.patterns._unicode import (
    WHITE_SPACE,
    long_cases,
    posix_set,
    property_set,
    without_case,
    word_set,
)

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


@pytest.mark.parametrize(
    "names",
    [
        (
            "Lu",
            "lu",
            "Uppercase_Letter",
            "uppercase letter",
            "gc=Lu",
            "General_Category: Lu",
            "isLu",
        ),
        ("L", "Letter", "IsL", "gc=letter"),
        ("L&", "LC", "Cased_Letter"),
        ("Han", "hani", "Script=Han", "sc:Hani", "IsHan"),
        ("Nko", "N-Ko", "script=nkoo"),
        ("Alphabetic", "alpha", "IsAlphabetic"),
        ("White_Space", "space", "WSpace"),
    ],
    ids=lambda names: names[0],
)
def test_property_has_the_names_unicode_gives_it(names: tuple[str, ...]) -> None:
    """Case, spaces, hyphens and underscores do not count (UAX 44)."""
    sets = {property_set(name) for name in names}
    assert len(sets) == 1
    assert None not in sets


@pytest.mark.parametrize(
    "name", ["Klingon", "", "LuX", "InHiragana", "Script=", "sc=Lu", "gc=Han", "Age=9", "scx=Han"]
)
def test_unknown_property_is_no_set(name: str) -> None:
    """The compiler then leaves the pattern to the regex engine, which may know it."""
    assert property_set(name) is None


@pytest.mark.parametrize(
    "name", ["Han", "Latin", "Greek", "Common", "Inherited", "Hiragana", "Arabic", "Thai"]
)
def test_script_is_that_of_the_regex_package(name: str, undisputed: list[str]) -> None:
    """Its tables are newer: on undisputed characters there is nothing to differ about."""
    expected = {ord(char) for char in regex.findall(rf"\p{{Script={name}}}", "".join(undisputed))}
    assert expected == codes_of(name) & set(map(ord, undisputed))


def test_age_is_the_version_that_assigned_a_code_point() -> None:
    """Each version holds all that those before it did; 3.2 is in the standard library."""
    every = (chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000)
    expected = {ord(c) for c in every if unicodedata.ucd_3_2_0.category(c) != "Cn"}
    never_characters = {c for c in range(sys.maxunicode + 1) if c & 0xFFFE == 0xFFFE}
    never_characters |= {*range(0xFDD0, 0xFDF0)}
    assert codes_of("Age=3.2") == expected | never_characters
    assert codes_of("Age=3.2") < codes_of("Age=9.0") < codes_of("Age=16.0")


@pytest.mark.parametrize(
    "group",
    [
        *("kK\u212a", "sS\u017f", "éÉ", "Σσς", "\u01c4\u01c5\u01c6", "ß\u1e9e", "Ⅷⅷ"),
        *("\u13a0\uab70", "\u0345\u0399\u03b9\u1fbe", "İ", "ı", "iI", "1"),
    ],
)
def test_case_is_ignored_as_unicode_folds_it_simply(group: str) -> None:
    """One character for one; İ and ı of Turkish stay apart from i and I."""
    for char in group:
        assert without_case(CodeSet.chars(char)) == CodeSet.chars(group)


def test_case_of_a_large_set_is_that_of_its_characters() -> None:
    """It is found in another way than that of a small one."""
    upper = property_set("Lu")
    assert upper is not None
    parts = [without_case(CodeSet.of([span])) for span in upper.ranges]
    assert without_case(upper) == CodeSet.of(span for part in parts for span in part.ranges)


def test_letters_that_equal_several_are_those_of_the_standard_library() -> None:
    """There are 104, and Unicode has promised that there will be no more."""
    every = (chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000)
    assert long_cases() == {c: c.casefold() for c in every if len(c.casefold()) > 1}


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("alpha", "aéΩ漢", "1_ "),
        ("digit", "1٣", "a²"),
        ("alnum", "a1é", "_-"),
        ("punct", ".,$+€", "a1 "),
        ("space", " \n\u3000\x85", "a\u200b"),
        ("blank", " \t\u00a0", "\n"),
        ("cntrl", "\x00\x7f\x85", " \u200b"),
        ("graph", "a€\ue000\u200b", " \n\u0378"),
        ("print", "a \u3000", "\n\u2028"),
        ("word", "a_1\u0301", "²\u200d-"),
        ("xdigit", "09afAF", "gG٣"),
        ("ascii", "\x00\x7f", "\x80é"),
        ("upper", "AÉ", "aé"),
        ("lower", "aé\u00aa", "AÉ"),
    ],
)
def test_posix_class_holds_unicodes_characters(name: str, inside: str, outside: str) -> None:
    """As in Oniguruma; in Rust they are ASCII."""
    codes = posix_set(name)
    assert codes is not None
    assert [char for char in inside if ord(char) not in codes] == []
    assert [char for char in outside if ord(char) in codes] == []


def test_disputed_characters_are_those_newer_than_the_pinned_version() -> None:
    """U+088F came with Unicode 17, U+0897 with 16: a character is disputed until pinned."""
    assert UNICODE_VERSION == "16.0.0"
    assert has_disputed("text \u088f")
    assert not has_disputed("text é 漢 😀 \u0897")
