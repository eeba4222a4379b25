"""`bytepair bench`: the same texts, by every installed library that loads the tokenizer."""

import os
import sysconfig
import tempfile
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Annotated

import typer

from bytepair.cli import _peers, _streams
from bytepair.cli._forms import forms_of
from bytepair.cli._messages import say
from bytepair.cli._options import (
    Json,
    Lines,
    LoadPattern,
    LoadSpecial,
    TokenizerPath,
    load_tokenizer,
)
from bytepair.cli._race import SHORT_TEXT, Runner, race, ratio
from bytepair.cli._report import number
from bytepair.cli._train_options import Separator
from bytepair.errors import CorpusError

_WIDTH = 80


def bench(
    tokenizer: TokenizerPath,
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE",
            show_default=False,
            help="Files; -: standard input; none: source code of Python itself.",
        ),
    ] = None,
    lines: Lines = False,
    separator: Separator = None,
    megabytes: Annotated[
        float,
        typer.Option("--mb", min=0.001, metavar="N", help="Read at most so many megabytes."),
    ] = 1.0,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.0, metavar="N", help="Time for repeated passes.")
    ] = 5.0,
    threads: Annotated[
        int | None, typer.Option("--threads", min=1, metavar="N", help="[default: one a core]")
    ] = None,
    as_json: Json = False,
    pattern: LoadPattern = None,
    special_token: LoadSpecial = None,
) -> None:
    """Measure how fast libraries turn your text into ids.

    Each installed library that can load TOKENIZER encodes the texts: once, when its ids are
    compared, and then again and again, all in turns. With --json one object is printed.

    For example:

        bytepair bench zen zen.txt
    """
    n_threads = threads or os.cpu_count() or 1
    tok = load_tokenizer(tokenizer, pattern, special_token)
    texts = _texts(_documents(files, lines, separator), round(megabytes * 1e6))
    names = [name for name in _peers.LIBRARIES if "sequential" not in name]
    with tempfile.TemporaryDirectory() as folder, _peers.limited(n_threads):
        source = forms_of(tok, tokenizer, Path(folder))
        runners, reference = race(names, source, texts, threads=n_threads, seconds=seconds)
    n_bytes = sum(len(text.encode()) for text in texts)
    if as_json:
        facts = {"tokenizer": tok.name, "n_texts": len(texts), "n_bytes": n_bytes}
        facts |= {"threads": n_threads, "reference": reference}
        _streams.write_json(facts | {"libraries": [runner.facts() for runner in runners]})
        return
    parts = number(n_bytes, "byte"), number(len(texts), "text"), number(n_threads, "thread")
    _streams.write_line(f"{tok.name}: {', '.join(parts)}\n")
    for line in _table(runners, n_bytes):
        _streams.write_line(line)
    for note in _notes(runners, reference, len(texts)):
        _streams.write_line("\n" + textwrap.fill(note, _WIDTH - 1))
    missing = [runner.name for runner in runners if runner.version is None]
    if missing:
        say("note", f"not installed: {', '.join(missing)}. pip install 'bytepair[bench]'")


def _texts(documents: Iterable[bytes], limit: int) -> list[str]:
    """What is to be encoded, cut after `limit` bytes; what is not UTF-8 is replaced.

    Raises:
        CorpusError: nothing is in it.
    """
    texts: list[str] = []
    for data in documents:
        end = min(limit, len(data))
        while 0 < end < len(data) and 0x80 <= data[end] < 0xC0:  # inside a character
            end -= 1
        limit -= len(data)
        texts += [data[:end].decode("utf-8", "replace")] if end else []
        if limit <= 0:
            break
    if not texts:
        raise CorpusError("there is no text to encode. Name files that are not empty.")
    return texts


def _documents(
    files: Sequence[str] | None, by_line: bool, separator: str | None
) -> Iterator[bytes]:
    if files:
        for batch in _streams.read_documents(files, by_line=by_line):
            for document in batch:
                yield from document.data.split(separator.encode()) if separator else [document.data]
        return
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        yield path.read_bytes()


def _table(runners: Sequence[Runner], n_bytes: int) -> Iterator[str]:
    yield (
        f"{'library':<11}{'version':<8}{'load':>8}{'first pass':>13}{'next passes':>19}"
        f"{'ratio':>8}{'one call':>11}"
    )
    for runner in runners:
        if not runner.reason:
            times = ratio(runner, runners[0])
            yield f"{_figures(runner, n_bytes, times)}{'≠' if runner.n_differing else ''}"


def _figures(runner: Runner, n_bytes: int, times: float) -> str:
    first, later = (n_bytes / seconds / 1e6 for seconds in (runner.first_s, runner.median_s))
    return (
        f"{runner.name:<11}{runner.version:<8}{runner.load_s:6.2f} s{first:8.1f} MB/s"
        f"{later:8.1f} MB/s ±{min(runner.spread / 2, 9.99):4.0%}{times:7.2f}×"
        f"{median(runner.short_s) * 1e6:8.2f} µs"
    )


def _notes(runners: Sequence[Runner], reference: str, n_texts: int) -> Iterator[str]:
    n_rounds = len(runners[0].rounds_s)
    yield (
        f"Ids were compared with those of {reference}. Medians of {n_rounds} rounds in turns, ± "
        "half the span of the middle half; ratio: how many times longer than bytepair; one call: "
        f'encode("{SHORT_TEXT}").'
    )
    for runner in runners:
        if runner.n_differing:
            yield f"≠ {runner.name}: other ids in {runner.n_differing:,} of {n_texts:,} texts."
        if runner.reason and runner.version:
            yield f"{runner.name} takes no part: {runner.reason}"
