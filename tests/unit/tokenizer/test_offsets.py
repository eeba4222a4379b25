"""Which characters of the text a token stands for; tests/parity and tests/vocab ask the library."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair
from bytepair.model import (
    AddedToken,
    MergeTable,
    Metaspace,
    PostProcessor,
    SplitRules,
    TemplatePiece,
    TokenizerSpec,
    Vocabulary,
)
from bytepair.tokenizer import Tokenizer

MERGES = MergeTable.from_merges([(32, 104, 256), (256, 105, 257), (32, 32, 258)])
VOCABULARY = Vocabulary(
    {byte: bytes([byte]) for byte in range(256)} | {256: b" h", 257: b" hi", 258: b"  "},
    tuple(range(256)),
)
MASK = AddedToken("<m>", 300, lstrip=True, rstrip=True)
SPEC = TokenizerSpec(VOCABULARY, MERGES, added_tokens=(MASK,))


def places(engine: str, text: str | bytes, spec: TokenizerSpec = SPEC, **options: Any) -> Any:
    """The offsets of a text."""
    tokenizer = bytepair.Tokenizer(spec, engine=engine)
    return tokenizer.encode_with_offsets(text, allowed_special="all", **options)[1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a hi", [(0, 1), (1, 4)]),
        ("a🌶b", [(0, 1), *[(1, 2)] * 4, (2, 3)]),
        ("e\u0301x", [(0, 1), (1, 2), (1, 2), (2, 3)]),
        ("é <m> \nx", [(0, 1), (0, 1), (1, 7), (7, 8)]),
        ("\ud83c\udf36x\ud83c", [*[(0, 2)] * 4, (2, 3), *[(3, 4)] * 3]),
        ("", []),
        ("é hi".encode(), [(0, 1), (0, 1), (1, 4)]),
        (b"\xc3\xff hi", [(0, 1), (1, 2), (2, 5)]),
    ],
)
def test_a_token_names_the_characters_that_it_holds_a_part_of(
    engine: str, text: str | bytes, expected: list[tuple[int, int]]
) -> None:
    """Halves of a character share it; a pair of surrogates is one character in two places."""
    assert places(engine, text) == expected


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("cafe\u0301", ["nfc"], [(0, 1), (1, 2), (2, 3), (3, 5), (3, 5)]),
        ("\u1112\u1161\u11abx", ["nfc"], [*[(0, 3)] * 3, (3, 4)]),
        ("ﬁx", ["nfkc"], [(0, 1), (0, 1), (1, 2)]),
        ("a  \n hi", ["collapse-whitespace"], [(0, 1), (1, 7)]),
    ],
)
def test_a_token_names_all_that_was_made_into_it(
    engine: str, text: str, names: list[str], expected: list[tuple[int, int]]
) -> None:
    """Others leave combining marks out: "é" out of two characters would name only one."""
    spec = replace(SPEC, rules=SplitRules(normalizer=tuple(names)))
    assert places(engine, text, spec) == expected


def test_what_was_put_in_names_nothing(engine: str) -> None:
    """A prefix by itself, and the tokens around a text; a special token in the text has a place."""
    post = PostProcessor((TemplatePiece(ids=(300,)), TemplatePiece("A"), TemplatePiece(ids=(300,))))
    rules = SplitRules(steps=(Metaspace(" "),))
    spec = replace(SPEC, rules=rules, post_processor=post)
    text = "x<m>hi"
    expected = [(0, 0), (0, 0), (0, 1), (1, 4), (4, 6), (0, 0)]
    assert places(engine, text, spec, add_special_tokens=True) == expected


@pytest.mark.parametrize(
    ("text", "prefix_space", "expected"),
    [
        ("a hi", False, [(0, 1), (2, 4)]),
        (" hi hi", False, [(1, 3), (4, 6)]),
        (" hi hi", True, [(0, 3), (4, 6)]),
        ("  a", True, [(2, 2), (2, 3)]),
        ("a \n<m>\u3000 hi", False, [(0, 1), (3, 6), (8, 9), (9, 10)]),
        ("é hi".encode(), False, [(0, 1), (0, 1), (2, 4)]),
    ],
)
def test_spaces_at_the_ends_are_left_out_if_the_file_says_so(
    engine: str, text: str | bytes, prefix_space: bool, expected: list[tuple[int, int]]
) -> None:
    """As ByteLevel's `trim_offsets` does; of an added token any white space."""
    post = PostProcessor(trim_offsets=True, prefix_space=prefix_space)
    assert places(engine, text, replace(SPEC, post_processor=post)) == expected


@given(text=st.text() | st.binary())
def test_offsets_go_from_left_to_right_and_leave_nothing_out(
    tok: Tokenizer, text: str | bytes
) -> None:
    """Without a normaliser every character is named, and the ids are those of `encode`."""
    ids, offsets = tok.encode_with_offsets(text, disallowed_special=())
    assert ids == tok.encode(text, disallowed_special=())
    end = 0
    for start, stop in offsets:
        assert start in {end, end - 1}
        assert start < stop
        end = stop
    chars = text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")
    assert end == len(chars)
