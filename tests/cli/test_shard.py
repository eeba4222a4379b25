"""`bytepair shard`: what it says, what it writes, what it refuses."""

import json

import pytest

from bytepair.data import open_shards

ZEN = ["Beautiful is better", "than ugly.", "", "Explicit is better"]
EOS = ["--eos", "<|endoftext|>"]


@pytest.fixture
def corpus(here):
    """A JSONL file of `ZEN`."""
    lines = [json.dumps({"text": text}) + "\n" for text in ZEN]
    (here / "zen.jsonl").write_text("".join(lines), encoding="utf-8")
    return "zen.jsonl"


def test_shards_are_written_told_of_and_verified(invoke, saved, tok, corpus):
    """The two commands people paste from the help."""
    result = invoke("shard", saved, corpus, *EOS, "--format", "megatron", "-o", "out")
    n_ids = sum(tok.count_batch(ZEN)) + 4
    assert result.stdout.splitlines()[:3] == [
        "documents  4",
        f"ids        {n_ids} uint16, documents end with 279",
        "shards     1 megatron in out",
    ]
    assert [tok.decode(ids[:-1].tolist()) for ids in open_shards("out")] == ZEN
    result = invoke("shard", "--verify", "out")
    assert "document   3: Explicit" in result.stdout


def test_json_has_the_facts(invoke, saved, corpus):
    """For programs: nothing else is on standard output."""
    result = invoke("shard", saved, corpus, "-o", "out", "--shard-tokens", 1, "--json")
    facts = json.loads(result.stdout)
    assert (facts["n_documents"], facts["n_shards"], facts["skipped"]) == (4, 4, [])
    found = json.loads(invoke("shard", "--verify", "out", "--json").stdout)
    assert found["n_tokens"] == facts["n_tokens"]
    assert [sample["document"] for sample in found["samples"]] == [0, 1, 3]


def test_skipped_documents_are_named_on_standard_error(invoke, saved, here, corpus):
    """And the number of them with the result."""
    with (here / corpus).open("a", encoding="utf-8") as file:
        file.write("{}\n" * 12)
    result = invoke("shard", saved, corpus, "-o", "out", "--on-error", "skip")
    assert "skipped: zen.jsonl:5: no field 'text'" in result.stderr
    assert "skipped: and 2 more" in result.stderr
    assert "documents  4, 12 skipped" in result.stdout


def test_bad_document_is_an_error_with_the_way_out(invoke, saved, here, corpus):
    """In the words of the command line."""
    (here / corpus).write_text("{}", encoding="utf-8")
    result = invoke("shard", saved, corpus, "-o", "out", exit_code=1)
    assert "error: zen.jsonl:1: no field 'text'" in result.stderr
    assert "--on-error skip" in result.stderr


def test_work_is_resumed_and_only_with_the_same_options(invoke, saved, corpus):
    """Scripts may always say --resume."""
    for _ in range(2):
        invoke("shard", saved, corpus, "-o", "out", "--resume")
    again = invoke("shard", saved, corpus, "-o", "out", exit_code=1)
    assert "--resume" in again.stderr
    other = invoke("shard", saved, corpus, *EOS, "-o", "out", "--resume", exit_code=1)
    assert "eos was None, not 279" in other.stderr


def test_damage_is_told_shard_by_shard(invoke, saved, here, corpus):
    """Exit code 1, and what is wrong with which file."""
    invoke("shard", saved, corpus, "-o", "out")
    path = here / "out" / "shard_00000_00000.bin"
    path.write_bytes(path.read_bytes()[:-1])
    result = invoke("shard", "--verify", "out", exit_code=1)
    assert "1 thing is wrong with the shards" in result.stderr
    assert "shard_00000_00000.bin: has" in result.stderr


def test_without_its_tokenizer_shards_are_verified_but_not_shown(invoke, saved, here, tok, corpus):
    """It may be on another machine; one that is named is used."""
    tok.save(here / "gone")
    invoke("shard", "gone", corpus, "-o", "out")
    (here / "gone").rename(here / "moved")
    result = invoke("shard", "--verify", "out")
    assert "document " not in result.stdout
    assert "name the tokenizer" in result.stderr
    assert "document   0: Beautiful" in invoke("shard", "--verify", "out", "moved").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "TOKENIZER, CORPUS and --output are needed"),
        (["TOK", "zen.jsonl"], "--output are needed"),
        (["TOK", "-", "-o", "out"], "standard input cannot be read again"),
        (["--verify", "out", "TOK", "zen.jsonl"], "has no place beside --verify"),
        (["--verify", "out", "-o", "out"], "has no place beside --verify"),
        (["TOK", "zen.jsonl", "-o", "out", "--format", "npy"], "'npy' is not one of"),
        (["TOK", "zen.jsonl", "-o", "out", "--shard-tokens", "0"], "--shard-tokens"),
    ],
)
def test_wrong_use_is_exit_code_2(invoke, saved, corpus, arguments, message):
    """With what is missing or has no place."""
    arguments = [saved if argument == "TOK" else argument for argument in arguments]
    result = invoke("shard", *arguments, exit_code=2)
    assert message in result.stderr


def test_missing_end_token_is_an_error_that_lists_those_there_are(invoke, saved, corpus):
    """Before any work: not after hours of it."""
    result = invoke("shard", saved, corpus, "--eos", "</s>", "-o", "out", exit_code=1)
    assert "'</s>': no special token of" in result.stderr
    assert "'<|endoftext|>'" in result.stderr
