"""`bytepair convert`: another format, proven to be the same tokenizer."""

import json
import re
from pathlib import Path

import pytest
import tiktoken
import tiktoken.load
import tokenizers

import bytepair
import foreign
from bytepair.cli._consumers import Consumer
from bytepair.cli._proof import first_difference, texts_to_compare
from bytepair.model import AddedToken

SAMPLE = "Simple is better than complicated: naïve 漢字 🙂\n"


def test_to_tiktoken_and_what_is_said(here, invoke, saved):
    """The files, how much was compared, and the verdict."""
    lines = invoke("convert", saved, "small.tiktoken").stdout.splitlines()
    assert lines[:2] == ["saved     small.tiktoken", "saved     small.tiktoken.json"]
    assert lines[2].startswith("compared  ")
    assert lines[2].endswith(" texts and 280 tokens: 0 differences")
    assert re.fullmatch(r"compared  [0-9,]+ texts with tiktoken [0-9.]+: 0 differences", lines[3])
    assert all(int(line.split()[1].replace(",", "")) >= 10_000 for line in lines[2:])


def test_tiktoken_reads_the_result_alike(here, invoke, saved, tok):
    """The other library is the judge of its own format."""
    invoke("convert", saved, "small.tiktoken")
    sidecar = json.loads(Path("small.tiktoken.json").read_text(encoding="utf-8"))
    encoding = tiktoken.Encoding(
        name="small",
        pat_str=sidecar["pat_str"],
        mergeable_ranks=tiktoken.load.load_tiktoken_bpe(str(here / "small.tiktoken")),
        special_tokens=sidecar["special_tokens"],
    )
    assert encoding.encode(SAMPLE) == tok.encode(SAMPLE)


def test_and_back_to_huggingface(here, invoke, saved, tok):
    """From a rank file to a merge list, judged by the library that reads it."""
    invoke("convert", saved, "small.tiktoken")
    invoke("convert", "small.tiktoken", "again")
    reference = tokenizers.Tokenizer.from_file("again/tokenizer.json")
    assert reference.encode(SAMPLE).ids == tok.encode(SAMPLE)


def test_json(here, invoke, saved):
    """For scripts that convert many."""
    output = json.loads(invoke("convert", saved, "x.json", "--json").stdout)
    assert output["saved"] == ["x.json"]
    assert output["n_tokens"] == 280
    assert output["n_texts"] >= 10_000
    assert output["library"].startswith("tokenizers ")
    assert 10_000 <= output["n_library_texts"] < output["n_texts"]


def test_what_a_format_cannot_say_is_refused(here, invoke, files_in):
    """No normalisation exists in tiktoken; an approximation would give other ids in silence."""
    bytepair.train(["low lower"] * 3, vocab_size=260, normalizer="lowercase").save("lower")
    before = files_in(here)
    result = invoke("convert", "lower", "lower.tiktoken", exit_code=1)
    assert result.stderr.startswith("error: tiktoken cannot normalise")
    assert files_in(here) == before


def test_a_format_that_contradicts_the_name(here, invoke, saved):
    """Neither of the two may win silently."""
    result = invoke("convert", saved, "x.tiktoken", "--format", "huggingface", exit_code=1)
    assert "x.tiktoken: format 'huggingface' needs a path" in result.stderr


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("zen", "zen"),
        ("zen", "./zen/tokenizer.json"),
        ("zen/tokenizer.json", "link"),
        ("zen.tiktoken", "zen.tiktoken"),
        ("zen.tiktoken", "zen.tiktoken.json"),
    ],
)
def test_the_source_is_not_its_own_target(here, invoke, tok, source, target):
    """Whatever the spelling: a conversion reads its source, and leaves it as it is."""
    tok.save("zen")
    tok.save("zen.tiktoken")
    Path("link").symlink_to("zen")
    before = {path: path.read_bytes() for path in here.rglob("*.*") if path.is_file()}
    result = invoke("convert", source, target, exit_code=1)
    assert result.stderr.startswith(f"error: {Path(target)}: would overwrite ")
    assert {path: path.read_bytes() for path in before} == before


def test_a_target_beside_the_source_in_its_folder(here, invoke, tok):
    """Only the same files are refused, not the same folder."""
    tok.save("zen")
    invoke("convert", "zen", "zen/zen.tiktoken")
    assert bytepair.load("zen/zen.tiktoken").encode(SAMPLE) == tok.encode(SAMPLE)


@pytest.mark.parametrize("vandal", ["merges", "vocabulary", "special"])
def test_the_proof_finds_a_difference(tok, vandal):
    """A proof that always succeeds proves nothing."""
    spec = tok.spec
    if vandal == "merges":
        all_but_first = [merge[:3] for merge in spec.merges][1:]
        changed = {"merges": type(spec.merges).from_merges(all_but_first)}
    elif vandal == "vocabulary":
        tokens = dict(spec.vocabulary.tokens) | {278: b"other"}
        changed = {"vocabulary": type(spec.vocabulary)(tokens, spec.vocabulary.byte_ids)}
    else:
        changed = {"added_tokens": (AddedToken("<|end|>", 279),)}
    other = bytepair.Tokenizer(type(spec)(**{**vars(spec), **changed}))
    assert first_difference(tok, other, texts_to_compare(tok))
    assert first_difference(tok, tok, texts_to_compare(tok)) is None


def test_a_difference_is_an_error(here, invoke, saved, monkeypatch):
    """Scripts see the exit code, people see what differs."""
    monkeypatch.setattr("bytepair.cli._convert.first_difference", lambda *_: "token 7 was a")
    result = invoke("convert", saved, "x.json", exit_code=1)
    assert result.stderr == "error: x.json: not the same tokenizer, do not use it: token 7 was a\n"


def test_a_library_that_is_missing_is_said(here, invoke, saved, monkeypatch):
    """That nobody else was asked must not look like a proof."""
    monkeypatch.setattr("bytepair.cli._consumers.installed_version", lambda _: None)
    last = invoke("convert", saved, "x.json").stdout.splitlines()[-1]
    assert last.startswith("not asked tokenizers, which is not installed: bytepair's own reader")
    output = json.loads(invoke("convert", saved, "x.json", "--json").stdout)
    assert (output["library"], output["n_library_texts"]) == (None, 0)


def test_a_library_that_differs_is_an_error(here, invoke, saved, monkeypatch):
    """The first text is shown, with both ids."""
    consumer = Consumer("tokenizers 9", lambda _: [7], finds_special=True)
    monkeypatch.setattr("bytepair.cli._convert.consumer_of", lambda *_: consumer)
    result = invoke("convert", saved, "x.json", exit_code=1)
    assert result.stderr == (
        "error: x.json: not the same tokenizer to tokenizers 9, do not use it: '' was [] and is "
        "[7]\n"
    )


def test_to_gpt2_and_mistral_by_name_and_by_option(here, invoke):
    """Two names say their format; a folder needs to be told."""
    bytepair.train(
        ["low lower lowest"] * 3, vocab_size=260, pattern="gpt2", special_tokens=()
    ).save("low")
    for target, options in (("g/vocab.json", []), ("h", ["--format", "gpt2"])):
        lines = invoke("convert", "low", target, *options).stdout.splitlines()
        assert [Path(line.split()[-1]).name for line in lines[:3]] == [
            "vocab.json",
            "merges.txt",
            "tokenizer_config.json",
        ]
    lines = invoke("convert", "low", "mine", "--format", "tekken").stdout.splitlines()
    assert lines[0] == "saved     mine/tekken.json"


def test_models_of_sentencepiece_stay_so(here, invoke):
    """The library itself is the judge."""
    (here / "a.model").write_bytes(foreign.sentencepiece_model(byte_fallback=True))
    assert "texts with sentencepiece " in invoke("convert", "a.model", "b.model").stdout
