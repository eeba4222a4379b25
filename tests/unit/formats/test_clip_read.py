"""Reading CLIP's list of merges, and CLIP's two files."""

import gzip
import json

import pytest

import foreign
from bytepair import formats
from bytepair.errors import FormatError
from bytepair.model import BYTE_TO_CHAR, PostProcessor, Split, TemplatePiece, WordEnds

HEADER = '"bpe_simple_vocab_16e6.txt#version: 0.2\n'
LINES = "h e\nl l</w>\nhe ll</w>\n"
CHARS = sorted(BYTE_TO_CHAR)


@pytest.fixture
def save(tmp_path):
    """Writes the list, packed or not."""

    def save(text, name="bpe_simple_vocab_16e6.txt.gz"):
        data = text.encode()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return tmp_path / name

    return save


@pytest.mark.parametrize("name", ["bpe_simple_vocab_16e6.txt.gz", "x.txt", "merges"])
def test_the_list_is_known_by_its_first_line(name, save):
    """Packed or not, whatever it is called."""
    spec = formats.read(save(HEADER + LINES.rstrip("\n"), name))
    assert spec.name == "clip"
    assert len(spec.merges) == 3


def test_ids_are_those_of_clip(save):
    """Bytes, bytes that end a word, merges, begin and end."""
    spec = formats.read(save(HEADER + LINES.rstrip("\n")))
    vocabulary = spec.vocabulary
    assert vocabulary.byte_ids[ord("!")] == 0
    assert vocabulary.tokens[256] == b"!"
    assert vocabulary.ends_word == {*range(256, 512), 513, 514}
    assert [vocabulary.tokens[number] for number in (512, 513, 514)] == [b"he", b"ll", b"hell"]
    assert [(t.content, t.id) for t in spec.added_tokens] == [
        ("<start_of_text>", 515),
        ("<end_of_text>", 516),
    ]
    begin, end = TemplatePiece(ids=(515,)), TemplatePiece(ids=(516,))
    assert spec.post_processor == PostProcessor((begin, TemplatePiece("A"), end))
    assert spec.vocabulary.end_of_word_id is None


def test_texts_are_cut_at_words_and_lose_their_spaces(save):
    """As CLIP does before it merges."""
    spec = formats.read(save(HEADER + LINES.rstrip("\n")))
    (step,) = spec.rules.steps
    assert isinstance(step, Split)
    assert (step.behavior, step.invert) == ("removed", True)
    assert spec.rules.normalizer == ("nfc", "collapse-whitespace", "lowercase")
    assert (spec.decoder, spec.end_of_word) == ((WordEnds(),), "</w>")


def test_only_the_merges_that_clip_uses_are_read(save):
    """The published file holds five times as many."""
    parts = [f"{a} {b}" for a in CHARS for b in CHARS][: 48894 + 5]
    spec = formats.read(save(HEADER + "\n".join(parts)))
    assert len(spec.merges) == 48894
    assert spec.added_tokens[-1].id == 49407


def test_the_two_files_of_clip_are_told_from_gpt2s(tmp_path):
    """Their tokens end with "</w>"; taken for bytes, these would give wrong ids."""
    tokens = [*CHARS, *(char + "</w>" for char in CHARS), "he", "ll</w>", "hell</w>"]
    vocab = {token: number for number, token in enumerate([*tokens, "<|start|>", "<|end|>"])}
    foreign.save_json(tmp_path / "vocab.json", vocab)
    (tmp_path / "merges.txt").write_text("#version: 0.2\n" + LINES, encoding="utf-8")
    special = {"bos_token": "<|start|>", "eos_token": "<|end|>"}
    foreign.save_json(tmp_path / "special_tokens_map.json", special)
    spec = formats.read(tmp_path)
    assert spec.end_of_word == "</w>"
    assert [piece.ids for piece in spec.post_processor.single] == [(515,), (), (516,)]
    assert json.loads((tmp_path / "vocab.json").read_text("utf-8"))["hell</w>"] == 514


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("h e l", "txt.gz:2: wanted two tokens with one space between"),
        ("h q e", "txt.gz:2: wanted two"),
        (
            "h e\nhe日 l",
            "txt.gz:3: 'he日' and 'l' give 'he日l', but 'he日' is not in the vocabulary",
        ),
        ("h e\nl l\nh e", "two merges give the same token"),
    ],
)
def test_a_bad_line_is_named(text, message, save):
    """By the file and the number of the line."""
    with pytest.raises(FormatError, match=message):
        formats.read(save(HEADER + text))


def test_a_damaged_archive_is_a_format_error(save):
    """Half a download begins like a whole one."""
    path = save(HEADER + LINES)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(FormatError, match="a damaged gzip file"):
        formats.read(path)
