"""Sharding against encoding alone: MB of text a second, and the memory both need.

    python benchmarks/bench_shard.py [TOKENIZER] [--corpus FILE ...] [--formats flat megatron ...]
        [--rounds 3] [--mb N]

Each run is a process of its own, in turns; it is given the corpus twice, so that there is a pass
that knows no word yet (cold) and one that knows all (hot). Without a tokenizer one is trained on
the corpus; without a corpus the source of Python's standard library is read. Before any timing
the ids in the shards must be those that `encode_files` gives. The results are printed and added to
benchmarks/results.jsonl.
"""

import argparse
import shutil
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import _corpus
import _harness
import numpy as np
from _vocabularies import name_of

import bytepair
from bytepair.data.shards import LAYOUTS

WORKER = "_shard_worker.py"
ENCODE = "encode_files"
TRAINED = {"vocab_size": 32_000, "pattern": "o200k"}

Record = dict[str, Any]


def main() -> None:
    """Measure each corpus, report."""
    options = parse_options()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        corpora = options.corpus or [_corpus.standard_library(scratch)]
        for file in corpora:
            corpus = _corpus.prefix(file, options.mb, scratch)
            record = measured(corpus, options, scratch)
            _harness.append(record, options.results)
            report(record)


def parse_options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("tokenizer", nargs="?", type=Path, metavar="TOKENIZER")
    parser.add_argument("--corpus", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--formats", nargs="+", choices=LAYOUTS, default=list(LAYOUTS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--mb", type=float, help="only this much of each file")
    parser.add_argument("--results", type=Path, default=_harness.RESULTS)
    return parser.parse_args()


def measured(corpus: Path, options: argparse.Namespace, scratch: Path) -> Record:
    """All passes over one corpus."""
    path = options.tokenizer or trained(corpus, scratch)
    tok = bytepair.load(path)
    eos = next(iter(tok.special_tokens), None)
    require_same_ids(tok, corpus, scratch / "checked", eos)
    works = [ENCODE, *options.formats]
    runs: dict[str, list[Record]] = {work: [] for work in works}
    task = {"tokenizer": str(path), "corpus": str(corpus), "eos": eos}
    for _ in range(options.rounds):
        for work in works:
            target = scratch / "out"
            runs[work].append(
                _harness.run_fresh(WORKER, {**task, "work": work, "folder": str(target)}, {})
            )
            shutil.rmtree(target, ignore_errors=True)
    return {
        "benchmark": "shard",
        "tokenizer": name_of(path),
        "corpus": corpus.stem,
        "corpus_bytes": corpus.stat().st_size,
        "date": _harness.today(),
        "commit": _harness.commit(),
        "machine": _harness.machine("bytepair", "numpy", "pyarrow"),
        "mb_per_s": {work: speeds(done, corpus) for work, done in runs.items()},
        "peak_rss_bytes": {
            w: median(r["peak_rss_bytes"] for r in done) for w, done in runs.items()
        },
        "runs": runs,
    }


def trained(corpus: Path, scratch: Path) -> Path:
    """A tokenizer of the corpus' own."""
    target = scratch / "trained"
    bytepair.train(corpus, **TRAINED).save(target)
    return target


def require_same_ids(tok: bytepair.Tokenizer, corpus: Path, folder: Path, eos: str | None) -> None:
    """Stop if sharding loses, adds or changes anything."""
    shards = bytepair.shard(tok, corpus, folder, separator=_corpus.SEPARATOR, eos=eos)
    ids, offsets = tok.encode_files([corpus], separator=_corpus.SEPARATOR)
    found = np.concatenate([document[:-1] if eos else document for document in shards])
    if len(shards) != len(offsets) - 1 or not np.array_equal(found, ids):
        raise SystemExit(f"{corpus}: the shards hold other ids than encode_files gives.")
    shutil.rmtree(folder)


def speeds(runs: list[Record], corpus: Path) -> dict[str, float]:
    """MB of text a second, the median of the rounds."""
    size = corpus.stat().st_size / 1e6
    return {
        kind: round(size / median(run["seconds"][number] for run in runs), 1)
        for number, kind in enumerate(("cold", "hot"))
    }


def report(record: Record) -> None:
    """One line a format; the share is that of encoding alone."""
    print(f"{record['tokenizer']}, {record['corpus']}, {record['corpus_bytes'] / 1e6:.1f} MB")
    alone = record["mb_per_s"][ENCODE]
    for work, speed in record["mb_per_s"].items():
        shares = (f"{speed[kind]:7.0f} MB/s {speed[kind] / alone[kind]:4.0%}" for kind in alone)
        memory = record["peak_rss_bytes"][work] / 1e6
        print(f"  {work:<12} cold {' hot '.join(shares)}  peak {memory:,.0f} MB")


if __name__ == "__main__":
    main()
