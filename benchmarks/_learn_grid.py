"""The grid of `bench_learn.py`: every size of a corpus with every size of a vocabulary."""

import argparse
import random
from math import log
from pathlib import Path
from typing import Any

import _corpus
import _harness

Record = dict[str, Any]

_HELD_OUT = 0.05  # of the file
_MOST_HELD_OUT = 5e6
_LESSON = {"mb": 0.2, "vocab_size": 456, "pattern": None}


def measure(path: Path, options: argparse.Namespace, scratch: Path) -> None:
    """Train for every cell, write the results and print them."""
    rest, held_out = _divided(path, scratch)
    names = ["bytepair", *options.libraries]
    task = {"pattern": options.pattern, "threads": options.threads, "held_out": str(held_out)}
    cells = []
    for mb in options.sizes:
        corpus = _corpus.prefix(rest, mb, scratch)
        for vocab_size in options.vocabularies:
            cell = {**task, "corpus": [str(corpus)], "vocab_size": vocab_size}
            cells.append(_cell(cell, corpus.stat().st_size, names, options.rounds))
            print(_line(cells[-1]), flush=True)
    record = {
        "benchmark": "learn-grid",
        "date": _harness.today(),
        "commit": _harness.commit(),
        "machine": _harness.machine(*names),
        "corpus": path.stem,
        "pattern": options.pattern,
        "threads": options.threads,
        "held_out_bytes": held_out.stat().st_size,
        "cells": cells,
        "lesson": _lesson(rest, options.threads, scratch),
    }
    _harness.append(record, options.results)
    for line in _conclusions(record):
        print(line)


def _divided(path: Path, scratch: Path) -> tuple[Path, Path]:
    """The documents in another order, so that a part is like the whole; some are held out."""
    documents = list(_corpus.documents([str(path)]))
    random.Random(1).shuffle(documents)
    left = min(_HELD_OUT * path.stat().st_size, _MOST_HELD_OUT)
    parts: dict[str, list[str]] = {"rest": [], "held-out": []}
    for document in documents:
        is_held_out = len(document) < left / 10
        left -= len(document.encode()) if is_held_out else 0
        parts["held-out" if is_held_out else "rest"].append(document)
    for name, texts in parts.items():
        content = "".join(text + _corpus.SEPARATOR for text in texts)
        (scratch / f"{name}.txt").write_text(content, encoding="utf-8")
    return scratch / "rest.txt", scratch / "held-out.txt"


def _cell(task: Record, n_bytes: int, names: list[str], rounds: int) -> Record:
    runs: dict[str, list[Record]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            runs[name].append(_run({**task, "library": name}))
    best = {name: min(done, key=lambda run: run["seconds"]) for name, done in runs.items()}
    ours = best["bytepair"]
    return {
        "corpus_bytes": n_bytes,
        "vocab_size": task["vocab_size"],
        "differing": [name for name in names if not _same(best[name], ours)],
        "best": best,
        "runs": runs,
    }


def _run(task: Record) -> Record:
    return _harness.run_fresh(
        "_learn_worker.py",
        {"ties": "huggingface", **task},
        {"RAYON_NUM_THREADS": str(task["threads"]), "TOKENIZERS_PARALLELISM": "true"},
    )


def _same(one: Record, other: Record) -> bool:
    return bool(one["tokens_sha256"] == other["tokens_sha256"])


def _lesson(rest: Path, threads: int, scratch: Path) -> Record:
    """Both learn the same from the same, without pre-tokens."""
    corpus = _corpus.prefix(rest, _LESSON["mb"], scratch)
    task = {
        "corpus": [str(corpus)],
        "vocab_size": _LESSON["vocab_size"],
        "pattern": _LESSON["pattern"],
        "threads": threads,
        "ties": "lowest",
        "special_tokens": [],
    }
    done = {name: _run({**task, "library": name}) for name in ("bytepair", "lesson v1")}
    return {"corpus_bytes": corpus.stat().st_size, "vocab_size": task["vocab_size"], "runs": done}


def _line(cell: Record) -> str:
    ours = cell["best"]["bytepair"]
    learn_s = max(ours["learn_seconds"], 1e-9)
    others = "".join(
        f"  {name} {run['seconds']:.2f} s, {run['seconds'] / ours['seconds']:.1f}x"
        + (" (other merges)" if name in cell["differing"] else "")
        for name, run in cell["best"].items()
        if name != "bytepair"
    )
    return (
        f"{cell['corpus_bytes'] / 1e6:6.1f} MB {cell['vocab_size']:>7} tokens: "
        f"{ours['seconds']:.2f} s (count {ours['count_seconds']:.2f}, learn {learn_s:.2f}), "
        f"{cell['corpus_bytes'] / ours['seconds'] / 1e6:.0f} MB/s, "
        f"{ours['n_merges'] / learn_s / 1e3:.0f}k merges/s, {ours['peak_rss_bytes'] / 1e6:.0f} MB, "
        f"{ours['bytes_per_token']:.2f} bytes/token, encode "
        f"{ours['encode_bytes_per_s'] / 1e6:.0f} and decode "
        f"{ours['decode_bytes_per_s'] / 1e6:.0f} MB/s{others}"
    )


def _conclusions(record: Record) -> list[str]:
    """How time grows, and how long the textbook takes."""
    lesson = record["lesson"]
    ours, v1 = lesson["runs"]["bytepair"], lesson["runs"]["lesson v1"]
    equal = "the same merges" if ours["merges_sha256"] == v1["merges_sha256"] else "OTHER merges"
    lines = [
        f"lesson v1, {lesson['corpus_bytes'] / 1e6:.1f} MB, {v1['n_merges']} merges, no pattern: "
        f"{v1['seconds']:.1f} s, {v1['seconds'] / ours['seconds']:.0f} times bytepair's; {equal}"
    ]
    for size, stage in (("corpus_bytes", "count_seconds"), ("vocab_size", "learn_seconds")):
        exponents = [_exponent(one, other, size, stage) for one, other in _ends(record, size)]
        if exponents:
            shown = ", ".join(f"{exponent:.2f}" for exponent in exponents)
            lines.append(f"{stage} grows with {size} to the power of {shown}")
    return lines


def _ends(record: Record, size: str) -> list[tuple[Record, Record]]:
    """The cells that differ only in this size, the smallest and the largest."""
    other = "vocab_size" if size == "corpus_bytes" else "corpus_bytes"
    groups: dict[int, list[Record]] = {}
    for cell in record["cells"]:
        groups.setdefault(cell[other], []).append(cell)
    ordered = (sorted(cells, key=lambda cell: cell[size]) for cells in groups.values())
    return [(cells[0], cells[-1]) for cells in ordered if len(cells) > 1]


def _exponent(one: Record, other: Record, size: str, stage: str) -> float:
    seconds = [max(cell["best"]["bytepair"][stage], 1e-4) for cell in (one, other)]
    return log(seconds[1] / seconds[0]) / log(other[size] / one[size])
