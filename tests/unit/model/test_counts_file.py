from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from bytepair.errors import ArgumentError, CorpusError, SaveError
from bytepair.model import (
    CharMap,
    Metaspace,
    Prepend,
    Replace,
    Split,
    SplitRules,
    Strip,
    WordCounts,
)

tables = st.dictionaries(st.binary(min_size=1), st.integers(1, 2**40), max_size=6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all examples."""
    return tmp_path_factory.mktemp("counts")


@given(table=tables, pattern=st.none() | st.text(), n_documents=st.integers(0, 2**50))
def test_binary_form_comes_back_as_it_was(folder, table, pattern, n_documents):
    """Any bytes, any count, and the rules with them."""
    base = WordCounts.from_mapping(table)
    rules = SplitRules(pattern, ("nfc",), ("<a>", "\\"))
    first = np.cumsum(base.counts)
    counts = WordCounts(base.data, base.offsets, base.counts, first, 2**60, n_documents, rules)
    counts.save(folder / "words.counts")
    assert WordCounts.load(folder / "words.counts") == counts


def test_rules_of_a_loaded_tokenizer_come_back(tmp_path):
    """They have steps with parameters instead of names."""
    normalizer = (Replace("a+", "b", is_regex=True), Prepend("x"), Strip(), CharMap((("a", "b"),)))
    rules = SplitRules(None, normalizer, (), (Split("b", "removed"), Metaspace()))
    counts = WordCounts.from_mapping({"a": 1}, rules)
    counts.save(tmp_path / "words")
    assert WordCounts.load(tmp_path / "words").rules == rules


@given(table=tables)
def test_text_form_comes_back_word_by_word(folder, table):
    """Tabs, line feeds, backslashes and bytes that are not text are escaped."""
    counts = WordCounts.from_mapping(table)
    counts.save(folder / "words.tsv")
    assert list(WordCounts.load(folder / "words.tsv")) == list(counts)


def test_text_form_is_what_people_would_write(tmp_path):
    """One line a word; the rules come with the call."""
    path = tmp_path / "words.tsv"
    table = {" low": 5, "\n\t": 2, b"\xff\\x": 1, "日": 7}
    WordCounts.from_mapping(table).save(path)
    assert path.read_text(encoding="utf-8") == " low\t5\n\\n\\t\t2\n\\xff\\\\x\t1\n日\t7\n"
    rules = SplitRules("[a-z]+")
    assert WordCounts.load(path, rules=rules).rules == rules


@pytest.mark.parametrize("size", [0, 10, 20, 100, -1])
def test_part_of_a_file_is_refused(tmp_path, size):
    """A copy that was interrupted."""
    path = tmp_path / "words.counts"
    WordCounts.from_mapping({"low": 5, "lower": 2}).save(path)
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(CorpusError, match=r"words\.counts: not a whole table"):
        WordCounts.load(path)


def test_changed_byte_is_found(tmp_path):
    """Wherever it is."""
    path = tmp_path / "words.counts"
    WordCounts.from_mapping({"low": 5, "lower": 2}).save(path)
    content = path.read_bytes()
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1
        path.write_bytes(changed)
        with pytest.raises(CorpusError):
            WordCounts.load(path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("low 5", "line 1: no word and no tab"),
        ("low\t5\n\t3", "line 2: the word is empty"),
        ("low\t-1", "line 1: the count is '-1'"),
        ("low\t0", "the count is '0'"),
        ("low\t1.5", "the count is '1.5'"),
        ("low\t1\nlow\t2", "line 2: the word is there twice"),
        ("low\\q\t1", "unknown escape"),
        ("low\t99999999999999999999", "the count is"),
    ],
)
def test_wrong_line_is_named(tmp_path, text, problem):
    """A table of a million lines is not looked through by hand."""
    path = tmp_path / "words.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CorpusError, match=problem):
        WordCounts.load(path)


def test_missing_file_and_missing_folder_are_said(tmp_path):
    """As everywhere."""
    with pytest.raises(CorpusError, match="No such file"):
        WordCounts.load(tmp_path / "none")
    with pytest.raises(SaveError):
        WordCounts.from_mapping({"a": 1}).save(tmp_path / "none" / "words")


def test_rules_for_a_table_that_has_its_own_are_refused(tmp_path):
    """They could only be wrong."""
    WordCounts.from_mapping({"a": 1}).save(tmp_path / "words")
    with pytest.raises(ArgumentError, match="has its own"):
        WordCounts.load(tmp_path / "words", rules=SplitRules())
