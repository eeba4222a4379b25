"""What is long in JSON text, in both engines, against Python's own reader and writer of JSON."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair.engines import NAMES, Engine, select
from bytepair.model import to_utf8

MARK = 10**12
MANY = 10**6
PARTS = [
    '"', "\\", "\\\\", '\\"', "\n", "\t", "é", "日", "🌶", "\u2028", "\x00", "a b", "x" * 20,
    "\\u0041", "\ud800", "\udfff", "[1, 2]", "}",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PARTS)).map("".join)
IDS = st.lists(st.integers(0, 2**32 + 5) | st.integers(0, 9), max_size=9)
VALUES = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False) | TEXTS | IDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture(params=NAMES)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each of the two."""
    return select(request.param)


def back(value: Any, parts: list[Any]) -> Any:
    """Put the parts where their marks stand."""
    if isinstance(value, str) and value.isdigit() and int(value) >= MARK:
        return parts[int(value) - MARK].decode()
    if isinstance(value, list) and len(value) == 1 and value[0] in range(MARK, MARK + MANY):
        return parts[value[0] - MARK].tolist()
    if isinstance(value, list):
        return [back(item, parts) for item in value]
    if isinstance(value, dict):
        return {name: back(item, parts) for name, item in value.items()}
    return to_utf8(value).decode() if isinstance(value, str) else value


@pytest.mark.parametrize("name", NAMES)
@given(value=VALUES, escaped=st.booleans(), indent=st.none() | st.just(1), shortest=st.just(9))
def test_what_is_put_back_is_what_was_there(
    name: str, value: Any, escaped: bool, indent: int | None, shortest: int
) -> None:
    """However it is escaped, and whatever looks like a string within one."""
    value = json.loads(to_utf8(json.dumps(value, ensure_ascii=False)))
    text = json.dumps(value, ensure_ascii=escaped, indent=indent).encode()
    taken = select(name).take_out(text, shortest, MANY, MARK)
    assert taken is not None
    short, parts, n_values = taken
    assert back(json.loads(short), parts) == value
    assert len(parts) <= n_values <= len(text)


@given(text=st.lists(st.sampled_from(
    [b'"', b"\\", b"[", b"]", b"{", b":", b",", b" ", b"1", b"0", b"99", b"4294967296", b"\\u",
     b"\\ud83d", b"\\ude00", b"00e9", b"\xc3\xa9", b"\xff", b"\xed\xa0\x80", b"\x01", b"word"]
)).map(b"".join), shortest=st.integers(1, 9), most=st.integers(0, 9))  # fmt: skip
def test_the_engines_take_out_the_same(text: bytes, shortest: int, most: int) -> None:
    """Of anything, which mostly is no JSON."""
    found = []
    for name in NAMES:
        taken = select(name).take_out(text, shortest, most, MARK)
        if taken is not None:
            parts = [part if isinstance(part, bytes) else part.tolist() for part in taken[1]]
            taken = taken[0], parts, taken[2]
        found.append(taken)
    assert all(other == found[0] for other in found)


def test_long_values_are_taken_out(engine: Engine) -> None:
    """Names are not, nor what is short, nor numbers that are no ids."""
    text = b'{"a long name": "0123456789", "b": "short", "c": [11, 22,33], "d": [-1,2,3,4,5]}'
    taken = engine.take_out(text, 9, MANY, 500)
    assert taken is not None
    assert taken[0] == b'{"a long name": "500", "b": "short", "c": [501], "d": [-1,2,3,4,5]}'
    assert taken[1][0] == b"0123456789"
    assert np.array_equal(taken[1][1], np.array([11, 22, 33], np.uint32))


@pytest.mark.parametrize(
    "text",
    [b'{"a": "0123456789', b'{"a": "01234\\u00zz56789"}', b'{"a": "0123456789\\', b'"' * 99,
     b'{"a": "01234\x0156789"}', b'{"a": "012345\xff6789"}', b'{"a": "0123456\\x89"}'],
)  # fmt: skip
def test_what_is_no_string_is_left_to_the_parser(engine: Engine, text: bytes) -> None:
    """It can say what is wrong."""
    assert engine.take_out(text, 8, MANY, MARK) is None


def test_half_of_a_surrogate_pair_is_a_replacement_character(engine: Engine) -> None:
    """As everywhere in the library; an escape behind it keeps its meaning."""
    taken = engine.take_out(rb'"\ud83d\ude00 \ud83d\u0041 \ude00"', 8, MANY, MARK)
    assert taken is not None
    assert taken[1] == ["😀 \ufffdA \ufffd".encode()]


def test_counting_ends_where_it_is_enough(engine: Engine) -> None:
    """Who made a text of a million brackets waits for no answer about the rest."""
    text = b"[" * 50 + b'"0123456789"'
    assert engine.take_out(text, 8, 20, MARK) == (text, [], 21)


@pytest.mark.parametrize("ids", [[], [0], [9, 10, 99, 100, 999_999_999, 10**9, 2**32 - 1]])
def test_ids_are_written_as_json_writes_them(engine: Engine, ids: list[int]) -> None:
    """Of every number of digits."""
    assert engine.ids_json(np.array(ids, np.uint32)) == json.dumps(ids).replace(" ", "").encode()


@pytest.mark.parametrize("name", NAMES)
@given(text=st.text() | TEXTS)
def test_texts_are_written_as_json_writes_them(name: str, text: str) -> None:
    """Every control character among them."""
    data = to_utf8(text + "".join(map(chr, range(0x80))))
    wanted = json.dumps(data.decode(), ensure_ascii=False).encode()
    assert select(name).text_json(data) == wanted


def test_what_is_no_text_is_not_written(engine: Engine) -> None:
    """Half a character, an overlong form."""
    assert [engine.text_json(data) for data in (b"a\xc3", b"\xc0\x80", b"\xff")] == [None] * 3
