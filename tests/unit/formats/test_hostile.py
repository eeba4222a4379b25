"""A `tokenizer.json` made to do harm: it works or is refused, and neither takes long."""

import os
import tracemalloc
import warnings

import pytest

import bytepair
from bytepair import formats
from bytepair.errors import FormatError
from bytepair.model import BYTE_TO_CHAR
from bytepair.tokenizer import Tokenizer

DEEP = 100_000


def split_by(pattern, n=1):
    """A pre-tokenizer of `n` splits by a regex, and the spelling of bytes."""
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated"}
    spelling = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
    return {"type": "Sequence", "pretokenizers": [split] * n + [spelling]}


@pytest.mark.parametrize("number", [4_000_000_000, 10**30, -1, 2**31])
@pytest.mark.parametrize("place", ["model.vocab.zz", "added_tokens.0.id"])
def test_an_id_that_is_none_is_refused(hf_file, read_with, number, place):
    """Nobody makes a table as large as it."""
    with pytest.raises(FormatError, match=rf"is {number}, which is no id"):
        read_with(hf_file, {place: number})


def test_the_largest_ids_take_no_more_memory_than_others(hf_file, read_with):
    """Tables are as long as there are tokens."""
    vocab = hf_file["model"]["vocab"] | {"he": 2**31 - 1, "hell": 2**30}
    tokenizer = Tokenizer(read_with(hf_file, {"model.vocab": vocab}))
    assert tokenizer.encode("hell he") == [2**30, BYTE_TO_CHAR.index("Ġ"), 2**31 - 1]
    assert tokenizer.decode([2**31 - 1, 2**30]) == "hehell"


def test_ids_with_wide_gaps_are_kept(hf_file, read_with):
    """A gap is no token."""
    vocab = hf_file["model"]["vocab"] | {f"k{i}": 1000 + 2000 * i for i in range(20_000)}
    spec = read_with(hf_file, {"model.vocab": vocab})
    assert spec.vocabulary.tokens[2000 * 19_999 + 1000] == b"k19999"
    assert 1001 not in spec.vocabulary.tokens


@pytest.mark.parametrize(
    ("merges", "problem"),
    [
        ([["x", "y"]], "'xy' is not in model.vocab"),
        ([["xy", "h"]], "'xy' is not in model.vocab"),
        ([["h", "e"], ["l", "l"], ["h", "e"]], r"merges\[2\].* already merged by merges\[0\]"),
        ([["h", "e", "l"]], "must be two tokens"),
        ([["he", ""]], "must be two tokens"),
    ],
)
def test_merges_of_what_is_no_token_are_refused(hf_file, read_with, merges, problem):
    """Each names the merge that is wrong."""
    with pytest.raises(FormatError, match=problem):
        read_with(hf_file, {"model.merges": merges})


def test_merges_may_stand_before_those_that_make_their_parts(hf_file, read_with):
    """However many do: what was joined last goes on to grow, as longer ones rank before."""
    vocab = hf_file["model"]["vocab"] | {"a" * n: 300 + n for n in range(2, 3_000)}
    merges = [["a" * (n - 1), "a"] for n in range(2_999, 1, -1)]
    members = {"model.vocab": vocab, "model.merges": merges}
    tokenizer = Tokenizer(read_with(hf_file, members))
    assert tokenizer.encode("aaaaa b")[0] == 305


def test_a_hundred_thousand_added_tokens_are_found(hf_file, read_with):
    """The longest at a place, among all of them."""
    added = [{"id": 1000 + i, "content": f"<{i}>"} for i in range(100_000)]
    tokenizer = Tokenizer(read_with(hf_file, {"added_tokens": added}))
    assert tokenizer.encode("<7><99999><100000>")[:2] == [1007, 100_999]


def full(number, content):
    """An added token with all of its members, as libraries write it."""
    flags = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return {"id": number, "content": content} | dict.fromkeys(flags, False)


def test_many_added_tokens_take_little_more_memory_than_their_file(hf_file, save):
    """As what they are, one by one: a dictionary for each would take twice as much."""
    added = [full(1000 + i, f"<|token {i}|>") for i in range(30_000)]
    path = save(hf_file | {"added_tokens": added})
    formats.read(path)  # what is loaded once is no part of it
    tracemalloc.start()
    tokenizer = Tokenizer(formats.read(path))
    assert tokenizer.decode(tokenizer.encode("<|token 7|>")) == "<|token 7|>"
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * path.stat().st_size


@pytest.mark.parametrize(
    "place", ["normalizer", "model", "post_processor", "version", "model.vocab"]
)
def test_an_added_token_where_none_belongs_is_refused(hf_file, read_with, place):
    """It is no object any more, and is named."""
    with pytest.raises(FormatError, match=rf"{place} .*got AddedToken"):
        read_with(hf_file, {place: full(1000, "<x>")})


def test_added_tokens_that_begin_alike_are_searched_for_in_one_pass(hf_file, read_with):
    """Each place of "aaa..." begins a thousand of them."""
    added = [{"id": 1000 + n, "content": "a" * n} for n in range(2, 1_000)]
    tokenizer = Tokenizer(read_with(hf_file, {"added_tokens": added}))
    assert tokenizer.encode("a" * 99_900) == [1999] * 100


@pytest.mark.parametrize(
    "text",
    [
        b"[" * DEEP + b"]" * DEEP,
        b"[" * DEEP,
        b'{"a":' * DEEP + b"1" + b"}" * DEEP,
        b'{"model": {"vocab": {}, "merges": []}, "x": ' + b"[" * DEEP + b"]" * DEEP + b"}",
        b'{"model": {"vocab": {}, "merges": ' + b"[" * DEEP + b"]" * DEEP + b"}}",
    ],
)
def test_deep_nesting_is_refused(save, text):
    """By its name, and without a stack that overflows."""
    path = save({})
    path.write_bytes(text)
    with pytest.raises(FormatError, match="nested too deep"):
        formats.read(path)


@pytest.mark.parametrize(
    "garbage",
    [
        b"\xff" + os.urandom(1 << 20),
        b" " * (1 << 20),
        b"{" * (1 << 20),
        b'"' + b"a" * (1 << 20),
        b"\0" * (1 << 20),
        b"1" * (1 << 20),
        b'{"model": ' + b"1" * (1 << 20) + b"}",
    ],
)
def test_garbage_is_refused(save, garbage):
    """A name that ends in .json makes no tokenizer."""
    path = save({})
    path.write_bytes(garbage)
    with pytest.raises(FormatError, match=r"mine/tokenizer\.json"):
        formats.read(path)


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("a" * 200_000, "200,000 characters"),
        (r"[\p{L}&&\p{Ll}]|" * 3_000 + "a", "so many ranges"),
        (r"[^\p{L}\p{N}]|" * 3_000 + "a", "so many ranges"),
        ("(?:" * 150 + "a" + ")+" * 150, "repeats within repeats"),
        ("(?:" * 20 + "a" + "){2,3}" * 20, "repeats within repeats"),
    ],
)
def test_a_regex_that_is_long_work_to_compile_is_refused(hf_file, read_with, pattern, problem):
    """`regex` alone would take minutes, or all of the memory."""
    with pytest.raises(FormatError, match=problem):
        Tokenizer(read_with(hf_file, {"pre_tokenizer": split_by(pattern)}))


@pytest.mark.parametrize(
    "pattern",
    [r"(?:a|b)*a(?:a|b){14}c|.", r"(?=.*a.{9})b+|.", "a?" * 2000 + "x", "(?:a?){30}a{30}|b*"],
)
def test_a_regex_with_too_many_states_runs_all_the_same(hf_file, read_with, pattern):
    """On the `regex` package, with a warning where patterns are compiled otherwise."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tokenizer = Tokenizer(read_with(hf_file, {"pre_tokenizer": split_by(pattern)}))
    says_so = ["runs on the `regex` package" in str(warning.message) for warning in caught]
    assert says_so == ([True] if bytepair.engine() == "native" else [])
    assert tokenizer.decode(tokenizer.encode("hello abx")) == "hello abx"


@pytest.mark.parametrize("key", ["pre_tokenizer", "normalizer"])
def test_components_without_end_are_refused(hf_file, read_with, key):
    """Every text would go through all of them."""
    many = {
        "pre_tokenizer": split_by("a", n=5_000),
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}] * 5_000},
    }
    with pytest.raises(FormatError, match="more than 64"):
        read_with(hf_file, {key: many[key]})


def test_a_template_without_end_is_refused(hf_file, read_with):
    """It would be put around every text."""
    piece = {"SpecialToken": {"id": "<s>", "type_id": 0}}
    pair = [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}]
    template = {
        "type": "TemplateProcessing",
        "single": [*pair[:1], *[piece] * 100_000],
        "pair": pair,
        "special_tokens": {"<s>": {"id": "<s>", "ids": [259], "tokens": ["<s>"]}},
    }
    with pytest.raises(FormatError, match=r"post_processor\.single has 100,001 pieces"):
        read_with(hf_file, {"post_processor": template})


@pytest.mark.parametrize("number", [-1, 2**31, 10**30])
def test_a_decoder_takes_no_such_number_of_characters(chars_file, read_with, number):
    """Of either end of a text."""
    strip = {"type": "Strip", "content": " ", "start": 0, "stop": number}
    steps = {"type": "Sequence", "decoders": [{"type": "Fuse"}, strip]}
    with pytest.raises(FormatError, match=rf"\[1\]\.stop must be from 0 to .*got {number}"):
        read_with(chars_file, {"decoder": steps})


def test_half_a_surrogate_pair_is_no_text(hf_file, read_with):
    """Nor part of what replaces text."""
    replace = {"type": "Replace", "pattern": {"String": "a"}, "content": "\ud83d"}
    with pytest.raises(FormatError, match=r"normalizer\.content holds half a surrogate pair"):
        read_with(hf_file, {"normalizer": replace})


def test_a_text_to_look_for_is_not_endless(hf_file, read_with):
    """What is not a regex has a limit too."""
    split = {"type": "Split", "pattern": {"String": "a" * 10_001}, "behavior": "Isolated"}
    with pytest.raises(FormatError, match=r"pattern\.String has 10,001 characters"):
        read_with(hf_file, {"pre_tokenizer": split})
