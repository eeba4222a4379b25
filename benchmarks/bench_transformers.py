"""transformers' own calls, with bytepair's core and without it, at equal numbers of threads.

    python benchmarks/bench_transformers.py [FOLDER ...] [--corpus FILE ...] [--threads 1 2]
        [--texts short documents] [--rounds 5] [--mb 2]

A FOLDER is what `AutoTokenizer.from_pretrained` takes. Without one, a tokenizer is trained on the
corpus; without a corpus, the source of Python's standard library is read. The results of every call
are compared, value by value, before anything is timed. The times are printed and added to
benchmarks/results.jsonl.
"""

import argparse
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import _corpus
import _harness

import bytepair

WORKER = "_transformers_worker.py"
TRAINED = {"vocab_size": 32_000, "pattern": "o200k"}  # where no tokenizer is named

Record = dict[str, Any]


def main() -> None:
    """Measure, print and keep, one piece of work after the other."""
    options = parse_options()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        corpora = options.corpus or [_corpus.standard_library(scratch)]
        corpora = [_corpus.prefix(path, options.mb, scratch) for path in corpora]
        for folder in options.folders or [trained(corpora, scratch)]:
            for record in records(folder, corpora, options):
                _harness.append(record, options.results)
                report(record)


def parse_options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--corpus", nargs="+", type=Path, metavar="FILE", default=[])
    parser.add_argument("--threads", nargs="+", type=int, default=[os.cpu_count() or 1])
    parser.add_argument("--texts", nargs="+", default=["short", "documents"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--mb", type=float, default=2, help="only this much of each file")
    parser.add_argument("--results", type=Path, default=_harness.RESULTS)
    return parser.parse_args()


def trained(corpora: list[Path], scratch: Path) -> Path:
    """A folder as transformers loads it, so that this runs on a machine that has none."""
    target = scratch / "trained"
    tok = bytepair.train(corpora, special_tokens=["<|endoftext|>"], **TRAINED)
    tok.with_conventions(pad_token="<|endoftext|>").save_pretrained(target)
    return target


def records(folder: Path, corpora: list[Path], options: argparse.Namespace) -> Iterator[Record]:
    """The lines for the results: one for each corpus, kind of texts and number of threads."""
    for path in corpora:
        for texts in options.texts:
            for threads in options.threads:
                task: Record = {"folder": str(folder), "corpus": [str(path)], "texts": texts}
                task |= {"threads": threads, "rounds": options.rounds}
                result = _harness.run_fresh(WORKER, task, {})
                yield {
                    "benchmark": "transformers",
                    "tokenizer": folder.name,
                    "corpus": path.stem,
                    **{key: task[key] for key in ("texts", "threads")},
                    "date": _harness.today(),
                    "commit": _harness.commit(),
                    "machine": _harness.machine("bytepair", "transformers", "tokenizers", "numpy"),
                    **result,
                    "times": {call: times_of(runs) for call, runs in result["runs"].items()},
                }


def times_of(runs: dict[str, list[float]]) -> Record:
    """How many times longer the stock tokenizer takes, round by round."""
    pairs = zip(runs["transformers"], runs["bytepair"], strict=True)
    ratios = [their / our for their, our in pairs]
    return {"median": median(ratios), "lowest": min(ratios), "highest": max(ratios)}


def report(record: Record) -> None:
    """A line for each call."""
    threads = "1 thread" if record["threads"] == 1 else f"{record['threads']} threads"
    size = f"{record['n_texts']:,} {record['texts']} ({record['text_bytes'] / 1e6:.1f} MB)"
    print(f"{record['tokenizer']}, {record['corpus']}, {size}, {threads}", flush=True)
    for call, runs in record["runs"].items():
        seconds = {name: median(times) for name, times in runs.items()}
        times = record["times"][call]
        print(
            f"  {call:<20} {seconds['bytepair']:8.4f} s against {seconds['transformers']:8.4f} s "
            f"{times['median']:7.1f}× ({times['lowest']:.1f} to {times['highest']:.1f})",
            flush=True,
        )


if __name__ == "__main__":
    main()
