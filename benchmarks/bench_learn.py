"""Training, from files to a tokenizer: bytepair against every library that trains BPE.

    python benchmarks/bench_learn.py [FILE ...] [--vocab-size 32768] [--pattern gpt2]
        [--libraries gigatoken ffbpe ...] [--rounds 3] [--threads N] [--mb N]
        [--superwords 0.2]
    python benchmarks/bench_learn.py FILE --grid [--sizes 8 16 32 64] [--vocabularies 8192 32768]

Without files it trains on the source of Python's standard library. What each library learns is
compared first, token by token in order, with what bytepair learns when it breaks ties in the same
way; whoever learns something else is timed all the same, and marked. With --superwords there is one
row more: bytepair, learning such a share of the tokens across words, which no other does. Every run
is a fresh process; the libraries take turns. The result is printed and added to
benchmarks/results.jsonl.

With `--grid` it makes a table, size of the corpus by size of the vocabulary: time, memory, and what
the result is worth on the end of the file, which is held out; and once, on a little of it, how
long the first version of lesson 4 takes.
"""

import argparse
import importlib.util
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import _corpus
import _harness
import _learn_grid

TIES = {
    "gigatoken": "huggingface",
    "ffbpe": "huggingface",
    "fast-bpe-rs": "lowest",
    "rustbpe": "lowest",
    "tokenizers": "huggingface",
}
PATTERNS = ("gpt2", "cl100k", "llama3", "o200k")
ONLY_PATTERN = {"gigatoken": "gpt2"}

SUPERWORDS = "superwords"  # bytepair's, for which there is no other

Record = _harness.Record
Runs = dict[str, list[Record]]


def main() -> None:
    """Compare, time, report."""
    options = parse_options()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        files = options.corpus or [_corpus.standard_library(scratch)]
        if options.grid:
            _learn_grid.measure(files[0], options, scratch)
        else:
            compare([_corpus.prefix(path, options.mb, scratch) for path in files], options)


def compare(corpora: Sequence[Path], options: argparse.Namespace) -> None:
    """One piece of work, by all libraries in turns."""
    task = {
        "corpus": [str(path) for path in corpora],
        "vocab_size": options.vocab_size,
        "pattern": options.pattern,
        "threads": options.threads,
        "superwords": options.superwords,
    }
    expected = {ties: run("bytepair", task, ties) for ties in set(TIES.values())}
    runs = timed_runs(task, options.libraries, options.rounds)
    record = record_of(task, corpora, runs, expected)
    _harness.append(record, options.results)
    report(record)


def parse_options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("corpus", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--vocab-size", type=int, default=32_768)
    parser.add_argument("--pattern", choices=PATTERNS, default="gpt2")
    parser.add_argument("--libraries", nargs="*", choices=TIES, default=list(TIES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--superwords", type=float, metavar="SHARE", help="a row more")
    parser.add_argument("--mb", type=float, help="only this much of each file")
    parser.add_argument("--grid", action="store_true")
    parser.add_argument("--sizes", nargs="*", type=float, default=[8, 16, 32, 64], help="MB")
    parser.add_argument("--vocabularies", nargs="*", type=int, default=[8192, 32768, 131_072])
    parser.add_argument("--results", type=Path, default=_harness.RESULTS)
    options = parser.parse_args()
    for path in options.corpus:
        if not path.is_file():
            parser.error(f"{path} is not a file")
    if options.rounds < 1 or options.threads < 1:
        parser.error("--rounds and --threads must be 1 or more")
    options.libraries = [
        library for library in options.libraries if can_run(library, options.pattern)
    ]
    return options


def can_run(library: str, pattern: str) -> bool:
    """Whether it is installed and knows the pattern; says so if not."""
    if ONLY_PATTERN.get(library, pattern) != pattern:
        print(f"{library} has only the pattern {ONLY_PATTERN[library]}", file=sys.stderr)
        return False
    if importlib.util.find_spec(library.replace("-", "_")) is None:
        print(f"{library} is not installed", file=sys.stderr)
        return False
    return True


def timed_runs(task: dict[str, Any], libraries: Sequence[str], rounds: int) -> Runs:
    """The libraries take turns at going first, so that what else the machine does hits all."""
    names = ["bytepair", *libraries, *([SUPERWORDS] if task["superwords"] else [])]
    runs: Runs = {name: [] for name in names}
    for number in range(rounds):
        for name in names if number % 2 == 0 else reversed(names):
            runs[name].append(run(name, task, TIES.get(name, "huggingface")))
            done = runs[name][-1]
            print(f"round {number + 1}: {name} {done['seconds']:.2f} s", file=sys.stderr)
    return runs


def run(library: str, task: dict[str, Any], ties: str) -> Record:
    """One training in a fresh process."""
    threads = task["threads"]
    environment = {
        "RAYON_NUM_THREADS": str(threads),
        "TOKENIZERS_PARALLELISM": "true" if threads > 1 else "false",
    }
    return _harness.run_fresh(
        "_learn_worker.py", {**task, "library": library, "ties": ties}, environment
    )


def learned(done: Record, other: Record) -> tuple[object, ...]:
    """What can be compared of one run with another."""
    return tuple(
        done.get(name)
        for name in ("n_merges", "tokens_sha256", "merges_sha256")
        if name in done and name in other
    )


def record_of(
    task: dict[str, Any], corpora: Sequence[Path], runs: Runs, expected: dict[str, Record]
) -> Record:
    """The line for the results: every run, and what follows from them."""
    differing = [
        name
        for name, done in runs.items()
        if name != SUPERWORDS
        for wanted in [expected[TIES.get(name, "huggingface")]]
        if any(learned(one, wanted) != learned(wanted, one) for one in done)
    ]
    n_documents, largest = _corpus.describe(corpora)
    return {
        "benchmark": "learn",
        "date": _harness.today(),
        "commit": _harness.commit(),
        "machine": _harness.machine(*runs),
        "corpus": "+".join(path.stem for path in corpora),
        "corpus_bytes": sum(path.stat().st_size for path in corpora),
        "documents": n_documents,
        "largest_document_bytes": largest,
        **{name: task[name] for name in ("vocab_size", "pattern", "threads")},
        **({"superwords": task["superwords"]} if task["superwords"] else {}),
        "merges": expected["huggingface"]["n_merges"],
        "differing": differing,
        "seconds": {name: _harness.median(done, "seconds") for name, done in runs.items()},
        "peak_rss_bytes": {
            name: _harness.median(done, "peak_rss_bytes") for name, done in runs.items()
        },
        "spread": {name: round(_harness.spread(done, "seconds"), 3) for name, done in runs.items()},
        "times": {name: times(runs, name) for name in runs if name != "bytepair"},
        "runs": runs,
    }


def times(runs: Runs, name: str) -> float:
    """How many times longer a library takes: the median of the ratios of the rounds."""
    pairs = zip(runs[name], runs["bytepair"], strict=True)
    ratios = sorted(theirs["seconds"] / ours["seconds"] for theirs, ours in pairs)
    middle = len(ratios) // 2
    return round((ratios[middle] + ratios[~middle]) / 2, 2)


def report(record: Record) -> None:
    """Print the medians."""
    print(
        f"{record['corpus']}: {record['corpus_bytes'] / 1e6:.1f} MB, {record['pattern']}, "
        f"{record['vocab_size']} tokens, {record['threads']} threads"
    )
    for name, seconds in record["seconds"].items():
        ratio = f"{record['times'][name]:6.1f} times as long" if name in record["times"] else ""
        mark = "  learned something else" if name in record["differing"] else ""
        print(
            f"  {name:<11}{seconds:8.2f} s (spread {record['spread'][name]:.0%})"
            f"{record['corpus_bytes'] / seconds / 1e6:8.1f} MB/s"
            f"{record['peak_rss_bytes'][name] / 1e6:8.0f} MB peak {ratio}{mark}"
        )


if __name__ == "__main__":
    main()
