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
from bytepair.patterns import NAMED, Automaton, automaton, has_disputed, name_of, resolve

ROOT = Path(__file__).parents[3]
PUBLISHED_NAME = {"gpt2": "gpt2", "cl100k": "cl100k_base", "o200k": "o200k_base"}

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
    ("whitespace", " a \t b", [" ", "a", " \t ", "b"]),
]


def cut_with_regex(pattern: str, text: str) -> list[str]:
    """Pieces by the `regex` package."""
    return [match[0] for match in regex.finditer(pattern, text)]


def documented_names() -> list[str]:
    """First column of the table under "Pre-tokens"."""
    page = (ROOT / "docs" / "concepts.md").read_text(encoding="utf-8")
    section = page.partition("\n## Pre-tokens\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)


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
    """Saved files hold the regex; people are shown the name."""
    assert name_of(NAMED[name]) == name


@pytest.mark.parametrize("pattern", [None, r"\S+|\s", "[a-z]"])
def test_what_has_no_name_stays_as_it_is(pattern: str | None) -> None:
    """A regex is used as given, and None means no pre-tokens."""
    assert resolve(pattern) == pattern
    assert name_of(pattern) is None


@pytest.mark.parametrize("name", ["gpt3", "o200k_base", "Whitespace", "llama-3", "a"])
def test_misspelt_name_lists_the_known_ones(name: str) -> None:
    """Taken for a regex it would quietly match its own letters and cut nothing else."""
    with pytest.raises(PatternError, match="known: gpt2, cl100k, o200k, llama3, qwen2, white"):
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
