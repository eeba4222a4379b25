"""What the page at `/` asks besides, to draw a text: where a pattern cuts it, where tokens end."""

from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta, Struct

from bytepair.engines import select
from bytepair.model import to_utf8
from bytepair.patterns import resolve
from bytepair.server._errors import invalid
from bytepair.server._http import Call
from bytepair.server._patterns import require_named
from bytepair.server._schemas import Allowed, InspectAnswer, Rows, parse
from bytepair.server._tokenizers import Served
from bytepair.server._work import Text, ids_json, special

_MOST_CUT = 1 << 20  # bytes
_PIECE = 1 << 14  # bytes


class CutRequest(Struct, forbid_unknown_fields=True, kw_only=True):
    """A text to be cut into pre-tokens by one of the patterns that have a name; null: by none."""

    text: str
    pattern: Annotated[str, Meta(examples=["o200k"])] | None = "o200k"


class CutAnswer(Struct):
    """Where each pre-token ends, in bytes."""

    ends: Rows


_CUT = msgspec.json.Decoder(CutRequest)


def pretokens(call: Call) -> CutAnswer:
    """Where merges of a text cannot cross."""
    request = parse(_CUT, call)
    require_named(request.pattern)
    data = to_utf8(request.text)
    if len(data) > _MOST_CUT:
        raise invalid(f"longer than {_MOST_CUT} bytes.", "text", "text_too_long")
    ends = select().splitter(resolve(request.pattern)).split(data)
    return CutAnswer(ids_json(np.asarray(ends, dtype=np.uint32)))


def columns(served: Served, text: Text, allowed: Allowed) -> InspectAnswer | None:
    """As `Tokenizer.inspect`, without an object for each token; None: only that can tell.

    An added token can have the id of one that merges make. Where such an id occurs, the columns
    do not say which of the two it is.
    """
    ids = served.tokenizer.encode_to_numpy(
        text, allowed_special=special(allowed), disallowed_special=()
    )
    if served.is_ambiguous[ids].any():
        return None
    n_characters, n_words = _sizes(text)
    ends = np.cumsum(served.lengths[ids], dtype=np.uint32)
    return InspectAnswer(
        tokenizer=served.name,
        n_tokens=len(ids),
        n_bytes=int(ends[-1]) if len(ends) else 0,
        n_characters=n_characters,
        n_words=n_words,
        ids=ids_json(ids),
        ends=ids_json(ends),
        special=np.flatnonzero(served.is_added[ids]).tolist(),
    )


def _sizes(text: Text) -> tuple[int, int]:
    """(characters, words); of a long text a piece at a time, while other threads wait."""
    if isinstance(text, str):
        return len(text), len(text.split())
    n_characters = n_words = start = 0
    goes_on = False
    while start < len(text):
        stop = _next_character(text, start + _PIECE)
        piece = text[start:stop].decode()
        n_characters += len(piece)
        n_words += len(piece.split()) - (goes_on and not piece[0].isspace())
        goes_on = not piece[-1].isspace()
        start = stop
    return n_characters, n_words


def _next_character(text: bytes, place: int) -> int:
    """The place itself or the next one where a character begins, or the end."""
    while place < len(text) and text[place] & 0xC0 == 0x80:
        place += 1
    return min(place, len(text))
