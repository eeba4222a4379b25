"""Tokens on the screen: nothing the terminal would obey, everything in its column."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from bytepair import Inspection
from bytepair.cli._render import flow, grid, palette_of, visible
from bytepair.tokenizer import Piece

COLOURS = palette_of(Console(force_terminal=True, color_system="256", no_color=False))
SIXTEEN = palette_of(Console(force_terminal=True, color_system="standard", no_color=False))
TOKENS = st.lists(st.binary(min_size=1, max_size=6) | st.text(min_size=1, max_size=4), max_size=30)


def inspection_of(*tokens: bytes | str, first_id: int = 1000) -> Inspection:
    """These tokens, with ids of four digits."""
    pieces = []
    start = 0
    for number, token in enumerate(tokens):
        data = token if isinstance(token, bytes) else token.encode()
        pieces.append(Piece(first_id + number, data, start, start + len(data)))
        start += len(data)
    return Inspection(tuple(pieces))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b" a b", "·a·b"),
        (b"\ta\n", "⇥a↵"),
        (b"\x1b[31m", "‹1B›[31m"),
        (b"\x00\x7f\r", "‹00 7F 0D›"),
        ("\u202e\u200b".encode(), "‹E2 80 AE E2 80 8B›"),
        ("\x9b2J".encode(), "‹C2 9B›2J"),
        (b"\xe2\x82", "‹E2 82›"),
        (b"a\xff\xc3\xa9", "a‹FF›é"),
        ("漢字🙂".encode(), "漢字🙂"),
        ("\u0301e\u0301".encode(), "◌\u0301e\u0301"),
        ("\u093f".encode(), "◌\u093f"),
        ("\ufe0f".encode(), "‹EF B8 8F›"),
        ("a\u00a0b\u3164".encode(), "a‹C2 A0›b‹E3 85 A4›"),
        (b"", ""),
    ],
    ids=[
        "spaces",
        "tab-and-newline",
        "escape-sequence",
        "control-characters",
        "invisible-format",
        "one-byte-escape-sequence",
        "half-a-character",
        "invalid-inside",
        "wide",
        "combining-mark-first",
        "vowel-sign-first",
        "variation-selector",
        "blanks-that-are-not-spaces",
        "empty",
    ],
)
def test_visible_shows_what_is_there(data, expected):
    """Glyphs for white space, hexadecimal for what cannot be seen, a circle under lone marks."""
    assert visible(data) == expected


@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "replace")))
def test_visible_never_holds_what_a_terminal_obeys(data):
    """Whatever the text: a token must not recolour, move or retitle the user's terminal."""
    assert visible(data).isprintable()


def test_grid_puts_ids_below_their_tokens():
    """Hand-drawn: each cell as wide as the longer of its two lines."""
    lines = [line.plain for line in grid(inspection_of("Simple", " is"), 80, None)]
    assert lines == ["│Simple│·is │", "│1000  │1001│", ""]


def test_grid_measures_wide_characters_in_cells():
    """漢字 is four cells, e with its accent one."""
    lines = [line.plain for line in grid(inspection_of("漢字漢", "e\u0301"), 80, None)]
    assert lines[0] == "│漢字漢│e\u0301   │"
    assert lines[1] == "│1000  │1001│"


def test_grid_begins_a_row_after_a_newline():
    """So that the shape of the text stays visible."""
    lines = [line.plain for line in grid(inspection_of("a", "\n", "b"), 80, None)]
    assert lines == ["│a   │↵   │", "│1000│1001│", "", "│b   │", "│1002│", ""]


@pytest.mark.parametrize("palette", [None, COLOURS], ids=["plain", "colour"])
@given(tokens=TOKENS, width=st.integers(12, 90))
def test_grid_stays_within_the_width_and_aligned(palette, tokens, width):
    """For any bytes and any width: no line too long, and every id starts below its token."""
    lines = list(grid(inspection_of(*tokens), width, palette))
    assert all(line.cell_len <= width for line in lines)
    for token_line, id_line in zip(lines[::3], lines[1::3], strict=True):
        assert "\n" not in token_line.plain
        if palette is None:
            assert token_line.cell_len == id_line.cell_len


@given(tokens=TOKENS)
def test_grid_shows_every_token_once(tokens):
    """All ids, in order, whatever the wrapping."""
    lines = [line.plain for line in grid(inspection_of(*tokens), 40, COLOURS)]
    shown = [int(number) for line in lines[1::3] for number in line.split()]
    assert shown == [1000 + number for number in range(len(tokens))]


def test_grid_cuts_a_token_wider_than_the_screen():
    """Training without a pattern makes tokens as long as lines; the whole is in --json."""
    top, ids, _ = grid(inspection_of("x" * 200), 20, None)
    assert top.plain == "│" + "x" * 17 + "…│"
    assert ids.cell_len == 20


@pytest.mark.parametrize("palette", [COLOURS, SIXTEEN], ids=["256", "16"])
def test_neighbours_have_different_colours(palette):
    """Two tokens without a border between them must not look like one."""
    (line,) = list(grid(inspection_of(*"abcdefghijkl"), 80, palette))[:1]
    styles = [str(span.style) for span in line.spans if "on " in str(span.style)]
    assert len(styles) == 12
    assert all(one != other for one, other in pairwise(styles))


def test_flow_reads_as_the_text():
    """Spaces as spaces, and a character in pieces as the character."""
    inspection = inspection_of("Hi", " x", b"\xe6\xbc", b"\xa2", "!")
    assert flow(inspection, None).plain == "Hi│ x│{漢}│!"
    assert flow(inspection, COLOURS).plain == "Hi x漢!"


def test_flow_of_bytes_that_are_no_text():
    """A character that never ends, and bytes that never begin one."""
    inspection = inspection_of("a", b"\xff", "b", b"\xe6", b"\xbc")
    assert flow(inspection, None).plain == "a│‹FF›│b│{‹E6 BC›}"


@given(tokens=TOKENS)
def test_flow_loses_no_token(tokens):
    """In colour the flow is the visible text of all bytes, runs apart."""
    inspection = inspection_of(*tokens)
    data = b"".join(piece.data for piece in inspection)
    shown = flow(inspection, COLOURS).plain
    letters = [c for c in visible(data, spaces=False) if c.isalpha() and c.isascii()]
    assert [c for c in shown if c.isalpha() and c.isascii()] == letters


@pytest.mark.parametrize(
    ("options", "has_colours"),
    [
        ({"force_terminal": True, "color_system": "256", "no_color": False}, True),
        ({"force_terminal": True, "color_system": "256", "no_color": True}, False),
        ({"force_terminal": False}, False),
    ],
    ids=["terminal", "NO_COLOR", "pipe"],
)
def test_colours_only_where_they_are_wanted(options, has_colours):
    """https://no-color.org, and nothing but text into a pipe."""
    assert (palette_of(Console(**options)) is not None) == has_colours


def test_cells_are_what_the_terminal_library_measures():
    """The glyphs must be one cell wide each, or no column would hold."""
    assert [cell_len(glyph) for glyph in "·⇥↵‹›◌│…"] == [1] * 8
