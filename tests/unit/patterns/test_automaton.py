from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from bytepair.engines import select
from bytepair.errors import BytepairWarning
from bytepair.patterns import NAMED, Automaton, automaton, cuts_alike, exact_regex_of

# Everything the dialect has; the last option makes each pattern cover any text.
COVERED = [
    r"a|ab|[\s\S]",
    r"ab|a|[\s\S]",
    r"[ab]+?b|[\s\S]",
    r"[ab]*?1|a{2,}?|ab??|[\s\S]",
    r"a*+b|[\s\S]",
    r"a{2}|b{2,}|[ab]{1,3}?1|[\s\S]",
    r"a(?=b)|b(?!\S)|[\s\S]",
    r"(?:ab|b1)+|[\s\S]",
    r"((a|b)1?)+ |[\s\S]",
    r"(?i:aé?b)|[\s\S]".replace("é?", ""),
    r"\p{L}+|\P{L}",
    r"\w+|\W",
    r"\d|\D+",
    r"[^\s\p{L}]+|.|[\s\S]",
    r"[a-b1]+|[\s\S]",
    r"\x61\u0062|\x{31}|[\s\S]",
    r"[\-\]a]+|[\s\S]",
    r"[a[b1]-]+|[[:alpha:]]|[ab&&[^b]&&\w]|[\s\S]",
    r"(?i)A(?-i:b)|é+|[\s\S]",
    r"(?i:[^ab]+)|[\s\S]",
    r"(?s:.)",
    r"(?#c)(?<x>a)(?P<y>b)|[\s\S]",
    r"\p{Latin}+|\p{Letter}\p{^L}|\p{L&}|[\s\S]",
    r"\R|a\z|[\s\S]",
]
# Some of them find the same, in other words.
ALIKE = [
    r"a|ab|[\s\S]",
    r"[\s\S]",
    r"ab|a|[\s\S]",
    r"a(?:b|(?!b))|[\s\S]",
    r"ab?|[^a]",
    r"a+|[^a]",
    r"[^a]|a++",
    r"a+?|[^a]",
    r"a|[b1 ]|[\s\S]",
    r"a{2,}|[\s\S]",
    r"aa+|a|[^a]",
    r"a+(?!b)|[\s\S]",
    r"[ab]+1?|[\s\S]",
    r"(?:a|b)+(?:1|)|[\s\S]",
]
REFUSED = [
    (r"(a)\1|.", r"the escape \\1 at position 5"),
    (r"a(?i)b|.", "a group of a kind that is not known at position 3"),
    (r"\Ga|.", r"the escape \\G at position 2"),
    (r"\Xa|.", r"the escape \\X"),
    (r"a\Z|.", r"the escape \\Z"),
    (r"\h|.", r"the escape \\h"),
    (r"(?<=ab)b|.", "a look at more than one character behind"),
    (r"^ab|.", "a look at what stands before a match"),
    (r"(?<=a)b+|\S", "a look at what stands before a match"),
    (r"\d{1,3}(?=(?:\d{3})*\b)|x", "an end of a match that is known more than one character later"),
    (r"(?=a)+b|.", "a repeated look"),
    (r"(?:a?)+b|.", "a repeat of something that can be empty"),
    (r"[b&--a]|.", "a doubled sign in a class"),
    (r"[]a]|.", "an empty class, or one that begins with ']'"),
    (r"\p{Basic_Latin}|.", "the property 'Basic_Latin'"),
    (r"[[:latin:]]|.", r"the class \[:latin:\]"),
    (r"a{6000}|.", "too many repeats"),
    (r"[ab]*a[ab]{12}|.", "too many states"),
    ("(" * 220 + "a" + ")" * 220, "groups nested so deep"),
]


def tables_of(pattern: str) -> Automaton:
    """The tables of a pattern that must compile."""
    tables = automaton(pattern)
    assert tables is not None
    return tables


@pytest.mark.parametrize("pattern", [*NAMED.values(), *COVERED], ids=[*NAMED, *COVERED])
def test_every_entry_of_the_tables_points_into_them(pattern: str) -> None:
    """The core walks them unchecked: an entry out of range would be a wild read."""
    tables = tables_of(pattern)
    assert tables.pages.shape == (0x1100,)
    assert (tables.pages.dtype, tables.classes.dtype) == (np.uint16, np.uint8)
    assert int(tables.pages.max()) < len(tables.classes)
    assert int(tables.classes.max()) < tables.n_classes
    assert 0 <= tables.invalid_class < tables.n_classes
    assert tables.transitions.dtype == np.uint16
    assert int(tables.transitions.max()) >> 1 < len(tables.transitions)
    assert not tables.transitions[0].any(), "state 0 is where nothing can match any more"
    assert not (tables.transitions[1] & 1).any(), "a pre-token must not be empty"
    assert not (tables.transitions[:, -1] >> 1).any(), "nothing follows the end of the text"


@pytest.mark.parametrize("pattern", COVERED)
@given(text=st.text(st.sampled_from("ab1AB é\n-]٣\u0301"), max_size=12))
def test_tables_find_the_match_a_backtracking_engine_finds(
    cut: Any, pattern: str, text: str
) -> None:
    """Leftmost-first: not the longest match, but the first option that succeeds."""
    assert cut(tables_of(pattern), text) == [m[0] for m in exact_regex_of(pattern).finditer(text)]


def test_text_that_nothing_matches_stands_alone(cut: Any) -> None:
    """Others drop it: "ab 12 cd" came back as "abcd"."""
    assert cut(tables_of("[a-z]+"), "ab 12") == ["ab", " ", "1", "2"]


@pytest.mark.parametrize(
    ("pattern", "n_states", "n_classes"),
    [
        (r"a|b|[cd]", 3, 2),
        (r"ax|bx|cx", 4, 3),
        (r"(?:a|aa)+|(?:aa?)+", 3, 2),
        (r"\s+(?!\S)|\s+", 4, 2),
        (NAMED["o200k"], 20, 19),
    ],
    ids=["letters", "endings", "the same twice", "spaces", "o200k"],
)
def test_tables_have_no_state_and_no_class_too_many(
    pattern: str, n_states: int, n_classes: int
) -> None:
    """The smaller they are the more of them a processor's fast memory holds."""
    tables = tables_of(pattern)
    assert (len(tables.transitions), tables.n_classes) == (n_states, n_classes)


def test_characters_have_one_class_exactly_if_the_pattern_cannot_tell_them_apart() -> None:
    """Digits and "b" are in no set of this pattern, "a" and "é" in different ones."""
    tables = tables_of(r"a+|[aé]b?")
    assert tables.class_of(ord("1")) == tables.class_of(ord("漢"))
    classes = [tables.class_of(ord(char)) for char in "aéb1"]
    assert len(set(classes)) == 4 == tables.n_classes


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        *((pattern, True) for pattern in (r"[^a]", r"\S", r"\W", r"\P{L}", r"[\s\S]", ".")),
        *((pattern, False) for pattern in (r"\p{L}", r"\s", r"\w", r"[^\S]", "a")),
    ],
)
def test_byte_that_is_not_text_is_in_negated_sets_only(pattern: str, matches: bool) -> None:
    """As Python has it, which reads such a byte as a lone surrogate."""
    tables = tables_of(pattern)
    entry = int(tables.transitions[1, tables.invalid_class])
    assert bool(entry >> 1) is matches
    assert bool(regex.fullmatch(pattern, b"\xff".decode("utf-8", "surrogateescape"))) is matches


@pytest.mark.parametrize(("pattern", "reason"), REFUSED)
def test_pattern_outside_the_dialect_falls_back_with_one_warning(pattern: str, reason: str) -> None:
    """It still works, more slowly, and says what to change; a second use has nothing to add."""
    automaton.cache_clear()
    with pytest.warns(BytepairWarning, match=f"runs on the `regex` package.*{reason}"):
        assert automaton(pattern) is None
    assert automaton(pattern) is None


@pytest.mark.filterwarnings("ignore:pattern .* runs on the `regex` package")
@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (r"(?<=a)b+|\S", b"abbb b", [1, 4, 5, 6]),
        (r"(.)\1+|[^x]", "ééa\xff".encode("latin-1"), [2, 3, 4]),
        (r"(?=b)|a", b"aab", [1, 2, 3]),
    ],
    ids=["lookbehind", "backreference", "empty-matches"],
)
def test_fallback_cuts_on_both_engines(
    engine: str, pattern: str, text: bytes, expected: list[int]
) -> None:
    """Bytes that are not text, and matches of nothing, must not stop or stall it."""
    assert select(engine).splitter(pattern).split(text) == expected


def test_nested_repeats_compile_in_moments() -> None:
    """Asking at each level whether the inside can be empty must not build it anew each time."""
    assert tables_of("(?:" * 9 + "a" + ")+" * 9 + "|.") is not None


def test_patterns_that_cut_alike_are_told_from_others() -> None:
    """By brute force: all short texts of the signs that these patterns tell apart."""
    texts = ["".join(signs) for n in range(1, 6) for signs in product("ab1 ", repeat=n)]
    cuts = {one: [exact_regex_of(one).findall(text) for text in texts] for one in ALIKE}
    for one, other in combinations(ALIKE, 2):
        assert cuts_alike(one, other) == (cuts[one] == cuts[other]), (one, other)


def test_published_patterns_are_told_apart() -> None:
    """Tiktoken spells GPT-2's differently; its present cl100k is not what Llama 3 took over."""
    assert cuts_alike(NAMED["gpt2"], NAMED["r50k"])
    assert not cuts_alike(NAMED["cl100k"], NAMED["llama3"])
    assert not cuts_alike(NAMED["qwen2"], NAMED["llama3"])
    assert not cuts_alike(r"(a)\1|[^x]", r"(a)a|[^x]")  # only a regex engine can run the first
