"""Tokens as people see them: in colour where the terminal has colours, between bars elsewhere."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from unicodedata import category

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from bytepair import Inspection
from bytepair.tokenizer import Piece

SPACE, TAB, NEWLINE = "·", "⇥", "↵"
_GLYPHS = {" ": SPACE, "\t": TAB, "\n": NEWLINE}
_DOTTED_CIRCLE = "◌"  # what Unicode puts a mark on that has no letter
_BAR = "│"


@dataclass(frozen=True)
class Palette:
    """Styles of tokens, in turn so that neighbours differ, and of what stands out.

    Attributes:
        broken: a character that took several tokens.
        glyph: the sign that stands for a space, a tab or a newline.
    """

    tokens: Sequence[str]
    special: str
    broken: str
    glyph: str
    id: str = "dim"

    def style(self, piece: Piece, number: int) -> str:
        """The style of the token at place `number`."""
        return self.special if piece.special else self.tokens[number % len(self.tokens)]


# Soft backgrounds that carry black text on dark and on light terminals.
_MANY_COLOURS = Palette(
    tokens=[f"color(16) on color({n})" for n in (153, 157, 223, 183, 222, 217)],
    special="bold white on color(54)",
    broken="underline color(16) on color(250)",
    glyph="color(242)",
)
_SIXTEEN_COLOURS = Palette(
    tokens=[f"black on {name}" for name in ("cyan", "green", "yellow", "magenta")],
    special="bold white on red",
    broken="underline black on white",
    glyph="blue",
)


def output_console() -> Console:
    """What standard output can show: its width, and whether it has colours."""
    return Console(file=sys.stdout, highlight=False, markup=False, emoji=False)


def palette_of(console: Console) -> Palette | None:
    """Its colours; None into a pipe or a file, on a dumb terminal, and if the user wants none."""
    if console.color_system is None or console.no_color:
        return None
    return _SIXTEEN_COLOURS if console.color_system == "standard" else _MANY_COLOURS


def rendered(console: Console, text: Text) -> str:
    """`text` with the console's escape codes, not wrapped, without a newline."""
    with console.capture() as capture:
        console.print(text, end="", soft_wrap=True)
    return capture.get()


def visible(data: bytes, *, spaces: bool = True) -> str:
    r"""A token's bytes in characters that can be shown, whatever they are.

    Spaces (if `spaces`), tabs and newlines become glyphs; bytes of unprintable characters and
    pieces of characters are shown in hexadecimal, a mark that opens the token on a dotted circle.

    >>> print(visible(b" na\xc3\xafve\n"), visible(b"\x1b[1m\xe2\x82"))
    ·naïve↵ ‹1B›[1m‹E2 82›
    """
    glyphs = _GLYPHS if spaces else {**_GLYPHS, " ": " "}
    parts: list[str] = []
    hidden = bytearray()
    for character in data.decode("utf-8", "surrogateescape"):
        shown = glyphs.get(character) or _shown(character, is_first=not parts)
        if shown is None:
            hidden += character.encode("utf-8", "surrogateescape")
            continue
        parts += [_hexadecimal(hidden), shown]
        hidden.clear()
    return "".join([*parts, _hexadecimal(hidden)])


def _shown(character: str, *, is_first: bool) -> str | None:
    if not character.isprintable() or _is_invisible(character):
        return None
    needs_base = is_first and (category(character)[0] == "M" or cell_len(character) == 0)
    return _DOTTED_CIRCLE + character if needs_base else character


def _is_invisible(character: str) -> bool:
    """Variation selectors, joiners, fillers: printable by category, but nothing is seen."""
    code = ord(character)
    return 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF or code in _FILLERS


_FILLERS = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x3164, 0xFFA0}


def _hexadecimal(data: bytes | bytearray) -> str:
    return f"‹{data.hex(' ').upper()}›" if data else ""


def flow(pieces: Iterable[Piece], palette: Palette | None) -> Text:
    """The tokens one after the other, as the text reads: in colour, or between bars.

    Characters that took several tokens each are shown whole, underlined or in braces.
    """
    shown = Text(end="")
    for number, group in enumerate(_runs(pieces)):
        text = visible(b"".join(piece.data for piece in group), spaces=False)
        is_broken = len(group) > 1
        if palette is None:
            bar = _BAR if number else ""
            shown.append(f"{bar}{{{text}}}" if is_broken else bar + text)
        else:
            shown.append(text, palette.broken if is_broken else palette.style(group[0], number))
    return shown


def _runs(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Single tokens of whole characters, and runs of tokens that only together are characters."""
    run: list[Piece] = []
    character = b""  # begun, not finished
    for piece in pieces:
        if not character and piece.text is not None:
            yield from (run,) if run else ()
            yield [piece]
            run = []
            continue
        run.append(piece)
        character += piece.data
        if not _is_cut_short(character):
            character = b""
    if run:
        yield run


def _is_cut_short(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.end == len(data) and error.reason == "unexpected end of data"
    return False


def grid(inspection: Inspection, width: int, palette: Palette | None) -> Iterator[Text]:
    """Lines of tokens with their ids below, at most `width` cells wide.

    After a newline in the text a new line begins. Without colours bars stand between the tokens.
    """
    row: list[tuple[Text, str]] = []
    used = 0
    for number, piece in enumerate(inspection):
        label = _label(piece, number, width - 2, palette)
        needed = max(label.cell_len, len(str(piece.id))) + 1
        if row and used + needed > width - 1:
            yield from _row(row, palette)
            row, used = [], 0
        row.append((label, str(piece.id)))
        used = width if b"\n" in piece.data else used + needed
    if row:
        yield from _row(row, palette)


def _label(piece: Piece, number: int, width: int, palette: Palette | None) -> Text:
    text = visible(piece.data)
    if cell_len(text) > width:
        text = set_cell_size(text, width - 1) + "…"
    label = Text(text, end="")
    if palette is not None:
        label.stylize(palette.style(piece, number))
        label.highlight_words([SPACE, TAB, NEWLINE], palette.glyph)
    return label


def _row(row: list[tuple[Text, str]], palette: Palette | None) -> Iterator[Text]:
    """The line of tokens, the line of ids, an empty line."""
    border, style = (_BAR, "") if palette is None else (" ", palette.id)
    tokens, ids = Text(end=""), Text(end="")
    for label, number in row:
        width = max(label.cell_len, len(number))
        tokens.append(border).append_text(label).append(" " * (width - label.cell_len))
        ids.append(border).append(number.ljust(width), style)
    for line in (tokens, ids):
        line.append(border)
        line.rstrip()
        yield line
    yield Text(end="")
