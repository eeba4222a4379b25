"""Reading `tekken.json`: the cut, the special tokens, and complaints that name the place."""

import json

import pytest

import foreign
from bytepair import formats
from bytepair.errors import ArgumentError, FormatError


@pytest.fixture
def content():
    """A file of 30 special tokens and 890 others, of which it lists ten more."""
    return json.loads(foreign.tekken()[0])


@pytest.fixture
def save(tmp_path):
    """Writes it as "mine/tekken.json"."""
    (tmp_path / "mine").mkdir()
    return lambda value: foreign.save_json(tmp_path / "mine" / "tekken.json", value)


def test_ids_begin_behind_the_special_tokens(content, save):
    """Those without a name are called as Mistral's library calls them."""
    spec = formats.read(save(content))
    assert spec.vocabulary.byte_ids == tuple(range(30, 286))
    assert len(spec.vocabulary) == 890
    contents = [token.content for token in spec.added_tokens]
    assert contents[:5] == ["<unk>", "<s>", "</s>", "<SPECIAL_3>", "<SPECIAL_4>"]
    assert [token.id for token in spec.added_tokens] == list(range(30))
    assert (spec.name, spec.rules.pattern) == ("mine", content["config"]["pattern"])


@pytest.mark.parametrize("missing", [None, "removed"])
def test_files_up_to_v7_need_not_list_their_special_tokens(missing, content, save):
    """Mistral's library then takes twenty that it knows."""
    if missing:
        del content["special_tokens"]
    else:
        content["special_tokens"] = None
    contents = [token.content for token in formats.read(save(content)).added_tokens]
    assert contents[:4] == ["<unk>", "<s>", "</s>", "[INST]"]
    assert contents[19:21] == ["[TOOL_CONTENT]", "<SPECIAL_20>"]
    content["config"]["version"] = "v11"
    with pytest.raises(FormatError, match="special_tokens is missing, which a file of version v11"):
        formats.read(save(content))


def test_its_kind_is_seen_in_a_file_of_another_name(content, tmp_path):
    """By how it begins: Mistral's files differ from Hugging Face's."""
    path = foreign.save_json(tmp_path / "x.json", content)
    assert len(formats.read(path).added_tokens) == 30


def _in(*keys, value):
    def change(content):
        for key in keys[:-1]:
            content = content[key]
        content[keys[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_in("config", "version", value="v99"), "config.version 'v99' is not supported"),
        (_in("config", "version", value=None), "config.version must be a string, got null"),
        (_in("config", "pattern", value="(a"), "config.pattern: pattern is not a valid regex"),
        (_in("config", "default_num_special_tokens", value=-1), "is -1; wanted 0 to 1000000"),
        (_in("config", "default_num_special_tokens", value=10**9), "is 1000000000; wanted 0 to"),
        (_in("config", "default_num_special_tokens", value=2), "has 3 tokens, but config says"),
        (_in("config", "default_vocab_size", value=10**6), "wants 999970 ordinary tokens, but voc"),
        (_in("config", "default_vocab_size", value=30), "wants 0 ordinary tokens"),
        (_in("vocab", 7, "rank", value=8), r"vocab\[7\].rank must be 7, got 8"),
        (_in("vocab", 7, "token_bytes", value="!"), r"vocab\[7\].token_bytes is not base64"),
        (_in("vocab", 7, "token_bytes", value="é"), r"vocab\[7\].token_bytes is not base64"),
        (_in("vocab", 7, "token_bytes", value=""), r"vocab\[7\].token_bytes is empty"),
        (_in("vocab", 7, value="a"), r"vocab\[7\] must have a rank and token_bytes"),
        (_in("vocab", 300, "token_bytes", value="YQ=="), "vocab has a token twice"),
        (_in("vocab", 7, "token_bytes", value="YWJjYWJj"), "1 of the 256 bytes have no token"),
        (_in("special_tokens", 1, "rank", value=5), r"special_tokens\[1\].rank must be 1, got 5"),
        (_in("special_tokens", 1, "token_str", value=""), "token_str is empty"),
        (_in("special_tokens", 1, "token_str", value="<unk>"), "tokens 0 and 1 are both '<unk>'"),
        (_in("special_tokens", 1, "token_str", value="\ud800"), "half a surrogate pair"),
    ],
)
def test_a_damaged_file_is_refused_with_the_place(change, message, content, save):
    """Mistral's library asserts most of this, without saying where."""
    change(content)
    with pytest.raises(FormatError, match=message):
        formats.read(save(content))


def test_it_has_its_own_pattern(content, save):
    """Two for one tokenizer are a mistake, whichever would win."""
    with pytest.raises(ArgumentError, match="has its own pattern"):
        formats.read(save(content), pattern="gpt2")
