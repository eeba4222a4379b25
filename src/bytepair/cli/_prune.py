"""`bytepair prune`: a smaller tokenizer, and a report of what it cost."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from bytepair import PruneReport, Tokenizer
from bytepair._atomic import write_atomically
from bytepair.cli import _streams
from bytepair.cli import _train_options as of
from bytepair.cli._options import Json, LoadPattern, LoadSpecial, TokenizerPath, load_tokenizer
from bytepair.cli._output import name_at, require_apart, require_writable, require_writable_file
from bytepair.engines import PruneStrategy
from bytepair.formats import format_for, require_residues
from bytepair.models import ModelFolder

_REPORTS = (".html", ".json", ".md")

Strategy = Annotated[
    PruneStrategy,
    typer.Option(
        "--strategy",
        help="What goes with a token: all that is made of it, or only it; with residues its merge "
        "stays, which only bytepair's own form can say.",
    ),
]
Size = Annotated[
    int | None,
    typer.Option("--vocab-size", min=1, metavar="N", help="Tokens to be left, all of them."),
]
MaxLoss = Annotated[
    int | None,
    typer.Option("--max-loss", min=0, metavar="N", help="Tokens that CORPUS may gain in all."),
]
MaxCost = Annotated[
    int | None,
    typer.Option("--max-cost", min=0, metavar="N", help="Tokens that it may gain by one removal."),
]
Keep = Annotated[
    list[str] | None,
    typer.Option("--keep", metavar="TEXT", help="A token that stays; repeat it for several."),
]
HeldOut = Annotated[
    list[str] | None,
    typer.Option("--held-out", metavar="PATH", help="Text only to be measured; can be repeated."),
]
Report = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE", help="Where to say what went: .html, .md or .json."),
]
Model = Annotated[
    Path | None,
    typer.Option(
        "--model",
        metavar="DIR",
        help="A transformers model, written to --output without the rows of what went.",
    ),
]
Rows = Annotated[
    list[str] | None,
    typer.Option(
        "--rows",
        metavar="TENSOR",
        help="With --model: what has a row for each token, if its name is unusual; repeat it.",
    ),
]


def prune(
    tokenizer: TokenizerPath,
    corpus: of.Corpus,
    output: of.Output,
    vocab_size: Size = None,
    max_loss: MaxLoss = None,
    max_cost: MaxCost = None,
    strategy: Strategy = "leaves",
    keep: Keep = None,
    held_out: HeldOut = None,
    report: Report = None,
    model: Model = None,
    rows: Rows = None,
    separator: of.Separator = None,
    text_field: of.TextField = "text",
    threads: of.Threads = None,
    pattern: LoadPattern = None,
    special_token: LoadSpecial = None,
    as_json: Json = False,
) -> None:
    """Remove the tokens of TOKENIZER that CORPUS misses least, and save what is left.

    For example:

        bytepair prune zen zen.txt --vocab-size 280 --output small
    """
    from bytepair.cli._progress import TrainingProgress

    if report is not None and report.suffix.lower() not in _REPORTS:
        raise typer.BadParameter("must end in .html, .md or .json.", param_hint="--report")
    tok = load_tokenizer(tokenizer, pattern, special_token)
    folder = None if model is None else ModelFolder(model, rows=rows)
    if folder is not None:
        folder.require_rows(tok.n_vocab)
        folder.require_target(output)
        if output.suffix in {".json", ".tiktoken"}:
            raise typer.BadParameter("must be a folder, with --model.", param_hint="--output")
    if strategy == "residues" and folder is None:
        require_residues(format_for(output))
    require_apart(tokenizer, output)
    require_writable(output)
    if report is not None:
        require_writable_file(report, "--report")
    files = of.files_of(corpus)
    with TrainingProgress() as progress:
        result = tok.prune(
            "-" if files is None else files,
            vocab_size=vocab_size,
            max_loss=max_loss,
            max_cost=max_cost,
            strategy=strategy,
            keep=keep or (),
            held_out=of.files_of(held_out) if held_out else None,
            separator=separator,
            text_field=text_field,
            threads=threads,
            progress=progress,
        )
    named = replace(result, spec=replace(result.spec, name=name_at(output)))  # as training does
    saved = named.tokenizer.save(output) if folder is None else folder.write(output, named)
    if report is not None:
        write_atomically(report, _written(result.report, tok, report.suffix.lower()).encode())
        saved = [*saved, report]
    if as_json:
        _streams.write_json(_facts(result.report, saved))
        return
    for line in _lines(result.report, saved):
        _streams.write_line(line)


def _written(report: PruneReport, before: Tokenizer, suffix: str) -> str:
    if suffix == ".html":
        from bytepair.evaluation import prune_page

        return prune_page(report, before)
    return report.to_json() if suffix == ".json" else report.to_markdown(limit=None)


def _facts(report: PruneReport, saved: list[Path]) -> dict[str, object]:
    corpus, held_out = report.corpus, report.held_out
    return {
        "strategy": report.strategy,
        "vocab_before": report.vocab_before,
        "vocab_after": report.vocab_after,
        "tokens_before": corpus.tokens_before,
        "tokens_after": corpus.tokens_after,
        "held_out_tokens_before": None if held_out is None else held_out.tokens_before,
        "held_out_tokens_after": None if held_out is None else held_out.tokens_after,
        "saved": [str(path) for path in saved],
    }


def _lines(report: PruneReport, saved: list[Path]) -> list[str]:
    texts = {"corpus": report.corpus} | ({"held out": report.held_out} if report.held_out else {})
    return [
        f"{'tokens':<10}{report.vocab_before:,} -> {report.vocab_after:,}",
        *(
            f"{name:<10}{text.tokens_before:,} -> {text.tokens_after:,} ({text.loss:+.2%}), "
            f"{text.bytes_per_token[0]:.2f} -> {text.bytes_per_token[1]:.2f} bytes a token"
            for name, text in texts.items()
        ),
        *(f"{'saved':<10}{path}" for path in saved),
    ]
