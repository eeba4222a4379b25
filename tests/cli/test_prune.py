"""`bytepair prune`: the options reach the library, the result reaches the disk."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

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
    assert text in {expected.to_markdown(limit=None), expected.to_json()}


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


def test_a_report_for_people_is_a_page(corpus, invoke, saved):
    """That loads nothing."""
    invoke("prune", saved, corpus, "-o", "out", "--vocab-size", 270, "--report", "r.html")
    page = Path("r.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "10 tokens were removed" in page


def test_residues_are_saved_in_bytepairs_own_form(corpus, invoke, saved):
    """And loaded from it; a rank file is refused before any work."""
    command = ("prune", saved, corpus, "--vocab-size", 270, "--strategy", "residues")
    assert "saved     out/bytepair.json" in invoke(*command, "-o", "out").stdout
    expected = bytepair.load(saved).prune(corpus, vocab_size=270, strategy="residues").spec
    assert bytepair.load("out").spec.residues == expected.residues
    refused = invoke(*command, "-o", "x.tiktoken", exit_code=1).stderr
    assert "Save in a folder or a .json file" in refused


@pytest.fixture
def model(here: Path) -> Path:
    """A model of 284 rows, which is padded."""
    folder = here / "model"
    folder.mkdir()
    rows = np.arange(284 * 4, dtype=np.float32).reshape(284, 4)
    save_file({"model.embed_tokens.weight": rows}, folder / "model.safetensors")
    config = {"vocab_size": 284, "eos_token_id": 279}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def test_a_model_is_written_with_its_tokenizer(corpus, invoke, saved, model):
    """The rows that are left, in a new folder."""
    invoke("prune", saved, corpus, "-o", "small", "--vocab-size", 270, "--model", model)
    result = bytepair.load(saved).prune(corpus, vocab_size=270)
    (new,) = load_file("small/model.safetensors").values()
    assert new[:, 0].tolist() == [4 * i for i in result.kept_ids.tolist()]
    assert json.loads(Path("small/config.json").read_text(encoding="utf-8")) == {
        "vocab_size": 270,
        "eos_token_id": 269,
    }
    assert bytepair.load("small").name == "small"


@pytest.mark.parametrize(
    ("change", "options", "exit_code", "says"),
    [
        ({"vocab_size": 100}, (), 1, "'vocab_size' 100, and no embedding has so many rows"),
        ({}, ("-o", "model"), 1, "model: is there already"),
        ({}, ("-o", "small.json"), 2, "must be a folder, with --model"),
        ({}, ("--rows", "nope"), 1, "has no tensor 'nope'"),
        ({"eos_token_id": 283}, (), 1, "eos_token_id is 283, which is no token"),
    ],
)
def test_a_model_that_does_not_fit_is_refused(
    corpus, invoke, saved, model, change, options, exit_code, says
):
    """One message; the model is as it was, and nothing new is there."""
    config = {"vocab_size": 284, "eos_token_id": 279} | change
    (model / "config.json").write_text(json.dumps(config), encoding="utf-8")
    before = sorted(path.name for path in Path().iterdir())
    options = ("-o", "small", "--vocab-size", 270, "--model", model, *options)
    result = invoke("prune", saved, corpus, *options, exit_code=exit_code)
    assert says in " ".join(result.stderr.split())
    assert sorted(path.name for path in Path().iterdir()) == before
