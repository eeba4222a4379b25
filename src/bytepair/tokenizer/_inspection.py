"""`Inspection`: a text and the tokens it became, side by side."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from bytepair.model import TokenId


@dataclass(frozen=True, slots=True)
class Piece:
    """One token of a text.

    Attributes:
        data: its bytes; perhaps only part of a character.
        start, end: its place in bytes of the (normalised) text.
        special: an added token, matched as a whole.
    """

    id: TokenId
    data: bytes
    start: int
    end: int
    special: bool = False

    @property
    def text(self) -> str | None:
        """The token as text, or None if its bytes are not whole characters."""
        try:
            return self.data.decode()
        except UnicodeDecodeError:
            return None


@dataclass(frozen=True)
class Inspection:
    """The tokens of a text, in order; their bytes joined are the (normalised) text.

    >>> inspection = Inspection((Piece(97, b"a", 0, 1), Piece(98, b"b", 1, 2)))
    >>> inspection.ids, inspection.n_bytes, [piece.text for piece in inspection]
    ([97, 98], 2, ['a', 'b'])
    >>> print(inspection)
         97  b'a'
         98  b'b'
    """

    pieces: tuple[Piece, ...]

    @property
    def ids(self) -> list[TokenId]:
        """The ids, as `encode` gives them."""
        return [piece.id for piece in self.pieces]

    @property
    def n_bytes(self) -> int:
        """Length of the (normalised) text in bytes."""
        return self.pieces[-1].end if self.pieces else 0

    def __str__(self) -> str:
        """One line a token: its id and its bytes."""
        return "\n".join(f"{piece.id:>7}  {piece.data!r}" for piece in self.pieces)

    def _repr_html_(self) -> str:
        """The tokens in colour, for notebooks; an id shows where the pointer rests."""
        pieces = "".join(_html(piece, number) for number, piece in enumerate(self.pieces))
        return f'<div style="white-space:pre-wrap;font-family:monospace">{pieces}</div>'

    def __len__(self) -> int:
        return len(self.pieces)

    def __iter__(self) -> Iterator[Piece]:
        return iter(self.pieces)


_COLOURS = ("#a8d1ff", "#b9e6b0", "#ffe0a3", "#dcc5f7", "#ffc9c0")
_ADDED_COLOUR = "#f0a0a0"


def _html(piece: Piece, number: int) -> str:
    colour = _ADDED_COLOUR if piece.special else _COLOURS[number % len(_COLOURS)]
    text = f"‹{piece.data.hex(' ').upper()}›" if piece.text is None else escape(piece.text)
    shown = text.replace("\n", "↵\n").replace("\t", "⇥\t")
    style = f"background:{colour};color:#000;border-radius:3px"
    return f'<span title="{piece.id}" style="{style}">{shown}</span>'
