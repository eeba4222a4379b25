"""What a training can begin with beside text: counts, and sources of different weight."""

import gzip
import random
from pathlib import Path
from typing import Any

import pytest

import bytepair
from bytepair.errors import ArgumentError, BytepairWarning, CorpusError
from bytepair.model import SplitRules

fewer_merges = pytest.mark.filterwarnings("ignore:only .* merges were found")


def test_counts_are_a_corpus(engine: str) -> None:
    """The same tokenizer as from the text; the rules are those of the counts."""
    prepare = bytepair.Preprocessor(pattern="gpt2", special_tokens=["<s>"])
    texts = ["low lower lowest " * 5]
    counts = bytepair.FrequencyAnalyzer().count(prepare.chunks(texts), prepare.rules)
    options = {"vocab_size": 263, "engine": engine}
    expected = bytepair.train(texts, pattern="gpt2", special_tokens=["<s>"], **options)
    assert bytepair.train(counts, **options) == expected
    with pytest.raises(ArgumentError, match=r"Use WordCounts\.weighed"):
        bytepair.train(counts, weights=[2], **options)


@pytest.fixture
def sources(tmp_path: Path) -> list[Path]:
    """A folder and a file."""
    (tmp_path / "news").mkdir()
    (tmp_path / "news" / "1.txt").write_text("ab ab ab", encoding="utf-8")
    (tmp_path / "news" / "2.txt").write_text("ab cd", encoding="utf-8")
    (tmp_path / "talk.txt").write_text("cd cd ef", encoding="utf-8")
    return [tmp_path / "news", tmp_path / "talk.txt"]


@pytest.mark.parametrize(
    ("weights", "merges"),
    [
        (None, {b"ab": 4, b"cd": 3, b"ef": 1}),
        ([1, 3], {b"cd": 7, b"ab": 4, b"ef": 3}),
        ([0.5, 1], {b"cd": 3, b"ab": 2, b"ef": 1}),  # half a "cd" of the news is rounded up
    ],
)
def test_a_weight_multiplies_what_a_source_holds(sources, engine, weights, merges) -> None:
    """By hand; a folder is one source."""
    tokenizer = bytepair.train(
        sources, vocab_size=260, weights=weights, min_frequency=1, pattern=r"\w+", engine=engine
    )
    tokens, record = tokenizer.spec.vocabulary.tokens, tokenizer.spec.training
    assert record is not None
    learned = [tokens[joined] for _, _, joined, _ in tokenizer.merges]
    found = dict(zip(learned, record.merge_counts, strict=True))
    assert {token: n for token, n in found.items() if token in merges} == merges


def test_weights_are_kept_with_a_checkpoint(sources, tmp_path: Path) -> None:
    """Others mean another training."""
    options = {"vocab_size": 258, "checkpoint": tmp_path / "checkpoint", "resume": True}
    one = bytepair.train(sources, weights=[1, 3], **options)
    assert bytepair.train(sources, weights=[1, 3], **options) == one
    with pytest.raises(ArgumentError, match="was begun with weights="):
        bytepair.train(sources, weights=[1, 2], **options)


@pytest.mark.parametrize(
    ("corpus", "weights", "message"),
    [
        (["text"], [1], "weights are for paths"),
        ([Path("here"), Path("there")], [1], "there are 1, and 2 paths"),
        ([Path("here")], [0], "weight must be above 0"),
        ([b"text"], [1], "weights are for paths"),
    ],
)
def test_weights_that_cannot_be_are_refused(tmp_path, monkeypatch, corpus, weights, message):
    """Before anything is counted."""
    monkeypatch.chdir(tmp_path)
    for name in ("here", "there"):
        Path(name).write_text("ab", encoding="utf-8")
    with pytest.raises((ArgumentError, CorpusError), match=message):
        bytepair.train(corpus, vocab_size=258, weights=weights)


@fewer_merges
def test_a_corrupt_shard_is_an_error_or_a_warning(tmp_path: Path) -> None:
    """Named either way, and remembered by the checkpoint."""
    (tmp_path / "a.txt").write_text("low low", encoding="utf-8")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"newer " * 9)[:-4])
    with pytest.raises(CorpusError, match=r"b\.txt\.gz: damaged"):
        bytepair.train(tmp_path, vocab_size=300)
    options = {"vocab_size": 300, "on_error": "skip"}
    with pytest.warns(BytepairWarning, match=r"b\.txt\.gz: damaged"):
        tokenizer = bytepair.train(tmp_path, **options)
    assert tokenizer.count("low") == 1


@fewer_merges
@pytest.mark.parametrize("weights", [None, [1.0]])
def test_what_was_skipped_is_in_the_record(tmp_path: Path, engine: str, weights) -> None:
    """Counted and named, file and record; saved and loaded with the tokenizer."""
    file = tmp_path / "a.jsonl"
    file.write_text('{"text": "low low"}\n{"text": 7}\n{"text": "low"}\n', encoding="utf-8")
    lost = tmp_path / "b.txt.gz"
    lost.write_bytes(b"no gzip")
    with pytest.warns(BytepairWarning, match="skipped"):
        tok = bytepair.train(
            [file, lost] if weights is None else [tmp_path],
            vocab_size=300,
            on_error="skip",
            weights=weights,
            engine=engine,
        )
    record = tok.spec.training
    assert record is not None
    assert (record.n_skipped, record.corpus_documents, record.pretokens) == (2, 2, 3)
    assert [one.where for one in record.skipped] == [f"{file}:2", str(lost)]
    assert "field 'text' holds a number" in record.skipped[0].problem
    tok.save(tmp_path / "out")
    assert bytepair.load(tmp_path / "out").spec.training == record


def test_records_that_were_skipped_are_remembered_by_a_checkpoint(tmp_path: Path) -> None:
    """Who resumes reads the words and not the corpus."""
    file = tmp_path / "a.jsonl"
    file.write_text('{"text": "low low"}\n{"text": 7}\n', encoding="utf-8")
    options: Any = {"vocab_size": 258, "on_error": "skip", "checkpoint": tmp_path / "kept"}
    with pytest.warns(BytepairWarning, match=r"a\.jsonl:2"):
        first = bytepair.train(file, special_tokens=(), **options)
    again = bytepair.train(file, special_tokens=(), resume=True, **options)
    assert again.spec.training == first.spec.training
    assert again.spec.training is not None
    assert again.spec.training.n_skipped == 1


def test_a_corpus_of_nothing_but_faults_says_what_they_are(tmp_path: Path) -> None:
    """Most often the field has another name."""
    file = tmp_path / "a.jsonl"
    file.write_text('{"content": "low"}\n' * 3, encoding="utf-8")
    with (
        pytest.warns(BytepairWarning, match="and 2 more"),
        pytest.raises(CorpusError, match=r"nothing could be read, 3 times; .* no field 'text'"),
    ):
        bytepair.train(file, vocab_size=258, on_error="skip")


def test_a_limit_that_learning_exceeds_is_a_warning() -> None:
    """It bounds counting; the distinct words are held whatever it is."""
    draw = random.Random(3)
    text = " ".join("".join(draw.choices("abcdefgh", k=9)) for _ in range(20_000))
    with pytest.warns(BytepairWarning, match=r"distinct .* of 0\.2 MB in all may take 9 MB"):
        limited = bytepair.train([text], vocab_size=300, memory_limit="1MB")
    assert bytepair.train([text], vocab_size=300) == limited


def test_rules_without_a_pattern_are_those_of_a_mapping() -> None:
    """A table made by hand says what it was cut by, or nothing."""
    counts = bytepair.WordCounts.from_mapping({"low": 5}, SplitRules(r"\S+|\s+"))
    assert bytepair.train(counts, vocab_size=258).pattern == r"\S+|\s+"
