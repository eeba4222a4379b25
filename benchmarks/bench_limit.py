"""Training with a memory limit: the same merges, the time and the peak memory, beside no limit.

    python benchmarks/bench_limit.py [FILE] [--gb 1] [--limits 256MB 32MB] [--vocab-size 32768]

The corpus is the file (without one, the source of Python's standard library) again and again, each
copy with its letters in another order, so that its words are new. Every run is a fresh process. The
result is printed and added to benchmarks/results.jsonl.
"""

import argparse
import os
import random
import tempfile
from pathlib import Path
from string import ascii_lowercase

import _corpus
import _harness

Record = _harness.Record


def main() -> None:
    """Make the corpus, train twice, compare."""
    options = parse_options()
    with tempfile.TemporaryDirectory() as folder:
        source = options.corpus or _corpus.standard_library(Path(folder))
        corpus = repeated(source, options.gb, Path(folder))
        task = {
            "library": "bytepair",
            "ties": "lowest",
            "corpus": [str(corpus)],
            "vocab_size": options.vocab_size,
            "pattern": options.pattern,
            "threads": os.cpu_count() or 1,
        }
        runs = {
            str(limit): _harness.run_fresh("_learn_worker.py", {**task, "memory_limit": limit}, {})
            for limit in (None, *options.limits)
        }
        n_bytes = corpus.stat().st_size
    record = {
        "benchmark": "limit",
        "date": _harness.today(),
        "commit": _harness.commit(),
        "machine": _harness.machine("bytepair"),
        "corpus": f"{source.stem} repeated",
        "corpus_bytes": n_bytes,
        **{name: task[name] for name in ("vocab_size", "pattern", "threads")},
        "same_merges": len({run["merges_sha256"] for run in runs.values()}) == 1,
        "runs": runs,
    }
    _harness.append(record, options.results)
    report(record)


def parse_options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("corpus", nargs="?", type=Path, metavar="FILE")
    parser.add_argument("--gb", type=float, default=1.0)
    parser.add_argument("--limits", nargs="*", default=["256MB", "32MB"])
    parser.add_argument("--vocab-size", type=int, default=32_768)
    parser.add_argument("--pattern", default="o200k")
    parser.add_argument("--results", type=Path, default=_harness.RESULTS)
    return parser.parse_args()


def repeated(source: Path, gigabytes: float, folder: Path) -> Path:
    """A file of that size: the source, and copies of it, each with its letters in another order."""
    target = folder / "repeated.txt"
    left = int(gigabytes * 1e9)
    draw = random.Random(1)
    table = bytes(range(256))
    data = source.read_bytes()
    with target.open("wb") as stream:
        while left > 0:
            left -= stream.write(data.translate(table)[:left])
            order = "".join(draw.sample(ascii_lowercase, len(ascii_lowercase)))
            letters = ascii_lowercase + ascii_lowercase.upper()
            table = bytes.maketrans(letters.encode(), (order + order.upper()).encode())
    return target


def report(record: Record) -> None:
    """Print both runs."""
    print(
        f"{record['corpus']}: {record['corpus_bytes'] / 1e6:.0f} MB, {record['pattern']}, "
        f"{record['vocab_size']} tokens, {record['threads']} threads; "
        f"{'the same' if record['same_merges'] else 'OTHER'} merges"
    )
    for limit, run in record["runs"].items():
        name = "no limit" if limit == "None" else f"limit {limit}"
        print(
            f"  {name:<14}{run['seconds']:8.2f} s{run['peak_rss_bytes'] / 1e6:8.0f} MB peak, "
            f"{run['n_merges']} merges"
        )


if __name__ == "__main__":
    main()
