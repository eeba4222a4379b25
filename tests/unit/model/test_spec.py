import pickle
from dataclasses import replace
from typing import Any

import pytest

from bytepair.model import (
    AddedToken,
    MergeTable,
    SplitRules,
    TokenizerSpec,
    TrainingRecord,
    Vocabulary,
)

SPEC = TokenizerSpec(
    Vocabulary({97: b"a", 98: b"b", 256: b"ab"}),
    MergeTable.from_merges([(97, 98, 256)]),
    added_tokens=(AddedToken("<s>", 257),),
)


@pytest.mark.parametrize(
    "change",
    [
        {"vocabulary": Vocabulary({97: b"a"})},
        {"merges": MergeTable.from_merges([])},
        {"rules": SplitRules("x")},
        {"added_tokens": (AddedToken("<s>", 257, special=False),)},
        {"alphabet": "chars"},
        {"end_of_word": "_"},
        {"ignore_merges": True},
        {"name": "other"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_specs_are_equal_only_if_they_encode_alike(change: dict[str, Any]) -> None:
    """Tests that say "the same tokenizer" rely on this comparison."""
    assert replace(SPEC) == SPEC
    assert replace(SPEC, **change) != SPEC


def test_evidence_of_the_training_is_not_part_of_equality() -> None:
    """A tokenizer read from a file without it is the same tokenizer."""
    assert replace(SPEC, training=TrainingRecord(corpus_bytes=5)) == SPEC


def test_spec_survives_pickling_with_its_evidence() -> None:
    """It is what a tokenizer is pickled as."""
    spec = replace(SPEC, training=TrainingRecord({"ties": "first"}, merge_counts=(3,)))
    again = pickle.loads(pickle.dumps(spec))
    assert again == spec
    assert again.training == spec.training


def test_a_specification_is_shown_in_one_line() -> None:
    """Its tokens and merges would fill screens."""
    assert repr(SPEC) == "<TokenizerSpec 'bytepair': 3 tokens, 1 merges, 1 added tokens>"
