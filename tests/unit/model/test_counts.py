import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bytepair.errors import ArgumentError, InputTypeError
from bytepair.model import SplitRules, WordCounts


def test_from_mapping_lays_words_end_to_end() -> None:
    """Worked by hand: "low" and the two bytes of "é" lie at 0..3 and 3..5."""
    counts = WordCounts.from_mapping({"low": 5, "é": 2})
    assert counts.data == b"low\xc3\xa9"
    assert counts.offsets.tolist() == [0, 3, 5]
    assert counts.counts.tolist() == [5, 2]
    assert counts.first.tolist() == [0, 3]
    assert (len(counts), counts.total, counts.n_bytes) == (2, 7, 3 * 5 + 2 * 2)
    assert [counts.word(0), counts.word(1)] == [b"low", b"\xc3\xa9"]


def test_from_mapping_takes_str_and_bytes_and_repairs_surrogates() -> None:
    """The same rule as for any other text that comes in."""
    counts = WordCounts.from_mapping({"a\ud800": 1, b"\xff\0": 3_000_000_000})
    assert list(counts) == [(b"a\xef\xbf\xbd", 1), (b"\xff\0", 3_000_000_000)]


def test_from_mapping_of_nothing_is_empty() -> None:
    """Whether an empty table is a mistake is for the learner to say."""
    counts = WordCounts.from_mapping({})
    assert (len(counts), counts.total, list(counts)) == (0, 0, [])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"": 1}, "the word '' is empty"),
        ({"a": 1, b"a": 2}, "the word b'a' is there twice"),
        ({"a": 0}, "the count of 'a' must be a whole number of 1 or more, got 0"),
        ({"a": -3}, "the count of 'a' .* got -3"),
        ({"a": 1.5}, "the count of 'a' .* got 1.5"),
        ({"a": True}, "the count of 'a' .* got True"),
        ({"a": "5"}, "the count of 'a' .* got '5'"),
    ],
    ids=["empty-word", "twice", "zero", "negative", "fraction", "bool", "text"],
)
def test_from_mapping_refuses_impossible_counts(table: Any, message: str) -> None:
    """NumPy would cut 1.5 to 1 and a negative count would end learning silently."""
    with pytest.raises(ArgumentError, match=message):
        WordCounts.from_mapping(table)


@pytest.mark.parametrize("word", [5, None, ("a", "b"), 1.5])
def test_from_mapping_refuses_words_that_are_not_text(word: object) -> None:
    """`bytes(5)` is five NULs: a table of ids passed by mistake must not be learned from."""
    with pytest.raises(InputTypeError, match="expected words as str or bytes"):
        WordCounts.from_mapping({word: 1})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    "change",
    [
        {"data": b"lox"},
        {"counts": np.array([6])},
        {"first": np.array([9])},
        {"offsets": np.array([0, 2])},
        {"n_bytes": 1},
        {"n_documents": 9},
        {"rules": SplitRules("x")},
    ],
    ids=lambda change: next(iter(change)),
)
def test_counts_are_equal_only_if_everything_is(change: dict[str, Any]) -> None:
    """Tests that say "the same WordCounts" rely on this comparison."""
    counts = WordCounts.from_mapping({"low": 5})
    assert counts == WordCounts.from_mapping({b"low": 5})
    assert counts != replace(counts, **change)
    assert counts != [(b"low", 5)]


def test_order_of_words_is_part_of_equality() -> None:
    """`ties="first"` depends on it."""
    one, other = {"low": 1, "new": 1}, {"new": 1, "low": 1}
    assert WordCounts.from_mapping(one) != WordCounts.from_mapping(other)


def test_counts_survive_pickling() -> None:
    """They are handed between processes when a corpus is counted in parts."""
    counts = WordCounts.from_mapping({"low": 5}, SplitRules("x", ("nfc",), ("<a>",)))
    assert pickle.loads(pickle.dumps(counts)) == counts


def test_weights_round_to_the_nearest_and_leave_out_what_comes_to_nothing() -> None:
    """Sources are mixed by weight; a word that is too rare in one is not there."""
    counts = WordCounts.from_mapping({"low": 5, "lower": 1, "lowest": 2})
    weighed = counts.weighed(0.3)
    assert list(weighed) == [(b"low", 2), (b"lowest", 1)]
    assert weighed.first.tolist() == [0, 8]
    assert weighed.n_bytes == counts.n_bytes


@pytest.mark.parametrize("weight", [0, -1, float("nan"), float("inf"), 2.0**62])
def test_impossible_weights_are_refused(weight: float) -> None:
    """Counts are whole, above 0 and below 2**63."""
    with pytest.raises(ArgumentError, match="weight must be above 0"):
        WordCounts.from_mapping({"low": 5}).weighed(weight)


def test_most_common_words_come_first_and_equals_as_they_appeared() -> None:
    """As `collections.Counter.most_common`."""
    counts = WordCounts.from_mapping({"a": 1, "b": 3, "c": 3, "d": 2})
    assert counts.most_common(3) == [(b"b", 3), (b"c", 3), (b"d", 2)]
    assert counts.most_common(0) == []
