from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair.errors import InputTypeError
from bytepair.normalizers import NAMES, normalize
from bytepair.tokenizer import Inspection, Piece, Tokenizer

PARTS = st.sampled_from(
    ["<|endoftext|>", "two words\n", "the", " dog", "é", "€", "😀", "\0", "x\r\n"]
)


@given(text=st.one_of(st.lists(PARTS).map("".join), st.binary()))
def test_pieces_tile_the_text(tok: Tokenizer, text: Any) -> None:
    """Nothing is between them, nothing is in two of them, and their ids are those of encode."""
    data = text if isinstance(text, bytes) else text.encode()
    inspection = tok.inspect(text)
    assert inspection.ids == tok.encode(text, allowed_special="all")
    assert len(inspection) == len(inspection.ids) == tok.count(text, allowed_special="all")
    borders = [0, *(piece.end for piece in inspection)]
    assert [piece.start for piece in inspection] == borders[:-1]
    assert [piece.data for piece in inspection] == [data[p.start : p.end] for p in inspection]
    assert inspection.n_bytes == borders[-1] == len(data)


@pytest.mark.parametrize("name", NAMES)
@given(text=st.lists(st.sampled_from(["É", "e\u0301", "ﬁ", " \t", "A", "<|endoftext|>"])))
def test_pieces_tile_the_normalised_text(spec: Any, name: str, text: list[str]) -> None:
    """Places are in the text that was encoded; a special token is not normalised."""
    tok = Tokenizer(replace(spec, rules=replace(spec.rules, normalizer=(name,))), engine="python")
    stretches = "".join(text).split("<|endoftext|>")
    expected = b"<|endoftext|>".join(normalize(s.encode(), [name]) for s in stretches)
    inspection = tok.inspect("".join(text))
    assert b"".join(piece.data for piece in inspection) == expected
    assert inspection.n_bytes == len(expected)


def test_inspection_by_example(byte_tok: Tokenizer) -> None:
    """Half a character has bytes and no text."""
    assert byte_tok.inspect("abcé€").pieces == (
        Piece(257, b"abc", 0, 3),
        Piece(258, "é".encode(), 3, 5),
        Piece(0xE2, b"\xe2", 5, 6),
        Piece(0x82, b"\x82", 6, 7),
        Piece(0xAC, b"\xac", 7, 8),
    )
    assert [piece.text for piece in byte_tok.inspect("abcé€")] == ["abc", "é", None, None, None]


def test_special_tokens_are_marked(tok: Tokenizer) -> None:
    """By default they are shown as such, whatever encode would say; on request as text."""
    pieces = tok.inspect("a<|endoftext|>").pieces
    assert pieces == (Piece(97, b"a", 0, 1), Piece(600, b"<|endoftext|>", 1, 14, special=True))
    plain = tok.inspect("a<|endoftext|>", allowed_special=set())
    assert plain.ids == tok.encode_ordinary("a<|endoftext|>")
    assert not any(piece.special for piece in plain)


def test_empty_text_has_no_pieces(tok: Tokenizer) -> None:
    """And is no special case for whoever draws it."""
    assert tok.inspect("") == Inspection(())
    assert (tok.inspect("").n_bytes, tok.inspect("").ids, list(tok.inspect(""))) == (0, [], [])


def test_printed_inspection_has_a_line_for_each_token() -> None:
    """What people see in a plain Python session."""
    inspection = Inspection((Piece(97, b"a", 0, 1), Piece(15_000, b" b\xff", 1, 4)))
    assert str(inspection) == "     97  b'a'\n  15000  b' b\\xff'"


def test_tokenizer_of_something_else_is_refused() -> None:
    """Whoever has a file or a dict in hand is told what to call."""
    with pytest.raises(InputTypeError, match=r"expected a TokenizerSpec, got dict\. Use bytepair"):
        Tokenizer({})  # type: ignore[arg-type]


def test_notebooks_show_tokens_with_their_ids() -> None:
    """Markup in the text is text, half a character its bytes, and every token has its id."""
    pieces = (
        Piece(5, b"<b>&\n", 0, 5),
        Piece(6, b"\xe2\x82", 5, 7),
        Piece(7, b"<s>", 7, 10, special=True),
    )
    html = Inspection(pieces)._repr_html_()
    assert html.count("<span ") == html.count("</span>") == 3
    assert "&lt;b&gt;&amp;↵\n" in html
    assert "‹E2 82›" in html
    assert ['title="5"' in html, 'title="6"' in html, 'title="7"' in html] == [True] * 3
