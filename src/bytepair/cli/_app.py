"""The program: its commands, its version, its start."""

import os
import sys
from typing import Annotated

import typer

import bytepair
from bytepair.cli import _streams
from bytepair.cli._bench import bench
from bytepair.cli._compare import compare
from bytepair.cli._convert import convert
from bytepair.cli._count import count
from bytepair.cli._decode import decode
from bytepair.cli._encode import encode
from bytepair.cli._explain import explain
from bytepair.cli._extend import extend
from bytepair.cli._guard import INTERRUPTED, guard, watch_interrupts
from bytepair.cli._inspect import inspect
from bytepair.cli._prune import prune
from bytepair.cli._report_page import report
from bytepair.cli._serve import serve
from bytepair.cli._shard import shard
from bytepair.cli._train import train
from bytepair.cli._truncate import truncate
from bytepair.patterns import UNICODE_VERSION

# Help in plain text: in typer's rich mode square brackets vanish and long names are cut.
app = typer.Typer(
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (
    train,
    extend,
    prune,
    encode,
    decode,
    count,
    truncate,
    inspect,
    explain,
    compare,
    report,
    convert,
    shard,
    serve,
    bench,
):
    app.command()(guard()(command))


def _print_version(wanted: bool) -> None:
    if wanted:
        with guard():
            engine = bytepair.engine()
            _streams.write_line(
                f"bytepair {bytepair.__version__} ({engine} engine, Unicode {UNICODE_VERSION})"
            )
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Show version, engine and Unicode version, and exit.",
        ),
    ] = False,
) -> None:
    """Train, use and look inside byte-pair-encoding tokenizers.

    A first try:

        python3 -m this > zen.txt

        bytepair train zen.txt --vocab-size 300 --output zen

        bytepair inspect zen "Simple is better than complex."
    """


def main() -> None:
    """Run the command line; this is what the program `bytepair` calls.

    Exit codes: 0; 1: something is wrong with your data; 2: with how the program was called;
    130: interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # closed by whoever started us
            # A terminal that cannot show a character gets its number instead of a traceback.
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # both are text
    watch_interrupts()
    try:
        with guard():  # the help, too, may meet a full disk
            app()
    except typer.Exit as end:
        sys.exit(end.exit_code)
    except SystemExit as end:
        if end.code == INTERRUPTED:
            # Not by way of Python's own end: it would wait for output that nobody reads, and not
            # for threads that are still inside the core, which would make the process abort.
            os._exit(INTERRUPTED)
        raise
