import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from bytepair.normalizers._tables import char_class, code_points, lower_case


def test_forms_lists_all_that_unicode_3_2_decomposes() -> None:
    """The oldest tables that Python carries: a line lost from the file would show."""
    old = unicodedata.ucd_3_2_0
    chars = {code for code in range(0x30000) if old.decomposition(chr(code))}
    assert chars <= code_points("forms")
    assert set(range(0xAC00, 0xD7A4)) <= code_points("forms")


def test_forms_lists_nothing_that_is_unassigned() -> None:
    """What is younger than the library's Unicode is a letter like any other."""
    assert all(unicodedata.category(chr(code)) != "Cn" for code in code_points("forms"))


def test_lower_case_is_the_standard_librarys_where_that_knows_one() -> None:
    """Python's own is older, or of the same age, but never of another opinion."""
    small = lower_case()
    known = {chr(code) for code in range(0x110000) if chr(code).lower() != chr(code)}
    assert {char: small[char] for char in known} == {char: char.lower() for char in known}
    assert small["\u1c89"] == "\u1c8a"  # Unicode 16
    assert small["\U00016ea0"] == "\U00016ebb"  # Unicode 17


@given(codes=st.sets(st.integers(0, 0x3FF), min_size=1))
def test_class_matches_exactly_these_characters(codes: set[int]) -> None:
    """Signs of the regex language among them."""
    pattern = re.compile(char_class(codes))
    assert {code for code in range(0x400) if pattern.match(chr(code))} == codes
