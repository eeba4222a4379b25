"""The pattern of phrases: what it cuts, written out by hand, and what it is refused for."""

import pytest

from bytepair.errors import PatternError
from bytepair.patterns import NAMED, automaton, phrase_pattern, regex_of


def phrases(pattern: str, text: str) -> list[str]:
    """The pieces of a text."""
    return [found[0] for found in regex_of(phrase_pattern(pattern)).finditer(text)]


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("o200k", "One of the many.", ["One of the many", "."]),
        ("o200k", "a, b; and (c d) e", ["a", ", b", "; and", " (c d", ") e"]),
        ("o200k", "it's 12345 of the", ["it's", " ", "123", "45", " of the"]),
        ("o200k", "x;\n\treturn y", ["x", ";\n\treturn y"]),
        ("gpt2", "at 1234 it's\n so", ["at", " 1234", " it's", "\n so"]),
        ("gpt2", "at, 12;  34\n5", ["at", ",", " 12", "; ", " 34", "\n", "5"]),
        ("o200k", "x = 5;  6", ["x", " = ", "5", ";  ", "6"]),
        ("whitespace", "a b  c\n d", ["a b", "  c", "\n d"]),
        ("llama3", "  two  spaces ", ["  two", "  spaces", " "]),
        ("bloom", "to be. Or", ["to be", " Or"]),
        ("[A-Za-z]+|[^A-Za-z]+", "to be1, \u00e9 or", ["to be", "1, \u00e9 or"]),
    ],
)
def test_phrases_are_signs_and_the_words_behind_them(pattern, text, expected):
    """Numbers are not part of any; a pattern's own way with them stays."""
    assert phrases(pattern, text) == expected


@pytest.mark.parametrize("name", NAMED)
def test_every_named_pattern_has_phrases_that_compile(name):
    """The core cuts them as it cuts words."""
    assert automaton(phrase_pattern(name)) is not None


def test_options_are_written_as_they_were():
    """So that people, and other libraries, read what they know."""
    assert phrase_pattern(r"'s| ?\p{L}+|\p{N}|[^\p{L}\p{N}|]\|?") == (
        r"(?:'s| ?\p{L}+)+|\p{N}|(?:[^\p{L}\p{N}|]\|?)+(?:'s| ?\p{L}+)*"
    )


def test_a_switch_for_all_options_reaches_them_taken_apart():
    """Text after the first option alone would not have the switch."""
    found = regex_of(phrase_pattern(r"(?i) ?[a-z]+|[^a-z]+")).finditer("aB Cd! EF gh")
    assert [one[0] for one in found] == ["aB Cd", "! EF gh"]


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        (None, "superwords need a pattern that cuts words"),
        (r"\s+|[0-9]", "none that\\s+matches letters"),
        (r"(a)\1|b", "can be taken apart"),
        (r"\p{L}*|.", "matches the empty text"),
        ("o200", "not a known name"),
        ("(", "not a valid regex"),
    ],
)
def test_what_has_no_phrases_is_refused(pattern, problem):
    """With what is wrong."""
    with pytest.raises(PatternError, match=problem):
        phrase_pattern(pattern)
