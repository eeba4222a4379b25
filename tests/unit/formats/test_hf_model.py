"""The model of a `tokenizer.json`: its options, its tokens, its merges."""

from dataclasses import replace

import pytest

from bytepair import formats
from bytepair.errors import EncodeError, ExportError, FormatError
from bytepair.tokenizer import Tokenizer

MARKED = {"<unk>": 0, "a": 1, "##a": 2, "a</w>": 3, "##a</w>": 4, "aa": 5, "##": 6, "</w>": 7}
MARKS = {
    "model.vocab": MARKED,
    "model.merges": [["a", "##a"]],
    "model.continuing_subword_prefix": "##",
    "model.end_of_word_suffix": "</w>",
    "decoder": None,
}


def test_merges_are_understood_in_both_spellings(hf_file, read_with):
    """Files up to 2024 hold "h e", later ones ["h", "e"]."""
    joined = [" ".join(merge) for merge in hf_file["model"]["merges"]]
    assert read_with(hf_file, {"model.merges": joined}) == read_with(hf_file, {})


def test_the_header_of_a_merges_file_is_no_merge(hf_file, read_with):
    """Old converters copied it; only at the beginning, "#version" may be a token."""
    joined = ["#version: 0.2", *(" ".join(merge) for merge in hf_file["model"]["merges"])]
    assert read_with(hf_file, {"model.merges": joined}) == read_with(hf_file, {})


def test_a_model_without_a_type_is_bpe_if_it_has_merges(hf_file, read_with):
    """As files of the first years have it."""
    plain = read_with(hf_file, {})
    del hf_file["model"]["type"]
    assert read_with(hf_file, {}) == plain


def test_ids_may_stand_in_any_order(hf_file, read_with):
    """A vocabulary is a mapping; here it ascends."""
    vocab = dict(reversed(hf_file["model"]["vocab"].items()))
    assert next(iter(vocab.values())) == 258
    spec = read_with(hf_file, {"model.vocab": vocab})
    assert list(spec.vocabulary.tokens) == list(range(259))
    assert spec == read_with(hf_file, {})


class TestUnknown:
    """Characters without a token."""

    def test_become_the_unknown_token(self, chars_file, read_with, again):
        """Which must be in the model's vocabulary, also if it is an added token."""
        spec = read_with(chars_file, {"model.fuse_unk": True})
        assert (spec.unk_id, spec.fuse_unk, spec.vocabulary.byte_ids) == (0, True, ())
        assert again(spec) == spec

    def test_are_an_error_without_one(self, chars_file, read_with, tmp_path):
        """Hugging Face drops them without a word, so it is not given such a file either."""
        spec = read_with(chars_file, {"model.unk_token": None, "model.fuse_unk": True})
        assert (spec.unk_id, spec.fuse_unk) == (None, False)
        with pytest.raises(EncodeError, match="no token for 'x'"):
            Tokenizer(spec, engine="python").encode("ax")
        with pytest.raises(ExportError, match="silently drops characters that have no token"):
            formats.write(spec, tmp_path / "new")

    def test_named_but_missing_is_damage(self, chars_file, read_with):
        """Hugging Face finds out when it needs it."""
        with pytest.raises(FormatError, match=r"model.unk_token '\[UNK\]' is not in model.vocab"):
            read_with(chars_file, {"model.unk_token": "[UNK]"})

    def test_there_are_none_where_all_bytes_have_tokens(self, hf_file, read_with):
        """Then it does not matter that the token is nowhere."""
        spec = read_with(hf_file, {"model.unk_token": "[UNK]", "model.fuse_unk": True})
        assert (spec.unk_id, spec.fuse_unk) == (None, False)

    def test_added_tokens_may_be_it(self, chars_file, read_with, again):
        """It is then no ordinary token: no text is encoded to it as such."""
        added = {"id": 0, "content": "<unk>", "special": True}
        spec = read_with(chars_file, {"added_tokens.0": added})
        assert (spec.unk_id, 0 in spec.vocabulary.tokens) == (0, False)
        assert again(spec) == spec

    def test_bytes_can_be_unknown_too(self, hf_file, read_with, again):
        """Who trains on few texts and names no alphabet gets such a file."""
        vocab = {token: n for token, n in hf_file["model"]["vocab"].items() if n >= 10}
        members = {"model.vocab": vocab | {"<unk>": 300}, "model.unk_token": "<unk>"}
        spec = read_with(hf_file, members)
        assert (spec.alphabet, spec.vocabulary.byte_ids, spec.unk_id) == ("bytes", (), 300)
        assert Tokenizer(spec, engine="python").encode("a\tb") == [97, 300, 98]
        assert again(spec) == spec


class TestByteFallback:
    """Characters as tokens, `<0x41>` for the bytes of others."""

    def test_reads_characters_and_bytes(self, fallback_file, read_with):
        """A character and a byte may have the same bytes and are different tokens."""
        spec = read_with(fallback_file, {})
        assert (spec.alphabet, spec.rules.pattern) == ("chars", None)
        assert spec.vocabulary.byte_ids == tuple(range(256))
        assert [spec.vocabulary.tokens[i] for i in (97, 256, 257)] == [b"a", b"a", "é".encode()]
        assert list(spec.merges) == [(256, 257, 258, 0)]

    def test_without_byte_tokens_is_none(self, chars_file, read_with):
        """Hugging Face looks for the tokens, and takes the unknown one if they are missing."""
        assert read_with(chars_file, {"model.byte_fallback": True}) == read_with(chars_file, {})

    def test_counts_missing_bytes(self, fallback_file, read_with):
        """With some of them, a character would fall back or not as its bytes happen to be."""
        del fallback_file["model"]["vocab"]["<0xFF>"]
        with pytest.raises(FormatError, match=r"1 of the 256 bytes have no token \(0xFF\)"):
            read_with(fallback_file, {})

    def test_refuses_merges_of_bytes(self, fallback_file, read_with):
        """Others would decode such a token as the text "<0x41>é"."""
        members = {"model.vocab.<0x41>é": 300, "model.merges.0": "<0x41> é"}
        with pytest.raises(FormatError, match=r"merges\[0\] takes part in byte fallback"):
            read_with(fallback_file, members)

    @pytest.mark.parametrize("key", ["continuing_subword_prefix", "end_of_word_suffix"])
    def test_does_not_go_with_marks(self, key, fallback_file, read_with):
        """Hugging Face would make bytes of the marks as well."""
        with pytest.raises(FormatError, match=r"byte_fallback together with .* is not supported"):
            read_with(fallback_file, {f"model.{key}": "##"})


class TestMarks:
    """A prefix for what continues a word, a suffix for what ends one."""

    def test_are_not_part_of_the_bytes(self, chars_file, read_with, again):
        """A mark that stands alone is text."""
        spec = read_with(chars_file, MARKS)
        tokens = spec.vocabulary.tokens
        assert [tokens[n] for n in range(1, 8)] == [b"a"] * 4 + [b"aa", b"##", b"</w>"]
        assert spec.vocabulary.continues_word == {2, 4}
        assert spec.vocabulary.ends_word == {3, 4}
        assert list(spec.merges) == [(1, 2, 5, 0)]
        assert (spec.continuing_prefix, spec.end_of_word) == ("##", "</w>")
        assert again(spec) == spec

    def test_spelt_bytes_can_have_them(self, hf_file, read_with, again):
        """CLIP's file: the same byte is another token at the end of a word."""
        vocab = {**hf_file["model"]["vocab"], "Ã</w>": 300, "hell</w>": 301, "l</w>": 302}
        members = {"model.vocab": vocab, "model.end_of_word_suffix": "</w>"}
        spec = read_with(hf_file, members | {"model.merges": [["l", "l"]]})
        assert [spec.vocabulary.tokens[n] for n in (300, 301)] == [b"\xc3", b"hell"]
        assert spec.vocabulary.ends_word == {300, 301, 302}
        assert spec.vocabulary.byte_ids == tuple(range(256))
        assert again(spec) == spec

    @pytest.mark.parametrize("right", ["a", "##"])
    def test_a_merge_on_the_right_has_the_prefix(self, right, chars_file, read_with):
        """Without it the token begins a word, so nothing stands before it."""
        with pytest.raises(FormatError, match=rf"merges\[0\]: '{right}' does not begin with the p"):
            read_with(chars_file, MARKS | {"model.merges": [["a", right]]})

    def test_do_not_go_with_whole_words(self, chars_file, read_with, tmp_path):
        """Hugging Face looks words up without them, and finds tokens of other places."""
        members = MARKS | {"model.ignore_merges": True}
        with pytest.raises(FormatError, match=r"ignore_merges together with .* is not supported"):
            read_with(chars_file, members)
        spec = replace(read_with(chars_file, MARKS), ignore_merges=True)
        with pytest.raises(ExportError, match="reads ignore_merges and byte fallback differently"):
            formats.write(spec, tmp_path / "new")


@pytest.mark.parametrize(("value", "expected"), [(0.1, 0.1), (1, 1.0), (0, None), (None, None)])
def test_dropout_is_kept(value, expected, hf_file, read_with, again):
    """It belongs to encoding for training; zero is none."""
    spec = read_with(hf_file, {"model.dropout": value})
    assert spec.dropout == expected
    assert again(spec) == spec


REFUSED = [
    ("type", "Unigram", "model.type is 'Unigram': bytepair is for BPE tokenizers only."),
    ("type", "WordPiece", "model.type is 'WordPiece': bytepair is for BPE tokenizers only."),
    ("type", "Novel", "model.type 'Novel' is not supported (known: BPE)"),
    ("dropout", 1.5, "model.dropout must be a number from 0 to 1 or null, got 1.5"),
    ("dropout", True, "model.dropout must be a number from 0 to 1 or null, got True"),
    ("unk_token", 5, "model.unk_token must be a string, got a whole number"),
    ("end_of_word_suffix", [], "model.end_of_word_suffix must be a string, got an array"),
    ("byte_fallback", None, "model.byte_fallback must be true or false, got null"),
    ("vocab", ["a"], "model.vocab must be an object, got an array"),
    ("vocab.he", "256", "model.vocab['he'] must be a whole number, got a string"),
    ("vocab.he", True, "model.vocab['he'] must be a whole number, got true or false"),
    ("vocab.he", 256.0, "model.vocab['he'] must be a whole number, got a fraction"),
    ("vocab.he", -1, "model.vocab['he'] is -1, which is no id (0 to 2147483647)"),
    ("vocab.he", 2**31, "model.vocab['he'] is 2147483648, which is no id"),
    ("vocab.he", 10**18, "model.vocab['he'] is 1000000000000000000, which is no id"),
    ("vocab.he", 10**30, "which is no id"),
    ("vocab.zz", 97, "model.vocab gives id 97 to both 'a' and 'zz'"),
    ("vocab.", 300, "model.vocab has an empty token (id 300)"),
    ("vocab.x y", 300, "token 'x y' (id 300) holds ' ', which stands for no byte"),
    ("vocab.\ud800", 300, "which stands for no byte"),
    ("merges", {}, "model.merges must be an array, got an object"),
    (
        "merges.1",
        "l l l",
        "model.merges[1] must be a list of two tokens, as model.merges[0] is, got 'l l l'",
    ),
    ("merges.1", ["l"], "model.merges[1] must be a list of two tokens"),
    ("merges.1", ["l", 7], "model.merges[1] must be a list of two tokens"),
    ("merges.1", ["l", ""], "model.merges[1] must be a list of two tokens"),
    ("merges.1", ["l", []], "model.merges[1] must be a list of two tokens"),
    ("merges.1", "l l", "model.merges[1] must be a list of two tokens"),
    ("merges.1", 7, "model.merges[1] must be a list of two tokens"),
    ("merges", [7], "model.merges[0] must be two tokens"),
    ("merges", ["a b", "a  b", "b"], "model.merges[0]: 'a' and 'b' give 'ab', but 'ab' is not in"),
    ("merges", ["h e", "l", "l he l"], "model.merges[1] must be two tokens in a string"),
    ("merges.1", ["a", "b"], "model.merges[1]: 'a' and 'b' give 'ab', but 'ab' is not in"),
    ("merges.1", ["l", "lx"], "model.merges[1]: 'l' and 'lx' give 'llx', but 'lx' is not in"),
    ("merges.1", ["h", "e"], "model.merges[1]: ['h', 'e'] was already merged by merges[0]"),
    ("ignore_merges", 1, "model.ignore_merges must be true or false, got a whole number"),
]


@pytest.mark.parametrize(("key", "value", "message"), REFUSED)
def test_damage_is_reported_where_it_is(key, value, message, hf_file, read_with):
    """Other libraries take some of these silently, crash on others, or decode by chance."""
    with pytest.raises(FormatError) as caught:
        read_with(hf_file, {f"model.{key}": value})
    assert message in str(caught.value)


def test_a_character_that_no_text_contains_is_damage(chars_file, read_with):
    """Half a surrogate pair: JSON can say it, UTF-8 cannot."""
    with pytest.raises(FormatError, match=r"token '\\ud800' holds half a surrogate pair"):
        read_with(chars_file, {"model.vocab.\ud800": 300})


def test_a_merge_of_a_tiny_vocabulary_is_checked_first(hf_file, read_with):
    """A file like this makes other libraries crash when they encode."""
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": [["a", "b"]]}
    with pytest.raises(FormatError, match=r"'a' and 'b' give 'ab', but 'ab' is not in model.vocab"):
        read_with(hf_file, {"model": model})
