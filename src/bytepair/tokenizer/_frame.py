"""What is done to ids once they are there: truncate, surround with special tokens, pad."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bytepair.engines import Ragged
from bytepair.errors import ArgumentError
from bytepair.model import PostProcessor, TokenId, at_least_one

Side = Literal["left", "right"]


class Padded(NamedTuple):
    """Rows of equal length.

    Attributes:
        ids: uint32[n, width].
        mask: uint8[n, width], 1 for tokens and 0 for padding.
    """

    ids: NDArray[np.uint32]
    mask: NDArray[np.uint8]


class Frame:
    """The special tokens around one text, and the room that `max_length` leaves for its own.

    Args:
        post_processor: whose template for one text counts; None: nothing surrounds a text.
        max_length: most ids a row may have, the surrounding ones included; None: any number.
        side: where a row that is too long loses ids.

    Raises:
        ArgumentError: no room is left, or `side` is neither "left" nor "right".
    """

    def __init__(
        self, post_processor: PostProcessor | None, max_length: int | None, side: Side
    ) -> None:
        self.before, self.after = _around(post_processor)
        self._keeps_end = _checked_side("truncation_side", side) == "left"
        self._room = room(max_length, len(self.before) + len(self.after))

    def row(self, ids: list[TokenId]) -> list[TokenId]:
        """One text."""
        start, stop = self._kept(len(ids))
        return [*self.before, *ids[start:stop], *self.after]

    def array(self, ids: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """One text, as an array."""
        start, stop = self._kept(len(ids))
        parts = (self.before, ids[start:stop], self.after)
        return np.concatenate([np.asarray(part, np.uint32) for part in parts])

    def rows(self, rows: Ragged) -> Ragged:
        """Many texts; O(1) if there is nothing to do."""
        ids, offsets = rows
        lengths = np.diff(offsets)
        n_around = len(self.before) + len(self.after)
        if not n_around and (self._room is None or lengths.max(initial=0) <= self._room):
            return rows
        kept = lengths if self._room is None else np.minimum(lengths, self._room)
        first = offsets[:-1] + (lengths - kept if self._keeps_end else 0)
        framed = np.zeros(len(offsets), np.int64)
        np.cumsum(kept + n_around, out=framed[1:])
        result = np.empty(int(framed[-1]), np.uint32)
        for place, token in enumerate(self.before):
            result[framed[:-1] + place] = token
        for place, token in enumerate(self.after):
            result[framed[1:] - len(self.after) + place] = token
        result[_places(framed[:-1] + len(self.before), kept)] = ids[_places(first, kept)]
        return result, framed

    def span(self, n_ids: int) -> tuple[int, int]:
        """Which of a text's `n_ids` ids stay."""
        return self._kept(n_ids)

    def _kept(self, n_ids: int) -> tuple[int, int]:
        if self._room is None or n_ids <= self._room:
            return 0, n_ids
        return (n_ids - self._room, n_ids) if self._keeps_end else (0, self._room)


def pad(
    rows: Ragged,
    pad_id: TokenId,
    *,
    length: int | None = None,
    multiple_of: int | None = None,
    side: Side = "right",
) -> Padded:
    """Rows of equal length: that of the longest, or `length`, rounded up to a multiple.

    Raises:
        ArgumentError: a row is longer than `length`, or the rows do not fit into memory.
    """
    ids, offsets = rows
    lengths = np.diff(offsets)
    longest = int(lengths.max(initial=0))
    width = longest if length is None else at_least_one("pad_to", length)
    if multiple_of is not None:
        step = at_least_one("pad_to_multiple_of", multiple_of)
        width = -(-width // step) * step
    if longest > width:
        raise ArgumentError(
            f"text {int(lengths.argmax())} has {longest} tokens, more than pad_to={length}. "
            "Pass max_length= to cut longer texts, or a larger pad_to."
        )
    try:
        padded = np.empty((len(lengths), width), np.uint32)
        mask = np.zeros((len(lengths), width), np.uint8)
    except (MemoryError, ValueError) as error:  # NumPy's ValueError: beyond what it can address
        raise ArgumentError(
            f"{len(lengths)} rows of {width} ids do not fit into memory; text "
            f"{int(lengths.argmax())} is the longest. Pass max_length= to cut long texts, or pad "
            "fewer texts at a time."
        ) from error
    at_end = _checked_side("padding_side", side) == "right"
    first = np.arange(len(lengths)) * width + (0 if at_end else width - lengths)
    places = _places(first, lengths)
    padded.fill(pad_id)
    padded.reshape(-1)[places] = ids
    mask.reshape(-1)[places] = 1
    return Padded(padded, mask)


def frame_pair(
    post_processor: PostProcessor | None, first: Sequence[TokenId], second: Sequence[TokenId]
) -> tuple[list[TokenId], list[int]]:
    """(ids, type ids) of two texts in their template; without one the second has type 1."""
    ids: list[TokenId] = []
    types: list[int] = []
    template = post_processor.pair if post_processor else ()
    if not template:
        return [*first, *second], [0] * len(first) + [1] * len(second)
    for piece in template:
        part = {"A": first, "B": second}.get(piece.text or "", piece.ids)
        ids += part
        types += [piece.type_id] * len(part)
    return ids, types


def room(max_length: int | None, n_around: int) -> int | None:
    """How many ids of the texts themselves fit.

    Raises:
        ArgumentError: none does.
    """
    if max_length is None:
        return None
    left = at_least_one("max_length", max_length) - n_around
    if left < 0:
        raise ArgumentError(
            f"max_length is {max_length}, but the special tokens around a text alone are "
            f"{n_around}."
        )
    return left


def _around(post_processor: PostProcessor | None) -> tuple[list[TokenId], list[TokenId]]:
    before: list[TokenId] = []
    after: list[TokenId] = []
    side = before
    for piece in post_processor.single if post_processor else ():
        if piece.text is not None:
            side = after
        side += piece.ids
    return before, after


def _checked_side(option: str, side: Side) -> Side:
    if side not in ("left", "right"):
        raise ArgumentError(f"{option} must be 'left' or 'right', got {side!r:.60}.")
    return side


def _places(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The positions start, start + 1, … of every row, one row after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    places: NDArray[np.int64] = np.arange(total) + np.repeat(starts - (ends - lengths), lengths)
    return places
