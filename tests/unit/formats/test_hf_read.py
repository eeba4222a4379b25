"""Reading `tokenizer.json`: the file as a whole, and files that are damaged or hostile."""

import contextlib
import copy
import json
import random
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bytepair
from bytepair import formats
from bytepair.errors import BytepairError, BytepairWarning, FormatError
from bytepair.formats import _hf_read
from bytepair.model import BYTE_TO_CHAR, AddedToken
from bytepair.patterns import NAMED


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


def test_ids_with_gaps_are_kept(hf_file, read_with):
    """An id belongs to a row of a model's embedding; it must never be renumbered."""
    spec = read_with(hf_file, {"model.vocab.hell": 4000, "added_tokens.0.id": 5000})
    assert spec.added_tokens == (AddedToken("<s>", 5000),)
    assert (spec.vocabulary.tokens[4000], len(spec.vocabulary)) == (b"hell", 259)
    assert list(spec.merges)[2] == (256, 257, 4000, 2)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("truncation", {"max_length": 5, "strategy": "LongestFirst", "stride": 0}),
        ("padding", {"strategy": "BatchLongest", "pad_id": 0, "pad_token": "<s>"}),
        ("version", None),
        ("post_processor", None),
        ("decoder", None),
        ("model.dropout", 0.0),
        ("model.continuing_subword_prefix", ""),
        ("model.end_of_word_suffix", ""),
        ("model.byte_fallback", True),
    ],
)
def test_what_changes_no_id_is_accepted(path, value, hf_file, read_with):
    """Truncation and padding are what a program last set; here each call says them."""
    assert read_with(hf_file, {path: value}) == read_with(hf_file, {})


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("version", "2.0", "version '2.0' is not supported (known: 1.0)"),
        ("version", 1, "version must be a string, got a whole number"),
        ("model", [], "model must be an object, got an array"),
        ("pre_tokenizer.type", None, "pre_tokenizer.type must be a string, got null"),
        ("pre_tokenizer.add_prefix_space", "no", "must be true or false, got a string"),
    ],
)
def test_damage_is_reported_where_it_is(path, value, message, hf_file, read_with):
    """File, place, what was wanted and what came."""
    with pytest.raises(FormatError) as caught:
        read_with(hf_file, {path: value})
    assert message in str(caught.value)
    assert "tokenizer.json: " in str(caught.value)


def test_unknown_members_are_named_in_one_warning(hf_file, read_with):
    """A newer file may say something important there; it must not pass in silence."""
    with pytest.warns(BytepairWarning, match=r"does not know: extra, model\.new_field$") as caught:
        read_with(hf_file, {"model.new_field": 1, "extra": {}})
    assert len(caught) == 1


FILES = ["hf", "chars", "fallback"]
COMPONENTS = {
    "normalizer": [
        {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Prepend", "prepend": "x"}]},
        {"type": "Replace", "pattern": {"Regex": "a"}, "content": "b"},
    ],
    "pre_tokenizer": [
        {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Digits", "individual_digits": True},
                {
                    "type": "Split",
                    "pattern": {"Regex": "b+"},
                    "behavior": "Removed",
                    "invert": False,
                },
            ],
        },
        {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first", "split": True},
    ],
    "post_processor": [
        {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "a", "type_id": 0}}, {"Sequence": {"id": "A"}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}],
            "special_tokens": {"a": {"id": "a", "ids": [0], "tokens": ["a"]}},
        },
        {"type": "RobertaProcessing", "sep": ["a", 0], "cls": ["b", 1], "trim_offsets": True},
    ],
}
JUNK = st.sampled_from(
    [None, True, -1, 2**40, 10**18, 0.5, 1e300, "", "x", "\ud800", "(" * 99, [], [[]], {}]
    + [{"type": kind} for kind in ("x", "Sequence", "Split", "BPE", "ByteLevel", "Fuse")]
    + [{"type": "Sequence", key: [None]} for key in ("decoders", "normalizers", "processors")]
)


def places(value, prefix=()):
    """Every path inside a JSON value."""
    yield prefix
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from places(item, (*prefix, key))


def mutate(file, choose, junk):
    """Put junk in some place, take something away, or repeat it."""
    chosen = [path for path in places(file) if path and path[-1] not in BYTE_TO_CHAR]
    *parents, last = choose.choice(chosen)
    place = file
    for key in parents:
        place = place[key]
    match choose.randrange(4):
        case 0 if isinstance(place, dict):
            del place[last]
        case 1 if isinstance(place, list):
            place.append(place[last])
        case _:
            place[last] = copy.deepcopy(junk)


def outcome(path):
    """What reading gives: a specification, or a complaint."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BytepairWarning)
        try:
            return formats.read(path)
        except BytepairError as error:
            return str(error)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(junk=JUNK, seed=st.integers(0, 2**32), kind=st.sampled_from(FILES))
def test_no_junk_anywhere_escapes_as_another_error(junk, seed, kind, request, save):
    """Files come from strangers: a traceback out of the reader is a defect, whatever they hold."""
    choose = random.Random(seed)
    file = copy.deepcopy(request.getfixturevalue(f"{kind}_file"))
    for member, components in COMPONENTS.items():
        file[member] = copy.deepcopy(choose.choice([file.get(member), *components]))
    for _ in range(choose.randrange(1, 3)):
        mutate(file, choose, junk)
    path = save(file)
    with_core = outcome(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_hf_read, "read_tables", lambda _: None)
        assert outcome(path) == with_core


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


def test_a_clean_up_of_spaces_is_none_of_the_tokenizers_business(hf_file, save):
    """Configurations of byte-level models say so by mistake: "x != y" would become "x!= y"."""
    path = save(hf_file)
    config = '{"clean_up_tokenization_spaces": true}'
    path.with_name("tokenizer_config.json").write_text(config, encoding="utf-8")
    tokenizer = bytepair.load(path.parent)
    text = "x != y , he said . it 's"
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_many_added_tokens_are_read_in_one_pass(hf_file, read_with):
    """Other libraries compare each with all before it."""
    added = [{"id": 300 + n, "content": f"<{n}>", "special": n % 2 == 0} for n in range(50_000)]
    assert len(read_with(hf_file, {"added_tokens": added}).added_tokens) == 50_000


@pytest.mark.parametrize("key", ["normalizer", "pre_tokenizer", "post_processor", "decoder"])
def test_deep_nesting_is_an_error_or_works(key, hf_file, save):
    """The stack of the reader must not depend on the file."""
    inner = {"normalizer": "normalizers", "pre_tokenizer": "pretokenizers"}
    inner |= {"post_processor": "processors", "decoder": "decoders"}
    text = json.dumps(hf_file | {key: "HERE"})
    for depth in (200, 400, 50_000):
        nested = f'{{"type": "Sequence", "{inner[key]}": [' * depth + "]}" * depth
        path = save({})
        path.write_text(text.replace('"HERE"', nested), encoding="utf-8")
        with contextlib.suppress(FormatError):
            formats.read(path)


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+b", "((a*)*)*c", "(?:a{1,60000}){1,60000}b"])
def test_a_regex_that_takes_for_ever_does_not_take_the_reader(pattern, chars_file, read_with):
    """It is compiled to an automaton, refused, or left to the engine that runs it."""
    cut = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BytepairWarning)
        with contextlib.suppress(BytepairError):
            read_with(chars_file, {"pre_tokenizer": cut})
