import itertools
import warnings
from typing import Any

import pytest

import bytepair
from bytepair.errors import BytepairWarning, PatternError
from bytepair.patterns import automaton, check_cuts, exact_regex_of, regex_of

NEW_LETTER = "\u088f"  # a letter since Unicode 17, unassigned in the pinned version


@pytest.mark.parametrize(
    ("pattern", "position", "message"),
    [
        ("(", 1, "missing )"),
        (r"[a-z]+|*", 7, "nothing to repeat"),
        (r"[a-z", 4, "unterminated character set"),
        (r"a{3,2}", 2, "min repeat greater than max repeat"),
        (r"\p{Foo}+", 7, "unknown property"),
        (r"\x{110000}", 2, "incomplete escape"),
        (r"\w+(", 4, "missing )"),
        (r"\x{1F600}(", 10, "missing )"),
        (r"\x{41}[\w", 9, "unterminated character set"),
    ],
)
def test_invalid_regex_shows_where(pattern: str, position: int, message: str) -> None:
    """The mark stands under the character, whatever was spelt out before it for the engine."""
    with pytest.raises(PatternError) as caught:
        automaton(pattern)
    first, shown, mark = str(caught.value).split("\n")
    assert first.startswith("pattern is not a valid regex: " + message)
    assert first.endswith(f"at position {position}")
    assert shown == f"  {pattern}"
    assert mark == " " * (2 + position) + "^ here"


def test_invalid_regex_of_several_lines_shows_the_line() -> None:
    """A mark below the whole pattern would stand under another character."""
    with pytest.raises(PatternError) as caught:
        automaton("a|b\n|(c\n|d")
    assert str(caught.value).split("\n")[1:] == ["  |d", "    ^ here"]


@pytest.mark.parametrize("pattern", ["", "a*", "a|", "(?:a?)", r"\s*|\S*", "a{0}"])
def test_pattern_that_matches_the_empty_text_is_for_files_only(pattern: str) -> None:
    """Engines disagree on what such a match cuts; a file means one of them."""
    with pytest.raises(PatternError, match="matches the empty text"):
        check_cuts(pattern)
    automaton.cache_clear()
    with pytest.warns(BytepairWarning, match=r"does not express a .* can (match|be) .*empty"):
        assert automaton(pattern) is None


def test_pattern_that_cuts_is_compiled_when_it_is_checked() -> None:
    """So that what only a regex engine can run is known before any text is read."""
    check_cuts(r"\p{L}+|(?=a)b")
    automaton.cache_clear()
    with pytest.warns(BytepairWarning, match="runs on the `regex` package"):
        check_cuts("(?<=a)b")


def test_regex_nested_beyond_all_measure_is_refused() -> None:
    """A pattern can come out of a file: it must not end in a RecursionError."""
    with pytest.raises(PatternError, match="nested too deep"):
        regex_of("(" * 20_000 + "a" + ")" * 20_000)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"\x{1F600}|\x{61}", ["a", "😀"]),
        (r"[\x{1F600}-\x{1F601}]", ["😀"]),
        (r"\w", ["a", "\u0301", "\u200d"]),
        (r"[^\w]", ["😀", "²"]),
        (r"\W", ["😀", "²"]),
    ],
)
def test_regex_package_understands_the_dialect(pattern: str, expected: list[str]) -> None:
    r"""It has no \x{..}, and its \w is not that of the engines other tokenizers run on."""
    assert regex_of(pattern).findall("a😀\u0301²\u200d") == expected
    assert exact_regex_of(pattern).findall("a😀\u0301²\u200d") == expected


@pytest.mark.parametrize("pattern", [r"\p{L}", r"\pL", r"[\pL]", r"\w", r"[^\PL]"])
def test_exact_regex_knows_the_pinned_version_only(pattern: str) -> None:
    """A letter that was added later is none here, whatever `regex` is installed."""
    assert exact_regex_of(pattern).findall(f"a{NEW_LETTER}é") == ["a", "é"]


def test_each_sign_that_needs_an_escape_can_be_matched(cut: Any) -> None:
    """Escaped or in a class, in any order."""
    signs = r"\.^$*+?{}[]|()-"
    escaped = "".join("\\" + sign for sign in signs)
    for pattern in ("|".join("\\" + sign for sign in signs), f"[{escaped}]"):
        tables = automaton(pattern + "|[a-z]+")
        assert tables is not None
        text = "ab".join(itertools.chain(signs, [""]))
        assert cut(tables, text)[::2] == list(signs)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (r"(?r)\w+", "searches backwards"),
        (r"(?R)|a", "contains itself"),
        (r"(a|(?1)b)c", "contains itself"),
        ("(?au)a", "is not a valid regex: .*incompatible"),
        ("a{1," + "9" * 5000 + "}", "is not a valid regex"),
    ],
    ids=["reverse", "recursion", "group-recursion", "flags", "digits"],
)
def test_what_no_text_is_safe_from_is_refused(pattern: str, message: str) -> None:
    """Matches would run backwards, or eat all memory, or the error would be a stranger's."""
    with pytest.raises(PatternError, match=message):
        automaton(pattern)


def test_a_pattern_with_too_many_choices_is_left_to_regex() -> None:
    """Building its states would take minutes."""
    with pytest.warns(BytepairWarning, match="does not express so many choices"):
        assert automaton("a?" * 400 + "x") is None


@pytest.mark.parametrize("engine", ["native", "python"])
def test_matches_that_reach_back_lose_and_double_nothing(engine: str) -> None:
    r"""With \K a match may begin before the end of the last one."""
    pattern = r"(?=(\w+\K))\w"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BytepairWarning)
        tok = bytepair.train(["the cat"], vocab_size=300, pattern=pattern, engine=engine)
    assert tok.decode(tok.encode("the cat abc")) == "the cat abc"
