import copy
import pickle
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from bytepair.errors import ArgumentError, InputTypeError, UnknownTokenError
from bytepair.model import (
    AddedToken,
    Alphabet,
    DecoderStep,
    MergeTable,
    Replace,
    StripFirst,
    StripText,
    TokenizerSpec,
    Vocabulary,
    WordEnds,
    WordStarts,
)
from bytepair.tokenizer._decode import Decoding
from bytepair.tokenizer._stream_decoder import StreamDecoder

END = 300
ENDS = frozenset([256, 259])
TOKENS = {byte: bytes([byte]) for byte in range(256)}
TOKENS |= {256: b"lo", 257: b" ", 258: "\ufffd".encode(), 259: b"\x9f\x98", 260: b"a", 261: b"ab"}
STEPS: list[tuple[DecoderStep, ...]] = [
    (),
    (WordEnds(),),
    (StripText(" ", 1, 0),),
    (StripText("ab", 2, 2),),
    (WordEnds(), StripText(" ", 1, 1), StripText("lo", 1, 1)),
    (StripFirst("l"), Replace("a", "é")),
    (WordStarts(prefix="##"),),
]
PARTS_OF_CHARACTERS = [0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x98, 0x80, 0xED, 0xA0, 0xC0, 0xF4, 0x90]
STEPS_AT_THE_BEGINNING = [STEPS[0], STEPS[2], STEPS[5]]
ids = st.lists(st.sampled_from([*PARTS_OF_CHARACTERS, 0x61, *range(256, 262), END]), max_size=8)


@cache
def decoding(engine: str, *steps: DecoderStep, alphabet: Alphabet = "bytes") -> Decoding:
    """A tokenizer's decoding half: the bytes, a few longer tokens, one special token."""
    vocabulary = Vocabulary(
        TOKENS, tuple(range(256)), ends_word=ENDS, continues_word=frozenset([257, 261])
    )
    spec = TokenizerSpec(
        vocabulary,
        MergeTable.from_merges([]),
        added_tokens=(AddedToken("<end>", END),),
        alphabet=alphabet,
        decoder=tuple(steps),
    )
    return Decoding(spec, engine)


@pytest.fixture(scope="module")
def plain(engine: str) -> Decoding:
    """Without decoder steps."""
    return decoding(engine)


def pushed(stream: StreamDecoder, row: Sequence[int]) -> list[str]:
    """What each id brings, and the end."""
    return [*(stream.push(token) for token in row), stream.finish()]


@given(row=ids, sizes=st.lists(st.integers(0, 3)), skip=st.booleans(), fallback=st.booleans())
@pytest.mark.parametrize("steps", STEPS, ids=str)
def test_parts_joined_are_the_text(
    engine: str,
    steps: tuple[DecoderStep, ...],
    row: list[int],
    sizes: list[int],
    skip: bool,
    fallback: bool,
) -> None:
    """However the ids are split; also as bytes."""
    tokenizer = decoding(engine, *steps, alphabet="chars" if fallback else "bytes")
    stream = tokenizer.stream_decoder(skip_special_tokens=skip)
    as_bytes = tokenizer.stream_decoder_bytes(skip_special_tokens=skip)
    texts, parts, rest = [], [], row
    for size in sizes:
        texts.append(stream.push(rest[:size]))
        parts.append(as_bytes.push(rest[:size]))
        rest = rest[size:]
    texts += [stream.push(rest), stream.finish()]
    parts += [as_bytes.push(rest), as_bytes.finish()]
    assert "".join(texts) == tokenizer.decode(row, skip_special_tokens=skip)
    assert b"".join(parts) == tokenizer.decode_bytes(row, skip_special_tokens=skip)


# What may follow: nothing, what completes characters, what does not, and what the steps look for.
FUTURES = [[], [0x80], [0x98], [0xA0], [END], [256], [257], [98], [260], [261], [98, 257]]
FUTURES += [[byte, 0x80] for byte in (0x80, 0x98, 0xA0)]
FUTURES += [[byte, 0x80, 0x80] for byte in (0x80, 0x98)]
FUTURES += [[111, 97], [97, 98, 97], [98, 97, 98, 97], [108, 111, 97], [257, 97], [111, 257, 97]]
FUTURES += [[257, 257, 97], [98, 261, 97], [256, 256], [256, 257], [111]]


def common_beginning(texts: Sequence[str]) -> str:
    """The longest."""
    first, last = min(texts), max(texts)
    n = next((n for n, char in enumerate(first) if last[n : n + 1] != char), len(first))
    return first[:n]


@given(row=ids, whole=st.lists(st.sampled_from([97, 98, 111, 256, 257, 258, 260, 261, END])))
@pytest.mark.parametrize("steps", STEPS, ids=str)
def test_all_text_comes_that_no_later_id_can_change(
    engine: str, steps: tuple[DecoderStep, ...], row: list[int], whole: list[int]
) -> None:
    """Neither more nor less: it is what the texts of all ways to go on have in common."""
    tokenizer = decoding(engine, *steps)
    # Broken characters wait where a step wants to know first whether something follows.
    row = row if steps in STEPS_AT_THE_BEGINNING else whole
    stream = tokenizer.stream_decoder()
    texts = [tokenizer.decode([*row, *future]) for future in FUTURES]
    assert stream.push(row) == common_beginning(texts)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([0xE2, 0x82, 0xAC], ["", "", "€", ""]),
        ([0xE2, 0x82, 97], ["", "", "\ufffda", ""]),
        ([0xF0, 259, 0x80], ["", "", "\U0001f600", ""]),
        ([0x80, 0xFF, 97], ["\ufffd", "\ufffd", "a", ""]),
        ([0xED, 0xA0], ["", "\ufffd\ufffd", ""]),
        ([0xE2, 0x82], ["", "", "\ufffd"]),
        ([258, 97], ["\ufffd", "a", ""]),
        ([0xE2, END, 0x82], ["", "\ufffd<end>", "\ufffd", ""]),
        ([], [""]),
    ],
    ids=str,
)
def test_streams_by_example(plain: Decoding, row: list[int], expected: list[str]) -> None:
    """Worked by hand: characters when they are whole, U+FFFD as soon as they cannot become so."""
    assert pushed(plain.stream_decoder(), row) == expected


def test_skipped_special_tokens_do_not_part_a_character(plain: Decoding) -> None:
    """As in `decode`: they are left out before anything is joined."""
    row = [0xE2, END, 0x82, 0xAC]
    assert pushed(plain.stream_decoder(skip_special_tokens=True), row) == ["", "", "", "€", ""]


def test_only_new_text_comes_after_a_prompt(plain: Decoding) -> None:
    """Also if the prompt ends within a character, or in bytes that are none."""
    assert pushed(plain.stream_decoder(after=[256, 0xE2, 0x82]), [0xAC, 97]) == ["€", "a", ""]
    assert pushed(plain.stream_decoder(after=[256, 0xE2]), [97]) == ["\ufffda", ""]
    assert pushed(plain.stream_decoder(after=[0xFF], errors="strict"), [97]) == ["a", ""]
    stream = plain.stream_decoder_bytes(after=np.array([256, 0xE2]))
    assert [stream.push(0x82), stream.finish()] == [b"\x82", b""]


@given(prompt=ids, row=ids)
@pytest.mark.parametrize("steps", STEPS, ids=str)
def test_text_after_a_prompt_completes_the_text(
    engine: str, steps: tuple[DecoderStep, ...], prompt: list[int], row: list[int]
) -> None:
    """What was certain of the prompt, and what the stream then brings, is all."""
    tokenizer = decoding(engine, *steps)
    before = tokenizer.stream_decoder().push(prompt)
    after = tokenizer.stream_decoder(after=prompt)
    assert before + "".join(pushed(after, row)) == tokenizer.decode([*prompt, *row])


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ("replace", ["", "", "\ufffda", "\ufffd", "", "\ufffd"]),
        ("ignore", ["", "", "a", "", "", ""]),
        ("backslashreplace", ["", "", r"\xe2\x82a", r"\xff", "", r"\xe2"]),
        ("surrogateescape", ["", "", "\udce2\udc82a", "\udcff", "", "\udce2"]),
    ],
)
def test_errors_are_treated_as_asked(plain: Decoding, errors: str, expected: list[str]) -> None:
    """As `bytes.decode` would."""
    assert pushed(plain.stream_decoder(errors=errors), [0xE2, 0x82, 97, 0xFF, 0xE2]) == expected


def test_an_unfinished_character_is_dropped_on_request(plain: Decoding) -> None:
    """Half an emoji at the end of a generation that was cut; what is whole still comes."""
    stream = plain.stream_decoder()
    assert [stream.push([97, 0xF0, 0x9F]), stream.finish(drop_incomplete=True)] == ["a", ""]
    tokenizer = decoding("python", StripText(" ", 0, 1))
    stream = tokenizer.stream_decoder()
    assert [stream.push([257, 257]), stream.finish(drop_incomplete=True)] == [" ", ""]


def test_byte_fallback_replaces_each_byte(engine: str) -> None:
    """As `decode` does there."""
    stream = decoding(engine, alphabet="chars").stream_decoder()
    assert pushed(stream, [0xE2, 0x82, 97, 0xE2, 0x82]) == [
        "",
        "",
        "\ufffd\ufffda",
        "",
        "",
        "\ufffd\ufffd",
    ]


def test_a_strict_stream_raises_and_stays_as_it_was(plain: Decoding) -> None:
    """So that whoever catches the error can go on with another id."""
    stream = plain.stream_decoder(errors="strict")
    assert stream.push([97, 0xE2, 0x82]) == "a"
    with pytest.raises(UnicodeDecodeError):
        stream.push(97)
    with pytest.raises(UnicodeDecodeError):
        stream.finish()
    assert [stream.push(0xAC), stream.finish()] == ["€", ""]


@pytest.mark.parametrize("steps", STEPS[:2], ids=str)
def test_wrong_ids_are_named_and_change_nothing(
    engine: str, steps: tuple[DecoderStep, ...]
) -> None:
    """As in `decode`."""
    stream = decoding(engine, *steps).stream_decoder()
    assert stream.push(0xE2) == ""
    wrong: list[tuple[Any, type[Exception], str]] = [
        ([0x82, 999], UnknownTokenError, "token id 999 at position 1"),
        (-1, UnknownTokenError, "token id -1 at position 0"),
        ([0x82, "a"], InputTypeError, "token id 1: expected an integer, got str"),
        (None, InputTypeError, "expected token ids, got NoneType"),
        (1.5, InputTypeError, "expected token ids, got float"),
        (True, InputTypeError, "token id 0: expected an integer, got bool"),
    ]
    for tokens, error, message in wrong:
        with pytest.raises(error, match=message):
            stream.push(tokens)
    assert stream.push([0x82, 0xAC]) == "€"


@pytest.mark.parametrize("steps", STEPS[:2], ids=str)
def test_unknown_ids_are_left_out_if_errors_are_ignored(
    engine: str, steps: tuple[DecoderStep, ...]
) -> None:
    """As in `decode`; bytes have an argument for it."""
    tokenizer = decoding(engine, *steps)
    assert tokenizer.stream_decoder(errors="ignore").push([97, 999, -1, 2**70, 98]) == "ab"
    assert tokenizer.stream_decoder_bytes(skip_unknown=True).push([97, 999, 98]) == b"ab"
    with pytest.raises(UnknownTokenError):
        tokenizer.stream_decoder_bytes().push(999)


@pytest.mark.parametrize(
    "token", [97, np.uint32(97), np.int64(97), np.array(97), [97], (97,), np.array([97])], ids=repr
)
def test_an_id_or_several_of_any_integer_type(plain: Decoding, token: Any) -> None:
    """As models return them."""
    assert plain.stream_decoder().push(token) == "a"
    assert plain.stream_decoder_bytes().push(token) == b"a"


@pytest.mark.parametrize("steps", STEPS, ids=str)
@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))]
)
def test_a_copy_goes_its_own_way(
    engine: str, steps: tuple[DecoderStep, ...], duplicate: Any
) -> None:
    """Two branches of a beam share what came before."""
    tokenizer = decoding(engine, *steps)
    for first, second in product([[0xAC], [97], [256]], repeat=2):
        stream = tokenizer.stream_decoder()
        before = stream.push([256, 257, 0xE2, 0x82])
        branch = duplicate(stream)
        assert before + "".join(pushed(stream, first)) == tokenizer.decode(
            [256, 257, 0xE2, 0x82, *first]
        )
        assert before + "".join(pushed(branch, second)) == tokenizer.decode(
            [256, 257, 0xE2, 0x82, *second]
        )


def test_a_finished_stream_takes_no_more(plain: Decoding) -> None:
    """What would come would not be the text of all ids."""
    for stream in (plain.stream_decoder(), plain.stream_decoder_bytes()):
        stream.finish()
        with pytest.raises(ArgumentError, match="the stream is finished"):
            stream.push(97)
        with pytest.raises(ArgumentError, match="the stream is finished"):
            stream.finish()
