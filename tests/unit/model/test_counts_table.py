"""Counts in Parquet and Arrow files: pyarrow writes and reads what we read and write."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair
from bytepair.errors import CorpusError, MissingExtraError
from bytepair.model import Skipped, Split, SplitRules, WordCounts

RULES = SplitRules(None, ("nfc",), ("<|x|>",), (Split("[a-z]+"),))
NAMES = ["words.parquet", "words.arrow"]


def write(path, columns):
    """A table as another tool would write it."""
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path)
        return
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


@pytest.mark.parametrize("name", NAMES)
@given(st.dictionaries(st.binary(min_size=1, max_size=9), st.integers(1, 2**40), max_size=9))
def test_what_was_saved_is_loaded(tmp_path_factory, name, count_by_word):
    """Words, counts, positions, sizes, and how the corpus was cut."""
    path = tmp_path_factory.mktemp("table") / name
    counts = WordCounts.from_mapping(count_by_word, RULES)
    counts.save(path)
    assert WordCounts.load(path) == counts


@pytest.mark.parametrize("name", [*NAMES, "words.counts"])
def test_what_was_left_out_is_remembered(tmp_path, name):
    """Who trains on a table is told what it lacks."""
    lost = Skipped("a\udcff.jsonl:7", "not JSON")
    counts = replace(WordCounts.from_mapping({"low": 5}), n_skipped=3, skipped=(lost,))
    counts.save(tmp_path / name)
    loaded = WordCounts.load(tmp_path / name)
    assert loaded == counts
    assert (loaded.n_skipped, loaded.skipped) == (3, (lost,))


@pytest.mark.parametrize("name", NAMES)
def test_columns_are_those_that_other_tools_expect(tmp_path, name):
    """Another reader agrees."""
    path = tmp_path / name
    WordCounts.from_mapping({"low": 5, b"\xff": 2}).save(path)
    read = pa.parquet.read_table if path.suffix == ".parquet" else pa.ipc.open_file
    table = read(path) if path.suffix == ".parquet" else read(path).read_all()
    assert table.schema.types == [pa.large_binary(), pa.int64(), pa.int64()]
    assert table.to_pydict() == {"word": [b"low", b"\xff"], "count": [5, 2], "first": [0, 3]}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.binary(), pa.dictionary(pa.int32(), pa.string())],
    ids=str,
)
def test_words_may_be_strings_of_any_kind(tmp_path, name, kind):
    """In the order of their rows where there are no positions; counts may be small integers."""
    words = pa.array(["low", "日", "lower"], pa.string()).cast(kind)
    write(tmp_path / name, {"count": pa.array([1, 2, 3], pa.uint8()), "word": words})
    counts = WordCounts.load(tmp_path / name, rules=RULES)
    assert list(counts) == [(b"low", 1), ("日".encode(), 2), (b"lower", 3)]
    assert counts.rules == RULES
    assert counts.n_bytes == 3 + 6 + 15


def test_words_come_in_the_order_of_their_positions(tmp_path):
    """A cluster's GROUP BY gives rows in any order."""
    path = tmp_path / "words.parquet"
    write(path, {"word": ["c", "a", "b"], "count": [1, 2, 3], "first": [9, 0, 4]})
    counts = WordCounts.load(path)
    assert list(counts) == [(b"a", 2), (b"b", 3), (b"c", 1)]
    assert np.array_equal(counts.first, [0, 4, 9])


def test_parts_of_a_column_are_one(tmp_path):
    """Row groups of a Parquet file, and batches of Arrow, do not begin at 0."""
    one = pa.table({"word": ["x", "y", "z"], "count": [1, 2, 3]})
    write(tmp_path / "a.arrow", pa.concat_tables([one.slice(1), one.slice(0, 1)]))
    assert list(WordCounts.load(tmp_path / "a.arrow")) == [(b"y", 2), (b"z", 3), (b"x", 1)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"token": ["a"], "count": [1]}, "no column 'word'; this file has 'token', 'count'"),
        ({"word": ["a"], "n": [1]}, "no column 'count'"),
        ({"word": [1], "count": [1]}, "column 'word' holds int64"),
        ({"word": ["a"], "count": [1.0]}, "column 'count' holds double"),
        ({"word": ["a"], "count": ["1"]}, "column 'count' holds string"),
        ({"word": ["a", None], "count": [1, 2]}, "row 2: column 'word' is null"),
        ({"word": ["a", "b"], "count": [1, None]}, "row 2: column 'count' is null"),
        ({"word": ["a", "b"], "count": [1, -2]}, "row 2: column 'count' is below 1"),
        ({"word": ["a", "b"], "count": [1, 0]}, "row 2: column 'count' is below 1"),
        ({"word": ["a", ""], "count": [1, 2]}, "row 2: column 'word' is empty"),
        ({"word": ["a", "b", "a"], "count": [1, 2, 3]}, "row 3: column 'word' is there twice"),
        ({"word": ["a"], "count": pa.array([2**63], pa.uint64())}, "not a table that can be read"),
        ({"word": ["a"], "count": [1], "first": [-1]}, "column 'first' is below 0"),
        ({"word": ["a"], "count": [1], "first": [None]}, "'first' is null|'first' holds null"),
        (
            {"word": ["a", "b", "c"], "count": [1, 2, 3], "first": [7, 1, 7]},
            "row 3: column 'first' is there twice",
        ),
    ],
)
def test_wrong_columns_and_rows_are_named(tmp_path, name, columns, problem):
    """Before anything is trained on them."""
    write(tmp_path / name, columns)
    with pytest.raises(CorpusError, match=problem):
        WordCounts.load(tmp_path / name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [0, 5, 40, -1])
def test_part_of_a_table_is_refused(tmp_path, name, size):
    """A copy that was interrupted."""
    WordCounts.from_mapping({"low": 5, "lower": 2}).save(tmp_path / name)
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[:size])
    with pytest.raises(CorpusError, match=name):
        WordCounts.load(tmp_path / name)


def test_training_from_a_table_is_training_from_its_words(tmp_path):
    """With the rules that are in it."""
    counts = bytepair.FrequencyAnalyzer().count(
        bytepair.Preprocessor().chunks(["low lower lowest"] * 9), bytepair.Preprocessor().rules
    )
    counts.save(tmp_path / "words.parquet")
    loaded = WordCounts.load(tmp_path / "words.parquet")
    expected = bytepair.train(counts, vocab_size=260, special_tokens=[])
    assert bytepair.train(loaded, vocab_size=260, special_tokens=[]).spec == expected.spec


@pytest.mark.parametrize("name", NAMES)
def test_missing_pyarrow_is_said(tmp_path, monkeypatch, name):
    """With the command that installs it."""
    WordCounts.from_mapping({"a": 1}).save(tmp_path / name)
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'bytepair\[data\]'"):
        WordCounts.load(tmp_path / name)
