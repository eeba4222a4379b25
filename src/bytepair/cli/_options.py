"""Arguments and options that several commands share, and what is made of them."""

from pathlib import Path
from typing import Annotated, Literal

import typer

import bytepair
from bytepair import Tokenizer

TokenizerPath = Annotated[
    Path,
    typer.Argument(
        metavar="TOKENIZER",
        show_default=False,
        help="A tokenizer file of any known kind, or a folder with one.",
    ),
]
Files = Annotated[
    list[str] | None,
    typer.Argument(metavar="FILE", show_default=False, help="Files; none, or -: standard input."),
]
Lines = Annotated[bool, typer.Option("--lines", help="Each line is a document of its own.")]
AllowSpecial = Annotated[
    bool,
    typer.Option("--allow-special", help="Special tokens in the text count as such, not as text."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
LoadPattern = Annotated[
    str | None,
    typer.Option(
        "--pattern",
        metavar="NAME|REGEX",
        help="How text is cut, for a file that does not say (.tiktoken, GPT-2, GGUF).",
    ),
]
LoadSpecial = Annotated[
    list[str] | None,
    typer.Option(
        "--special-token",
        metavar="CONTENT=ID",
        help="A special token, for such a file; can be repeated.",
    ),
]


def load_tokenizer(path: Path, pattern: str | None, special_tokens: list[str] | None) -> Tokenizer:
    """Load what the user named.

    Raises:
        typer.BadParameter: a special token that is not CONTENT=ID.
        FormatError: see `bytepair.load`.
    """
    by_content = dict(map(_content_and_id, special_tokens or []))
    if len(by_content) < len(special_tokens or []):
        raise typer.BadParameter("a special token is given twice.", param_hint="--special-token")
    return bytepair.load(path, pattern=pattern, special_tokens=by_content or None)


def _content_and_id(text: str) -> tuple[str, int]:
    content, _, number = text.rpartition("=")
    if not content or not (number.isascii() and number.isdigit()) or len(number) > 10:
        raise typer.BadParameter(
            f"{text!r} is not CONTENT=ID, such as '<|endoftext|>=100257'.",
            param_hint="--special-token",
        )
    return content, int(number)


def allowed(allow_special: bool) -> Literal["all"] | frozenset[str]:
    """`allowed_special` of the library; what is not allowed is text, not an error."""
    return "all" if allow_special else frozenset()
