"""`train(superwords=...)` with everything else that training can do."""

import importlib
from pathlib import Path
from typing import Any

import pytest

import bytepair
from bytepair import FrequencyAnalyzer, MergeLearner, Preprocessor, VocabularyPruner
from bytepair.errors import ArgumentError, BytepairWarning, ExportError
from bytepair.patterns import phrase_pattern
from bytepair.pipeline import count_words

CORPUS = [
    "one of the many, and one of the few; some of the time. " * 4,
    "all of the time, and some of the many; but one of the few.\n" * 5,
    "for a while, now and then: more and more of the same; less and less of the rest\n" * 3,
]
OPTIONS: dict[str, Any] = {"vocab_size": 300, "superwords": 15, "special_tokens": ["<s>"]}
N_ALL = 341  # tokens, if superwords are learned once no pair of words is left


def test_train_is_the_stages_one_after_the_other(engine):
    """Phrases are counted, and the learner is told what cuts words."""
    preprocessor = Preprocessor(pattern=phrase_pattern("o200k"), special_tokens=["<s>"])
    analyzer = FrequencyAnalyzer(engine=engine)
    counts = analyzer.count(preprocessor.chunks(CORPUS), preprocessor.rules)
    learner = MergeLearner(vocab_size=300, superwords=15, word_pattern="o200k", engine=engine)
    tok = bytepair.train(CORPUS, engine=engine, **OPTIONS)
    assert tok.spec == learner.learn(counts)
    assert tok.spec == bytepair.train(counts, engine=engine, **OPTIONS).spec
    assert " of the" in [tok.decode([token]) for token in range(284, 299)]


def test_the_first_stage_is_a_training_without_superwords(engine):
    """Merge for merge."""
    plain = bytepair.train(CORPUS, vocab_size=285, special_tokens=["<s>"], engine=engine)
    tok = bytepair.train(CORPUS, engine=engine, **OPTIONS)
    assert [*tok.merges][: len(plain.merges)] == [*plain.merges]


def test_digits_and_normalizers_work_before_phrases(engine):
    """Groups from the right are pieces of their own."""
    tok = bytepair.train(
        [text + "12345 OF THE" for text in CORPUS],
        digits="threes",
        normalizer="lowercase",
        engine=engine,
        **OPTIONS,
    )
    pieces = [piece.text for piece in tok.inspect("12345 OF THE")]
    assert pieces == ["1", "2", "3", "4", "5", " of the"]


def test_memory_limit_and_checkpoint_change_nothing(tmp_path):
    """Counts of phrases go through what counts of words go through."""
    for number, text in enumerate(CORPUS):
        (tmp_path / f"{number}.txt").write_text(text, encoding="utf-8")
    expected = bytepair.train(tmp_path, **OPTIONS).spec
    kept = tmp_path / "kept"
    assert bytepair.train(tmp_path, memory_limit="1MB", **OPTIONS).spec == expected
    files = sorted(tmp_path.glob("*.txt"))
    assert bytepair.train(files, checkpoint=kept, **OPTIONS).spec == expected
    with pytest.raises(ArgumentError, match="superwords"):
        bytepair.train(files, checkpoint=kept, resume=True, **{**OPTIONS, "superwords": 14})


@pytest.mark.parametrize("n_kept", [0, 1, 27, 28, 29, 30, 41, 42])
def test_training_goes_on_in_either_stage(tmp_path, monkeypatch, engine, n_kept):
    """The log knows no stages: whatever is in it, the rest is the same."""

    class StoppedError(Exception):
        pass

    work = importlib.import_module("bytepair.learning._work")
    monkeypatch.setattr(work, "_FIRST_STEP", 1)
    monkeypatch.setattr(work, "_STEP_S", 0)

    def stop(moment: bytepair.Progress) -> None:
        if moment.stage == "learn" and moment.done > n_kept:
            raise StoppedError

    expected = bytepair.train(CORPUS, engine=engine, **OPTIONS).spec
    monkeypatch.setattr(bytepair.model.ProgressReporter, "tell", _always)
    with pytest.raises(StoppedError):
        bytepair.train(CORPUS, checkpoint=tmp_path, engine=engine, progress=stop, **OPTIONS)
    again = bytepair.train(CORPUS, checkpoint=tmp_path, resume=True, engine=engine, **OPTIONS).spec
    assert (again, again.training) == (expected, expected.training)


def _always(reporter: Any, moment: Any) -> None:
    """Tell of each moment."""
    if reporter._callback is not None:
        reporter._callback(moment() if callable(moment) else moment)


def test_a_first_stage_that_ended_early_is_not_begun_again(tmp_path, engine):
    """Words give fewer merges than wanted: the log goes on with those of phrases."""
    options = {**OPTIONS, "vocab_size": N_ALL, "superwords": 2, "engine": engine}
    expected = bytepair.train(CORPUS, **options).spec
    assert bytepair.train(CORPUS, checkpoint=tmp_path, **options).spec == expected
    log = tmp_path / "merges.log"
    whole = log.read_bytes()
    for size in range(60, len(whole), 97):
        log.write_bytes(whole[:size])
        assert bytepair.train(CORPUS, checkpoint=tmp_path, resume=True, **options).spec == expected


def test_pruning_counts_the_phrases(engine):
    """`prune_from` is to learn more and prune by the same counts."""
    options = {**OPTIONS, "engine": engine}
    tok = bytepair.train(CORPUS, **{**options, "vocab_size": 290}, prune_from=300)
    larger = bytepair.train(CORPUS, **options)
    pruner = VocabularyPruner(vocab_size=290, strategy="whole-words")
    assert tok.spec == pruner.prune(larger.spec, count_words(larger.spec, CORPUS)).spec
    assert tok.decode(tok.encode(CORPUS[0])) == CORPUS[0]


def test_a_residue_threshold_goes_with_superwords(engine):
    """As many tokens as asked for."""
    tok = bytepair.train(
        CORPUS, residue_threshold=0.9, engine=engine, **{**OPTIONS, "vocab_size": 280}
    )
    assert tok.vocab_size == 280
    assert tok.decode(tok.encode(CORPUS[0])) == CORPUS[0]


def test_extending_learns_more_across_words(engine):
    """The tokenizer cuts phrases, and more of these are joined."""
    tok = bytepair.train(CORPUS, engine=engine, **OPTIONS)
    more = tok.extend(CORPUS, vocab_size=310)
    assert [*more.merges][: len(tok.merges)] == [*tok.merges]
    assert more.count(CORPUS[0]) < tok.count(CORPUS[0])


@pytest.mark.parametrize("target", ["folder", "file.tiktoken"])
def test_what_is_saved_is_what_was_trained(tmp_path, target, engine):
    """One pattern and one list of merges."""
    tok = bytepair.train(CORPUS, engine=engine, **OPTIONS)
    tok.save(tmp_path / target)
    again = bytepair.load(tmp_path / target, engine=engine)
    for text in (*CORPUS, "of them; of the, the few of the man"):
        assert again.encode(text) == tok.encode(text)


def test_a_format_that_knows_patterns_by_name_refuses(tmp_path):
    """And says what can hold it."""
    tok = bytepair.train(CORPUS, **OPTIONS)
    with pytest.raises(ExportError, match="pattern"):
        tok.save(tmp_path / "model.gguf")


def test_without_words_there_are_no_superwords():
    """Merges cross everything as it is."""
    with pytest.raises(bytepair.errors.PatternError, match="leave superwords out"):
        bytepair.train(CORPUS, pattern=None, superwords=0.1)


def test_a_corpus_without_phrases_to_join_gives_fewer(tmp_path: Path):
    """No two words stand side by side."""
    with pytest.warns(BytepairWarning, match="merges were found"):
        tok = bytepair.train(["ab\n", "ab\n"], vocab_size=262, superwords=2, special_tokens=[])
    assert len(tok.merges) < 6
