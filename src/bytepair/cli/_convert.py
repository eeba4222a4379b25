"""`bytepair convert`: from one format to another, and proof that nothing changed."""

from pathlib import Path
from typing import Annotated

import typer

import bytepair
from bytepair.cli import _streams
from bytepair.cli._options import Json, LoadPattern, LoadSpecial, TokenizerPath, load_tokenizer
from bytepair.cli._output import require_apart
from bytepair.cli._proof import first_difference, texts_to_compare
from bytepair.errors import FormatError


def convert(
    source: TokenizerPath,
    target: Annotated[
        Path,
        typer.Argument(
            metavar="TARGET",
            show_default=False,
            help="A folder or .json file (huggingface), or a .tiktoken file.",
        ),
    ],
    format_: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="NAME", help="huggingface or tiktoken, if TARGET does not say."
        ),
    ] = None,
    pattern: LoadPattern = None,
    special_token: LoadSpecial = None,
    as_json: Json = False,
) -> None:
    """Save a tokenizer in another format.

    Then TARGET is loaded and compared with TOKENIZER: every token, every special token, every byte
    and texts in many scripts must give the same ids. With --json one object is printed: saved,
    n_texts, n_tokens.

    For example:

        bytepair convert zen zen.tiktoken
    """
    tok = load_tokenizer(source, pattern, special_token)
    require_apart(source, target)
    saved = tok.save(target, format_)
    again = bytepair.load(target)
    texts = texts_to_compare(tok)
    difference = first_difference(tok, again, texts)
    if difference:
        raise FormatError(f"{target}: not the same tokenizer, do not use it: {difference}")
    if as_json:
        files = [str(path) for path in saved]
        _streams.write_json({"saved": files, "n_texts": len(texts), "n_tokens": tok.vocab_size})
        return
    for path in saved:
        _streams.write_line(f"saved     {path}")
    _streams.write_line(
        f"compared  {len(texts):,} texts and {tok.vocab_size:,} tokens: 0 differences"
    )
