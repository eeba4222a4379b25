"""Writing `tokenizer.json`: what stands in it, the same bytes each time, and what is refused."""

import json
from dataclasses import replace

import pytest

from bytepair import formats
from bytepair.errors import BytepairWarning, ExportError
from bytepair.model import AddedToken, MergeTable, SplitRules, Vocabulary
from bytepair.patterns import NAMED


def written(spec, folder):
    """The `tokenizer.json` as a value."""
    formats.write(spec, folder)
    return json.loads((folder / "tokenizer.json").read_text("utf-8"))


def test_the_file_says_all_that_hugging_face_needs(spec, tmp_path):
    """Member by member; a missing one would be filled in by a default of theirs."""
    spec = replace(spec, added_tokens=(AddedToken("<s>", 258),))
    file = written(spec, tmp_path)
    vocab = file["model"].pop("vocab")
    assert [vocab[token] for token in ("Ā", "Ġ", "a", "ab", "abc")] == [0, 32, 97, 256, 257]
    assert list(vocab.values()) == list(range(258))
    assert file["model"] == {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "merges": [["a", "b"], ["ab", "c"]],
    }
    flags = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized"], False)
    assert file["added_tokens"] == [{"id": 258, "content": "<s>", "special": True} | flags]


def test_the_pre_tokenizer_cuts_first_and_maps_bytes_then(spec, tmp_path):
    """ByteLevel has a pattern of its own, which must be off."""
    file = written(spec, tmp_path)
    to_bytes = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    to_bytes["use_regex"] = False
    cut = {"type": "Split", "pattern": {"Regex": "[a-z]+"}, "behavior": "Isolated", "invert": False}
    assert file["pre_tokenizer"] == {"type": "Sequence", "pretokenizers": [cut, to_bytes]}
    assert file["decoder"]["type"] == "ByteLevel"
    assert (file["normalizer"], file["post_processor"]) == (None, None)
    assert written(replace(spec, rules=SplitRules()), tmp_path)["pre_tokenizer"] == to_bytes


@pytest.mark.parametrize(
    ("names", "component"),
    [
        (("nfc",), {"type": "NFC"}),
        (
            ("collapse-whitespace",),
            {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
        ),
        (
            ("nfkc", "lowercase"),
            {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}]},
        ),
    ],
)
def test_normalisers_are_written_in_order(names, component, spec, tmp_path):
    """And read back to the same names."""
    spec = replace(spec, rules=SplitRules(None, names))
    assert written(spec, tmp_path)["normalizer"] == component
    assert formats.read(tmp_path).rules.normalizer == names


@pytest.mark.parametrize("pattern", [None, "[a-z]+", *NAMED.values()])
def test_what_was_written_reads_back(pattern, spec, tmp_path):
    """Nothing is lost, and saving it again gives the same bytes."""
    added = (AddedToken("<s>", 258), AddedToken("two words", 4000, special=False))
    rules = SplitRules(pattern, ("nfc",), ("<s>",))
    spec = replace(spec, rules=rules, added_tokens=added, ignore_merges=True, name="mine")
    formats.write(spec, tmp_path / "mine")
    again = formats.read(tmp_path / "mine")
    assert again == spec
    formats.write(again, tmp_path / "again")
    files = [tmp_path / name / "tokenizer.json" for name in ("mine", "again")]
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize(
    ("added", "vocab_size"),
    [
        ([("<s>", 258), ("<t>", 259)], 258),
        ([("<s>", 259)], 259),
        ([("<s>", 258), ("<t>", 260)], 260),
        ([("ab", 256), ("<s>", 258)], 258),
        ([("ab", 256), ("<s>", 300)], 259),
    ],
    ids=["in-a-row", "gap-before", "gap-between", "shared", "shared-and-gap"],
)
def test_added_tokens_stand_in_the_vocabulary_only_where_they_must(
    added, vocab_size, spec, tmp_path
):
    """There Hugging Face keeps their ids; elsewhere it counts them itself."""
    tokens = tuple(AddedToken(content, number) for content, number in added)
    vocab = written(replace(spec, added_tokens=tokens), tmp_path)["model"]["vocab"]
    assert len(vocab) == vocab_size
    if vocab_size > 258:
        assert all(vocab[token.content] == token.id for token in tokens)


def test_an_added_token_spelt_like_a_byte_is_refused(spec, tmp_path):
    """In the vocabulary "é" is the byte 0xE9: the token would get that id."""
    spec = replace(spec, added_tokens=(AddedToken("é", 258),))
    with pytest.raises(ExportError, match="'é' has id 258, but Hugging Face would give it id 233"):
        formats.write(spec, tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_an_added_token_found_by_other_text_is_refused(spec, tmp_path):
    """With ignore_merges, "Ġx" in the vocabulary is found by the text " x"."""
    spec = replace(spec, added_tokens=(AddedToken("Ġx", 300),))
    with pytest.warns(BytepairWarning, match="will not give back the added token 'Ġx'"):
        formats.write(spec, tmp_path)
    with pytest.raises(ExportError, match=r"would also give its id to the text b' x'"):
        formats.write(replace(spec, ignore_merges=True), tmp_path)


def test_an_added_token_that_would_become_a_character_is_refused(spec, tmp_path):
    """It must stand in the vocabulary to keep its id, and there single characters are symbols."""
    vocabulary = Vocabulary({0: b"a", 1: b"?"})
    spec = replace(spec, vocabulary=vocabulary, merges=MergeTable.from_merges([]), unk_id=1,
                   alphabet="chars", added_tokens=(AddedToken("(", 2),))  # fmt: skip
    formats.write(spec, tmp_path / "in-a-row")
    spec = replace(spec, added_tokens=(AddedToken("(", 9),))
    with pytest.raises(ExportError, match=r"id 9\): programs would also .* character '\('"):
        formats.write(spec, tmp_path / "behind-a-gap")


def test_an_added_token_that_their_decoder_garbles_is_announced(spec, tmp_path):
    """Its ids are right everywhere, so this is no reason to refuse it."""
    spec = replace(spec, added_tokens=(AddedToken("<|début|>", 258), AddedToken("<日>", 259)))
    with pytest.warns(BytepairWarning, match=r"'<\|début\|>': it takes its letters") as caught:
        formats.write(spec, tmp_path)
    assert len(caught) == 1
    assert formats.read(tmp_path).added_tokens == spec.added_tokens


@pytest.mark.parametrize(
    ("tokens", "merges", "message"),
    [
        ({256: b"ab", 257: b"ab"}, [(97, 98, 256)], "tokens 256 and 257 are both 'ab'"),
        ({256: b"ab", 257: b"x!"}, [(97, 98, 257)], "of 'a' and 'b' gives 'x!', which a tokenizer"),
    ],
)
def test_what_the_file_cannot_say_is_refused(tokens, merges, message, spec, tmp_path):
    """It names merges by their parts and tokens by their bytes."""
    tokens = {**{byte: bytes([byte]) for byte in range(256)}, **tokens}
    vocabulary = Vocabulary(tokens, tuple(range(256)))
    with pytest.raises(ExportError, match=message):
        formats.write(replace(spec, vocabulary=vocabulary, merges=MergeTable.from_merges(merges)),
                      tmp_path)  # fmt: skip


@pytest.mark.parametrize(("special", "expected"), [(True, "<|endoftext|>"), (False, None)])
def test_the_configuration_names_an_end_only_if_there_is_one(special, expected, spec, tmp_path):
    """What else `transformers` could be told would be a guess."""
    added = (AddedToken("<|endoftext|>", 258, special=special),)
    formats.write(replace(spec, added_tokens=added), tmp_path)
    config = json.loads((tmp_path / "tokenizer_config.json").read_text("utf-8"))
    assert config.pop("eos_token", None) == expected
    assert config == {
        "clean_up_tokenization_spaces": False,
        "tokenizer_class": "PreTrainedTokenizerFast",
    }


class TestCharacters:
    """`alphabet="chars"`: byte fallback can be said, its absence and an end mark cannot."""

    @pytest.fixture
    def chars(self, spec):
        """Fallback bytes (0 to 255), <, 0, x, 4, 1, > (256 to 261)."""
        tokens = [bytes([byte]) for byte in range(256)] + [bytes([code]) for code in b"<0x41>"]
        vocabulary = Vocabulary(dict(enumerate(tokens)), tuple(range(256)))
        merges = MergeTable.from_merges([])
        return replace(spec, vocabulary=vocabulary, merges=merges, alphabet="chars", name="mine")

    def test_reads_back(self, chars, tmp_path):
        """Bytes are spelt <0x41>, characters as they are."""
        file = written(chars, tmp_path / "mine")
        assert file["model"]["byte_fallback"] is True
        assert [file["model"]["vocab"][token] for token in ("<0x41>", "4")] == [0x41, 259]
        assert file["pre_tokenizer"]["type"] == "Split"
        assert formats.read(tmp_path / "mine") == chars

    def test_a_token_spelt_like_a_byte_is_refused(self, chars, tmp_path):
        """Hugging Face would decode the learned text "<0x41>" as the letter A."""
        tokens = {**chars.vocabulary.tokens, 262: b"<0x41>"}
        chars = replace(chars, vocabulary=replace(chars.vocabulary, tokens=tokens))
        with pytest.raises(ExportError, match="token 262 is the text '<0x41>', by which Hugging"):
            formats.write(chars, tmp_path)

    def test_a_token_that_is_no_text_is_refused(self, chars, tmp_path):
        """A character cannot be half of one."""
        tokens = {**chars.vocabulary.tokens, 262: b"\xc3"}
        chars = replace(chars, vocabulary=replace(chars.vocabulary, tokens=tokens))
        with pytest.raises(ExportError, match=r"token 262 \(b'\\xc3'\) is not text"):
            formats.write(chars, tmp_path)

    def test_without_byte_fallback_is_refused(self, chars, tmp_path):
        """Unknown characters vanish there; here they are an error."""
        chars = replace(chars, vocabulary=Vocabulary({0: b"a"}))
        with pytest.raises(ExportError, match="silently drops characters that have no token"):
            formats.write(chars, tmp_path)

    def test_an_end_mark_is_refused(self, chars, tmp_path):
        """There it is glued to the last character, here it is a symbol of its own."""
        vocabulary = replace(chars.vocabulary, end_of_word_id=0)
        with pytest.raises(ExportError, match="cannot express the end mark '</w>'"):
            formats.write(replace(chars, vocabulary=vocabulary, end_of_word="</w>"), tmp_path)
