"""`PruneReport` and `PruneResult`: what is said of a pruning, and what follows for a model."""

import json
from dataclasses import replace

import numpy as np
import pytest

import bytepair
from bytepair import Tokenizer, TokenizerSpec, VocabularyPruner, WordCounts
from bytepair.errors import ArgumentError
from bytepair.model import MergeTable, SplitRules, Vocabulary
from bytepair.pipeline import count_words

TEXT = ["low lower slower größer"] * 3


@pytest.fixture
def small() -> TokenizerSpec:
    """With ab 256, abc 257, xyz 258, which nothing makes, a| 259, and "- " 260, which is cut."""
    tokens = [bytes([byte]) for byte in range(256)] + [b"ab", b"abc", b"xyz", b"a|", b"- "]
    merges = [(97, 98, 256), (256, 99, 257), (97, 124, 259), (45, 32, 260)]
    vocabulary = Vocabulary(dict(enumerate(tokens)), tuple(range(256)))
    rules = SplitRules(pattern=r" ?[^ ]+")
    return TokenizerSpec(vocabulary, MergeTable.from_merges(merges), rules)


COUNTS = WordCounts.from_mapping({"abc": 4, "a|": 1})


def test_what_tokens_do_is_told_apart(small: TokenizerSpec, engine: str) -> None:
    """A step, nothing, and what no text yields: xyz is not made, and the pattern cuts `- `."""
    report = VocabularyPruner(max_cost=0, engine=engine).prune(small, COUNTS).report
    assert report.idle.residues == (256,)
    assert report.idle.unused == (258, 260)
    assert report.idle.unreachable == (258, 260)


def test_what_is_looked_up_is_reachable(small: TokenizerSpec, engine: str) -> None:
    """Llama 3 has such tokens."""
    looked_up = replace(small, ignore_merges=True)
    report = VocabularyPruner(max_cost=0, engine=engine).prune(looked_up, COUNTS).report
    assert report.idle.unreachable == (260,)


def test_json_holds_everything(small: TokenizerSpec) -> None:
    """Bytes exact, and readable beside it."""
    report = VocabularyPruner(max_cost=1).prune(small, COUNTS, held_out=COUNTS).report
    said = json.loads(report.to_json())
    assert said["removed"][-1] == {"id": 259, "text": "a|", "bytes": "617c", "uses": 1, "cost": 1}
    assert said["corpus"] == said["held_out"]
    assert said["corpus"]["bytes"] == 14
    assert (said["corpus"]["tokens_before"], said["corpus"]["tokens_after"]) == (5, 6)
    assert (said["vocab_before"], said["vocab_after"]) == (261, 258)


def test_markdown_lists_the_dearest_first(small: TokenizerSpec) -> None:
    """A bar in a token must not end a cell."""
    report = VocabularyPruner(max_cost=9).prune(small, COUNTS).report
    lines = report.to_markdown(limit=2).splitlines()
    assert lines[0] == "# Pruned from 261 to 256 tokens"
    assert "| corpus | 14 | 5 | 14 | +180.00% | 2.800 | 1.000 |" in lines
    assert "| residues: only steps to others | 1 | 256 |" in lines
    assert "| never used | 2 | 258, 260 |" in lines
    assert "| never used | 2 | 258, … |" in report.to_markdown(limit=1)
    assert lines[-2:] == ["| 257 | `abc` | 4 | 4 |", "| 256 | `ab` | 0 | 4 |"][::-1]
    assert "| 259 | `a\\|` | 1 | 1 |" in report.to_markdown()


def test_held_out_text_is_measured_by_encoding_it(engine: str) -> None:
    """The tokenizers before and after are the judges."""
    tok = bytepair.train(TEXT, vocab_size=270, special_tokens=["<e>"], engine=engine)
    other = ["slow low<e>größe", "Größe lower"]
    result = tok.prune(TEXT, vocab_size=265, held_out=other)
    assert result.report.held_out is not None
    counted = [sum(t.count_batch(other)) for t in (tok, result.tokenizer)]
    n_special = sum(len(t.encode_ordinary("<e>")) for t in (tok,))
    assert result.report.held_out.tokens_before == counted[0] - n_special
    assert result.report.held_out.tokens_after == counted[1] - n_special
    assert result.report.corpus.tokens_after == sum(result.tokenizer.count_batch(TEXT))


def test_rows_of_embeddings_follow_the_ids(small: TokenizerSpec) -> None:
    """Padding rows of the model are left out; the old array is untouched."""
    result = VocabularyPruner(max_cost=0).prune(small, COUNTS)
    rows = np.arange(300.0).reshape(300, 1)
    sliced = result.slice_embeddings(rows)
    assert sliced[:, 0].tolist() == [*range(258), 259]
    sliced[:] = 0
    assert rows[259] == 259
    assert result.slice_embeddings(np.arange(261)).tolist() == [*range(258), 259]
    with pytest.raises(ArgumentError, match=r"the array has 260 rows, but .* so 261 are needed"):
        result.slice_embeddings(rows[:260])


def test_tokenizers_whose_files_cut_step_by_step_are_followed(engine: str) -> None:
    """Metaspace and its like have no pattern to count by; added tokens are no words."""
    tok = bytepair.train(TEXT, vocab_size=270, pattern=None, special_tokens=["<e>"])
    steps = bytepair.model.Metaspace(replacement="_", prepend="never")
    spec = replace(tok.spec, rules=replace(tok.spec.rules, pattern=None, steps=(steps,)))
    counts = count_words(spec, ["low lower<e>low lower"], engine=engine)
    assert list(counts) == [(b"low", 2), (b"_lower", 2)]
    result = Tokenizer(spec, engine=engine).prune(["low lower<e>low"] * 2, vocab_size=258)
    assert result.tokenizer.decode(result.tokenizer.encode("low")) == "low"
