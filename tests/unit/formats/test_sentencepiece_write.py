"""SentencePiece models written: the same ids in SentencePiece, whatever file they come from."""

from dataclasses import replace

import pytest
import sentencepiece

import foreign
from bytepair import Tokenizer, formats
from bytepair.errors import ExportError
from bytepair.model import AddedToken, Replace, SplitRules, Vocabulary, WordEnds

TEXTS = ["", " ", "the cat", "  the  dogs ", "a😀\n\tb", "Ĳ ①", "the▁cat", "x" * 50, "\x00é\u0301"]
KINDS = [
    {"byte_fallback": True},
    {"byte_fallback": True, "normalization_rule_name": "identity"},
    {"normalization_rule_name": "nfkc_cf", "add_dummy_prefix": False},
    {"byte_fallback": True, "remove_extra_whitespaces": False, "add_dummy_prefix": False},
    {
        "byte_fallback": True,
        "user_defined_symbols": foreign.USER_DEFINED,
        "normalization_rule_name": "identity",
    },
]


@pytest.fixture
def model(tmp_path):
    """A trained model on disk, read, written and loaded: (specification, both processors)."""

    def model(data):
        (tmp_path / "a.model").write_bytes(data)
        spec = formats.read(tmp_path / "a.model")
        (path,) = formats.write(spec, tmp_path / "b.model")
        files = (tmp_path / "a.model", path)
        return spec, *(sentencepiece.SentencePieceProcessor(model_file=str(f)) for f in files)

    return model


@pytest.mark.parametrize("options", KINDS, ids=["bytes", "identity", "folded", "plain", "symbols"])
def test_sentencepiece_gives_the_same_ids(model, options):
    """The scores are others, what is joined first is not."""
    spec, before, after = model(foreign.sentencepiece_model(**options))
    texts = [*TEXTS, *foreign.ODD, *foreign.lines()]
    assert after.encode(texts) == before.encode(texts)
    assert after.encode(texts) == [Tokenizer(spec).encode(t, disallowed_special=()) for t in texts]
    ids = before.encode(texts)
    assert after.decode(ids) == before.decode(ids)


def test_pieces_of_one_score_stay_equal(model):
    """Of these the leftmost pair is joined first."""
    _, before, after = model(foreign.with_few_scores(foreign.sentencepiece_model()))
    texts = [*TEXTS, *foreign.lines()]
    assert after.encode(texts) == before.encode(texts)


def test_hugging_face_spells_the_same(fallback_file, read_with, tmp_path):
    """Files of Llama's kind spell spaces in the text, others in the tokens only."""
    file = {
        "model.vocab.▁": 259,
        "model.vocab.▁a": 260,
        "model.merges": [["▁", "a"]],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Prepend", "prepend": "▁"},
                {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
            ],
        },
        "added_tokens": [{"id": 261, "content": "<unk>", "special": True}],
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
                {"type": "Strip", "content": " ", "start": 1, "stop": 0},
            ],
        },
    }
    del fallback_file["model"]["vocab"]["aé"]
    spec = read_with(fallback_file, file)
    (path,) = formats.write(spec, tmp_path / "x.model")
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    texts = ["a a", " a", "éa▁a", "x\ny"]
    assert theirs.encode(texts) == [Tokenizer(spec).encode(text) for text in texts]
    assert theirs.encode("a b") == [260, 259, 0x62]


@pytest.fixture
def pieces(tmp_path):
    """A model as it is read, with bytes to fall back on and nothing done to text but spaces."""
    data = foreign.sentencepiece_model(
        byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False
    )
    (tmp_path / "a.model").write_bytes(data)
    return formats.read(tmp_path / "a.model")


def orphan_of_two(spec):
    """The specification with a token of two known characters that nothing merges."""
    tokens = dict(spec.vocabulary.tokens) | {5000: b"zq"}
    return {"vocabulary": Vocabulary(tokens, spec.vocabulary.byte_ids)}


def orphan_of_three(spec):
    """Likewise with a token that no two others make."""
    tokens = dict(spec.vocabulary.tokens) | {5000: b"zqz"}
    return {"vocabulary": Vocabulary(tokens, spec.vocabulary.byte_ids)}


def test_unknown_neighbours_are_one_piece(tmp_path):
    """So they must be here, where there are no bytes to fall back on."""
    (tmp_path / "a.model").write_bytes(foreign.sentencepiece_model())
    spec = formats.read(tmp_path / "a.model")
    with pytest.raises(ExportError, match="makes one unknown piece of neighbours"):
        formats.write(replace(spec, fuse_unk=False), tmp_path / "x.model")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (lambda _: {"rules": SplitRules(normalizer=("nfkc",))}, "normalises or cuts text"),
        (lambda spec: {"rules": replace(spec.rules, pattern=r"\w+|\W+")}, "cuts text in another"),
        (lambda _: {"decoder": (Replace("a", "b"),)}, "decodes in another way"),
        (lambda _: {"decoder": (WordEnds(),)}, "decodes in another way"),
        (
            lambda _: {"added_tokens": (AddedToken("<t>", 9000, special=False),)},
            "'<t>' is not special: it is matched in every text",
        ),
        (orphan_of_two, "is never made by merging, but SentencePiece would|without a token"),
        (
            lambda spec: orphan_of_three(spec) | {"ignore_merges": True},
            "only by looking whole texts up|without a token",
        ),
        (lambda _: {"dropout": 0.1}, "sentencepiece has no dropout"),
        (lambda _: {"alphabet": "bytes"}, "merges characters, not bytes"),
    ],
    ids=[
        "normaliser",
        "cut",
        "decoder",
        "words",
        "added",
        "orphan",
        "looked-up",
        "dropout",
        "bytes",
    ],
)
@pytest.mark.parametrize("target", ["x.model", "x.gguf"])
def test_what_it_would_do_otherwise_is_refused(pieces, changes, message, target, tmp_path):
    """With the reason, and the nearest format that can."""
    if target == "x.gguf":
        message += "|no name is known|gguf has no|gguf cannot"
    with pytest.raises(ExportError, match=message):
        formats.write(replace(pieces, **changes(pieces)), tmp_path / target)


def test_both_ways_through_gguf(pieces, tmp_path):
    """The pieces are the same list in both files."""
    (path,) = formats.write(pieces, tmp_path / "x.gguf")
    (back,) = formats.write(formats.read(path), tmp_path / "y.model")
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(back))
    texts = [*TEXTS, *foreign.lines()]
    tok = Tokenizer(pieces)
    assert theirs.encode(texts) == [tok.encode(text, disallowed_special=()) for text in texts]
