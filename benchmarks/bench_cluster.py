"""What a plan for a cluster is made of: rates of one core, and how tables of words grow.

    python benchmarks/bench_cluster.py [--corpus FILE ...] [--tokenizer FILE] [--rounds 3]

For each corpus: counting in one thread (best of the rounds, MB/s); the distinct words and the bytes
of their table in prefixes that double in size, with the exponent of Heaps' law over the last three;
putting eight neighbours' tables together, and writing and reading one (MB of tables a second); with
a tokenizer, sharding in one thread. Without a corpus the source of Python's standard library is
read. The result is printed and added to benchmarks/results.jsonl.
"""

import argparse
import math
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

import _corpus
import _harness

import bytepair
from bytepair import FrequencyAnalyzer, Preprocessor
from bytepair.model import CountsFile, TextFile, WordCounts

PARTS = 8

Record = dict[str, Any]


def main() -> None:
    """Measure each corpus, report."""
    options = parse_options()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        for path in options.corpus or [_corpus.standard_library(scratch)]:
            record = measured(path, options, scratch)
            _harness.append(record, options.results)
            report(record)


def parse_options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--corpus", type=Path, action="append")
    parser.add_argument("--tokenizer", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--results", type=Path, default=_harness.RESULTS)
    return parser.parse_args()


def measured(path: Path, options: argparse.Namespace, scratch: Path) -> Record:
    """All of one corpus."""
    size = path.stat().st_size
    seconds, counts = best(options.rounds, lambda: counted(path, 0, size))
    record = {
        "benchmark": "cluster",
        "date": _harness.today(),
        "commit": _harness.commit(),
        "machine": _harness.machine("numpy"),
        "corpus": path.name,
        "n_bytes": size,
        "count_mb_s": size / seconds / 1e6,
        "prefixes": [*prefixes(path, size), [size, len(counts), table_bytes(counts)]],
        **merging(path, size, options.rounds),
    }
    record["heaps"] = exponent(record["prefixes"][-3], record["prefixes"][-1])
    if options.tokenizer is not None:
        record |= sharding(path, options, scratch)
    return record


def best(rounds: int, work: Callable[[], Any]) -> tuple[float, Any]:
    """(seconds of the fastest run, what it gave)."""
    times = []
    for _ in range(rounds):
        started = perf_counter()
        result = work()
        times.append(perf_counter() - started)
    return min(times), result


def counted(path: Path, start: int, end: int) -> WordCounts:
    """The words of a part of a file, in one thread."""
    return FrequencyAnalyzer(threads=1).count([TextFile(path, end, start)], Preprocessor().rules)


def table_bytes(counts: WordCounts) -> int:
    """Of the binary form."""
    return len(CountsFile(counts).content())


def prefixes(path: Path, size: int) -> list[list[int]]:
    """(bytes, distinct words, bytes of the table) of prefixes; each has half of the next."""
    rows = []
    for shift in range(6, 0, -1):
        counts = counted(path, 0, size >> shift)
        rows.append([size >> shift, len(counts), table_bytes(counts)])
    return rows


def exponent(first: list[int], last: list[int]) -> float:
    """Distinct words grow with this power of the bytes."""
    return math.log(last[1] / first[1]) / math.log(last[0] / first[0])


def merging(path: Path, size: int, rounds: int) -> Record:
    """MB of tables a second, and words: put together as a worker does it."""
    borders = [size * part // PARTS for part in range(PARTS + 1)]
    tables = [CountsFile(counted(path, start, end)).content() for start, end in pairwise(borders)]

    def merge() -> bytes:
        parts = map(WordCounts.from_content, tables)
        return CountsFile(FrequencyAnalyzer(threads=1).merge(parts)).content()

    seconds, merged = best(rounds, merge)
    n_words = sum(len(WordCounts.from_content(table)) for table in tables)
    n_bytes = sum(map(len, tables))
    return {
        "merge_mb_s": n_bytes / seconds / 1e6,
        "merge_words_s": n_words / seconds,
        "merge_shrinks": len(merged) / n_bytes,
    }


def sharding(path: Path, options: argparse.Namespace, scratch: Path) -> Record:
    """MB of text a second, in one thread, by a cold encoder each time."""
    times = []
    for number in range(options.rounds):
        tok = bytepair.load(options.tokenizer)
        started = perf_counter()
        target = scratch / f"{path.stem}-{number}"
        bytepair.shard(tok, path, target, separator=_corpus.SEPARATOR, threads=1)
        times.append(perf_counter() - started)
    return {"shard_mb_s": path.stat().st_size / min(times) / 1e6}


def report(record: Record) -> None:
    """For people."""
    print(f"{record['corpus']}: {record['n_bytes'] / 1e6:.0f} MB")
    print(f"  counting {record['count_mb_s']:.0f} MB/s")
    for n_bytes, n_words, size in record["prefixes"]:
        print(f"  {n_bytes / 1e6:7.1f} MB {n_words:9,} words, table {size / 1e6:6.2f} MB")
    print(f"  Heaps' exponent {record['heaps']:.2f}")
    shrinks = record["merge_shrinks"]
    print(
        f"  merging {record['merge_mb_s']:.0f} MB/s of tables, "
        f"{record['merge_words_s'] / 1e6:.1f} million words/s; {shrinks:.2f} of it is left"
    )
    if "shard_mb_s" in record:
        print(f"  sharding {record['shard_mb_s']:.0f} MB/s")


if __name__ == "__main__":
    main()
