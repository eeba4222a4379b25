"""Reading `vocab.json` and `merges.txt`: lines, names, and what stands beside them."""

import json
import os
import subprocess
import sys

import pytest

import foreign
from bytepair import formats
from bytepair.errors import ArgumentError, FormatError, PatternError
from bytepair.model import BYTE_TO_CHAR, AddedToken
from bytepair.patterns import NAMED

VOCAB = {char: byte for byte, char in enumerate(BYTE_TO_CHAR)} | {"he": 256, "hell": 258, "ll": 257}
MERGES = "#version: 0.2\nh e\nl l\nhe ll\n"


@pytest.fixture
def folder(tmp_path):
    """Writes the two files, and others, into a folder named "mine"."""

    def write(vocab=VOCAB, merges=MERGES, names=("vocab.json", "merges.txt"), **beside):
        path = tmp_path / "mine"
        path.mkdir(exist_ok=True)
        foreign.save_json(path / names[0], vocab)
        (path / names[1]).write_bytes(merges.encode())
        for name, value in beside.items():
            foreign.save_json(path / f"{name}.json", value)
        return path

    return write


def test_the_two_files_read_whole(folder):
    """Text is cut by GPT-2's pattern, which is what these files mean."""
    spec = formats.read(folder())
    assert list(spec.merges) == [(104, 101, 256, 0), (108, 108, 257, 1), (256, 257, 258, 2)]
    assert spec.vocabulary.tokens[258] == b"hell"
    assert (spec.rules.pattern, spec.added_tokens, spec.name) == (NAMED["gpt2"], (), "mine")
    assert not spec.ignore_merges


@pytest.mark.parametrize("names", [("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe")])
def test_the_folder_and_either_file_are_the_same(names, folder):
    """Under Hugging Face's names and under OpenAI's."""
    path = folder(names=names)
    expected = formats.read(path)
    assert [formats.read(path / name) for name in names] == [expected, expected]


def test_files_with_a_name_before_are_found(folder):
    """The library saves them so when asked to."""
    path = folder(names=("my-vocab.json", "my-merges.txt"))
    assert len(formats.read(path / "my-merges.txt").merges) == 3


@pytest.mark.parametrize("name", ["vocab.json", "merges.txt"])
def test_one_file_without_the_other_is_an_error(name, folder):
    """That names the one that is missing."""
    path = folder()
    (path / name).unlink()
    other = "merges.txt" if name == "vocab.json" else "vocab.json"
    with pytest.raises(FormatError, match=f"{name}: no such file"):
        formats.read(path / other)


def _with(*merges):
    """The vocabulary and the lines with these merges; their parts get ids."""
    vocab = dict(VOCAB)
    for left, right in merges:
        for token in (left, right, left + right):
            vocab.setdefault(token, len(vocab))
    return vocab, "".join(f"{left} {right}\n" for left, right in merges)


def test_only_a_first_line_is_a_header(folder):
    """Tokens may begin with "#", and with "#version" too."""
    pairs = [("#", "#"), ("##", "v"), ("#", "version:")]
    vocab, lines = _with(*pairs)
    for header in ("", "#version: 0.2\n"):
        spec = formats.read(folder(vocab, header + lines))
        joined = [spec.vocabulary.tokens[token] for token in spec.merges.joined.tolist()]
        assert joined == [b"##", b"##v", b"#version:"]


@pytest.mark.parametrize("space", ["\u00a0", "\x85", "\u2028", "\x1c", "\t"])
def test_lines_and_parts_end_with_what_the_format_says(space, folder):
    """Not with what Python takes for white space: this is one merge, of what spells no byte."""
    vocab, lines = _with((space, "a"))
    with pytest.raises(
        FormatError, match=r"token .* \(id 259\) holds .*, which stands for no byte"
    ):
        formats.read(folder(vocab, lines))


def test_carriage_returns_of_windows_do_not_matter(folder):
    """Files pass through editors and version control."""
    expected = formats.read(folder())
    assert formats.read(folder(merges=MERGES.replace("\n", "\r\n"))) == expected


@pytest.mark.parametrize(
    ("merges", "message"),
    [
        ("#version: 0.2\nh e\nll\n", "merges.txt:3: wanted two tokens with one space between"),
        ("h  e\n", "merges.txt:1: wanted two tokens"),
        ("h e\nl l\nh l\n", "merges.txt:3: 'h' and 'l' give 'hl', but 'hl' is not in the voc"),
        ("h e\nh e\n", r"merges.txt:2: 'h' and 'e' were already merged .*merges.txt:1\)"),
    ],
)
def test_a_bad_line_is_named(merges, message, folder):
    """By the file and the number of the line."""
    with pytest.raises(FormatError, match=message):
        formats.read(folder(merges=merges))


@pytest.mark.parametrize(
    ("vocab", "message"),
    [
        (VOCAB | {"zz": 97}, "gives id 97 to both 'a' and 'zz'"),
        (VOCAB | {"zz": "5"}, "must be a whole number, got a string"),
        (VOCAB | {"zz": 2**31}, "is 2147483648, which is no id"),
        (VOCAB | {"": 400}, "has an empty token"),
        (VOCAB | {"日": 400}, "holds '日', which stands for no byte"),
        ({"a": 0, "h": 1, "e": 2, "he": 3, "l": 4, "ll": 5, "hell": 6}, "of the 256 bytes have no"),
    ],
)
def test_a_bad_vocabulary_is_refused(vocab, message, folder):
    """Each of these would give wrong ids, or none."""
    with pytest.raises(FormatError, match=message):
        formats.read(folder(vocab))


# ---------------------------------------------------------------------- added tokens

END = VOCAB | {"<|endoftext|>": 259}


def test_the_end_of_text_is_special(folder):
    """By the convention of these files, where nothing beside them says otherwise."""
    spec = formats.read(folder(END))
    assert spec.added_tokens == (AddedToken("<|endoftext|>", 259),)
    assert 259 not in spec.vocabulary.tokens


def test_added_tokens_beside_the_files_are_read(folder):
    """Those that `special_tokens_map.json` names are special, the others always matched."""
    special = {"eos_token": "<|endoftext|>", "additional_special_tokens": [{"content": "<a>"}]}
    path = folder(END, added_tokens={"<a>": 300, "<b>": 301}, special_tokens_map=special)
    assert formats.read(path).added_tokens == (
        AddedToken("<|endoftext|>", 259),
        AddedToken("<a>", 300),
        AddedToken("<b>", 301, special=False),
    )


def test_the_newer_list_of_added_tokens_is_whole(folder):
    """With its flags; the older files are then not asked."""
    token = {"content": "<a>", "lstrip": True, "special": True, "single_word": False}
    config = {"tokenizer_class": "GPT2Tokenizer", "added_tokens_decoder": {"300": token}}
    path = folder(END, tokenizer_config=config, added_tokens={"<b>": 301})
    assert formats.read(path).added_tokens == (AddedToken("<a>", 300, lstrip=True),)


def test_special_tokens_can_be_passed(folder):
    """They replace what stands beside the files."""
    path = folder(END, added_tokens={"<b>": 301})
    spec = formats.read(path, special_tokens={"<s>": 300})
    assert spec.added_tokens == (AddedToken("<s>", 300),)
    with pytest.raises(ArgumentError, match="-1, for '<s>', is no id"):
        formats.read(path, special_tokens={"<s>": -1})
    with pytest.raises(FormatError, match="id 97 is given to both the added token '<s>' and the t"):
        formats.read(path, special_tokens={"<s>": 97})


def test_a_token_that_merging_makes_stays_ordinary_too(folder):
    """Where it is special in one place it may be text in another."""
    spec = formats.read(folder(), special_tokens={"hell": 258})
    assert spec.vocabulary.tokens[258] == b"hell"


@pytest.mark.parametrize(
    ("beside", "message"),
    [
        ({"special_tokens_map": {"pad_token": "<pad>"}}, "'<pad>' has no id"),
        ({"special_tokens_map": {"pad_token": 5}}, r"pad_token\[0\] is no token"),
        ({"added_tokens": {"<a>": "5"}}, "must be a whole number"),
        ({"tokenizer_config": {"added_tokens_decoder": {"x": {}}}}, "added_tokens_decoder.x: no"),
    ],
)
def test_a_bad_file_beside_is_named(beside, message, folder):
    """Not passed over: its tokens would be split."""
    with pytest.raises(FormatError, match=message):
        formats.read(folder(**beside))


# ---------------------------------------------------------------------- the pattern


def test_another_pattern_can_be_passed(folder):
    """Files of other models are of this form as well."""
    assert formats.read(folder(), pattern="qwen2").rules.pattern == NAMED["qwen2"]
    with pytest.raises(PatternError, match="empty text"):
        formats.read(folder(), pattern="a*")


def test_another_class_of_tokenizer_is_not_taken_for_gpt2(folder):
    """Qwen's files look the same and cut text differently."""
    path = folder(tokenizer_config={"tokenizer_class": "Qwen2Tokenizer"})
    with pytest.raises(FormatError, match="tokenizer_class 'Qwen2Tokenizer' may cut text in ano"):
        formats.read(path)
    assert formats.read(path, pattern="qwen2").rules.pattern == NAMED["qwen2"]


def test_files_are_utf8_whatever_the_locale(folder):
    """The first letter of the byte alphabet is no character of ASCII, or of cp1252."""
    vocab = VOCAB | {"Äł": 300}
    path = folder(merges="Ä ł\n")
    (path / "vocab.json").write_text(json.dumps(vocab, ensure_ascii=False), encoding="utf-8")
    code = f"import bytepair; print(len(bytepair.load({str(path)!r}).merges))"
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    process = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, check=True
    )
    assert process.stdout == b"1\n"
