"""`bytepair report`: a page about a tokenizer."""

from pathlib import Path
from typing import Annotated

import typer

from bytepair._atomic import write_atomically
from bytepair.cli import _streams
from bytepair.cli import _train_options as of
from bytepair.cli._options import LoadPattern, LoadSpecial, TokenizerPath, load_tokenizer
from bytepair.evaluation import report as page_of


def report(
    tokenizer: TokenizerPath,
    corpus: Annotated[
        list[str] | None,
        typer.Argument(metavar="CORPUS", show_default=False, help="Text to measure it on."),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the page goes.")
    ] = Path("report.html"),
    separator: of.Separator = None,
    text_field: of.TextField = "text",
    pattern: LoadPattern = None,
    special_token: LoadSpecial = None,
) -> None:
    """Write a page about TOKENIZER, and about what it makes of CORPUS: one HTML file, to be opened
    in any browser, which loads nothing else.

    For example:

        bytepair report zen zen.txt --output zen.html
    """
    tok = load_tokenizer(tokenizer, pattern, special_token)
    files = of.files_of(corpus) if corpus else None
    source = "-" if corpus and files is None else files
    page = page_of(tok, source, separator=separator, text_field=text_field)
    write_atomically(output, page.encode())
    _streams.write_line(f"saved     {output}")
    _streams.write_line(f"open it in a browser: {output.resolve().as_uri()}")
