"""bytepair's own form: residues on disk."""

import json
from pathlib import Path

import pytest
import tokenizers

import bytepair
from bytepair import formats
from bytepair.engines import NAMES
from bytepair.errors import ExportError, FormatError

CORPUS = ["low lower lowest slow slower slowest newer newest wide wider widest größer 日本語 " * 3]
TEXTS = ["", "slowestlow newe wid lower", "größ 日本 語語", "<|endoftext|> lowes\n\n\0", "x" * 50]


@pytest.fixture(scope="module")
def pruned() -> bytepair.Tokenizer:
    """With residues that are left over in some texts, and a special token between the ids."""
    tok = bytepair.train(CORPUS, vocab_size=299, pattern="gpt2", name="steps")
    return tok.prune(CORPUS, vocab_size=275, strategy="residues").tokenizer


def damaged(pruned, folder: Path, change) -> Path:
    """A saved file whose JSON was changed."""
    path = pruned.save(folder / "x.json")[0]
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["folder", "x.json"])
def test_residues_are_kept_exactly(pruned, name, tmp_path):
    """Specification, ids in both engines, and the training record beside a folder."""
    files = pruned.save(tmp_path / name)
    again = bytepair.load(tmp_path / name)
    assert again.spec.residues == pruned.spec.residues
    assert (again.spec.vocabulary, again.spec.merges) == (
        pruned.spec.vocabulary,
        pruned.spec.merges,
    )
    for engine in NAMES:
        tok = bytepair.Tokenizer(again.spec, engine=engine)
        for text in TEXTS:
            ids = pruned.encode(text, allowed_special="all")
            assert tok.encode(text, allowed_special="all") == ids
            assert tok.decode(ids) == text
    assert (tmp_path / name / "bytepair.json" in files) == (name == "folder")
    assert (again.spec.training == pruned.spec.training) == (name == "folder")


def test_characters_with_byte_fallback_are_kept_too(tmp_path):
    """Where a byte and a character are told apart."""
    tok = bytepair.train(CORPUS, vocab_size=307, alphabet="chars", special_tokens=[])
    before = tok.prune(CORPUS, vocab_size=295, strategy="residues").tokenizer
    before.save(tmp_path)
    for engine in NAMES:
        again = bytepair.Tokenizer(bytepair.load(tmp_path).spec, engine=engine)
        assert again.encode_batch(TEXTS, disallowed_special=()) == before.encode_batch(
            TEXTS, disallowed_special=()
        )


def test_a_text_in_the_test_leaves_residues_over(pruned):
    """Otherwise the tests here would show nothing."""
    used = {step for text in TEXTS for step in plain_ids(pruned, text)}
    assert used & set(pruned.spec.residues)


def plain_ids(tok, text):
    """What merging leaves, residues among it."""
    from bytepair.model import residues_as_tokens

    return bytepair.Tokenizer(residues_as_tokens(tok.spec)).encode_ordinary(text)


def test_saving_again_gives_the_same_bytes(pruned, tmp_path):
    """Nothing depends on an order that may change."""
    first = pruned.save(tmp_path / "a.json")[0].read_bytes()
    assert bytepair.load(tmp_path / "a.json").save(tmp_path / "b.json")[0].read_bytes() == first


@pytest.mark.parametrize("text", TEXTS)
def test_others_can_follow_it_in_two_steps(pruned, text, tmp_path):
    """The tokenizer within is Hugging Face's; a residue in its ids becomes the parts listed."""
    content = json.loads(pruned.save(tmp_path / "x.json")[0].read_text(encoding="utf-8"))
    theirs = tokenizers.Tokenizer.from_str(json.dumps(content["tokenizer"]))
    parts = {row[0]: row[1:] for row in content["residues"]}
    ids = [part for i in theirs.encode(text).ids for part in parts.get(i, [i])]
    assert ids == pruned.encode(text, allowed_special="all")


def test_no_other_library_takes_it_for_a_tokenizer_json(pruned, tmp_path):
    """It would give ids that no embedding has."""
    path = pruned.save(tmp_path / "x.json")[0]
    with pytest.raises(Exception, match=r"expected|missing field"):
        tokenizers.Tokenizer.from_file(str(path))


def test_what_was_saved_in_the_folder_before_is_gone(pruned, tmp_path):
    """Two tokenizers in one folder: one of them would be loaded by whoever is not bytepair."""
    bytepair.train(CORPUS, vocab_size=270, special_tokens=[]).save(tmp_path)
    pruned.save(tmp_path)
    assert not (tmp_path / "tokenizer.json").exists()
    assert bytepair.load(tmp_path).vocab_size == 275
    bytepair.train(CORPUS, vocab_size=270, special_tokens=[]).save(tmp_path)
    assert not (tmp_path / "bytepair.json").exists()


def test_a_tokenizer_without_residues_may_be_saved_so_too(tmp_path):
    """If somebody asks for it."""
    tok = bytepair.train(CORPUS, vocab_size=270)
    tok.save(tmp_path / "x.json", "bytepair")
    assert bytepair.load(tmp_path / "x.json").encode(CORPUS[0]) == tok.encode(CORPUS[0])


@pytest.mark.parametrize("format_", ["huggingface", "tiktoken"])
def test_formats_of_others_refuse_and_name_it(pruned, format_, tmp_path):
    """What can be done instead."""
    target = tmp_path / ("x.tiktoken" if format_ == "tiktoken" else "x")
    with pytest.raises(ExportError, match="Save as 'bytepair'"):
        formats.write(pruned.spec, target, format_)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(version=2), r"version 2 is not supported \(known: 1\)"),
        (lambda c: c.pop("tokenizer"), "tokenizer is missing"),
        (lambda c: c.update(residues={}), "residues must be an array, got an object"),
        (lambda c: c["residues"][0].pop(), r"residues\[0\] must be a number and the two or more"),
        (lambda c: c["residues"].append([3, "x", 4]), r"residues\[\d+\] must be a number"),
        (lambda c: c["residues"].append([97, 98, 99]), "residue 97 is not among the last ids"),
        (lambda c: c["residues"][0].reverse(), r"residue \d+ .*(not what the tokens|not among)"),
        (lambda c: c["tokenizer"]["model"].pop("vocab"), r"tokenizer.model.vocab is missing"),
        (lambda c: c["tokenizer"].pop("model"), r"it has no 'model'"),
    ],
)
def test_damage_is_named(pruned, change, message, tmp_path):
    """File and member."""
    path = damaged(pruned, tmp_path, change)
    with pytest.raises(FormatError, match=message) as caught:
        bytepair.load(path)
    assert str(path) in str(caught.value)


def test_members_it_does_not_know_are_reported(pruned, tmp_path):
    """A later version may have added some."""
    path = damaged(pruned, tmp_path, lambda content: content.update(extra=1))
    with pytest.warns(bytepair.errors.BytepairWarning, match="ignored members .* extra"):
        bytepair.load(path)
