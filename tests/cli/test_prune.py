"""`bytepair prune`: the options reach the library, the result reaches the disk."""

import json
from pathlib import Path

import pytest

import bytepair


@pytest.fixture
def corpus(here: Path, text: str) -> Path:
    """A file to prune by."""
    path = here / "corpus.txt"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        (["--vocab-size", 265], {"vocab_size": 265}),
        (["--max-loss", 9], {"max_loss": 9}),
        (["--max-cost", 0], {"max_cost": 0}),
        (
            ["--max-cost", 2, "--strategy", "whole-words"],
            {"max_cost": 2, "strategy": "whole-words"},
        ),
        (["--vocab-size", 265, "--keep", "ter"], {"vocab_size": 265, "keep": ["ter"]}),
        (["--max-loss", 9, "--separator", "\n"], {"max_loss": 9, "separator": "\n"}),
        (["--max-loss", 9, "--threads", 1], {"max_loss": 9}),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_an_option_means_what_the_argument_means(corpus, invoke, saved, options, arguments):
    """The library is the oracle."""
    expected = bytepair.load(saved).prune(corpus, **arguments).spec
    invoke("prune", saved, corpus, "-o", "out", *options)
    loaded = bytepair.load("out").spec
    assert loaded.vocabulary == expected.vocabulary
    assert loaded.merges == expected.merges
    assert loaded.ignore_merges == expected.ignore_merges


def test_what_is_said(corpus, invoke, saved):
    """Sizes, compression and files; the same for programs."""
    options = ("--vocab-size", 270, "-o", "out", "--held-out", corpus)
    lines = invoke("prune", saved, corpus, *options).stdout.splitlines()
    assert lines[0] == "tokens    280 -> 270"
    assert lines[1].startswith("corpus    ")
    assert lines[2] == lines[1].replace("corpus  ", "held out")
    assert lines[3] == "saved     out/tokenizer.json"
    said = json.loads(invoke("prune", saved, corpus, *options, "--json").stdout)
    assert (said["vocab_before"], said["vocab_after"]) == (280, 270)
    assert said["held_out_tokens_after"] == said["tokens_after"]


def test_it_is_named_after_its_place(corpus, invoke, saved):
    """As a trained one: two tokenizers of one name cannot be told apart."""
    invoke("prune", saved, corpus, "--vocab-size", 270, "-o", "small")
    assert bytepair.load("small").name == "small"


@pytest.mark.parametrize("name", ["report.md", "report.json"])
def test_a_report_is_written(corpus, invoke, saved, name):
    """In the form that its name asks for."""
    invoke("prune", saved, corpus, "-o", "out", "--vocab-size", 270, "--report", name)
    expected = bytepair.load(saved).prune(corpus, vocab_size=270).report
    text = Path(name).read_text(encoding="utf-8")
    assert text in {expected.to_markdown(), expected.to_json()}


@pytest.mark.parametrize(
    ("options", "exit_code", "says"),
    [
        (["-o", "out"], 1, "pass --vocab-size (tokens to be left), --max-loss (tokens"),
        (["-o", "out", "--vocab-size", 3], 1, "3 is too small: 257 tokens stay"),
        (["-o", "out", "--vocab-size", 270, "--keep", "zz"], 1, "'zz' is no token"),
        (["-o", "out", "--vocab-size", 270, "--report", "x.pdf"], 2, "must end in .html,"),
        (["-o", "out", "--max-cost", 0, "--report", "no/r.md"], 1, "another place with --report"),
        (["-o", "out", "--max-loss", -1], 2, "greater than or equal to 0"),
    ],
)
def test_what_cannot_be_leaves_nothing(corpus, invoke, saved, options, exit_code, says):
    """One message, and no folder."""
    result = invoke("prune", saved, corpus, *options, exit_code=exit_code)
    assert says in result.stderr
    assert not Path("out").exists()


def test_the_tokenizer_itself_is_not_overwritten(corpus, invoke, saved):
    """It is what the next attempt needs."""
    result = invoke("prune", saved, corpus, "-o", saved, "--max-cost", 0, exit_code=1)
    assert "would overwrite the tokenizer" in result.stderr


def test_a_file_that_does_not_say_how_text_is_cut_is_told(corpus, invoke, saved):
    """Rank files without a sidecar can be pruned too."""
    bytepair.load(saved).save("bare.tiktoken")
    Path("bare.tiktoken.json").unlink()
    told = ["--pattern", bytepair.load(saved).pattern, "--special-token", "<|endoftext|>=279"]
    invoke("prune", "bare.tiktoken", corpus, "-o", "out", "--vocab-size", 270, *told)
    expected = bytepair.load(saved).prune(corpus, vocab_size=270).tokenizer
    assert bytepair.load("out").spec.merges == expected.spec.merges
