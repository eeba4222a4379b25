"""The added tokens of a `tokenizer.json`, and those that the model's vocabulary has as well."""

import pytest

import bytepair
from bytepair.errors import FormatError
from bytepair.model import AddedToken

FLAGS = ("single_word", "lstrip", "rstrip", "normalized")


@pytest.mark.parametrize("flag", FLAGS)
def test_flags_are_kept(flag, hf_file, read_with, again):
    """They decide where a match begins and ends, and in which text it is looked for."""
    spec = read_with(hf_file, {f"added_tokens.0.{flag}": True})
    assert spec.added_tokens == (AddedToken("<s>", 259, **{flag: True}),)
    assert again(spec) == spec


def test_an_added_token_in_the_vocabulary_is_no_ordinary_token(hf_file, read_with):
    """Files often list special tokens in both places; merging never makes them."""
    assert read_with(hf_file, {"model.vocab.<s>": 259}) == read_with(hf_file, {})


def test_an_added_token_that_merging_makes_is_both(hf_file, read_with, again):
    """Without it as an ordinary token the merge, and the text inside words, would be lost."""
    added = {"id": 258, "content": "hell", "special": False}
    spec = read_with(hf_file, {"added_tokens.0": added})
    assert spec.added_tokens == (AddedToken("hell", 258, special=False),)
    assert spec.vocabulary.tokens[258] == b"hell"
    assert spec.rules.special_tokens == ()
    assert again(spec) == spec


@pytest.mark.parametrize("content", ["ü!", "ü", "Ġ", "Ġhe", "đem", "日本", "two words\n"])
def test_an_added_token_stands_for_its_own_text(content, hf_file, read_with):
    """Its letters are no stand-ins for bytes, although "ü" also spells the byte 0xFC."""
    spec = read_with(hf_file, {"added_tokens.0.content": content})
    assert spec.added_tokens == (AddedToken(content, 259),)
    assert (spec.vocabulary.tokens[0xFC], spec.vocabulary.tokens[0x20]) == (b"\xfc", b" ")
    tokenizer = bytepair.Tokenizer(spec)
    assert tokenizer.encode(f" {content}\xfc", allowed_special="all")[1] == 259
    assert tokenizer.decode([259]) == content


@pytest.mark.parametrize("content", ["<0x41>", "a"])
def test_an_added_token_that_is_a_first_symbol_is_both_or_neither(
    content, fallback_file, read_with
):
    """A character stays a token of its own; what stands for a byte cannot also be text."""
    number = fallback_file["model"]["vocab"][content]
    members = {"added_tokens.0": {"id": number, "content": content, "special": False}}
    if content == "a":
        assert read_with(fallback_file, members).vocabulary.tokens[number] == b"a"
        return
    with pytest.raises(FormatError, match=r"added token '<0x41>' and the bytes b'A'"):
        read_with(fallback_file, members)


def test_a_looked_up_token_must_mean_what_it_says(hf_file, read_with):
    """With ignore_merges, "Ġthe" in the vocabulary is found by the text " the"."""
    members = {
        "model.vocab.Ġthe": 260,
        "added_tokens.0": {"id": 260, "content": "Ġthe", "special": False},
    }
    spec = read_with(hf_file, members)
    assert spec.added_tokens == (AddedToken("Ġthe", 260, special=False),)
    with pytest.raises(FormatError, match="id 260 is given to both the added token 'Ġthe'"):
        read_with(hf_file, members | {"model.ignore_merges": True})


REFUSED = [
    ("", {}, "added_tokens must be an array, got an object"),
    ("0", "<s>", "added_tokens[0] must be an object, got a string"),
    ("0.id", None, "added_tokens[0].id must be a whole number, got null"),
    ("0.id", -5, "added_tokens[0].id is -5, which is no id"),
    ("0.id", 2**32, "added_tokens[0].id is 4294967296, which is no id"),
    ("0.id", 97, "id 97 is given to both the added token '<s>' and the token 'a'"),
    ("0.content", "", "added_tokens[0].content is empty"),
    ("0.content", "\ud800", "added_tokens[0].content holds half a surrogate pair"),
    ("0.content", "a", "added token 'a' has id 259, but model.vocab gives it id 97"),
    ("0", {"id": 233, "content": "é"}, "id 233 is given to both the added token 'é' and"),
    ("0", {"content": "<s>"}, "added_tokens[0].id must be a whole number, got null"),
    ("0.special", 1, "added_tokens[0].special must be true or false, got a whole number"),
]


@pytest.mark.parametrize(("key", "value", "message"), REFUSED)
def test_damage_is_reported_where_it_is(key, value, message, hf_file, read_with):
    """Other libraries renumber such tokens without a word."""
    with pytest.raises(FormatError) as caught:
        read_with(hf_file, {f"added_tokens.{key}".rstrip("."): value})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ({"id": 259, "content": "<t>"}, "added tokens '<s>' and '<t>' both have id 259"),
        ({"id": 260, "content": "<s>"}, "added token '<s>' has two ids, 259 and 260"),
    ],
)
def test_added_tokens_must_not_contradict_each_other(second, message, hf_file, read_with):
    """Which of the two is meant would depend on who reads the file."""
    added = [*hf_file["added_tokens"], second]
    with pytest.raises(FormatError, match=message):
        read_with(hf_file, {"added_tokens": added})


@pytest.mark.parametrize("flag", FLAGS[:3])
def test_neighbours_of_spelt_bytes_are_not_looked_at(flag, hf_file, read_with):
    """Behind a normalizer that spells bytes there is no white space any more."""
    members = {"normalizer": {"type": "ByteLevel"}, "added_tokens.0.normalized": True}
    members |= {"pre_tokenizer": None}
    assert read_with(hf_file, members).added_tokens[0].normalized
    with pytest.raises(FormatError, match="'<s>' is looked for behind the normalizer ByteLevel"):
        read_with(hf_file, members | {f"added_tokens.0.{flag}": True})
