"""Looks, atomic groups and places: exact wherever one character ahead is enough, else refused."""

from typing import Any

import hypothesis.strategies as st
import pytest
import regex
from hypothesis import assume, given

from bytepair.errors import PatternError
from bytepair.patterns._automaton import Automaton, build
from bytepair.patterns._syntax import UnsupportedError, parse

# Each is spelt as `regex` reads it too; the texts are of these characters.
CHARS = "aab1 \n"
EXACT = [
    r"a(?=bb)|.",  # what the look decides about is matched the other way too
    r"a+(?=bb)b|.",
    r"(?:a(?=b1)|a(?!b1)b?)|.",
    r"(?=a+b)a|a+|[^a]",
    r"(?!aa)\w+|a|\W",
    r"(?=(?=a).b)..|.",
    r"a(?=(?!b).)|.",
    r"\s+(?!\S)|\s+|\S",
    r"(?>a+|ab)b|.",
    r"(?>a|ab)(?:b1)?|.",
    r"(?:ab)++a|.",
    r"(?:ab|a)*+b|.",
    r"(?>(?:a|ab)+?1|a)|.",
    r"(?>a*(?=b))b|a*1|.",
    r"\b\w+\b|\W",
    r"\w+|\B\W|\W",
    r"\w(?<=a)\w|.",
    r"(?<!\w)\w+|\s",
    r"\s(?<=\n)\w+|\w|\s",
    r"[^\S\n]+(?![^\n])|\n|\S+|\s+?",
]
INEXACT = [
    (r"a(?=bb)|b", "more than one character later"),
    (r"(?=(\d{3})+(?!\d))\d|x", "more than one character later"),
    (r"\d{1,2}(?=(?:\d\d)*(?!\d))|x", "more than one character later"),
    (r"(?>a|ab)(?!b1)|b", "more than one character later"),
    (r"\Ba|b", "what stands before a match"),
    (r"(?<=b)a", "what stands before a match"),
    (r"\A\w+|\w", "what stands before a match"),
    (r"(?=a)|b", "can match the empty text"),
    (r"\b|b", "can match the empty text"),
]


def cut_by_regex(pattern: str, text: str) -> list[str]:
    """The pieces by the `regex` package; what nothing matches, character by character."""
    pieces, done = [], 0
    for match in regex.finditer("(?!)|" + pattern, text):
        pieces += [*text[done : match.start()], match[0]]
        done = match.end()
    return [*pieces, *text[done:]]


@pytest.mark.parametrize("pattern", EXACT)
@given(text=st.text(st.sampled_from(CHARS), max_size=9))
def test_tables_are_exact_for_looks_and_atomic_groups(cut: Any, pattern: str, text: str) -> None:
    """The oracle is an engine that goes back and forth in the text as it likes."""
    assert cut(build(parse(pattern)), text) == cut_by_regex(pattern, text)


@pytest.mark.parametrize(("pattern", "reason"), INEXACT)
def test_what_the_tables_cannot_decide_is_refused(pattern: str, reason: str) -> None:
    """A table that is right for most texts would be worse than none."""
    with pytest.raises(UnsupportedError, match=reason):
        build(parse(pattern))


def _joined(*parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map("".join)


_ONE = st.sampled_from(["a", "b", "1", " ", r"\n", ".", r"\w", r"\s", r"\S", "[ab]", "[^a]"])
_REPEATED = _joined(
    _ONE, st.sampled_from("?*+") | st.just("{2}") | st.just("{1,2}"), st.sampled_from(["", *"?+"])
)
_PLACE = st.sampled_from([r"\b", r"\B", r"\A", "(?<=a)", r"(?<!\s)", "(?<![^b])"])


def _grouped(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    sequence = st.lists(inner, min_size=1, max_size=3).map("".join)
    choice = st.lists(sequence, min_size=1, max_size=3).map("|".join)
    sign = st.sampled_from(["(?:", "(?:", "(?>", "(?=", "(?!"])
    return _joined(sign, choice, st.just(")"))


_PARTS = st.recursive(_ONE | _REPEATED | _PLACE, _grouped, max_leaves=6)
PATTERNS = st.lists(st.lists(_PARTS, min_size=1, max_size=4).map("".join), min_size=1, max_size=3)


def compiled(pattern: str) -> Automaton:
    """The tables, if the pattern has any."""
    try:
        return build(parse(pattern))
    except (UnsupportedError, PatternError):
        assume(False)
        raise


@given(pattern=PATTERNS.map("|".join), texts=st.lists(st.text(CHARS, max_size=8), min_size=8))
def test_any_pattern_that_compiles_cuts_as_the_regex_package_does(
    cut: Any, pattern: str, texts: list[str]
) -> None:
    """Whatever the looks and groups: tables are exact, or there are none."""
    tables = compiled(pattern)
    for text in texts:
        assert cut(tables, text) == cut_by_regex(pattern, text)
