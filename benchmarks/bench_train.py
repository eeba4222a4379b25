"""Training, from files to a tokenizer: bytepair against Hugging Face tokenizers.

    python benchmarks/bench_train.py [FILE ...] [--vocab-size 32000] [--pattern o200k]
        [--rounds 3] [--threads N] [--mb N]

Without files it trains on the source of Python's standard library. Before anything is timed, both
must learn the same merges with every pattern of `CHECKED`; each timed run is compared too, and
where merges differ no time is reported. Every run is a fresh process; the libraries take turns.
The result is printed and added to benchmarks/results.jsonl.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import _corpus
import _harness

LIBRARIES = ("bytepair", "tokenizers")
CHECKED = ("gpt2", "cl100k", "o200k")
CHECK_MB = 8
CHECK_VOCAB_SIZE = 8_000

Runs = dict[str, list[dict[str, Any]]]


def main() -> None:
    """Check, time, report."""
    options = parse_options()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        files = options.corpus or [_corpus.standard_library(scratch)]
        corpora = [_corpus.prefix(path, options.mb, scratch) for path in files]
        check_merges([_corpus.prefix(corpora[0], CHECK_MB, scratch)], options.threads)
        task = {
            "corpus": [str(path) for path in corpora],
            "vocab_size": options.vocab_size,
            "pattern": options.pattern,
            "threads": options.threads,
        }
        runs = timed_runs(task, options.rounds)
        record = record_of(task, corpora, runs)
    _harness.append(record, options.results)
    report(record)


def parse_options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("corpus", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--vocab-size", type=int, default=32_000)
    parser.add_argument("--pattern", choices=CHECKED, default="o200k")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--mb", type=float, help="only this much of each file")
    parser.add_argument("--results", type=Path, default=_harness.RESULTS)
    options = parser.parse_args()
    for path in options.corpus:
        if not path.is_file():
            parser.error(f"{path} is not a file")
    if options.rounds < 1 or options.threads < 1:
        parser.error("--rounds and --threads must be 1 or more")
    return options


def check_merges(corpora: Sequence[Path], threads: int) -> None:
    """Refuse to go on unless both learn the same merges with each pattern."""
    for pattern in CHECKED:
        task = {
            "corpus": [str(path) for path in corpora],
            "vocab_size": CHECK_VOCAB_SIZE,
            "pattern": pattern,
            "threads": threads,
        }
        results = {library: [run(library, task)] for library in LIBRARIES}
        require_equal(results, pattern)
        n_merges = results[LIBRARIES[0]][0]["n_merges"]
        print(f"{pattern}: the same {n_merges} merges", file=sys.stderr)


def timed_runs(task: dict[str, Any], rounds: int) -> Runs:
    """The libraries take turns at going first, so that what else the machine does hits both."""
    runs: Runs = {library: [] for library in LIBRARIES}
    for number in range(rounds):
        for library in LIBRARIES if number % 2 == 0 else reversed(LIBRARIES):
            runs[library].append(run(library, task))
            done = runs[library][-1]
            print(f"round {number + 1}: {library} {done['seconds']:.2f} s", file=sys.stderr)
        require_equal(runs, task["pattern"])
    return runs


def run(library: str, task: dict[str, Any]) -> dict[str, Any]:
    """One training in a fresh process."""
    threads = task["threads"]
    environment = {
        "RAYON_NUM_THREADS": str(threads),
        "TOKENIZERS_PARALLELISM": "true" if threads > 1 else "false",
    }
    return _harness.run_fresh("_train_worker.py", {**task, "library": library}, environment)


def require_equal(runs: Runs, pattern: str) -> None:
    """All runs must have learned the same merges in the same order."""
    learned = {(run["n_merges"], run["merges_sha256"]) for done in runs.values() for run in done}
    if len(learned) > 1:
        raise SystemExit(
            f"{pattern}: the merges differ, so no time is reported. (merges, hash): {learned}"
        )


def record_of(task: dict[str, Any], corpora: Sequence[Path], runs: Runs) -> _harness.Record:
    """The line for the results: every run, and what follows from them."""
    seconds = {library: _harness.median(runs[library], "seconds") for library in LIBRARIES}
    peak = {library: _harness.median(runs[library], "peak_rss_bytes") for library in LIBRARIES}
    ours, theirs = LIBRARIES
    n_documents, largest = _corpus.describe(corpora)
    return {
        "benchmark": "train",
        "date": _harness.today(),
        "commit": _harness.commit(),
        "machine": _harness.machine(*LIBRARIES),
        "corpus": "+".join(path.stem for path in corpora),
        "corpus_bytes": sum(path.stat().st_size for path in corpora),
        "documents": n_documents,
        "largest_document_bytes": largest,
        **{name: task[name] for name in ("vocab_size", "pattern", "threads")},
        "merges": runs[ours][0]["n_merges"],
        "seconds": seconds,
        "peak_rss_bytes": peak,
        "spread": {
            library: round(_harness.spread(runs[library], "seconds"), 3) for library in LIBRARIES
        },
        "times_faster": round(seconds[theirs] / seconds[ours], 2),
        "times_smaller": round(peak[theirs] / peak[ours], 2),
        "runs": runs,
    }


def report(record: _harness.Record) -> None:
    """Print the medians."""
    print(
        f"{record['corpus']}: {record['corpus_bytes'] / 1e6:.1f} MB, {record['pattern']}, "
        f"{record['vocab_size']} tokens, {record['threads']} threads, same merges"
    )
    for library in LIBRARIES:
        seconds, peak = record["seconds"][library], record["peak_rss_bytes"][library]
        print(
            f"  {library:<11}{seconds:8.2f} s (spread {record['spread'][library]:.0%})"
            f"{record['corpus_bytes'] / seconds / 1e6:8.1f} MB/s{peak / 1e6:8.0f} MB peak"
        )
    print(f"  {record['times_faster']} times faster, {record['times_smaller']} times smaller")


if __name__ == "__main__":
    main()
