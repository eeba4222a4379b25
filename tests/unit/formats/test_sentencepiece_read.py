"""Reading `.model` files: what is taken from them, and what is refused."""

import sys
from functools import cache

import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st
from sentencepiece import sentencepiece_model_pb2 as pb

import foreign
from bytepair import formats
from bytepair.errors import FormatError, MissingExtraError
from bytepair.formats._sentencepiece_read import char_map_of
from bytepair.model import CharMap
from bytepair.normalizers import normalize


@pytest.fixture
def save(tmp_path):
    """Writes a trained model, changed by a function, as "mine/tokenizer.model"."""

    def save(change=None, **options):
        proto = pb.ModelProto()
        proto.ParseFromString(foreign.sentencepiece_model(**options))
        if change:
            change(proto)
        path = tmp_path / "mine" / "tokenizer.model"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(proto.SerializeToString())
        return path

    return save


def test_a_model_is_named_after_its_folder(save):
    """All of them are called tokenizer.model."""
    assert formats.read(save()).name == "mine"
    assert formats.read(save().parent).name == "mine"


def test_pieces_keep_their_ids(save):
    """Those of the library: the control pieces, the bytes, the characters."""
    path = save(byte_fallback=True)
    spec = formats.read(path)
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    assert [token.content for token in spec.added_tokens] == ["<s>", "</s>"]
    for number, token in spec.vocabulary.tokens.items():
        if not (theirs.is_byte(number) or theirs.is_unknown(number)):
            assert theirs.id_to_piece(number).replace("▁", " ").encode() == token


@cache
def nmt_nfkc():
    """The map that trained models have by default: (the library's normaliser, our step)."""
    theirs = sentencepiece.SentencePieceNormalizer(
        rule_name="nmt_nfkc",
        add_dummy_prefix=False,
        escape_whitespaces=False,
        remove_extra_whitespaces=False,
    )
    return theirs, CharMap(char_map_of("x", foreign.char_map_blob("nmt_nfkc")))


chars = st.characters(exclude_categories=["Cs"]) | st.sampled_from(foreign.ODD)


@given(text=st.lists(chars).map("".join))
def test_the_character_map_normalises_as_the_library_does(text):
    """A quarter of a million rules, the longest at each place."""
    theirs, ours = nmt_nfkc()
    assert normalize(text.encode(), [ours]).decode() == theirs.Normalize(text)


@pytest.mark.parametrize(
    ("number", "name"), [(1, "unigram"), (3, "word"), (4, "char"), (None, "unigram")]
)
def test_other_models_are_refused_by_name(number, name, save):
    """They are not BPE, and would give other ids without a word."""

    def change(proto):
        if number is None:
            proto.trainer_spec.ClearField("model_type")
        else:
            proto.trainer_spec.model_type = number

    with pytest.raises(FormatError, match=f"of the type '{name}' is not BPE"):
        formats.read(save(change))


def _set(spec, **values):
    def change(proto):
        for name, value in values.items():
            setattr(getattr(proto, spec), name, value)

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_set("trainer_spec", treat_whitespace_as_suffix=True), "words end with their space"),
        (_set("normalizer_spec", escape_whitespaces=False), "spaces are spelt as they are"),
        (_set("denormalizer_spec", precompiled_charsmap=b"x"), "decoding changes characters"),
        (_set("normalizer_spec", precompiled_charsmap=b"x" * 9), "the character map is damaged"),
        (lambda proto: proto.ClearField("pieces"), "it has no pieces"),
    ],
)
def test_options_that_are_not_supported_are_refused(change, message, save):
    """With the name of the file and the reason."""
    path = save(change)
    with pytest.raises(FormatError, match=message) as caught:
        formats.read(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("data", [b"\x0a\xff", b"not a model", b"\x00" * 99])
def test_damaged_bytes_are_a_format_error(data, tmp_path):
    """Whatever the protobuf reader makes of them."""
    path = tmp_path / "x.model"
    path.write_bytes(data)
    with pytest.raises(FormatError, match="not a SentencePiece model"):
        formats.read(path)


@pytest.mark.parametrize("module", ["sentencepiece", "google.protobuf"])
def test_a_missing_package_says_how_to_install_it(module, save, monkeypatch):
    """The base package reads everything that needs no other."""
    path = save()
    for name in [name for name in sys.modules if name.startswith(("sentencepiece", "google"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'bytepair\[formats\]'"):
        formats.read(path)
