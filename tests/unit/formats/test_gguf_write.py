"""GGUF metadata: both kinds, read back with the `gguf` package's reader, and what is refused."""

from dataclasses import replace

import gguf
import pytest

import foreign
from bytepair import formats
from bytepair.errors import ExportError
from bytepair.formats._gguf_patterns import CUTTING_BY_NAME
from bytepair.model import (
    AddedToken,
    Conventions,
    PostProcessor,
    SplitRules,
    TemplatePiece,
    Vocabulary,
)
from bytepair.patterns import NAMED

END, TOOL = AddedToken("<end>", 258), AddedToken("<tool>", 262, special=False)


@pytest.fixture
def gpt2(spec):
    """The byte-level tokenizer of these tests, with special tokens and a gap between ids."""
    rules = SplitRules(NAMED["gpt2"], special_tokens=("<end>",))
    return replace(spec, rules=rules, added_tokens=(END, TOOL))


def fields(path):
    """Name -> value, by the package itself."""
    reader = gguf.GGUFReader(path)
    return {
        key.removeprefix("tokenizer."): field.contents() for key, field in reader.fields.items()
    }


def test_a_byte_level_file(gpt2, tmp_path):
    """The package's own reader finds what llama.cpp looks for."""
    found = fields(formats.write(gpt2, tmp_path / "x.gguf")[0])
    assert (found["ggml.model"], found["ggml.pre"]) == ("gpt2", "gpt-2")
    assert found["ggml.merges"] == ["a b", "ab c"]
    padding = ["[PAD259]", "[PAD260]", "[PAD261]"]
    assert found["ggml.tokens"][256:] == ["ab", "abc", "<end>", *padding, "<tool>"]
    assert found["ggml.token_type"][255:] == [1, 1, 1, 3, 5, 5, 5, 4]
    assert (found["ggml.add_bos_token"], found["ggml.add_eos_token"]) == (False, False)


def test_it_comes_back(gpt2, tmp_path):
    """Tokens, merges, cut and added tokens."""
    again = formats.read(formats.write(gpt2, tmp_path / "x.gguf")[0])
    assert replace(again, name=gpt2.name) == gpt2


def test_begin_roles_and_template_are_written(gpt2, tmp_path):
    """What stands before a text, the tokens with a part to play, the chat template."""
    around = PostProcessor(single=(TemplatePiece(ids=(258,)), TemplatePiece("A")))
    use = Conventions({"default": "{{ x }}"}, {"eos_token": "<end>", "pad_token": "<tool>"})
    spec = replace(gpt2, post_processor=around, conventions=use)
    path = formats.write(spec, tmp_path / "x.gguf")[0]
    found = fields(path)
    assert (found["ggml.add_bos_token"], found["ggml.bos_token_id"]) == (True, 258)
    assert (found["ggml.eos_token_id"], found["ggml.padding_token_id"]) == (258, 262)
    assert found["chat_template"] == "{{ x }}"
    assert formats.read(path).post_processor.single == around.single


@pytest.mark.parametrize("name", ["gpt-2", "llama-bpe", "qwen2", "starcoder", "deepseek-v3"])
def test_a_cut_is_found_by_what_it_does(name, gpt2, tmp_path):
    """In other words than ours, in one pattern or as steps."""
    cutting = CUTTING_BY_NAME[name]
    steps = tuple(replace(step, pattern=f"(?:{step.pattern})") for step in cutting.steps)
    rules = SplitRules(steps=steps)
    spec = replace(gpt2, rules=rules, ignore_merges=cutting.ignore_merges)
    assert fields(formats.write(spec, tmp_path / "x.gguf")[0])["ggml.pre"] == name


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rules": SplitRules("[a-z]+")}, "no name is known for that of this tokenizer"),
        ({"rules": SplitRules(NAMED["o200k"])}, "'gpt-4o' by a simpler regex"),
        ({"rules": SplitRules(NAMED["gpt2"], ("nfc",))}, "gguf cannot normalise"),
        ({"added_tokens": (AddedToken("<a>", 300, lstrip=True),)}, "take white space"),
        (
            {"added_tokens": (AddedToken("<a>", 300), AddedToken("a><", 301))},
            "'<a>' ends as 'a><' begins",
        ),
        (
            {"added_tokens": (AddedToken("a", 300), AddedToken("<ab>", 301, normalized=True))},
            "'a' .*is part of another|would also give its id",
        ),
        (
            {"post_processor": PostProcessor((TemplatePiece(ids=(1, 2)), TemplatePiece("A")))},
            "one token at most stands before a text",
        ),
    ],
    ids=["cut", "simplified", "normaliser", "borders", "overlap", "passes", "template"],
)
def test_what_llama_cpp_would_do_otherwise_is_refused(changes, message, gpt2, tmp_path):
    """Each with the reason; nothing is written."""
    with pytest.raises(ExportError, match=message):
        formats.write(replace(gpt2, **changes), tmp_path / "x.gguf")
    assert list(tmp_path.iterdir()) == []


def test_looking_up_depends_on_the_cut(gpt2, tmp_path):
    """Which pre-tokens are looked up whole is part of what the name of a cut says there."""
    orphan = Vocabulary(dict(gpt2.vocabulary.tokens) | {300: b"xyz"}, tuple(range(256)))
    spec = replace(gpt2, ignore_merges=True, added_tokens=())
    assert formats.write(spec, tmp_path / "x.gguf")
    with pytest.raises(ExportError, match=r"b'xyz' is never .* llama\.cpp does not look them up"):
        formats.write(replace(spec, vocabulary=orphan), tmp_path / "x.gguf")
    llama = replace(spec, vocabulary=orphan, rules=SplitRules(NAMED["llama3"]))
    assert formats.read(formats.write(llama, tmp_path / "y.gguf")[0]).ignore_merges


def test_pieces_need_bytes_to_fall_back_on(tmp_path):
    """llama.cpp has nothing else for a character without a piece."""
    path = tmp_path / "a.model"
    path.write_bytes(
        foreign.sentencepiece_model(
            normalization_rule_name="identity", remove_extra_whitespaces=False
        )
    )
    with pytest.raises(ExportError, match="falls back on bytes"):
        formats.write(formats.read(path), tmp_path / "x.gguf")
