from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

import bytepair
from bytepair.errors import ArgumentError, EncodeError, InputTypeError
from bytepair.model import MergeTable, SplitRules, TokenizerSpec, Vocabulary
from bytepair.patterns import has_disputed
from bytepair.tokenizer import Tokenizer

# Each way to encode a text, in the shape text -> ids.
ENTRIES: dict[str, Callable[[Tokenizer, Any], Any]] = {
    "encode": lambda tok, text: tok.encode(text),
    "encode_ordinary": lambda tok, text: tok.encode_ordinary(text),
    "encode_to_numpy": lambda tok, text: tok.encode_to_numpy(text).tolist(),
    "encode_batch": lambda tok, text: tok.encode_batch([text])[0],
    "encode_ordinary_batch": lambda tok, text: tok.encode_ordinary_batch([text])[0],
    "encode_batch_to_numpy": lambda tok, text: tok.encode_batch_to_numpy([text])[0].tolist(),
    "inspect": lambda tok, text: tok.inspect(text).ids,
}
COUNTS: dict[str, Callable[[Tokenizer, Any], int]] = {
    "count": lambda tok, text: tok.count(text),
    "count_batch": lambda tok, text: tok.count_batch([text])[0],
}
BATCHES = ["encode_batch", "encode_ordinary_batch", "encode_batch_to_numpy", "count_batch"]
ODD_TEXT = st.text(st.one_of(st.characters(codec="utf-8"), st.characters(categories=["Cs"])))
ANY = st.one_of(ODD_TEXT, st.binary())


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("a\ud83d b", "a\ufffd b"),
        ("\ud83d\udc4d", "\U0001f44d"),
        ("\udc4d\ud83d", "\ufffd\ufffd"),
        ("\ud83d", "\ufffd"),
        ("\ufeffa", "\ufeffa"),
    ],
    ids=["lone", "pair", "reversed", "alone", "byte-order-mark"],
)
def test_surrogates_are_repaired_the_same_way_everywhere(
    tok: Tokenizer, encoding: tiktoken.Encoding, entry: str, text: str, repaired: str
) -> None:
    """In tiktoken some ways repair and some raise; the ids are those of the ways that repair."""
    expected = encoding.encode(repaired)
    assert ENTRIES[entry](tok, text) == expected
    assert [count(tok, text) for count in COUNTS.values()] == [len(expected)] * 2
    assert tok.decode(expected) == repaired


@pytest.mark.parametrize("entry", ENTRIES)
def test_nul_and_line_ends_are_characters_like_others(tok: Tokenizer, entry: str) -> None:
    """Nothing ends a text early or rewrites it."""
    text = "a\0b\r\n\0\0c\rd"
    ids = ENTRIES[entry](tok, text)
    assert tok.decode(ids) == text
    assert COUNTS["count"](tok, text) == len(ids)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
@pytest.mark.parametrize("entry", [*ENTRIES, *COUNTS])
def test_bytes_are_accepted_wherever_text_is(tok: Tokenizer, entry: str, kind: Any) -> None:
    """Also such as are no text."""
    call = (ENTRIES | COUNTS)[entry]
    assert call(tok, kind("Größe 12\n".encode())) == call(tok, "Größe 12\n")
    assert call(tok, kind(b"\xff\xc3 a")) == call(tok, b"\xff\xc3 a")


@pytest.mark.parametrize("entry", [*ENTRIES, *COUNTS])
@pytest.mark.parametrize(
    ("value", "described"),
    [
        (None, "NoneType: None"),
        (float("nan"), "float: nan"),
        (5, "int: 5"),
        (["a"], r"list: \['a'\]"),
        ({"a": 1}, r"dict: \{'a': 1\}"),
    ],
    ids=repr,
)
def test_what_is_no_text_is_refused_with_its_type(
    tok: Tokenizer, entry: str, value: object, described: str
) -> None:
    """A missing value of a data frame is the usual one."""
    where = "text 0: " if "batch" in entry else ""
    with pytest.raises(InputTypeError, match=f"^{where}expected str or bytes, got {described}"):
        (ENTRIES | COUNTS)[entry](tok, value)


@pytest.mark.parametrize("name", BATCHES)
@pytest.mark.parametrize("bad", [None, float("nan"), 7, ["a"]], ids=repr)
def test_bad_row_of_a_batch_is_named(tok: Tokenizer, name: str, bad: object) -> None:
    """Also if the rows come from a generator."""
    for rows in (["a", "b", bad, "c"], iter(["a", "b", bad, "c"])):
        with pytest.raises(InputTypeError, match=r"^text 2: expected str or bytes, got"):
            getattr(tok, name)(rows)


@pytest.mark.parametrize("name", BATCHES)
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("text", "expected several texts, got one str. Put it into a list"),
        (b"text", "got one bytes"),
        (bytearray(b"text"), "got one bytearray"),
        (memoryview(b"text"), "got one memoryview"),
        (None, "got one NoneType"),
        (5, "got one int"),
        ({"a": "b"}, r"got dict, which would give its keys. Pass its values\(\)"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_batch_is_refused(tok: Tokenizer, name: str, value: Any, message: str) -> None:
    """A str is a sequence of strings, a dict of its keys: both would give ids nobody wanted."""
    with pytest.raises(InputTypeError, match=message):
        getattr(tok, name)(value)


@given(text=st.text().filter(lambda text: not has_disputed(text)))
def test_ids_of_any_text_are_those_of_tiktoken(
    tok: Tokenizer, encoding: tiktoken.Encoding, text: str
) -> None:
    """But for characters newer than the Unicode version that both know."""
    assert tok.encode_ordinary(text) == encoding.encode_ordinary(text)


@given(text=ODD_TEXT)
def test_text_comes_back(tok: Tokenizer, text: str) -> None:
    """Every text that a file could hold; surrogates as they are repaired."""
    repaired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert tok.decode(tok.encode(text, disallowed_special=())) == repaired


@given(data=st.binary())
def test_bytes_come_back(tok: Tokenizer, data: bytes) -> None:
    """Every byte string, text or not."""
    assert tok.decode_bytes(tok.encode(data, disallowed_special=())) == data


@pytest.mark.parametrize(
    "options",
    [{}, {"allowed_special": "all"}, {"allowed_special": {"<|im_start|>"}}],
    ids=["none", "all", "one"],
)
@given(text=st.lists(st.sampled_from(["<|endoftext|>", "<|im_start|>", "the dog", "é", "\n"])))
def test_count_is_the_number_of_ids(tok: Tokenizer, options: Any, text: list[str]) -> None:
    """Special tokens count as the text they are unless the call allows them."""
    whole = "".join(text)
    expected = len(tok.encode(whole, disallowed_special=(), **options))
    assert tok.count(whole, **options) == expected
    assert tok.count_batch([whole, ""], **options) == [expected, 0]
    assert type(tok.count(whole, **options)) is type(tok.count_batch([whole])[0]) is int


@pytest.mark.parametrize("threads", [None, 1, 2, 8])
@given(texts=st.lists(ANY, max_size=8))
def test_batch_gives_what_a_loop_gives(
    tok: Tokenizer, threads: int | None, texts: list[str | bytes]
) -> None:
    """In order, on any number of threads, with texts that are empty, odd or no text."""
    expected = [tok.encode_ordinary(text) for text in texts]
    assert tok.encode_ordinary_batch(texts, threads=threads) == expected
    assert tok.encode_batch(texts, threads=threads, disallowed_special=()) == expected
    assert tok.count_batch(texts, threads=threads) == list(map(len, expected))


@pytest.mark.parametrize(
    ("texts", "rows"),
    [
        ([], []),
        ([""], [0]),
        (["", "", ""], [0, 0, 0]),
        (["a", "", "bc"], [1, 0, 2]),
        (["", "<|endoftext|>", "a<|endoftext|>b", ""], [0, 1, 3, 0]),
    ],
    ids=["no-text", "empty", "all-empty", "between", "special"],
)
@pytest.mark.parametrize("kind", [list, iter])
def test_ragged_arrays_have_one_row_a_text(
    tok: Tokenizer, kind: Any, texts: list[str], rows: list[int]
) -> None:
    """Their types and lengths are promised, down to a batch of nothing."""
    ids, offsets = tok.encode_batch_to_numpy(kind(texts), allowed_special="all")
    assert (ids.dtype, offsets.dtype) == (np.uint32, np.int64)
    assert (ids.ndim, offsets.ndim) == (1, 1)
    assert np.diff(offsets).tolist() == rows
    assert (offsets[0], offsets[-1]) == (0, len(ids))


@given(texts=st.lists(st.text(), max_size=6))
def test_ragged_arrays_hold_the_rows(tok: Tokenizer, texts: list[str]) -> None:
    """Row i is ids[offsets[i]:offsets[i + 1]]."""
    ids, offsets = tok.encode_batch_to_numpy(texts, disallowed_special=())
    rows = [ids[a:b].tolist() for a, b in pairwise(offsets)]
    assert rows == [tok.encode_ordinary(text) for text in texts]


def test_encode_to_numpy_gives_an_array_one_may_change(tok: Tokenizer) -> None:
    """A view into memory of the tokenizer would make the next result wrong."""
    first = tok.encode_to_numpy("the dog")
    assert first.dtype == np.uint32
    expected = first.tolist()
    first[:] = 0
    assert tok.encode_to_numpy("the dog").tolist() == expected == tok.encode("the dog")


@pytest.mark.parametrize("name", BATCHES)
@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True])
def test_impossible_number_of_threads_is_refused(tok: Tokenizer, name: str, threads: Any) -> None:
    """Zero does not mean "as many as there are": that is None."""
    with pytest.raises(ArgumentError, match=r"^threads must be a whole number of 1 or more, got"):
        getattr(tok, name)(["a"], threads=threads)


def test_threads_has_tiktokens_name_too(tok: Tokenizer) -> None:
    """Both at once contradict each other even if equal: one of them is a mistake."""
    expected = [tok.encode("the dog")]
    assert tok.encode_batch(["the dog"], num_threads=2) == expected
    assert tok.encode_ordinary_batch(["the dog"], num_threads=2) == expected
    with pytest.raises(ArgumentError, match=r"^num_threads must be a whole number"):
        tok.encode_batch(["the dog"], num_threads=0)
    with pytest.raises(ArgumentError, match="mean the same: pass one"):
        tok.encode_ordinary_batch(["the dog"], threads=1, num_threads=1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abc", [257]),
        ("ababc", [256, 257]),
        ("bca", [98, 99, 97]),
        ("aab", [97, 256]),
        ("é", [258]),
        ("ée", [258, 101]),
        ("", []),
    ],
)
def test_merges_apply_in_learned_order(byte_tok: Tokenizer, text: str, expected: list[int]) -> None:
    """Worked by hand."""
    assert byte_tok.encode(text) == expected


@pytest.mark.parametrize(("text", "expected"), [("aaa", [256, 97]), ("aaaa", [256, 256])])
def test_leftmost_of_equal_pairs_is_joined_first(
    engine: str, text: str, expected: list[int]
) -> None:
    """In "aaa" both pairs have the same rank."""
    tok = bytepair.train(["aa"] * 2, vocab_size=257, special_tokens=[], engine=engine)
    assert tok.encode(text) == expected


def spec_with_unreachable_token(*, ignore_merges: bool) -> TokenizerSpec:
    """`ab` 256 by merging; `abc` 257 in the vocabulary, which no merge makes."""
    tokens = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab", 257: b"abc"}
    return TokenizerSpec(
        Vocabulary(tokens, tuple(range(256))),
        MergeTable.from_merges([(97, 98, 256)]),
        SplitRules(r"[a-z]+|\s"),
        ignore_merges=ignore_merges,
    )


@pytest.mark.parametrize(
    ("ignore_merges", "expected"),
    [(True, [257, 32, 256, 99, 100]), (False, [256, 99, 32, 256, 99, 100])],
)
def test_whole_pre_token_is_looked_up_only_if_merges_are_ignored(
    engine: str, ignore_merges: bool, expected: list[int]
) -> None:
    """Llama 3 has tokens that are found only so; Qwen has such tokens and must not find them."""
    tok = Tokenizer(spec_with_unreachable_token(ignore_merges=ignore_merges), engine=engine)
    assert tok.encode("abc abcd") == expected
    assert tok.encode_batch(["abc abcd"])[0] == expected
    assert tok.count("abc abcd") == len(expected)


@pytest.fixture(scope="session")
def char_tok(engine: str) -> Tokenizer:
    """Space l o w é 0 to 4, the mark _ 5, lo 6, low 7, space_ 8, low_ 9, <s> 10; no fallback."""
    return bytepair.train(
        ["low low lowé"],
        vocab_size=11,
        pattern=r"\w+| ",
        alphabet="chars",
        end_of_word="_",
        byte_fallback=False,
        special_tokens=["<s>"],
        min_frequency=1,
        engine=engine,
    )


def test_characters_end_with_their_mark(char_tok: Tokenizer) -> None:
    """The mark is part of the ids and of no text; special tokens have none."""
    assert [char_tok.decode_single_token_bytes(i) for i in range(5)] == [
        *(b" ", b"l", b"o", b"w"),
        "é".encode(),
    ]
    ids = char_tok.encode("low<s>low", allowed_special="all")
    assert ids == [9, 10, 9]
    assert char_tok.encode("lowé low") == [7, 4, 5, 8, 9]
    assert char_tok.decode(ids) == "low<s>low"


@pytest.mark.parametrize("entry", [*ENTRIES, *COUNTS])
def test_character_without_a_token_is_named(char_tok: Tokenizer, entry: str) -> None:
    """Others drop it: "axb" came back as "ab"."""
    message = r"no token for '漢' \(bytes e6 bc a2\) and no byte fallback"
    with pytest.raises(EncodeError, match=message):
        (ENTRIES | COUNTS)[entry](char_tok, "low漢")


def test_byte_fallback_encodes_any_character(engine: str) -> None:
    """Characters never seen become their bytes; the text `<0x41>` stays text."""
    tok = bytepair.train(
        ["low"] * 2, vocab_size=261, alphabet="chars", special_tokens=[], engine=engine
    )
    assert tok.encode("low漢") == [260, 0xE6, 0xBC, 0xA2]
    assert tok.encode(b"l\xff") == [256, 0xFF]
    assert tok.decode(tok.encode("<0x41> é\0")) == "<0x41> é\0"


def test_byte_that_stands_in_is_no_whole_pre_token(engine: str) -> None:
    """As in Hugging Face, whose vocabulary spells it "<0x78>": it gets its end mark as always."""
    spec = TokenizerSpec(
        Vocabulary(
            {**{byte: bytes([byte]) for byte in range(256)}, 256: b"a", 257: b""},
            tuple(range(256)),
            end_of_word_id=257,
        ),
        MergeTable.from_merges([]),
        SplitRules("a|x"),
        alphabet="chars",
        end_of_word="_",
        ignore_merges=True,
    )
    tok = Tokenizer(spec, engine=engine)
    assert tok.encode("axé") == [256, 0x78, 257, 0xC3, 0xA9, 257]
    assert tok.encode_with_offsets(b"x\xff")[0] == [0x78, 257, 0xFF, 257]


@pytest.mark.filterwarnings("ignore:pattern .* runs on the `regex` package")
def test_pattern_that_needs_a_regex_engine_encodes_alike(spec: Any, engine: str) -> None:
    """Every entry point has its own way through the fallback."""
    rules = replace(spec.rules, pattern=r"(?<=a)b|\S+?|\s")
    tok = Tokenizer(replace(spec, rules=rules), engine=engine)
    for text in ("abab", "the dog", b"\xffab"):
        expected = [ENTRIES[entry](tok, text) for entry in ENTRIES]
        assert all(ids == expected[0] for ids in expected)
        assert tok.count(text) == len(expected[0])
        assert tok.decode_bytes(expected[0]) == (text if isinstance(text, bytes) else text.encode())


def test_a_seed_without_dropout_is_refused(tok: Tokenizer) -> None:
    """Zero too: whoever passes one expects chance to be at work."""
    for seed in (0, 7):
        with pytest.raises(ArgumentError, match=f"seed={seed} does nothing without dropout"):
            tok.encode("the dog", seed=seed)
    assert tok.encode("the dog", dropout=0.5) == tok.encode("the dog", dropout=0.5, seed=0)
