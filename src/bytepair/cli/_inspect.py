"""`bytepair inspect`: the tokens of a text, seen."""

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from bytepair import Inspection
from bytepair.cli import _streams
from bytepair.cli._messages import say
from bytepair.cli._options import (
    AllowSpecial,
    Json,
    LoadPattern,
    LoadSpecial,
    TokenizerPath,
    allowed,
    load_tokenizer,
)


def inspect(
    tokenizer: TokenizerPath,
    text: Annotated[
        str,
        typer.Argument(
            metavar="TEXT", show_default=False, help="The text; none, or -: standard input."
        ),
    ] = "-",
    allow_special: AllowSpecial = False,
    as_json: Json = False,
    pattern: LoadPattern = None,
    special_token: LoadSpecial = None,
) -> None:
    """Show the tokens of a text and their ids.

    A space is shown as ·, a tab as ⇥, a newline as ↵; what cannot be shown, such as half a
    character, as its bytes: ‹E2 82›. With --json every token has id, text (null if its bytes are
    no whole characters), bytes in hexadecimal, start and end in bytes, and special.

    For example:

        bytepair inspect zen "Simple is better than complex."
    """
    tok = load_tokenizer(tokenizer, pattern, special_token)
    data = _streams.read_all("-") if text == "-" else os.fsencode(text)
    inspection = tok.inspect(data, allowed_special=allowed(allow_special))
    _note_a_file(tokenizer, text)
    if as_json:
        _streams.write_json(_fields(inspection))
        return
    from bytepair.cli._render import grid, output_console, palette_of, rendered

    console = output_console()
    for line in grid(inspection, console.width, palette_of(console)):
        _streams.write_line(rendered(console, line))
    _streams.write_line(_summary(inspection))


def _note_a_file(tokenizer: Path, text: str) -> None:
    """The other commands take names of files, so whoever gives one here may mean the file."""
    if text != "-" and os.path.isfile(text):  # noqa: PTH113  # a Path fails for a long text
        command = f"bytepair inspect {shlex.quote(str(tokenizer))} - < {shlex.quote(text)}"
        say("note", f"this is the text {text!r}; to inspect the file: {command}")


def _summary(inspection: Inspection) -> str:
    fields = _counts(inspection)
    parts = [_number(len(inspection), "token"), _number(inspection.n_bytes, "byte")]
    if fields["n_chars"] is not None:
        parts.append(_number(int(fields["n_chars"]), "character"))
    if fields["bytes_per_token"] is not None:
        parts.append(f"{fields['bytes_per_token']:.2f} bytes a token")
    return "  ·  ".join(parts)


def _number(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _counts(inspection: Inspection) -> dict[str, float | None]:
    data = b"".join(piece.data for piece in inspection)
    try:
        n_chars = len(data.decode())
    except UnicodeDecodeError:
        n_chars = None
    return {
        "n_tokens": len(inspection),
        "n_bytes": len(data),
        "n_chars": n_chars,
        "bytes_per_token": len(data) / len(inspection) if inspection else None,
    }


def _fields(inspection: Inspection) -> dict[str, object]:
    tokens = [
        {
            "id": piece.id,
            "text": piece.text,
            "bytes": piece.data.hex(),
            "start": piece.start,
            "end": piece.end,
            "special": piece.special,
        }
        for piece in inspection
    ]
    return {**_counts(inspection), "tokens": tokens}
