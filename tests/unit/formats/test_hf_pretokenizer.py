"""The pre-tokenizers of a `tokenizer.json`: what each means here, and what it is written as."""

import json
from dataclasses import replace

import pytest

from bytepair import formats
from bytepair.errors import ExportError, FormatError
from bytepair.formats._hf_scripts import SCRIPT_RUNS
from bytepair.model import Metaspace, PrefixSpace, Split, SplitRules
from bytepair.patterns import NAMED

BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
SPACE = r"\s"
# As `tokenizers` has them: Unicode 17's digits, Unicode 8's punctuation.
DIGIT = r"[\p{N}\x{11DE0}-\x{11DE9}\x{16FF4}-\x{16FF6}]"
PUNCTUATION = r"[!-/:-@\[-`{-~\u166D\x{111C9}[\p{P}&&\p{Age=8.0}]]"
GPT2 = Split(NAMED["gpt2"])


def split(pattern, behavior="Isolated", invert=False):
    """A Split pre-tokenizer."""
    return {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}


def sequence(*steps):
    """Pre-tokenizers one after the other."""
    return {"type": "Sequence", "pretokenizers": list(steps)}


ONE_PATTERN = {
    "none": (BYTES, None),
    "gpt2": (BYTES | {"use_regex": True}, NAMED["gpt2"]),
    "gpt2-by-default": ({"type": "ByteLevel", "add_prefix_space": False}, NAMED["gpt2"]),
    "one-step": (sequence(BYTES), None),
    "regex": (sequence(split({"Regex": r"\d+"}), BYTES), r"\d+"),
    "inverted": (sequence(split({"Regex": r"\d+"}, invert=True), BYTES), r"\d+"),
    "literal": (sequence(split({"String": "a.b|c d"}), BYTES), r"a\.b\|c d"),
    "literal-like-a-regex": (sequence(split({"String": r"\w+"}), BYTES), r"\\w\+"),
    "sequence-of-one": (sequence(sequence(split({"Regex": r"\d+"})), BYTES), r"\d+"),
}


@pytest.mark.parametrize("name", ONE_PATTERN)
def test_a_single_cut_is_a_pattern(name, hf_file, read_with):
    """As after training: it is what runs fastest, and what `train(pattern=...)` takes again."""
    component, pattern = ONE_PATTERN[name]
    rules = read_with(hf_file, {"pre_tokenizer": component}).rules
    assert (rules.pattern, rules.steps) == (pattern, ())


CHARS_STEPS = {
    "whitespace": ({"type": "Whitespace"}, Split(r"\w+|[^\w\s]+", "removed", invert=True)),
    "whitespace-split": ({"type": "WhitespaceSplit"}, Split(SPACE, "removed")),
    "digits": ({"type": "Digits", "individual_digits": False}, Split(DIGIT, "contiguous")),
    "punctuation": ({"type": "Punctuation", "behavior": "Removed"}, Split(PUNCTUATION, "removed")),
    "scripts": ({"type": "UnicodeScripts"}, Split(SCRIPT_RUNS, "removed", invert=True)),
    "delimiter": ({"type": "CharDelimiterSplit", "delimiter": "."}, Split(r"\.", "removed")),
    "metaspace": ({"type": "Metaspace", "replacement": "▁"}, Metaspace("▁", "always")),
    "metaspace-first": (
        {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first", "split": False},
        Metaspace("_", "first", split=False),
    ),
    "metaspace-old": (
        {"type": "Metaspace", "replacement": "▁", "str_rep": "▁", "add_prefix_space": True},
        Metaspace("▁", "always"),
    ),
    "metaspace-old-without": (
        {"type": "Metaspace", "replacement": "▁", "add_prefix_space": False},
        Metaspace("▁", "never"),
    ),
    "previous": (split({"Regex": "b"}, "MergedWithPrevious"), Split("b", "merged_with_previous")),
    "next": (split({"Regex": "b"}, "MergedWithNext", True), Split("b", "merged_with_next", True)),
    "contiguous": (split({"Regex": "b"}, "Contiguous", True), Split("b", "contiguous")),
}


@pytest.mark.parametrize("name", CHARS_STEPS)
def test_each_component_is_a_step(name, chars_file, read_with, again):
    """And what it is written as reads back to the same step."""
    component, step = CHARS_STEPS[name]
    spec = read_with(chars_file, {"pre_tokenizer": component})
    assert (spec.rules.pattern, spec.rules.steps) == (None, (step,))
    assert again(spec) == spec


@pytest.mark.parametrize(
    ("component", "pattern"),
    [
        ({"type": "Digits", "individual_digits": True}, DIGIT),
        ({"type": "Punctuation"}, PUNCTUATION),
        ({"type": "FixedLength", "length": 3}, r"[\s\S]{1,3}"),
        ({"type": "FixedLength"}, r"[\s\S]{1,5}"),
    ],
)
def test_components_that_isolate_are_patterns(component, pattern, chars_file, read_with, again):
    """They keep all of the text, as a pattern does."""
    spec = read_with(chars_file, {"pre_tokenizer": component})
    assert (spec.rules.pattern, spec.rules.steps) == (pattern, ())
    assert again(spec) == spec


@pytest.mark.parametrize(
    ("components", "steps"),
    [
        ([{"type": "BertPreTokenizer"}], [Split(SPACE, "removed"), Split(PUNCTUATION)]),
        (
            [{"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "▁"}],
            [Split(SPACE, "removed"), Metaspace()],
        ),
    ],
)
def test_several_components_are_steps_in_order(components, steps, chars_file, read_with, again):
    """Each one cuts what the one before it left."""
    spec = read_with(chars_file, {"pre_tokenizer": sequence(*components)})
    assert spec.rules.steps == tuple(steps)
    assert again(spec) == spec


DIGITS = {"type": "Digits", "individual_digits": False}
SPELT_DIGITS = Split(DIGIT, "contiguous", by_bytes=True)
BYTE_STEPS = {
    "prefix": ([BYTES | {"add_prefix_space": True}], [PrefixSpace()]),
    "prefix-and-regex": (
        [BYTES | {"add_prefix_space": True, "use_regex": True}],
        [PrefixSpace(), GPT2],
    ),
    "cut-before": (
        [DIGITS, BYTES | {"use_regex": True}],
        [Split(DIGIT, "contiguous"), GPT2],
    ),
    "cut-behind": ([BYTES, DIGITS], [SPELT_DIGITS]),
    "prefix-cut-behind": (
        [BYTES | {"add_prefix_space": True}, DIGITS],
        [PrefixSpace(), SPELT_DIGITS],
    ),
    "falcon": (
        [
            {"type": "Punctuation", "behavior": "Contiguous"},
            BYTES | {"use_regex": True},
            DIGITS,
            split({"Regex": "[0-9][0-9][0-9]"}),
        ],
        [
            Split(PUNCTUATION, "contiguous"),
            GPT2,
            SPELT_DIGITS,
            Split("[0-9][0-9][0-9]", by_bytes=True),
        ],
    ),
}


@pytest.mark.parametrize("name", BYTE_STEPS)
def test_what_follows_byte_level_sees_spelt_bytes(name, hf_file, read_with, again):
    """There "é" is "Ã©": a rule for digits cuts before its second byte if that spells as one."""
    components, steps = BYTE_STEPS[name]
    spec = read_with(hf_file, {"pre_tokenizer": sequence(*components)})
    assert (spec.alphabet, spec.rules.steps) == ("bytes", tuple(steps))
    assert again(spec) == spec


def test_components_with_tables_of_their_own_are_written_as_they_were(chars_file, read_with, again,
                                                                      tmp_path):  # fmt: skip
    """Written as a Split, the regex engine behind that would take other characters for digits."""
    components = [DIGITS, {"type": "Whitespace"}, {"type": "Punctuation", "behavior": "Contiguous"}]
    spec = again(read_with(chars_file, {"pre_tokenizer": sequence(*components)}))
    formats.write(spec, tmp_path / "new")
    file = json.loads((tmp_path / "new" / "tokenizer.json").read_text("utf-8"))
    assert file["pre_tokenizer"] == sequence(*components)


@pytest.mark.parametrize(
    ("source", "pattern"),
    [({"String": ""}, ""), ({"Regex": ""}, ""), ({"Regex": "a*"}, "a*"), ({"Regex": "a|"}, "a|")],
)
def test_what_matches_nothing_is_kept(source, pattern, chars_file, read_with, again):
    """Such a match is no piece, but text is cut there: "" cuts between all characters."""
    spec = read_with(chars_file, {"pre_tokenizer": split(source)})
    assert (spec.rules.pattern, spec.rules.steps) == (pattern, ())
    assert again(spec) == spec


REFUSED = [
    ({"type": "FutureSplit", "x": 1}, "pre_tokenizer.type 'FutureSplit' is not supported (known: "),
    ({"x": 1}, "pre_tokenizer.type is missing"),
    (sequence(BYTES, BYTES), "pretokenizers[1]: ByteLevel behind ByteLevel is not supported"),
    (
        sequence(BYTES, {"type": "Metaspace", "replacement": "▁"}),
        "pretokenizers[1]: Metaspace behind ByteLevel is not supported",
    ),
    (split({"Regex": "a"}, "Sideways"), "behavior 'Sideways' is not supported (known: Isolated"),
    (split({"Regex": "(a"}), "pre_tokenizer.pattern.Regex: pattern '(a' uses"),
    (split({"Glob": "a"}), "pattern must hold either 'String' or 'Regex', got 'Glob'"),
    (split({"Regex": "a", "String": "a"}), "must hold either 'String' or 'Regex'"),
    (split("a"), "pre_tokenizer.pattern must be an object, got a string"),
    ({"type": "Metaspace", "replacement": "▁▁"}, "replacement must be one character, got '▁▁'"),
    (
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "last"},
        "prepend_scheme 'last' is not supported (known: always, first, never)",
    ),
    (
        {
            "type": "Metaspace",
            "replacement": "▁",
            "prepend_scheme": "first",
            "add_prefix_space": False,
        },
        "contradicts itself: add_prefix_space is false, prepend_scheme 'first'",
    ),
    ({"type": "FixedLength", "length": 0}, "length must be from 1 to 65535, got 0"),
    ({"type": "CharDelimiterSplit", "delimiter": ""}, "delimiter must be one character"),
    ({"type": "Digits"}, "individual_digits is missing"),
]


@pytest.mark.parametrize(("component", "message"), REFUSED)
def test_what_is_not_known_is_refused_by_name(component, message, chars_file, read_with):
    """A tokenizer with a step missing gives wrong ids without a word."""
    with pytest.raises(FormatError) as caught:
        read_with(chars_file, {"pre_tokenizer": component})
    assert message in str(caught.value)


def test_sequences_may_be_nested_as_deep_as_json_goes(chars_file, read_with):
    """A recursive reader would end where Python's stack ends."""
    component = sequence(split({"Regex": "b"}))
    for _ in range(300):
        component = sequence(component)
    assert read_with(chars_file, {"pre_tokenizer": component}).rules.pattern == "b"


@pytest.mark.parametrize(
    ("alphabet", "steps"),
    [
        ("bytes", (PrefixSpace(), Split("a", "removed"))),
        ("bytes", (Split("a", by_bytes=True), Split("b"))),
        ("bytes", (Split("a", by_bytes=True), Metaspace())),
        ("bytes", (Split("a", by_bytes=True), PrefixSpace())),
        ("chars", (PrefixSpace(),)),
        ("chars", (Split("a", by_bytes=True),)),
    ],
)
def test_an_order_that_the_file_cannot_say_is_refused(alphabet, steps, spec, tmp_path):
    """ByteLevel does three things in one place: it puts a space, cuts, and spells bytes."""
    spec = replace(spec, alphabet=alphabet, rules=SplitRules(steps=steps))
    with pytest.raises(ExportError, match=r"cannot express the pre-tokeniser .* at its place"):
        formats.write(spec, tmp_path)
