"""`training.json`: written beside a trained tokenizer, read back, never in the way."""

import json
from dataclasses import replace

import pytest

from bytepair import formats
from bytepair.errors import BytepairWarning
from bytepair.model import TrainingRecord

RECORD = TrainingRecord(
    {"vocab_size": 258, "ties": "lowest"}, 1000, 2, 300, 40, (7, 5), "vocab_size"
)


@pytest.fixture
def trained(spec):
    """A tokenizer with evidence of its training."""
    return replace(spec, name="mine", training=RECORD)


def test_the_record_comes_back(trained, tmp_path):
    """With the name, which a tokenizer.json has no place for."""
    formats.write(trained, tmp_path / "elsewhere")
    again = formats.read(tmp_path / "elsewhere")
    assert (again.training, again.name) == (RECORD, "mine")


def test_merges_can_be_read_by_people(trained, tmp_path):
    """A line each: left, right, and how often the pair occurred."""
    formats.write(trained, tmp_path)
    text = (tmp_path / "training.json").read_text("utf-8")
    assert '\n    ["a", "b", 7],\n    ["ab", "c", 5]\n' in text
    assert json.loads(text)["options"] == {"vocab_size": 258, "ties": "lowest"}


def test_bytes_that_are_no_text_are_shown_as_escapes(trained, tmp_path):
    """Tokens are often parts of a character."""
    tokens = {**trained.vocabulary.tokens, 256: b"\xe4\xbd", 257: b"\xe4\xbd\xa0"}
    merges = trained.merges.from_merges([(0xE4, 0xBD, 256), (256, 0xA0, 257)])
    vocabulary = replace(trained.vocabulary, tokens=tokens)
    formats.write(replace(trained, vocabulary=vocabulary, merges=merges), tmp_path)
    rows = json.loads((tmp_path / "training.json").read_text("utf-8"))["merges"]
    assert rows == [["\\xe4", "\\xbd", 7], ["\\xe4\\xbd", "\\xa0", 5]]
    assert formats.read(tmp_path).training == RECORD


@pytest.mark.parametrize("counts", [(), (7,)])
def test_counts_that_do_not_fit_are_left_out(counts, trained, tmp_path):
    """A wrong count is worse than none."""
    formats.write(replace(trained, training=replace(RECORD, merge_counts=counts)), tmp_path)
    assert formats.read(tmp_path).training == replace(RECORD, merge_counts=())


def test_saving_twice_gives_the_same_bytes(trained, tmp_path):
    """So that a tokenizer can be kept under version control."""
    formats.write(trained, tmp_path / "one")
    formats.write(formats.read(tmp_path / "one"), tmp_path / "two")
    for name in ("tokenizer.json", "tokenizer_config.json", "training.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"merges": [["a", "b", 7]]}, "its merges are not those of the tokenizer beside it"),
        ({"merges": [["a", "b"], ["ab", "c"]]}, "its merges are not those"),
        ({"corpus_bytes": "many"}, "corpus_bytes must be a whole number, got a string"),
        ({"stopped": None}, "stopped must be a string, got null"),
    ],
)
def test_a_record_that_does_not_fit_is_left_out_with_a_warning(change, message, trained, tmp_path):
    """No id depends on it, so it must not keep a tokenizer from loading."""
    formats.write(trained, tmp_path)
    path = tmp_path / "training.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | change), encoding="utf-8")
    with pytest.warns(BytepairWarning, match=message):
        again = formats.read(tmp_path)
    assert (again.training, again.merges) == (None, trained.merges)


def test_a_damaged_record_is_left_out_with_a_warning(trained, tmp_path):
    """Likewise."""
    formats.write(trained, tmp_path)
    (tmp_path / "training.json").write_text("{", encoding="utf-8")
    with pytest.warns(BytepairWarning, match=r"left out the training record: .*training\.json"):
        assert formats.read(tmp_path).training is None


def test_the_record_of_a_replaced_tokenizer_does_not_stay(trained, tmp_path):
    """It would be evidence of something else."""
    formats.write(trained, tmp_path)
    formats.write(replace(trained, training=None), tmp_path)
    assert not (tmp_path / "training.json").exists()


def test_a_pruned_tokenizer_says_so(trained, tmp_path):
    """Its options tell of the larger one; what was never pruned has no such line."""
    formats.write(trained, tmp_path)
    assert "pruned" not in json.loads((tmp_path / "training.json").read_text("utf-8"))
    entry = {"strategy": "leaves", "vocab_before": 300, "vocab_after": 258}
    record = replace(RECORD, pruned=(entry, entry))
    formats.write(replace(trained, training=record), tmp_path)
    assert json.loads((tmp_path / "training.json").read_text("utf-8"))["pruned"] == [entry, entry]
    assert formats.read(tmp_path).training == record
