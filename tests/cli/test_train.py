"""`bytepair train`: the options reach the library, the result reaches the disk."""

import gzip
import json
from pathlib import Path

import pytest

import bytepair

CORPUS = "low lower lowest\n\nnewer newest wider\n" * 4


@pytest.fixture
def corpus(here: Path) -> Path:
    """A file to train on."""
    path = here / "corpus.txt"
    path.write_text(CORPUS, encoding="utf-8")
    return path


def merges_of(folder: str) -> list[tuple[int, ...]]:
    """The merges of a saved tokenizer."""
    return [merge[:3] for merge in bytepair.load(folder).merges]


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        (["--vocab-size", 262], {"vocab_size": 262}),
        (["--pattern", "gpt2"], {"pattern": "gpt2"}),
        (["--pattern", "[a-z]+|[^a-z]+"], {"pattern": "[a-z]+|[^a-z]+"}),
        (["--pattern", "none"], {"pattern": None}),
        (
            ["--normalizer", "nfkc", "--normalizer", "lowercase"],
            {"normalizer": ["nfkc", "lowercase"]},
        ),
        (["--special-token", "<a>", "--special-token", "<b>"], {"special_tokens": ["<a>", "<b>"]}),
        (["--no-special-tokens"], {"special_tokens": []}),
        (["--min-frequency", 5], {"min_frequency": 5}),
        (
            ["--vocab-size", 262, "--prune-from", 266, "--prune-strategy", "leaves"],
            {"vocab_size": 262, "prune_from": 266, "prune_strategy": "leaves"},
        ),
        (
            ["--vocab-size", 262, "--residue-threshold", 0.9],
            {"vocab_size": 262, "residue_threshold": 0.9},
        ),
        (["--max-token-length", 3], {"max_token_length": 3}),
        (["--ties", "bytes"], {"ties": "bytes"}),
        (
            ["--max-token-length", 2, "--length-unit", "characters"],
            {"max_token_length": 2, "length_unit": "characters"},
        ),
        (
            ["--alphabet", "chars", "--limit-alphabet", 7],
            {"alphabet": "chars", "limit_alphabet": 7, "vocab_size": 268},
        ),
        (["--digits", "threes"], {"digits": "threes"}),
        (["--superwords", "0.01"], {"superwords": 0.01}),
        (["--superwords", "3", "--vocab-size", 262], {"superwords": 3, "vocab_size": 262}),
        (["--seed-token", "wid", "--seed-token", "st"], {"seed_tokens": ["wid", "st"]}),
        (["--blocked-token", "low", "--blocked-token", "ne"], {"blocked_tokens": ["low", "ne"]}),
        (["--blocked-pair", "/l/o"], {"blocked_pairs": [("l", "o")]}),
        (["--reserved-tokens", 2, "--vocab-size", 266], {"reserved_tokens": 2, "vocab_size": 266}),
        (["--alphabet", "chars"], {"alphabet": "chars", "vocab_size": 274}),
        (["--separator", "\n\n", "--pattern", "none"], {"separator": "\n\n", "pattern": None}),
        (["--threads", 1], {"threads": 1}),
        (["--engine", "python"], {"engine": "python"}),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_an_option_means_what_the_argument_means(corpus, invoke, options, arguments):
    """The library is the oracle: the same merges, special tokens and pattern."""
    small = {"vocab_size": 264, **arguments}
    expected = bytepair.train(corpus, **small, progress=lambda _: None)
    invoke("train", corpus, "-o", "out", "--vocab-size", small["vocab_size"], *options)
    loaded = bytepair.load("out")
    assert [m[:3] for m in loaded.merges] == [m[:3] for m in expected.merges]
    assert loaded.special_tokens == expected.special_tokens
    assert loaded.encode_ordinary("LOWER ｌｏｗ 1") == expected.encode_ordinary("LOWER ｌｏｗ 1")


def test_the_report_says_what_a_person_asks(corpus, invoke):
    """How much, how long, how good, where, and what to type next."""
    output = invoke("train", corpus, "-o", "my tok", "--vocab-size", 262).stdout
    assert output.startswith("my tok: 262 tokens (alphabet 256, merges 5, special 1)\n")
    assert f"corpus       1 file, 1 document, {len(CORPUS)} bytes\n" in output
    assert "saved        my tok/tokenizer.json\n" in output
    assert "  bytepair inspect 'my tok' " in output
    assert f"  bytepair count 'my tok' {corpus}\n" in output


def test_json_report(corpus, invoke):
    """The same in numbers; compression measured as anyone would."""
    facts = json.loads(invoke("train", corpus, "-o", "out", "--vocab-size", 262, "--json").stdout)
    loaded = bytepair.load("out")
    assert facts["saved"] == [
        "out/tokenizer.json",
        "out/tokenizer_config.json",
        "out/training.json",
    ]
    assert facts["bytes_per_token"] == len(CORPUS) / loaded.count(CORPUS)
    expected = {"vocab_size": 262, "n_merges": 5, "n_special_tokens": 1, "n_files": 1}
    expected |= {"n_documents": 1, "n_bytes": len(CORPUS), "stopped": "vocab_size"}
    assert {key: facts[key] for key in expected} == expected
    assert facts["engine"] == bytepair.engine()


def test_standard_input_is_a_corpus(here, corpus, invoke):
    """`zcat … | bytepair train -`; it is gone afterwards, so no compression is claimed."""
    facts = json.loads(
        invoke("train", "-", "-o", "a", "--vocab-size", 262, "--json", stdin=CORPUS).stdout
    )
    assert (facts["n_files"], facts["bytes_per_token"]) == (None, None)
    invoke("train", corpus, "-o", "b", "--vocab-size", 262)
    assert merges_of("a") == merges_of("b")


def test_folders_globs_and_compressed_files_together(here, invoke):
    """Every kind of corpus of the library, several at once."""
    (here / "folder").mkdir()
    (here / "folder" / "a.txt").write_text("low low", encoding="utf-8")
    (here / "b1.jsonl").write_text('{"body": "lower"}\n{"body": "wide"}\n', encoding="utf-8")
    (here / "c.txt.gz").write_bytes(gzip.compress(b"newest"))
    options = ["--text-field", "body", "--vocab-size", 258, "--json", "-o", "out"]
    facts = json.loads(invoke("train", "folder", "b?.jsonl", "c.txt.gz", *options).stdout)
    assert (facts["n_files"], facts["n_documents"], facts["n_bytes"]) == (3, 4, 22)


def test_the_name_is_that_of_the_place_unless_given(corpus, invoke):
    """`bytepair` for all tokenizers would name none."""
    for options in ([], ["--name", "mine"]):
        invoke("train", corpus, "-o", "out", "--vocab-size", 260, *options)
        name = json.loads(Path("out/training.json").read_text(encoding="utf-8"))["name"]
        assert name == ("mine" if options else "out")


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (".", "here"),
        ("../here/.", "here"),
        ("gpt-4.1", "gpt-4.1"),
        ("gpt-4.1/..", "here"),
        ("deep/gpt-4.1.tiktoken", "gpt-4.1"),
    ],
)
def test_a_name_is_never_empty_nor_cut(tmp_path, monkeypatch, invoke, target, name):
    """A dot has no name of its own, and a dot in a folder's name ends nothing."""
    (tmp_path / "here" / "gpt-4.1").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    Path("corpus.txt").write_text(CORPUS, encoding="utf-8")
    output = invoke("train", "corpus.txt", "-o", target, "--vocab-size", 260).stdout
    assert output.startswith(f"{name}: 260 tokens")


@pytest.mark.parametrize("target", ["out", "out.json", "out.tiktoken"])
def test_the_report_says_that_an_older_tokenizer_was_replaced(corpus, invoke, target):
    """Training again is usual, training over the wrong one is not: nobody should miss it."""
    arguments = ["train", corpus, "-o", target, "--vocab-size", 260]
    assert json.loads(invoke(*arguments, "--json").stdout)["replaced"] is False
    assert "(replaced)\n" in invoke(*arguments).stdout
    assert json.loads(invoke(*arguments, "--json").stdout)["replaced"] is True


@pytest.mark.parametrize("target", ["out", "out.json", "out.tiktoken", "new/folder/out"])
def test_the_place_decides_the_format(corpus, invoke, target):
    """A folder or .json for Hugging Face, .tiktoken for tiktoken; parents are made."""
    invoke("train", corpus, "-o", target, "--vocab-size", 260)
    assert bytepair.load(target).vocab_size == 260


def test_fewer_merges_than_asked_for_is_a_warning(corpus, invoke):
    """One clean line without source code, and a tokenizer all the same."""
    result = invoke("train", corpus, "-o", "out", "--vocab-size", 5000)
    assert result.stderr.startswith("warning: only ")
    assert result.stderr.count("\n") == 1
    assert "lower --min-frequency." in result.stderr


def test_nothing_on_stderr_where_no_one_watches(corpus, invoke):
    """A progress bar in a log file is noise."""
    assert invoke("train", corpus, "-o", "out", "--vocab-size", 260).stderr == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--special-token", "x", "--no-special-tokens"],
        ["--vocab-size", "many"],
        ["--vocab-size", "0"],
        ["--ties", "random"],
        ["--superwords", "few"],
        ["-"],
    ],
    ids=["contradiction", "no-number", "zero", "no-such-tie", "few", "standard-input-among-others"],
)
def test_a_wrong_call_is_exit_code_2(corpus, invoke, arguments):
    """2 says: read the help; 1 says: look at your data."""
    result = invoke("train", corpus, "-o", "out", *arguments, exit_code=2)
    assert result.stderr.startswith("Usage:")
    assert not Path("out").exists()


def test_resume_goes_on_with_what_is_in_the_folder(corpus, invoke):
    """The corpus has been counted: the words are not counted again."""
    options = ["--vocab-size", 262, "--checkpoint", "kept"]
    invoke("train", corpus, "-o", "one", *options)
    refused = invoke("train", corpus, "-o", "two", *options, exit_code=1)
    assert "--resume" in refused.output
    invoke("train", corpus, "-o", "two", *options, "--resume")
    assert merges_of("one") == merges_of("two")


def test_resume_without_a_folder_is_refused(corpus, invoke):
    """There is nothing to go on from."""
    refused = invoke("train", corpus, "-o", "out", "--resume", exit_code=1)
    assert "checkpoint" in refused.output


def test_residues_need_room_in_the_format(corpus, invoke):
    """Said before anything is read; in a folder bytepair's own form has it."""
    options = ("--vocab-size", 262, "--residue-threshold", 0.9)
    result = invoke("train", "nowhere", "-o", "x.tiktoken", *options, exit_code=1)
    assert "Save in a folder or a .json file" in result.stderr
    invoke("train", corpus, "-o", "out", *options)
    assert Path("out/bytepair.json").exists()
    result = invoke("train", corpus, "-o", "o", "--residue-threshold", 2, exit_code=1)
    assert "--residue-threshold must be a share" in result.stderr


def test_metrics_reach_a_file(corpus, invoke):
    """As the library writes them."""
    invoke("train", corpus, "-o", "out", "--vocab-size", 262, "--metrics-file", "out.prom")
    text = Path("out.prom").read_text(encoding="utf-8")
    assert "\nbytepair_train_merges_total 5.0\n" in text
    result = invoke("train", corpus, "-o", "out", "--metrics-file", "out.txt", exit_code=1)
    assert "only reads names in .prom" in result.stderr


def test_counts_of_words_are_a_corpus(corpus, invoke):
    """As text that any tool can write, and as what `count --words` has saved."""
    invoke("train", corpus, "-o", "first", "--vocab-size", 262, "--pattern", "gpt2")
    for target in ("words.tsv", "words.counts"):
        output = invoke("count", "first", corpus, "--words", target).stdout
        assert output.startswith(f"{target}: ")
        options = ["--vocab-size", 262, "--pattern", "gpt2"]
        output = invoke("train", "--counts", target, "-o", "second", *options).stdout
        assert "corpus       1 file" in output
        assert merges_of("second") == merges_of("first")
        assert bytepair.load("second").pattern == bytepair.load("first").pattern


def test_counts_are_weighed(here, invoke):
    """By hand: 3 times 2 is more than 5."""
    Path("a.tsv").write_text("ab\t5\n", encoding="utf-8")
    Path("b.tsv").write_text("cd\t2\n", encoding="utf-8")
    for weights, first in (([], (97, 98)), (["--weight", 1, "--weight", 3], (99, 100))):
        invoke("train", "--counts", "a.tsv", "b.tsv", "-o", "out", "--vocab-size", 258, *weights)
        assert merges_of("out")[0][:2] == first
    result = invoke("train", "--counts", "a.tsv", "-o", "out", *weights, exit_code=2)
    assert "one for each CORPUS" in result.stderr


def test_records_that_cannot_be_read_are_counted_and_named(here, invoke):
    """On standard error as they are met, in the report, in the record and for programs."""
    Path("a.jsonl").write_text('{"text": "ab ab"}\n7\n{"text": "ab"}\n', encoding="utf-8")
    arguments = ["a.jsonl", "-o", "out", "--vocab-size", 258, "--on-error", "skip"]
    result = invoke("train", *arguments)
    assert "warning: a.jsonl:2: a number, not an object" in result.stderr
    assert "1 record or rests of files, which could not be read, named in out/training.json" in (
        result.stdout
    )
    named = json.loads(Path("out/training.json").read_bytes())["skipped"]
    assert [one["where"] for one in named] == ["a.jsonl:2"]
    facts = json.loads(invoke("train", *arguments, "--json").stdout)
    assert (facts["n_skipped"], facts["skipped"]) == (1, named)


def test_sources_are_weighed_and_corrupt_shards_skipped(here, invoke):
    """The library is the oracle; the shard is named on standard error."""
    Path("a.txt").write_text("ab " * 5, encoding="utf-8")
    Path("b.txt").write_text("cd " * 3, encoding="utf-8")
    Path("c.txt.gz").write_bytes(gzip.compress(b"ef " * 9)[:-4])
    arguments = ["a.txt", "b.txt", "c.txt.gz", "-o", "out", "--vocab-size", 259]
    assert "c.txt.gz: damaged" in invoke("train", *arguments, exit_code=1).stderr
    result = invoke(
        "train", *arguments, "--on-error", "skip", "--weight", 1, "--weight", 2, "--weight", 1
    )
    assert "warning: c.txt.gz: damaged" in result.stderr
    assert merges_of("out")[0][:2] == (99, 100)
