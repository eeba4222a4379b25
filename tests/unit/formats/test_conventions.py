"""What stands beside a tokenizer.json is read wherever it may stand, and saved again."""

import json

import pytest

import bytepair
from bytepair.errors import BytepairWarning


@pytest.fixture
def folder(tmp_path):
    """A saved tokenizer of bytes."""
    bytepair.train(["low"], vocab_size=257, special_tokens=["<s>"]).save(tmp_path)
    return tmp_path


def conventions(folder, **config):
    """What is read with this configuration."""
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    return bytepair.load(folder).spec.conventions


def test_templates_are_read_from_every_place(folder):
    """The files win over the configuration, as in transformers."""
    assert conventions(folder, chat_template="a").chat_templates == {"default": "a"}
    named = [{"name": "default", "template": "b"}, {"name": "rag", "template": "c"}]
    assert conventions(folder, chat_template=named).chat_templates == {"default": "b", "rag": "c"}
    (folder / "chat_template.jinja").write_text("é\n", encoding="utf-8")
    (folder / "additional_chat_templates").mkdir()
    (folder / "additional_chat_templates" / "tool_use.jinja").write_text("t", encoding="utf-8")
    read = conventions(folder, chat_template=named).chat_templates
    assert read == {"default": "é\n", "rag": "c", "tool_use": "t"}


def test_named_tokens_are_read_in_both_spellings(folder):
    """As text, or as an object; null is none; the older file fills what is missing."""
    (folder / "special_tokens_map.json").write_text('{"pad_token": "<s>", "eos_token": "x"}')
    read = conventions(folder, bos_token={"content": "<s>", "lstrip": False}, eos_token="<s>")
    assert read.named_tokens == {"bos_token": "<s>", "eos_token": "<s>", "pad_token": "<s>"}
    assert conventions(folder, unk_token=None, eos_token="<s>").named_tokens.keys() == {
        "eos_token",
        "pad_token",
    }


@pytest.mark.parametrize(
    ("length", "expected"), [(512, 512), (int(1e30), None), (0, None), ("x", None)]
)
def test_length_is_a_limit_only_if_it_limits(folder, length, expected):
    """Transformers writes 1e30 where none is known."""
    assert conventions(folder, model_max_length=length).max_length == expected


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"chat_template": 3}', '{"eos_token": 3}', '{"chat_template": [{}]}']
)
def test_damaged_configuration_is_left_out_with_a_warning(folder, text):
    """No id depends on it, and the warning names the file."""
    (folder / "tokenizer_config.json").write_text(text, encoding="utf-8")
    with pytest.warns(BytepairWarning, match=r"left out how it is used: .*tokenizer_config\.json"):
        tok = bytepair.load(folder)
    assert tok.spec.conventions.chat_templates == {}
    assert tok.encode("low") == [108, 111, 119]


def test_saving_again_gives_the_same_files(folder, tmp_path_factory):
    """Byte for byte, template and named tokens among them."""
    tok = bytepair.load(folder).with_conventions(
        chat_template="é{{ 1 }}\n", eos_token="<s>", max_length=9
    )
    first, second = (tmp_path_factory.mktemp(name) for name in ("first", "second"))
    files = tok.save_pretrained(first)
    bytepair.load(first).save_pretrained(second)
    assert {f.name for f in files} >= {"chat_template.jinja", "tokenizer_config.json"}
    for file in files:
        assert (second / file.name).read_bytes() == file.read_bytes()


def test_template_of_an_earlier_tokenizer_is_removed(folder):
    """Readers would take it for the new one's."""
    bytepair.load(folder).with_conventions(chat_template="old").save_pretrained(folder)
    bytepair.train(["low"], vocab_size=256, special_tokens=[]).save_pretrained(folder)
    assert not (folder / "chat_template.jinja").exists()
    assert bytepair.load(folder).spec.conventions.chat_templates == {}
