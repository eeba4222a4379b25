import re
from pathlib import Path
from typing import Any

import pytest
import regex
import tiktoken_ext.openai_public as published
from hypothesis import given
from hypothesis import strategies as st

from bytepair import Preprocessor
from bytepair.errors import PatternError
from bytepair.model import Split
from bytepair.patterns import (
    HF_DIGIT,
    HF_PUNCTUATION,
    NAMED,
    SEQUENCES,
    Automaton,
    automaton,
    for_oniguruma,
    has_disputed,
    name_of,
    resolve,
    resolve_steps,
    split_steps,
)

ROOT = Path(__file__).parents[3]
PUBLISHED_NAME = {
    "gpt2": "gpt2",
    "r50k": "r50k_base",
    "p50k": "p50k_base",
    "cl100k": "cl100k_base",
    "o200k": "o200k_base",
}

# What the published tokenizers do with each text, worked out from their patterns by hand.
CUTS = [
    ("gpt2", "don't you'LL", ["don", "'t", " you", "'", "LL"]),
    ("cl100k", "don't you'LL", ["don", "'t", " you", "'LL"]),
    ("o200k", "don't you'LL", ["don't", " you'LL"]),
    ("gpt2", "in 12345", ["in", " 12345"]),
    ("cl100k", "in 12345", ["in", " ", "123", "45"]),
    ("llama3", "in 12345", ["in", " ", "123", "45"]),
    ("qwen2", "in 123", ["in", " ", "1", "2", "3"]),
    ("gpt2", "a \n\n b", ["a", " \n\n", " b"]),
    ("cl100k", "a \n\n b", ["a", " \n\n", " b"]),
    ("cl100k", "a  \r\n  b", ["a", "  \r\n", " ", " b"]),
    ("gpt2", "a  \r\n  b", ["a", "  \r\n ", " b"]),
    ("cl100k", "x=1;\n", ["x", "=", "1", ";\n"]),
    ("o200k", "HTTPServer usr/bin", ["HTTPServer", " usr", "/bin"]),
    ("o200k", "XMLHttp aBC", ["XMLHttp", " a", "BC"]),
    ("cl100k", "हिन्दी", ["ह", "िन", "्द", "ी"]),  # no \p{M}: cut at the vowel signs
    ("o200k", "हिन्दी", ["हिन्दी"]),
    ("r50k", "a  \r\n", ["a", "  \r\n"]),
    ("qwen3.5", "हिन्दी 12", ["हिन्दी", " ", "1", "2"]),
    ("tekken", "don't HTTPServer 12", ["don", "'t", " HTTPServer", " ", "1", "2"]),
    ("kimi-k2", "中文English混合1234", ["中文", "English", "混合", "123", "4"]),
    ("bloom", "in, (out) a", ["in", ",", " ", "(", "out", ")", " a"]),
    ("clip", "a1 <|StartOfText|>It's", ["a", "1", " ", "<|StartOfText|>", "It", "'s"]),
    ("whitespace", " a \t b", [" ", "a", " \t ", "b"]),
]


def cut_with_regex(pattern: str, text: str) -> list[str]:
    """Pieces by the `regex` package."""
    return [match[0] for match in regex.finditer(pattern, text)]


def documented_names() -> list[str]:
    """First column of the table under "Pre-tokens"."""
    page = (ROOT / "docs" / "concepts.md").read_text(encoding="utf-8")
    section = page.partition("\n## Pre-tokens\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| `([\w.-]+)` \|", section, re.MULTILINE)


def test_the_names_are_the_documented_ones() -> None:
    """They are options on the command line; in this order people are told of them."""
    assert list(NAMED) == documented_names(), (
        "the table under 'Pre-tokens' in docs/concepts.md must have one row for each pattern of "
        "NAMED (src/bytepair/patterns/_named.py), in its order: '| `name` | cuts text like |'"
    )


@pytest.mark.parametrize("name", NAMED)
def test_name_is_listed_where_people_choose(name: str) -> None:
    """In the options of the guide, and in the help of the class that takes it."""
    guide = (ROOT / "docs" / "guides" / "train.md").read_text(encoding="utf-8")
    row = next(line for line in guide.splitlines() if line.startswith("| `pattern` |"))
    assert f"`{name}`" in row, f"add `{name}` to the row `pattern` of docs/guides/train.md"
    docstring = Preprocessor.__doc__ or ""
    assert f"`{name}`" in docstring, (
        f"add `{name}` to `pattern` in the docstring of src/bytepair/corpus/_preprocessor.py"
    )


@pytest.mark.parametrize("name", NAMED)
def test_name_resolves_to_a_pattern_that_compiles(name: str) -> None:
    """None may fall back to the slow way; a warning would fail this test too."""
    pattern = resolve(name)
    assert pattern == NAMED[name]
    assert isinstance(automaton(pattern), Automaton)


@pytest.mark.parametrize("name", NAMED)
def test_pattern_has_a_name_again(name: str) -> None:
    """Saved files hold the regex; people are shown the name, the first if there are two."""
    assert name_of(NAMED[name]) == ("r50k" if name == "p50k" else name)


@pytest.mark.parametrize("pattern", [None, r"\S+|\s", "[a-z]"])
def test_what_has_no_name_stays_as_it_is(pattern: str | None) -> None:
    """A regex is used as given, and None means no pre-tokens."""
    assert resolve(pattern) == pattern
    assert name_of(pattern) is None


@pytest.mark.parametrize("name", ["gpt3", "o200k_base", "Whitespace", "llama-3", "qwen3.6", "a"])
def test_misspelt_name_lists_the_known_ones(name: str) -> None:
    """Taken for a regex it would quietly match its own letters and cut nothing else."""
    with pytest.raises(PatternError, match=f"known: {', '.join(NAMED)}"):
        resolve(name)


@pytest.mark.parametrize("pattern", [5, b"[a-z]", ["gpt2"], regex.compile("a")], ids=repr)
def test_pattern_of_another_type_is_refused(pattern: Any) -> None:
    """A compiled regex has flags that a saved file could not keep."""
    with pytest.raises(PatternError, match="must be a name, a regex as a str, or None, got"):
        resolve(pattern)


@pytest.mark.parametrize(("name", "text", "expected"), CUTS)
def test_named_pattern_cuts_as_published(
    cut: Any, name: str, text: str, expected: list[str]
) -> None:
    """Contractions, digits, line ends and combining marks are where the patterns differ."""
    tables = automaton(NAMED[name])
    assert tables is not None
    assert cut(tables, text) == expected


@pytest.mark.parametrize("name", PUBLISHED_NAME)
@given(text=st.text(st.sampled_from("aBéßǅʰ́ह 12²Ⅷ'sStTlLdDvVrReEmMſK\n\r\t\u3000-/_.漢😀\x00")))
def test_tables_cut_as_the_pattern_tiktoken_ships(cut: Any, name: str, text: str) -> None:
    """Ours are spelt otherwise, so that every engine reads them alike; the cuts must be theirs."""
    with pytest.MonkeyPatch.context() as patch:
        for download in ("load_tiktoken_bpe", "data_gym_to_mergeable_bpe_ranks"):
            patch.setattr(published, download, lambda *_, **__: {})
        theirs = getattr(published, PUBLISHED_NAME[name])()["pat_str"]
    tables = automaton(NAMED[name])
    assert tables is not None
    assert not has_disputed(text), "the sample must not hold what Unicode versions disagree on"
    assert cut(tables, text) == cut_with_regex(theirs, text)


@pytest.mark.parametrize("name", SEQUENCES)
def test_sequence_resolves_to_splits_that_compile(name: str) -> None:
    """None may fall back to the slow way; as a regex it is refused by its name."""
    steps = resolve_steps(name)
    assert steps == SEQUENCES[name]
    assert all(isinstance(automaton(step.pattern), Automaton) for step in steps)
    with pytest.raises(PatternError, match=f"'{name}' is a sequence of {len(steps)} splits"):
        resolve(name)


def test_any_pattern_is_a_sequence_of_at_most_one_split() -> None:
    """Who runs splits needs no other way for a single pattern."""
    assert resolve_steps(None) == ()
    assert resolve_steps("gpt2") == (Split(NAMED["gpt2"]),)
    assert resolve_steps("[a-z]") == (Split("[a-z]"),)
    with pytest.raises(PatternError, match="is not a known name"):
        resolve_steps("gpt3")


@pytest.mark.parametrize(
    ("published", "steps"),
    [
        (r"(?=(\d{3})+(?!\d))", SEQUENCES["superbpe"][1:]),
        (r"\d{1,3}(?=(?:\d{3})*\b)", SEQUENCES["tiny-aya"][:-1]),
    ],
    ids=["superbpe", "tiny-aya"],
)
def test_steps_of_sequences_are_those_of_the_published_splits(
    published: str, steps: tuple[Split, ...]
) -> None:
    """They are written down, because parsing them would slow down every import."""
    assert split_steps(Split(for_oniguruma(published))) == steps


@pytest.mark.parametrize(
    "step",
    [
        Split(r"\d{1,3}(?=(?:\d{2})*\b)"),
        Split(r"\d{1,3}(?=(?:\d{3})*)"),
        Split(r"\d{1,3}(?=(?:\d{3})+\b)"),
        Split(r"\w{1,3}(?=(?:\w{3})*(?!\d))"),
        Split(r"(?=(\d{3})+\b)"),
        Split(r"\d{1,3}(?=(?:\d{3})*\b)", "removed"),
        Split(r"(a)\1"),
        Split(NAMED["gpt2"]),
    ],
    ids=lambda step: step.pattern[:30],
)
def test_other_splits_stay_as_they_are(step: Split) -> None:
    """Only what is known to cut alike is exchanged."""
    assert split_steps(step) == (step,)


def test_steps_for_digits_keep_what_else_the_split_says() -> None:
    """Behind ByteLevel it looks at the spelling of bytes."""
    steps = split_steps(Split(r"(?=(\d{3})+(?!\d))", by_bytes=True))
    assert [step.by_bytes for step in steps] == [True, True]


@pytest.mark.parametrize(
    ("pattern", "char", "is_in"),
    [
        *((HF_DIGIT, char, True) for char in "7²Ⅷ٣\U00011de0"),
        *((HF_DIGIT, char, False) for char in "a.\U00011dea"),
        *((HF_PUNCTUATION, char, True) for char in "$+`.«\u166d\u2e42"),
        *((HF_PUNCTUATION, char, False) for char in "a1 €\u061d\u2e43"),
    ],
)
def test_sets_of_hugging_faces_components_follow_their_own_versions(
    pattern: str, char: str, is_in: bool
) -> None:
    """Digits know Unicode 17, where U+11DE0 is new; punctuation knows 8, U+061D and U+2E43 not."""
    tables = automaton(pattern)
    assert tables is not None
    assert bool(int(tables.transitions[1, tables.class_of(ord(char))]) >> 1) is is_in
