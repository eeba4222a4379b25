"""`bytepair compare`: several tokenizers on one corpus, side by side."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from bytepair._atomic import write_atomically
from bytepair.cli import _streams
from bytepair.cli import _train_options as of
from bytepair.cli._messages import printable
from bytepair.cli._options import Json
from bytepair.cli._output import require_writable_file
from bytepair.evaluation import (
    BASELINES,
    Baseline,
    Comparison,
    Prices,
    Row,
    comparison_page,
    comparison_rows,
    open_subject,
    read_prices,
    train_baseline,
)
from bytepair.evaluation import (
    compare as compared,
)

_LANGUAGES = ("German", "Russian", "Arabic", "Hindi", "Tamil", "Chinese", "Japanese", "Korean")
_WIDTH = 80  # columns of a line, if the tokenizers leave room for a text
_FEWEST = 30  # columns of a text


def compare(
    corpus: of.Corpus,
    tokenizer: Annotated[
        list[str],
        typer.Option(
            "--tokenizer",
            "-t",
            metavar="TOKENIZER",
            help="A tokenizer; repeat it. hf:PATH, sentencepiece:PATH, tiktoken:NAME run there.",
        ),
    ],
    baseline: Annotated[
        list[str] | None,
        typer.Option(
            "--baseline",
            metavar="KIND",
            help="Train this peer on CORPUS, as large as the first -t: sentencepiece, wordpiece, "
            "unigram.",
        ),
    ] = None,
    prices: Annotated[
        Path | None,
        typer.Option("--prices", metavar="FILE", help="A .toml file: price by tokenizer."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE", help="An HTML page with plots, to be written."),
    ] = None,
    separator: of.Separator = None,
    text_field: of.TextField = "text",
    threads: of.Threads = None,
    as_json: Json = False,
) -> None:
    """Measure several tokenizers on CORPUS and show the figures side by side.

    Ours, and those of tokenizers, SentencePiece and tiktoken, which run in their own libraries.

    For example:

        bytepair compare zen.txt -t zen -t small --baseline unigram
    """
    kinds = [_kind(name) for name in baseline or ()]
    price_list = read_prices(prices)
    files = of.files_of(corpus)
    if files is None and kinds:
        raise typer.BadParameter(
            "standard input is read once: name files to train on.", param_hint="--baseline"
        )
    source = "-" if files is None else files
    if report is not None:
        require_writable_file(report, "--report")
    subjects = [open_subject(name, threads) for name in tokenizer]
    subjects += [
        train_baseline(
            kind, source, subjects[0].vocab_size, separator=separator, text_field=text_field
        )
        for kind in kinds
    ]
    result = compared(subjects, source, separator=separator, text_field=text_field)
    if report is not None:
        write_atomically(report, comparison_page(result, price_list).encode())
    if as_json:
        _streams.write_json(_fields(result, price_list))
        return
    for line in _lines(result, price_list):
        _streams.write_line(line)


def _kind(name: str) -> Baseline:
    for kind in BASELINES:
        if kind == name:
            return kind
    raise typer.BadParameter(
        f"{name!r} is none of {', '.join(BASELINES)}.", param_hint="--baseline"
    )


def _fields(result: Comparison, prices: Prices) -> dict[str, object]:
    rows = [
        {
            "name": row.name,
            "kind": row.kind,
            **row.metrics.figures(),
            "unknown": row.unknown,
            "cost": prices.cost(row.name, row.metrics.n_tokens),
            "parity": row.parity,
        }
        for row in result.rows
    ]
    differences = [{"text": d.text, "tokens": list(d.n_tokens)} for d in result.differences]
    return {"currency": prices.currency, "tokenizers": rows, "differences": differences}


def _lines(result: Comparison, prices: Prices) -> Iterator[str]:
    from rich.cells import cell_len

    names = [row.name for row in result.rows]
    yield from _table([["", *names], *comparison_rows(result.rows, prices)])
    yield ""
    yield from _table([["tokens against English", *names], *_parities(result.rows)])
    if result.differences:
        yield ""
        numbers = [names, *([f"{n:,}" for n in d.n_tokens] for d in result.differences)]
        columns = zip(*numbers, strict=True)
        width = _WIDTH - sum(2 + max(map(cell_len, column)) for column in columns)
        texts = [_shortened(d.text, max(width, _FEWEST)) for d in result.differences]
        heads = ["differ most: tokens of", *texts]
        yield from _table([[head, *row] for head, row in zip(heads, numbers, strict=True)])


def _parities(rows: Iterable[Row]) -> Iterator[list[str]]:
    for language in _LANGUAGES:
        yield [language, *(f"{row.parity[language]:.2f}" for row in rows)]


def _table(rows: list[list[str]]) -> Iterator[str]:
    """Columns, the first to the left, the others to the right."""
    from rich.cells import cell_len

    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        first, *others = (
            " " * (width - cell_len(cell)) + cell
            if number
            else cell + " " * (width - cell_len(cell))
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join([first, *others]).rstrip()


def _shortened(text: str, width: int) -> str:
    from rich.cells import cell_len, set_cell_size

    shown = printable(text)
    return shown if cell_len(shown) <= width else set_cell_size(shown, width - 1) + "…"
