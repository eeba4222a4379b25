"""Reading the tokenizer of a GGUF model: its two kinds, defaults, and refusals by name."""

import sys

import numpy as np
import pytest
from gguf import GGUFEndian
from hypothesis import given
from hypothesis import strategies as st

import foreign
from bytepair import formats
from bytepair.errors import ArgumentError, BytepairWarning, FormatError, MissingExtraError
from bytepair.formats._gguf_conventions import with_gguf_conventions
from bytepair.formats._gguf_patterns import CUTTING_BY_NAME
from bytepair.formats._gguf_read import _strings
from bytepair.model import (
    BYTE_TO_CHAR,
    AddedToken,
    CharMap,
    Conventions,
    PostProcessor,
    Prepend,
    TemplatePiece,
)
from bytepair.patterns import NAMED, SEQUENCES, automaton

BYTES = list(BYTE_TO_CHAR)
TOKENS = [*BYTES, "he", "ll", "<end>", "<tool>", "hell"]
TYPES = [*[1] * 258, 3, 4, 1]
PIECES = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", "a", "▁a"]
PIECE_TYPES = [2, 3, 3, *[6] * 256, 1, 1, 1]
SCORES = [0.0] * 259 + [-9.0, -9.0, -1.0]


@pytest.fixture
def byte_level(tmp_path):
    """Writes a file of the kind "gpt2"; entries that are None are left out."""

    def write(tokens=TOKENS, **entries):
        entries = {
            "merges": ["h e", "l l", "he ll"],
            "types": TYPES,
            "tokenizer_pre": "gpt-2",
        } | entries
        return foreign.write_gguf(tmp_path / "mine.gguf", "gpt2", tokens, **entries)

    return write


@pytest.fixture
def pieces(tmp_path):
    """Writes a file of the kind "llama"."""

    def write(tokens=PIECES, **entries):
        entries = {"scores": SCORES, "types": PIECE_TYPES} | entries
        return foreign.write_gguf(tmp_path / "mine.gguf", "llama", tokens, **entries)

    return write


STRINGS = st.lists(st.text(max_size=4), max_size=5)


@given(strings=STRINGS, endian=st.sampled_from(list(GGUFEndian)), cut=st.integers(0, 40))
def test_strings_are_read_behind_their_lengths(strings, endian, cut):
    """Of either order of bytes, by either engine; not beyond the end."""
    order = "little" if endian is GGUFEndian.LITTLE else "big"
    encoded = [text.encode() for text in strings]
    data = b"".join(len(text).to_bytes(8, order) + text for text in encoded)
    for engine in ("python", ""):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("BYTEPAIR_ENGINE", engine)
            array = np.frombuffer(data + b"more", np.uint8)
            assert _strings(array, len(strings), endian) == (strings, len(data))
            if cut < len(data):
                with pytest.raises(ValueError, match=r"it ends amid|utf-8"):
                    _strings(array[:cut], len(strings), endian)
            with pytest.raises(ValueError, match="it ends amid"):
                _strings(array, 2**63, endian)


def test_a_byte_level_file_reads_whole(byte_level):
    """Control tokens are special, user-defined ones always matched."""
    spec = formats.read(byte_level())
    assert list(spec.merges) == [(104, 101, 256, 0), (108, 108, 257, 1), (256, 257, 260, 2)]
    assert spec.added_tokens == (AddedToken("<end>", 258), AddedToken("<tool>", 259, special=False))
    assert [spec.vocabulary.tokens[n] for n in (256, 257, 260)] == [b"he", b"ll", b"hell"]
    assert (spec.name, spec.rules.pattern, spec.ignore_merges) == ("mine", NAMED["gpt2"], False)
    assert spec.post_processor == PostProcessor()


def test_a_file_of_pieces_reads_whole(pieces):
    """By default a space is put before a text, and the begin token before its ids."""
    spec = formats.read(pieces())
    assert list(spec.merges) == [(259, 260, 261, 0)]
    assert spec.rules.normalizer[0] == Prepend(" ")
    assert spec.post_processor.single == (TemplatePiece(ids=(1,)), TemplatePiece("A"))
    assert spec.alphabet == "chars"


def test_how_a_model_is_spoken_to_is_read(byte_level):
    """Templates by their names, the named tokens that exist, the length of the context."""
    templates = [{"name": "default", "template": "{{ 1 }}"}, {"name": "tool_use", "template": "é"}]
    path = byte_level(
        chat_template=templates,
        context_length=4096,
        eos_token_id=258,
        bos_token_id=99,  # an ordinary token
        sep_token_id=258,
    )
    use = formats.read(path).conventions
    assert use.chat_templates == {"default": "{{ 1 }}", "tool_use": "é"}
    assert use.named_tokens == {"eos_token": "<end>", "sep_token": "<end>"}
    assert use.max_length == 4096
    assert formats.read(byte_level()).conventions == Conventions()


def test_template_that_is_no_text_is_left_out(byte_level):
    """No id depends on it."""
    path = byte_level()
    entries = {"tokenizer.chat_template": 3, "general.architecture": 4}
    with pytest.warns(BytepairWarning, match=r"left out: tokenizer.chat_template is no text"):
        spec = with_gguf_conventions(formats.read(path), entries)
    assert spec.conventions == Conventions()


def test_what_a_file_says_goes_before_the_defaults(pieces):
    """Of begin and end, and of the space before a text."""
    path = pieces(add_bos_token=False, add_eos_token=True, eos_token_id=0, add_space_prefix=False)
    spec = formats.read(path)
    assert spec.post_processor.single == (TemplatePiece("A"), TemplatePiece(ids=(0,)))
    assert Prepend(" ") not in spec.rules.normalizer


def test_a_character_map_is_read(pieces):
    """As SentencePiece compiled it."""
    blob = foreign.char_map_blob("nfkc")
    spec = formats.read(pieces(precompiled_charsmap=blob, remove_extra_whitespaces=True))
    char_map = next(step for step in spec.rules.normalizer if isinstance(step, CharMap))
    assert char_map.replacement_by_key["①"] == "1"


def test_user_defined_pieces_spell_spaces_as_spaces(pieces):
    """llama.cpp's converter writes them so; elsewhere the sign for spaces stands."""
    path = pieces([*PIECES, "  "], types=[*PIECE_TYPES, 4], scores=[*SCORES, 0.0])
    symbol = AddedToken("  ", 262, special=False, normalized=True, verbatim=True)
    assert formats.read(path).added_tokens[-1] == symbol


def test_empty_tokens_and_padding_stand_for_nothing(byte_level):
    """Converters fill a vocabulary up to the size of the embedding with them."""
    spec = formats.read(byte_level([*TOKENS, "", "[PAD262]"], types=[*TYPES, 1, 5]))
    assert max(spec.vocabulary.tokens) == 260
    assert len(spec.added_tokens) == 2


def test_the_name_of_the_cut_says_what_else_goes_with_it(byte_level):
    """Llama 3 looks whole pieces up, and begins texts with a token."""
    spec = formats.read(byte_level(tokenizer_pre="llama-bpe", bos_token_id=258))
    assert spec.ignore_merges
    assert spec.post_processor.single == (TemplatePiece(ids=(258,)), TemplatePiece("A"))
    spec = formats.read(byte_level(tokenizer_pre="starcoder"))
    assert spec.rules.pattern is None
    assert spec.rules.steps == SEQUENCES["starcoder"]
    spec = formats.read(byte_level(tokenizer_pre=None), pattern="deepseek-v3")
    assert spec.rules.steps == SEQUENCES["deepseek-v3"]


@pytest.mark.parametrize("name", CUTTING_BY_NAME)
def test_every_known_cut_is_compiled(name):
    """None falls back to a slower engine (that would be a warning), and none fails."""
    assert all(automaton(step.pattern) for step in CUTTING_BY_NAME[name].steps)


def test_a_cut_that_is_not_known_can_be_passed(byte_level):
    """The message lists those known; a guess would give wrong ids."""
    with pytest.raises(FormatError, match=r"'gpt-9' is not known here .*: llama-bpe, .*Pass patt"):
        formats.read(byte_level(tokenizer_pre="gpt-9"))
    path = byte_level(tokenizer_pre=None)
    with pytest.raises(FormatError, match="is missing: how text is cut would be a guess"):
        formats.read(path)
    assert formats.read(path, pattern="qwen2").rules.pattern == NAMED["qwen2"]


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"merges": None}, "merges is missing"),
        ({"merges": ["h e l"]}, r"merges\[0\]: wanted two tokens with one space between"),
        ({"merges": ["h q"]}, r"merges\[0\]: 'h' and 'q' give 'hq', but 'hq' is not in the voc"),
        ({"merges": ["h e", "h e"]}, r"merges\[1\]: 'h' and 'e' were already merged .*\[0\]"),
        ({"types": TYPES[:-1]}, "token_type has 260 values for 261 tokens"),
        ({"types": [9, *TYPES[1:]]}, "token_type of token 0 is 9, which is no type"),
        ({"add_space_prefix": True}, "add_space_prefix is true, which programs read differently"),
        ({"add_bos_token": True}, "bos_token_id is None, but bos is added"),
        ({"add_eos_token": True, "eos_token_id": 999}, "eos_token_id is 999, but eos is added"),
        ({"types": [5, *TYPES[1:]]}, "1 of the 256 bytes have no token"),
    ],
)
def test_a_contradiction_is_named(entries, message, byte_level):
    """By the entry, as the file calls it."""
    with pytest.raises(FormatError, match=message):
        formats.read(byte_level(**entries))


def test_a_token_given_twice_is_refused(byte_level):
    """One of the two ids would never be given."""
    with pytest.raises(FormatError, match="tokens has a token twice"):
        formats.read(byte_level([*TOKENS[:-1], "he"]))


def test_pieces_need_scores(pieces):
    """Without them no merge comes before another."""
    with pytest.raises(FormatError, match="scores is missing"):
        formats.read(pieces(scores=None))
    with pytest.raises(FormatError, match="leave pattern= out"):
        formats.read(pieces(), pattern="gpt2")


@pytest.mark.parametrize(
    ("kind", "name"), [("bert", "WordPiece"), ("t5", "a unigram model"), ("new", "a kind that is")]
)
def test_other_kinds_are_refused_by_name(kind, name, tmp_path):
    """Most models are BPE, some are not."""
    path = foreign.write_gguf(tmp_path / "x.gguf", kind, ["a"])
    with pytest.raises(FormatError, match=f"model is '{kind}': {name}"):
        formats.read(path)


def test_special_tokens_are_in_the_file(byte_level):
    """Other ones would contradict it."""
    with pytest.raises(ArgumentError, match="has its own special_tokens"):
        formats.read(byte_level(), special_tokens={"<s>": 300})


@pytest.mark.parametrize("data", [b"GGUF", b"GGUF\x03\x00\x00\x00" + b"\xff" * 40, b"GGML" * 9])
def test_damaged_bytes_are_a_format_error(data, tmp_path):
    """Whatever the package makes of them."""
    path = tmp_path / "x.gguf"
    path.write_bytes(data)
    with pytest.raises(FormatError, match="not a readable GGUF file"):
        formats.read(path)


def test_a_model_without_a_tokenizer_says_so(tmp_path):
    """Adapters and projectors have none."""
    writer = foreign.gguf.GGUFWriter(tmp_path / "x.gguf", "clip")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    with pytest.raises(FormatError, match="holds no tokenizer"):
        formats.read(tmp_path / "x.gguf")


def test_a_missing_package_says_how_to_install_it(byte_level, monkeypatch):
    """It reads models and nothing else here needs it."""
    path = byte_level()
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'bytepair\[formats\]'"):
        formats.read(path)


@pytest.mark.parametrize("place", [16, b"tokenizer.ggml.tokens"])
def test_a_count_beyond_the_file_is_refused_at_once(place, byte_level):
    """Of entries, or of what an array holds."""
    path = byte_level()
    data = bytearray(path.read_bytes())
    if isinstance(place, bytes):
        place = data.index(place) + len(place) + 8
    data[place : place + 8] = (2**40).to_bytes(8, "little")
    path.write_bytes(data)
    with pytest.raises(FormatError, match="not a readable GGUF file"):
        formats.read(path)


def test_arrays_within_arrays_are_refused(byte_level):
    """However deep: nothing follows them down."""
    path = byte_level()
    data = bytearray(path.read_bytes())
    name = b"tokenizer.ggml.tokens"
    place = data.index(name) + len(name) + 4
    data[place : place + 4] = (9).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(FormatError, match="not a readable GGUF file"):
        formats.read(path)
