import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, normalizers

from bytepair.model import CharMap, Prepend, Replace, Strip
from bytepair.normalizers import normalize, normalize_aligned

SPACES = " \t\n\v\f\r\x1c\x1f\x85\u00a0\u1680\u2009\u2028\u202f\u205f\u3000\u200b\u180e\ufeff"
TEXT = st.text("aAbé_." + SPACES, max_size=10)


@given(text=TEXT, left=st.booleans(), right=st.booleans())
def test_strip_takes_the_white_space_that_hugging_face_takes(
    text: str, left: bool, right: bool
) -> None:
    """Python's own strip() has another idea of it (U+001C)."""
    expected: str = normalizers.Strip(left=left, right=right).normalize_str(text)
    assert normalize(text.encode(), [Strip(left, right)]).decode() == expected


@given(text=TEXT, prefix=st.text("▁ a\U0001f600", max_size=3))
def test_prepend_puts_before_what_is_not_empty(text: str, prefix: str) -> None:
    """An empty text stays empty."""
    expected: str = normalizers.Prepend(prefix).normalize_str(text)
    assert normalize(text.encode(), [Prepend(prefix)]).decode() == expected


@given(text=TEXT, literal=st.text("aAb.é ", max_size=2), content=st.text(r"ab\1$0", max_size=3))
def test_replace_takes_text_literally(text: str, literal: str, content: str) -> None:
    """Neither the pattern nor the content has signs of a regex in it."""
    expected: str = normalizers.Replace(literal, content).normalize_str(text)
    assert normalize(text.encode(), [Replace(literal, content)]).decode() == expected


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"\s+", r" {2,}", r"[ab]+", r"(?<=a)b", r"a(?!b)", r"\p{Lu}", r"\w", r"(a+)b", r"."),
        *("a*", "b?", r"\b", "a|", "|a", "(?=b)", "(?<=a)", r"\A"),  # they match nothing, too
    ],
)
@given(text=TEXT)
def test_replace_finds_what_hugging_face_finds(pattern: str, text: str) -> None:
    """Empty matches too, which engines count differently."""
    expected: str = normalizers.Replace(Regex(pattern), "<\\1>").normalize_str(text)
    assert normalize(text.encode(), [Replace(pattern, "<\\1>", is_regex=True)]).decode() == expected


def test_strip_looks_at_each_run_of_white_space_once() -> None:
    """A million spaces inside a text must not cost their square."""
    data = b"a" + b" " * 1_000_000 + b"b"
    assert normalize(data, [Strip()]) == data


@given(
    text=st.text("abcd", max_size=12),
    rules=st.dictionaries(st.text("abc", min_size=1, max_size=3), st.text("bd", max_size=2)),
)
def test_character_map_takes_the_longest_key_at_each_place(
    text: str, rules: dict[str, str]
) -> None:
    """Against trying every length at every place; what is put in is not looked at again."""
    expected, rest = "", text
    while rest:
        keys = [rest[:n] for n in range(len(rest), 0, -1) if rest[:n] in rules]
        key = keys[0] if keys else rest[0]
        expected += rules.get(key, key)
        rest = rest[len(key) :]
    steps = [CharMap(tuple(rules.items()))]
    assert normalize(text.encode(), steps).decode() == expected
    aligned = normalize_aligned(text.encode(), steps)
    assert aligned.data.decode() == expected
