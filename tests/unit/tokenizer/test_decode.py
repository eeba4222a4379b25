from array import array
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from enum import IntEnum
from typing import Any

import numpy as np
import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from bytepair.errors import ArgumentError, BytepairError, InputTypeError, UnknownTokenError
from bytepair.model import AddedToken, TokenizerSpec
from bytepair.tokenizer import Tokenizer
from bytepair.tokenizer._decode import Decoding

EURO = [0xE2, 0x82, 0xAC]  # the bytes of "€", each a token of its own here
WAYS = ["decode", "decode_bytes", "decode_tokens_bytes", "decode_with_offsets"]


@pytest.mark.parametrize(
    ("ids", "errors", "expected"),
    [
        (EURO, "strict", "€"),
        (EURO[:2], "replace", "\ufffd"),
        (EURO[:2], "ignore", ""),
        ([97, 0xFF, 98], "replace", "a\ufffdb"),
        ([97, 0xFF, 98], "ignore", "ab"),
        ([97, 0xFF], "backslashreplace", r"a\xff"),
        ([97, 0xFF], "surrogateescape", "a\udcff"),
        ([], "strict", ""),
    ],
)
def test_bytes_that_are_no_text_are_treated_as_asked(
    byte_tok: Tokenizer, ids: list[int], errors: str, expected: str
) -> None:
    """As `bytes.decode` would; characters are whole again before anything is replaced."""
    assert byte_tok.decode(ids, errors) == expected
    assert byte_tok.decode(ids, errors=errors) == expected
    assert byte_tok.decode_batch([ids, [97]], errors=errors) == [expected, "a"]


@pytest.mark.parametrize("ids", [EURO[:2], [0xFF], [*EURO, 0x80]], ids=str)
def test_strict_decoding_raises_what_python_raises(byte_tok: Tokenizer, ids: list[int]) -> None:
    """And the default replaces, as in tiktoken."""
    with pytest.raises(UnicodeDecodeError):
        byte_tok.decode(ids, errors="strict")
    with pytest.raises(UnicodeDecodeError):
        byte_tok.decode_with_offsets(ids)
    assert "\ufffd" in byte_tok.decode(ids)


def test_ways_that_give_bytes_lose_nothing(byte_tok: Tokenizer) -> None:
    """One token at a time, text would be three replacement characters."""
    ids = [257, *EURO[:2], 258]
    assert byte_tok.decode_bytes(ids) == b"abc\xe2\x82\xc3\xa9"
    assert byte_tok.decode_tokens_bytes(ids) == [b"abc", b"\xe2", b"\x82", b"\xc3\xa9"]
    assert byte_tok.decode_bytes_batch([ids, []]) == [b"abc\xe2\x82\xc3\xa9", b""]
    assert [byte_tok.decode_single_token_bytes(token) for token in ids[:2]] == [b"abc", b"\xe2"]


@pytest.mark.parametrize("unknown", [500, 599, 601, 1000, -1, 2**32 - 1, 2**32 + 97, 2**63, 2**70])
@pytest.mark.parametrize("way", WAYS)
def test_unknown_id_is_named_with_its_position(tok: Tokenizer, way: str, unknown: int) -> None:
    """Ids in a gap, negative, or too large for the engine's own integers; never a crash."""
    message = rf"^token id {unknown} at position 1 is not in the vocabulary \(largest id: 620\)"
    with pytest.raises(UnknownTokenError, match=message):
        getattr(tok, way)([97, unknown, 98])


@pytest.mark.parametrize("unknown", [500, -1, 2**70])
def test_unknown_id_is_left_out_only_if_errors_are_ignored(tok: Tokenizer, unknown: int) -> None:
    """`replace` is about bytes that are no text: a wrong id is a wrong tokenizer."""
    assert tok.decode([97, unknown, 98], errors="ignore") == "ab"
    for errors in ("strict", "replace"):
        with pytest.raises(UnknownTokenError):
            tok.decode([97, unknown, 98], errors=errors)


def test_unknown_id_is_a_key_error_as_in_tiktoken(
    tok: Tokenizer, encoding: tiktoken.Encoding
) -> None:
    """Code that catches it keeps working."""
    for decode in (encoding.decode_single_token_bytes, tok.decode_single_token_bytes):
        with pytest.raises(KeyError):
            decode(500)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (None, "expected token ids, got NoneType"),
        (97, "expected token ids, got int: 97"),
        ("97", "expected token ids, got str: '97'"),
        (b"97", "expected token ids, got bytes"),
        (bytearray(b"97"), "expected token ids, got bytearray"),
        ({97: 1}, r"expected token ids, got dict: \{97: 1\}"),
        ({97, 98}, "expected token ids, got set"),
        ([97, None], "token id 1: expected an integer, got NoneType: None"),
        ([97, "b"], "token id 1: expected an integer, got str: 'b'"),
        ([97, True], "token id 1: expected an integer, got bool: True"),
        ([97.0], "token id 0: expected an integer, got float: 97.0"),
        ([[97], [98]], r"token id 0: expected an integer, got list: \[97\]"),
        (np.array([97.0]), "token id 0: expected an integer, got float64"),
        (np.array([[97], [98]]), r"expected one row of token ids, got an array of \(2, 1\)"),
        (np.array(97), r"expected one row of token ids, got an array of \(\)"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("way", WAYS)
def test_what_are_no_ids_is_refused(tok: Tokenizer, way: str, ids: Any, message: str) -> None:
    """Bytes are a sequence of integers, and a batch in one array has rows: neither is guessed."""
    with pytest.raises(InputTypeError, match=message):
        getattr(tok, way)(ids)


@pytest.mark.parametrize(
    "ids",
    [
        (97, 98),
        range(97, 99),
        iter([97, 98]),
        np.array([97, 98], np.int32),
        np.array([97, 98], np.uint16),
        np.array([97, 98], np.uint64),
        [np.int64(97), np.uint8(98)],
        [97, np.int32(98)],
    ],
    ids=lambda ids: type(ids).__name__ + str(getattr(ids, "dtype", "")),
)
def test_ids_come_in_any_sequence_of_integers(byte_tok: Tokenizer, ids: Any) -> None:
    """Arrays as other libraries return them."""
    if not isinstance(ids, (tuple, range, list, np.ndarray)):
        ids = iter([97, 98])  # an iterator is used up by the first engine
    assert byte_tok.decode(ids) == "ab"


@pytest.mark.parametrize(
    ("batch", "error", "message"),
    [
        ([[97], None], InputTypeError, "row 1: expected token ids, got NoneType"),
        ([[97], [98, None]], InputTypeError, "row 1: token id 1: expected an integer"),
        ([[97], [98, 5000]], UnknownTokenError, "row 1: token id 5000 at position 1 is not in"),
        ([97, 98], InputTypeError, "row 0: expected token ids, got int: 97"),
        (None, InputTypeError, "expected several lists of token ids, got NoneType"),
        (97, InputTypeError, "expected several lists of token ids, got int"),
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["decode_batch", "decode_bytes_batch"])
def test_bad_row_of_a_batch_is_named(
    tok: Tokenizer, name: str, batch: Any, error: type[BytepairError], message: str
) -> None:
    """Of a million rows."""
    with pytest.raises(error, match=f"^{message}"):
        getattr(tok, name)(batch)


def test_batches_take_the_argument_tiktoken_has(tok: Tokenizer) -> None:
    """So that a program can change over by changing the import."""
    assert tok.decode_batch([[97], [98]], num_threads=4) == ["a", "b"]
    assert tok.decode_bytes_batch([[97], [98]], num_threads=4) == [b"a", b"b"]
    assert tok.decode_batch(np.array([[97, 98], [99, 100]])) == ["ab", "cd"]
    with pytest.raises(ArgumentError, match="num_threads must be a whole number of 1 or more"):
        tok.decode_batch([[97]], num_threads=0)


@given(text=st.text())
def test_offsets_are_those_of_tiktoken(
    tok: Tokenizer, encoding: tiktoken.Encoding, text: str
) -> None:
    """Each token's offset is that of the character its first byte belongs to."""
    ids = tok.encode(text, disallowed_special=())
    assert tok.decode_with_offsets(ids) == encoding.decode_with_offsets(ids)


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([97, 98], ("ab", [0, 1])),
        ([258, 97], ("éa", [0, 1])),
        ([97, *EURO, 98], ("a€b", [0, 1, 1, 1, 2])),
        ([257, 257], ("abcabc", [0, 3])),
        ([], ("", [])),
    ],
)
def test_offsets_by_example(
    byte_tok: Tokenizer, ids: list[int], expected: tuple[str, list[int]]
) -> None:
    """Counted by hand, in characters."""
    assert byte_tok.decode_with_offsets(ids) == expected


def test_special_tokens_stay_in_decoded_text(tok: Tokenizer, encoding: tiktoken.Encoding) -> None:
    """Hugging Face drops them by default, tiktoken does not."""
    ids = [610, *tok.encode("user"), 600, 620]
    assert tok.decode(ids) == encoding.decode(ids) == "<|im_start|>user<|endoftext|>two words\n"
    assert tok.decode_with_offsets(ids) == encoding.decode_with_offsets(ids)
    assert tok.decode_single_token_bytes(600) == b"<|endoftext|>"


@pytest.mark.parametrize("content", ["é", "đem", "Ġ", "<0x41>", "日本", "Ā"])
def test_added_token_decodes_to_its_own_content(spec: Any, engine: str, content: str) -> None:
    """Byte-level decoders take its letters for spelt bytes: "Ġ" came back as a space."""
    added = (AddedToken(content, 600, special=False),)
    tok = Tokenizer(replace(spec, added_tokens=added), engine=engine)
    assert tok.decode([97, 600, 98]) == f"a{content}b"
    assert tok.decode(tok.encode(f"a{content}b")) == f"a{content}b"


def test_arrays_of_encoding_decode(tok: Tokenizer) -> None:
    """What one call returns the other takes."""
    text = "Größe 12\r\n日本"
    assert tok.decode(tok.encode_to_numpy(text)) == text
    ids, offsets = tok.encode_batch_to_numpy([text, "the dog"])
    rows = np.split(ids, offsets[1:-1])
    assert tok.decode_batch(rows) == [text, "the dog"]


# The tests below ask the half of the tokenizer that decodes by itself.


@pytest.fixture(scope="module")
def decoding(spec: TokenizerSpec, engine: str) -> Decoding:
    """Of the small tokenizer; its special tokens are 600, 610 and 620."""
    return Decoding(spec, engine)


def test_special_tokens_are_skipped_on_request(decoding: Decoding) -> None:
    """Wherever they stand; an argument of every way to decode texts."""
    row = [610, 97, 620, 98, 600]
    assert decoding.decode(row, skip_special_tokens=True) == "ab"
    assert decoding.decode_bytes(row, skip_special_tokens=True) == b"ab"
    assert decoding.decode_batch([row, [600]], skip_special_tokens=True) == ["ab", ""]
    assert decoding.decode_bytes_batch([row, [600]], skip_special_tokens=True) == [b"ab", b""]
    assert decoding.decode_batch([row]) == ["<|im_start|>atwo words\nb<|endoftext|>"]


class Number:
    """Can be an index, and nothing else."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


class Tensor:
    """What other libraries' arrays have in common."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array([97, 98], np.int32)


@pytest.mark.parametrize(
    "ids",
    [
        [Number(97), IntEnum("E", {"B": 98}).B],  # type: ignore[attr-defined]  # made on the spot
        [np.array(97), np.uint64(98)],
        array("H", [97, 98]),
        deque([97, 98]),
        Tensor(),
        np.array([97, 98], ">i4"),
        np.array([0, 98, 0, 97], np.int16)[::-2],
        np.array([97, 98], np.uint8),
        np.array([[97, 1], [98, 1]])[:, 0],
    ],
    ids=lambda ids: type(ids).__name__,
)
def test_ids_may_be_anything_that_is_an_integer(decoding: Decoding, ids: Any) -> None:
    """In any array, in any order of bytes, with gaps between."""
    assert decoding.decode(ids) == "ab"
    assert decoding.decode_batch([ids]) == ["ab"]
    assert decoding.decode_tokens_bytes(ids) == [b"a", b"b"]


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([np.True_], "token id 0: expected an integer, got bool"),
        ([97, Number("b")], "token id 1: expected an integer, got Number"),  # type: ignore[arg-type]  # on purpose
        (np.array([True, False]), "token id 0: expected an integer, got bool"),
        (np.array(["a"]), "token id 0: expected an integer, got str"),
        (memoryview(b"ab"), "expected token ids, got memoryview"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_only_looks_like_an_integer_is_refused(
    decoding: Decoding, ids: Any, message: str
) -> None:
    """A mask in the place of ids decodes to nonsense."""
    with pytest.raises(InputTypeError, match=message):
        decoding.decode(ids)


def test_a_list_that_changes_while_it_is_read_is_safe(decoding: Decoding) -> None:
    """What an item does to become an integer is not ours to say."""
    row: list[Any] = []

    class Vandal:
        def __index__(self) -> int:
            row.clear()
            return 97

    row += [Vandal(), *[98] * 1000]
    assert decoding.decode(row) in {"a", "a" + "b" * 1000}


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.uint32])
def test_rows_may_be_cut_from_one_array(decoding: Decoding, dtype: Any) -> None:
    """As batches are encoded."""
    ids = np.array([97, 98, 99, 100], dtype)
    for offsets in (np.array([0, 2, 2, 4]), [0, 2, 2, 4], np.array([0, 2, 2, 4], np.uint8)):
        assert decoding.decode_batch(ids, offsets=offsets) == ["ab", "", "cd"]  # type: ignore[arg-type]  # lists work too
        assert decoding.decode_bytes_batch(ids, offsets=offsets) == [b"ab", b"", b"cd"]  # type: ignore[arg-type]  # same
    assert decoding.decode_batch(ids, offsets=np.array([1, 3])) == ["bc"]
    assert decoding.decode_batch(ids[:0], offsets=np.array([0, 0])) == [""]
    assert decoding.decode_batch([], offsets=np.array([0])) == []


@pytest.mark.parametrize(
    ("ids", "offsets", "error", "message"),
    [
        ([97, 98], [0, 3], ArgumentError, "offsets must ascend within 0 and 2"),
        ([97, 98], [1, 0], ArgumentError, "offsets must ascend within 0 and 2"),
        ([97, 98], [-1, 2], ArgumentError, "offsets must ascend within 0 and 2"),
        ([97.0], [0, 1], InputTypeError, r"got float64\(1,\) and int64\(2,\)"),
        ([[97], [98]], [0, 1], InputTypeError, r"got int64\(2, 1\) and int64\(2,\)"),
        ([97], [0.0, 1.0], InputTypeError, r"got int64\(1,\) and float64\(2,\)"),
        ([97, 98, 500], [0, 1, 3], UnknownTokenError, "row 1: token id 500 at position 1"),
        ([97, 98, -5], [0, 1, 3], UnknownTokenError, "row 1: token id -5 at position 1"),
        ([97, 2**40], [0, 2], UnknownTokenError, "row 0: token id 1099511627776 at position 1"),
        (97, [0, 1], InputTypeError, "expected several lists of token ids, got int"),
    ],
)
def test_bad_rows_of_one_array_are_refused(
    decoding: Decoding, ids: Any, offsets: Any, error: type[BytepairError], message: str
) -> None:
    """With the row, and the position in it."""
    for decode in (decoding.decode_batch, decoding.decode_bytes_batch):
        with pytest.raises(error, match=message):
            decode(ids, offsets=offsets)
    if error is UnknownTokenError:
        assert decoding.decode_batch(ids, offsets=offsets, errors="ignore")[0][:1] == "a"


def test_one_decoder_serves_many_threads(decoding: Decoding) -> None:
    """It has no state; long texts are decoded without the GIL."""
    rows = [[97 + n % 26] * (20_000 * n) for n in range(8)]
    expected = [chr(97 + n % 26) * (20_000 * n) for n in range(8)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(decoding.decode, rows)) == expected
