"""The normalizers of a `tokenizer.json`: what each means here, and what it is written as."""

import json
from dataclasses import replace

import pytest

from bytepair import formats
from bytepair.errors import ExportError, FormatError
from bytepair.model import Prepend, Replace, Split, SplitRules, Strip

DIGIT = r"[\p{N}\x{11DE0}-\x{11DE9}\x{16FF4}-\x{16FF6}]"  # Unicode 17's, as `tokenizers` has it


def sequence(*steps):
    """Normalizers one after the other."""
    return {"type": "Sequence", "normalizers": list(steps)}


def bert(**flags):
    """A BertNormalizer; flags that are not given are off."""
    names = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
    return {"type": "BertNormalizer", **dict.fromkeys(names, False), **flags}


KNOWN = {
    "nfc": ({"type": "NFC"}, ("nfc",)),
    "nfd": ({"type": "NFD"}, ("nfd",)),
    "nfkd": ({"type": "NFKD"}, ("nfkd",)),
    "accents": ({"type": "StripAccents"}, ("strip-accents",)),
    "nmt": ({"type": "Nmt"}, ("nmt",)),
    "prepend": ({"type": "Prepend", "prepend": "▁"}, (Prepend("▁"),)),
    "prepend-nothing": ({"type": "Prepend", "prepend": ""}, ()),
    "strip": ({"type": "Strip", "strip_left": True, "strip_right": False}, (Strip(True, False),)),
    "text": (
        {"type": "Replace", "pattern": {"String": "a.b"}, "content": "x"},
        (Replace("a.b", "x"),),
    ),
    "nothing": (
        {"type": "Replace", "pattern": {"String": ""}, "content": "-"},
        (Replace("", "-"),),
    ),
    "regex": (
        {"type": "Replace", "pattern": {"Regex": r"\d"}, "content": "0"},
        (Replace(r"\d", "0", is_regex=True),),
    ),
    "collapse": (
        {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
        ("collapse-whitespace",),
    ),
    "sequence": (sequence({"type": "NFKC"}, {"type": "Lowercase"}), ("nfkc", "lowercase")),
    "nested": (sequence(sequence({"type": "NFC"}), {"type": "Lowercase"}), ("nfc", "lowercase")),
    "empty": (sequence(), ()),
    "none": (None, ()),
    "bert-clean": (bert(clean_text=True), ("bert-clean-text",)),
    "bert-chinese": (bert(handle_chinese_chars=True), ("bert-chinese-chars",)),
    "bert-accents": (bert(strip_accents=True), ("nfd", "bert-strip-accents")),
    "bert-lowercase": (bert(strip_accents=None), ()),
    "bert-all": (
        bert(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True),
        ("bert-clean-text", "bert-chinese-chars", "nfd", "bert-strip-accents", "lowercase"),
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_each_component_is_a_step(name, chars_file, read_with, again):
    """They change text before it is cut, so their order matters; written, they read back alike."""
    component, steps = KNOWN[name]
    spec = read_with(chars_file, {"normalizer": component})
    assert spec.rules.normalizer == steps
    assert again(spec) == spec


def test_what_was_one_component_is_not_always_one_again(chars_file, read_with, tmp_path):
    """Its parts, one after the other, do the same."""
    spec = read_with(chars_file, {"normalizer": bert(clean_text=True, strip_accents=True)})
    formats.write(spec, tmp_path)
    file = json.loads((tmp_path / "tokenizer.json").read_text("utf-8"))
    assert file["normalizer"] == sequence(bert(clean_text=True), bert(strip_accents=True))


def test_a_normaliser_may_spell_the_bytes(hf_file, read_with, again):
    """It does what the pre-tokenizer of that name does, only earlier: cuts see spelt bytes."""
    digits = {"type": "Digits", "individual_digits": True}
    members = {"normalizer": {"type": "ByteLevel"}, "pre_tokenizer": digits}
    spec = read_with(hf_file, members)
    assert (spec.alphabet, spec.rules.normalizer) == ("bytes", ())
    assert spec.rules.steps == (Split(DIGIT, by_bytes=True),)
    assert again(spec) == spec


REFUSED = [
    ({"type": "Upper"}, "normalizer.type 'Upper' is not supported (known: NFC, NFD"),
    (
        {"type": "Precompiled", "precompiled_charsmap": ""},
        "normalizer.precompiled_charsmap: the character map is damaged: its tree cannot have 0",
    ),
    (
        {"type": "Precompiled", "precompiled_charsmap": "A!"},
        "normalizer.precompiled_charsmap is not base64",
    ),
    ({"type": "Precompiled"}, "normalizer.precompiled_charsmap is missing"),
    (sequence({"type": "NFC"}, {"type": "Upper"}), "normalizer.normalizers[1].type 'Upper'"),
    (
        sequence({"type": "ByteLevel"}, {"type": "NFC"}),
        "normalizers[1]: NFC behind ByteLevel is not supported",
    ),
    (
        {"type": "Replace", "pattern": {"Regex": "(a"}, "content": ""},
        "pattern.Regex: pattern '(a' uses",
    ),
    ({"type": "Replace", "pattern": {"String": "a"}}, "normalizer.content is missing"),
    ({"type": "Strip"}, "normalizer.strip_left is missing"),
    ({"type": "BertNormalizer"}, "normalizer.lowercase is missing"),
]


@pytest.mark.parametrize(("component", "message"), REFUSED)
def test_what_is_not_known_is_refused_by_name(component, message, chars_file, read_with):
    """A tokenizer with a step missing gives wrong ids without a word."""
    with pytest.raises(FormatError) as caught:
        read_with(chars_file, {"normalizer": component})
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["upper", "bert-strip-accents"])
def test_a_normaliser_without_counterpart_is_not_written(name, spec, tmp_path):
    """BertNormalizer drops accents only together with decomposing the text."""
    spec = replace(spec, rules=SplitRules(None, (name,)))
    with pytest.raises(ExportError, match=f"{name!r} has no counterpart in a tokenizer.json"):
        formats.write(spec, tmp_path)
