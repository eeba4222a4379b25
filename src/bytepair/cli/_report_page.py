"""`bytepair report`: a page about a tokenizer."""

from pathlib import Path
from typing import Annotated

import typer

from bytepair._atomic import write_atomically
from bytepair.cli import _streams
from bytepair.cli import _train_options as of
from bytepair.cli._options import Json, LoadPattern, LoadSpecial, TokenizerPath, load_tokenizer
from bytepair.cli._output import require_writable_file
from bytepair.evaluation import examine, report_page


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
    threads: of.Threads = None,
    pattern: LoadPattern = None,
    special_token: LoadSpecial = None,
    as_json: Json = False,
) -> None:
    """Write a page about TOKENIZER, and about what it makes of CORPUS: one HTML file, to be opened
    in any browser, which loads nothing else.

    For example:

        bytepair report zen zen.txt --output zen.html
    """
    tok = load_tokenizer(tokenizer, pattern, special_token)
    files = of.files_of(corpus) if corpus else None
    source = "-" if corpus and files is None else files
    require_writable_file(output, "--output")
    found = examine(tok, source, separator=separator, text_field=text_field, threads=threads)
    write_atomically(output, report_page(found).encode())
    if as_json:
        _streams.write_json(found.figures() | {"saved": str(output)})
        return
    _streams.write_line(f"saved     {output}")
    _streams.write_line(f"open it in a browser: {output.resolve().as_uri()}")
