"""Reading `tokenizer.json`: what is understood, and what is refused by name."""

import contextlib
import copy
import json
import random
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bytepair import formats
from bytepair.errors import BytepairWarning, FormatError
from bytepair.model import BYTE_TO_CHAR, AddedToken
from bytepair.patterns import NAMED

BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def split(pattern, behavior="Isolated", invert=False):
    """A Split pre-tokenizer."""
    return {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}


def sequence(*steps):
    """Pre-tokenizers one after the other."""
    return {"type": "Sequence", "pretokenizers": list(steps)}


def at(document, path, value):
    """A copy of `document` with the member at `path` ("model.vocab") set."""
    document = copy.deepcopy(document)
    *parents, last = path.split(".")
    place = document
    for key in parents:
        place = place[int(key) if key.isdigit() else key]
    place[int(last) if last.isdigit() else last] = value
    return document


def test_a_plain_file_reads_whole(hf_file, save):
    """Every part of the specification comes from the file."""
    spec = formats.read(save(hf_file))
    assert spec.vocabulary.tokens == {**{b: bytes([b]) for b in range(256)}, 256: b"he",
                                      257: b"ll", 258: b"hell"}  # fmt: skip
    assert spec.vocabulary.byte_ids == tuple(range(256))
    assert list(spec.merges) == [(104, 101, 256, 0), (108, 108, 257, 1), (256, 257, 258, 2)]
    assert spec.added_tokens == (AddedToken("<s>", 259),)
    assert (spec.rules.pattern, spec.rules.special_tokens) == (NAMED["gpt2"], ("<s>",))
    assert (spec.alphabet, spec.ignore_merges, spec.name) == ("bytes", False, "mine")


def test_folder_and_file_are_the_same(hf_file, save):
    """People name either."""
    path = save(hf_file)
    assert formats.read(path) == formats.read(path.parent) == formats.read(str(path))


def test_merges_are_understood_in_both_spellings(hf_file, save):
    """Files up to 2024 hold "h e", later ones ["h", "e"]."""
    pairs = formats.read(save(hf_file))
    joined = [" ".join(merge) for merge in hf_file["model"]["merges"]]
    assert formats.read(save(at(hf_file, "model.merges", joined))) == pairs


def test_ids_with_gaps_are_kept(hf_file, save):
    """An id belongs to a row of a model's embedding; it must never be renumbered."""
    gaps = at(hf_file, "model.vocab.hell", 4000)
    spec = formats.read(save(at(gaps, "added_tokens.0.id", 5000)))
    assert spec.added_tokens == (AddedToken("<s>", 5000),)
    assert (spec.vocabulary.tokens[4000], len(spec.vocabulary)) == (b"hell", 259)
    assert list(spec.merges)[2] == (256, 257, 4000, 2)


def test_an_added_token_in_the_vocabulary_is_no_ordinary_token(hf_file, save):
    """Files often list special tokens in both places; merging never makes them."""
    spec = formats.read(save(at(hf_file, "model.vocab.<s>", 259)))
    assert spec == formats.read(save(hf_file))


def test_an_added_token_that_merging_makes_is_both(hf_file, save):
    """Without it as an ordinary token the merge, and the text inside words, would be lost."""
    added = {"id": 258, "content": "hell", "special": False}
    spec = formats.read(save(at(hf_file, "added_tokens.0", added)))
    assert spec.added_tokens == (AddedToken("hell", 258, special=False),)
    assert spec.vocabulary.tokens[258] == b"hell"
    assert spec.rules.special_tokens == ()


@pytest.mark.parametrize("content", ["é", "đem", "日本", "two words\n"])
def test_an_added_token_stands_for_its_own_text(content, hf_file, save):
    """Its letters are no stand-ins for bytes, although "é" also spells the byte 0xE9."""
    spec = formats.read(save(at(hf_file, "added_tokens.0.content", content)))
    assert spec.added_tokens == (AddedToken(content, 259),)
    assert spec.vocabulary.tokens[0xE9] == b"\xe9"


@pytest.mark.parametrize(
    ("pre_tokenizer", "pattern"),
    [
        (BYTES, None),
        (BYTES | {"use_regex": True}, NAMED["gpt2"]),
        ({"type": "ByteLevel", "add_prefix_space": False}, NAMED["gpt2"]),
        (sequence(BYTES), None),
        (sequence(split({"Regex": r"\d+"}), BYTES), r"\d+"),
        (sequence(split({"Regex": r"\d+"}, invert=True), BYTES), r"\d+"),
        (sequence(split({"String": "a.b|c d"}), BYTES), r"a\.b\|c d"),
        (sequence(split({"String": r"\w+"}), BYTES), r"\\w\+"),
    ],
    ids=[
        "none",
        "gpt2",
        "gpt2-by-default",
        "one-step",
        "regex",
        "inverted",
        "literal",
        "literal-like-a-regex",
    ],
)
def test_the_pattern_comes_from_the_pre_tokenizer(pre_tokenizer, pattern, hf_file, save):
    """A plain string is matched literally: taking it for a regex would cut elsewhere."""
    spec = formats.read(save(at(hf_file, "pre_tokenizer", pre_tokenizer)))
    assert spec.rules.pattern == pattern


@pytest.mark.parametrize(
    ("normalizer", "names"),
    [
        ({"type": "NFC"}, ("nfc",)),
        (
            {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
            ("collapse-whitespace",),
        ),
        (
            {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}]},
            ("nfkc", "lowercase"),
        ),
        ({"type": "Sequence", "normalizers": []}, ()),
    ],
    ids=["one", "replace", "sequence", "empty"],
)
def test_normalisers_are_read_in_order(normalizer, names, hf_file, save):
    """They change text before it is cut, so their order matters."""
    assert formats.read(save(at(hf_file, "normalizer", normalizer))).rules.normalizer == names


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("post_processor", BYTES),
        ("post_processor", {"type": "Sequence", "processors": [BYTES]}),
        ("decoder", None),
        ("decoder", {"type": "Sequence", "decoders": [BYTES]}),
        ("model.dropout", 0.0),
        ("model.unk_token", "<s>"),
        ("model.fuse_unk", True),
        ("model.continuing_subword_prefix", ""),
        ("model.end_of_word_suffix", ""),
        ("added_tokens.0.normalized", True),
    ],
)
def test_what_changes_no_id_is_accepted(path, value, hf_file, save):
    """Real files hold these; none has an effect where every byte has a token."""
    assert formats.read(save(at(hf_file, path, value))) == formats.read(save(hf_file))


REFUSED = [
    ("version", "2.0", "version '2.0' is not supported (known: 1.0)"),
    ("truncation", {"max_length": 5}, "truncation is set"),
    ("normalizer", {"type": "NFD"}, "normalizer.type 'NFD' is not supported (known: NFC"),
    (
        "normalizer",
        {"type": "Replace", "pattern": {"String": "a"}, "content": "b"},
        "normalizer repl",
    ),
    ("normalizer", {"type": "Sequence", "normalizers": [{"type": "Strip"}]}, "normalizers[0].type"),
    ("pre_tokenizer", {"type": "FutureSplit", "x": 1}, "pre_tokenizer.type 'FutureSplit' is not"),
    ("pre_tokenizer", BYTES | {"add_prefix_space": True}, "pre_tokenizer.add_prefix_space is true"),
    ("pre_tokenizer", sequence(BYTES, split({"Regex": "a"})), "steps after ByteLevel"),
    (
        "pre_tokenizer",
        sequence(split({"Regex": "a"}), split({"Regex": "b"}), BYTES),
        "cuts 2 times",
    ),
    ("pre_tokenizer", sequence(split({"Regex": "a"}), BYTES | {"use_regex": True}), "cuts 2 times"),
    (
        "pre_tokenizer",
        sequence(split({"Regex": "a"}, "Removed"), BYTES),
        "'Removed' is not supported",
    ),
    ("pre_tokenizer", sequence(split({"String": ""}), BYTES), "pattern.String is empty"),
    ("pre_tokenizer", sequence(split({"Regex": "a*"}), BYTES), "matches the empty text"),
    ("pre_tokenizer", sequence(split({"Regex": "(a"}), BYTES), "not a valid regex"),
    (
        "pre_tokenizer",
        sequence(split({"Regex": "^a"}), BYTES),
        "pattern.Regex: pattern '^a' uses '^'",
    ),
    ("pre_tokenizer", sequence(split({"Regex": r"\w+"}), BYTES), r"other characters than bytepair"),
    ("pre_tokenizer", None, "neither a ByteLevel pre_tokenizer nor model.byte_fallback"),
    (
        "post_processor",
        {"type": "TemplateProcessing"},
        "post_processor.type 'TemplateProcessing' is",
    ),
    (
        "decoder",
        {"type": "WordPiece"},
        "decoder.type 'WordPiece' is not supported (known: ByteLevel",
    ),
    ("decoder", {"type": "Sequence", "decoders": []}, "decoder must begin with ByteLevel"),
    ("model.type", "Unigram", "model.type 'Unigram' is not supported (known: BPE)"),
    ("model.dropout", 0.1, "model.dropout 0.1 is not supported"),
    ("model.continuing_subword_prefix", "##", "model.continuing_subword_prefix '##' is not"),
    ("model.end_of_word_suffix", "</w>", "model.end_of_word_suffix '</w>' is not supported"),
    (
        "added_tokens.0.lstrip",
        True,
        "added_tokens[0].lstrip is true ('<s>'), which is not supported",
    ),
    ("added_tokens.0.rstrip", True, "added_tokens[0].rstrip is true"),
    ("added_tokens.0.single_word", True, "added_tokens[0].single_word is true"),
]


@pytest.mark.parametrize(("path", "value", "message"), REFUSED)
def test_what_would_change_ids_is_refused_by_name(path, value, message, hf_file, save):
    """A tokenizer with a step missing gives wrong ids without a word."""
    with pytest.raises(FormatError) as caught:
        formats.read(save(at(hf_file, path, value)))
    assert message in str(caught.value)
    assert "tokenizer.json: " in str(caught.value)


DAMAGED = [
    ("model", [], "model must be an object, got an array"),
    ("model.vocab", ["a"], "model.vocab must be an object, got an array"),
    ("model.vocab.he", "256", "model.vocab['he'] must be a whole number, got a string"),
    ("model.vocab.he", True, "model.vocab['he'] must be a whole number, got true or false"),
    ("model.vocab.he", 256.0, "model.vocab['he'] must be a whole number, got a fraction"),
    ("model.vocab.he", -1, "model.vocab['he'] is -1, which is no id (0 to 2147483647)"),
    ("model.vocab.he", 2**31, "model.vocab['he'] is 2147483648, which is no id"),
    ("model.vocab.zz", 97, "model.vocab gives id 97 to both 'a' and 'zz'"),
    ("model.vocab.", 300, "model.vocab has an empty token (id 300)"),
    ("model.vocab.x y", 300, "token 'x y' (id 300) holds ' ', which stands for no byte"),
    ("model.merges", {}, "model.merges must be an array, got an object"),
    ("model.merges.1", "l l l", 'model.merges[1] must be two tokens, as "a b" or ["a", "b"]'),
    ("model.merges.1", ["l"], "model.merges[1] must be two tokens"),
    ("model.merges.1", ["l", 7], "model.merges[1] must be two tokens"),
    ("model.merges.1", ["l", ""], "model.merges[1] must be two tokens"),
    ("model.merges.1", 7, "model.merges[1] must be two tokens"),
    ("model.merges.1", ["a", "b"], "model.merges[1]: 'a' and 'b' give 'ab', but 'ab' is not in"),
    ("model.merges.1", ["l", "lx"], "model.merges[1]: 'l' and 'lx' give 'llx', but 'lx' is not in"),
    ("model.merges.1", ["h", "e"], "model.merges[1]: 'h' and 'e' were already merged by merges[0]"),
    ("model.ignore_merges", 1, "model.ignore_merges must be true or false, got a whole number"),
    ("pre_tokenizer.type", None, "pre_tokenizer.type must be a string, got null"),
    ("pre_tokenizer.add_prefix_space", "no", "must be true or false, got a string"),
    ("added_tokens", {}, "added_tokens must be an array, got an object"),
    ("added_tokens.0", "<s>", "added_tokens[0] must be an object, got a string"),
    ("added_tokens.0.id", None, "added_tokens[0].id must be a whole number, got null"),
    ("added_tokens.0.id", -5, "added_tokens[0].id is -5, which is no id"),
    ("added_tokens.0.id", 97, "id 97 is given to both the added token '<s>' and the token 'a'"),
    ("added_tokens.0.content", "", "added_tokens[0].content is empty"),
    ("added_tokens.0.content", "\ud800", "added_tokens[0].content holds half a surrogate pair"),
    (
        "added_tokens.0",
        {"id": 233, "content": "é"},
        "id 233 is given to both the added token 'é' and",
    ),
    ("added_tokens.0", {"content": "<s>"}, "added_tokens[0].id must be a whole number, got null"),
]


@pytest.mark.parametrize(("path", "value", "message"), DAMAGED)
def test_damage_is_reported_where_it_is(path, value, message, hf_file, save):
    """Other libraries take some of these silently, crash on others, or decode by chance."""
    with pytest.raises(FormatError) as caught:
        formats.read(save(at(hf_file, path, value)))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ({"id": 259, "content": "<t>"}, "added tokens '<s>' and '<t>' both have id 259"),
        ({"id": 260, "content": "<s>"}, "added token '<s>' has two ids, 259 and 260"),
        (
            {"id": 260, "content": "s>x", "normalized": True},
            "added tokens '<s>' and 's>x' can overlap but differ in 'normalized'",
        ),
    ],
)
def test_added_tokens_must_not_contradict_each_other(second, message, hf_file, save):
    """Which of the two is meant would depend on who reads the file."""
    added = [*hf_file["added_tokens"], second]
    with pytest.raises(FormatError, match=message):
        formats.read(save(at(hf_file, "added_tokens", added)))


def test_a_token_searched_in_normalised_text_needs_no_normaliser(hf_file, save):
    """With one, the text that is searched is another text."""
    file = at(hf_file, "added_tokens.0.normalized", True)
    with pytest.raises(FormatError, match="'<s>' is looked for in normalised text"):
        formats.read(save(at(file, "normalizer", {"type": "NFC"})))


def test_missing_bytes_are_counted_and_shown(hf_file, save):
    """Without a token for each byte some texts cannot be encoded; others panic or drop them."""
    kept = {token: i for token, i in hf_file["model"]["vocab"].items() if i >= 10}
    with pytest.raises(FormatError, match=r"10 of the 256 bytes have no token \(0x00, 0x01, .*…\)"):
        formats.read(save(at(hf_file, "model.vocab", kept)))


def test_a_merge_of_a_tiny_vocabulary_is_checked_first(hf_file, save):
    """A file like this makes other libraries crash when they encode."""
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": [["a", "b"]]}
    with pytest.raises(FormatError, match=r"'a' and 'b' give 'ab', but 'ab' is not in model.vocab"):
        formats.read(save(at(hf_file, "model", model)))


def test_a_looked_up_token_must_mean_what_it_says(hf_file, save):
    """With ignore_merges, "Ġthe" in the vocabulary is found by the text " the"."""
    file = at(hf_file, "model.vocab.Ġthe", 260)
    file = at(file, "added_tokens.0", {"id": 260, "content": "Ġthe"})
    assert formats.read(save(file)).added_tokens == (AddedToken("Ġthe", 260, special=False),)
    with pytest.raises(FormatError, match="id 260 is given to both the added token 'Ġthe'"):
        formats.read(save(at(file, "model.ignore_merges", True)))


def test_unknown_members_are_named_in_one_warning(hf_file, save):
    """A newer file may say something important there; it must not pass in silence."""
    file = at(hf_file, "model.new_field", 1)
    with pytest.warns(BytepairWarning, match=r"does not know: extra, model\.new_field$") as caught:
        formats.read(save(at(file, "extra", {})))
    assert len(caught) == 1


class TestByteFallback:
    """Characters as tokens, `<0x41>` for the bytes of others."""

    @pytest.fixture
    def fallback_file(self, hf_file):
        """Fallback bytes (0 to 255), a, é, aé."""
        vocab = {f"<0x{byte:02X}>": byte for byte in range(256)} | {"a": 256, "é": 257, "aé": 258}
        model = {"type": "BPE", "byte_fallback": True, "vocab": vocab, "merges": ["a é"]}
        decoder = {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]}
        return hf_file | {"model": model, "decoder": decoder, "pre_tokenizer": None}

    def test_reads_characters_and_bytes(self, fallback_file, save):
        """A character and a byte may have the same bytes and are different tokens."""
        spec = formats.read(save(fallback_file))
        assert (spec.alphabet, spec.rules.pattern) == ("chars", None)
        assert spec.vocabulary.byte_ids == tuple(range(256))
        assert [spec.vocabulary.tokens[i] for i in (97, 256, 257)] == [b"a", b"a", "é".encode()]
        assert list(spec.merges) == [(256, 257, 258, 0)]

    @pytest.mark.parametrize(
        ("path", "value", "message"),
        [
            ("model.byte_fallback", False, "characters without a token would vanish"),
            ("model.merges.0", "<0x41> é", "merges[0]: '<0x41>' and 'é' give '<0x41>é', but"),
            ("model.vocab.\ud800", 300, "holds half a surrogate pair"),
            ("decoder", None, "decoder is missing"),
            ("decoder", {"type": "Fuse"}, "decoder must begin with ByteFallback"),
            ("pre_tokenizer", {"type": "Metaspace"}, "pre_tokenizer.type 'Metaspace' is not"),
        ],
    )
    def test_refuses_what_it_cannot_keep(self, path, value, message, fallback_file, save):
        """Each would encode or decode differently here and there."""
        with pytest.raises(FormatError) as caught:
            formats.read(save(at(fallback_file, path, value)))
        assert message in str(caught.value)

    def test_refuses_merges_of_bytes(self, fallback_file, save):
        """Others would decode such a token as the text "<0x41>é"."""
        file = at(fallback_file, "model.vocab.<0x41>é", 300)
        with pytest.raises(FormatError, match=r"merges\[0\] takes part in byte fallback"):
            formats.read(save(at(file, "model.merges.0", "<0x41> é")))

    def test_counts_missing_bytes(self, fallback_file, save):
        """Then an unknown character would be dropped, or become an unknown token."""
        del fallback_file["model"]["vocab"]["<0xFF>"]
        with pytest.raises(FormatError, match=r"1 of the 256 bytes have no token \(0xFF\)"):
            formats.read(save(fallback_file))


JUNK = st.sampled_from([None, True, -1, 2**40, 0.5, "", "x", "\ud800", [], [[]], {}, {"type": "x"}])


def places(value, prefix=()):
    """Every path inside a JSON value."""
    yield prefix
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from places(item, (*prefix, key))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(junk=JUNK, seed=st.integers(0, 2**32))
def test_no_junk_anywhere_escapes_as_another_error(junk, seed, hf_file, save):
    """Files come from strangers: a traceback out of the reader is a defect, whatever they hold."""
    normalizer = {"type": "Sequence", "normalizers": [{"type": "NFC"}]}
    cut = sequence(split({"Regex": r"\d"}), BYTES)
    file = copy.deepcopy(hf_file | {"normalizer": normalizer, "pre_tokenizer": cut})
    chosen = [path for path in places(file) if path and path[-1] not in BYTE_TO_CHAR]
    *parents, last = random.Random(seed).choice(chosen)
    place = file
    for key in parents:
        place = place[key]
    place[last] = copy.deepcopy(junk)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BytepairWarning)
        with contextlib.suppress(FormatError):
            formats.read(save(file))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=st.integers(0, 6000), size=st.integers(1, 50), patch=st.binary(max_size=4))
def test_no_damaged_byte_escapes_as_another_error(start, size, patch, hf_file, save):
    """Truncated downloads and disks with errors."""
    path = save(hf_file)
    whole = path.read_bytes()
    path.write_bytes(whole[:start] + patch + whole[start + size :])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BytepairWarning)
        with contextlib.suppress(FormatError):
            formats.read(path)


def test_the_file_itself_says_what_it_is_not(hf_file, save, tmp_path):
    """A vocab.json has the same ending and the same look."""
    with pytest.raises(
        FormatError, match=r"not a tokenizer.json: it has no 'model' \(it holds: a\)"
    ):
        formats.read(save({"a": 0}))
    with pytest.raises(FormatError, match="must hold a JSON object, got an array"):
        formats.read(save([hf_file]))


def test_reading_needs_no_encoding_of_the_platform(hf_file, save):
    """The file is UTF-8 whatever the locale: its letters go beyond any other code page."""
    path = save(hf_file)
    path.write_text(json.dumps(hf_file, ensure_ascii=False), encoding="utf-8")
    assert "Ġ".encode() in path.read_bytes()
    assert formats.read(path).vocabulary.tokens[32] == b" "
