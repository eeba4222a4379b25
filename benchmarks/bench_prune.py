"""What pruning loses on unseen text, against learning fewer tokens and against a naive cut.

    python benchmarks/bench_prune.py [FILE ...] [--sizes 8000 16000 32000] [--mb 20]
        [--thresholds 0.6 0.8 0.9 1.0] [--pickybpe PYTHON] [--tokenizer PATH --cut 64000 32000]

Of each ten parts of the text (64 KB, whole lines) nine are counted and one is held out. Without a
tokenizer: a vocabulary learned at twice the size and pruned to it, by each strategy, against one
learned at the size, and against PickyBPE's thresholds: ours, and with the path of an interpreter
that has `pickybpe-bauwenst`, those of that package (which takes a minute for 4 MB). With one: the
tokenizer cut down. Naive is to drop the tokens that are used least, with every merge that names
one; if the tokenizer looks whole words up, it is measured with that and by merging alone. Before
anything is reported, the tokens that the pruner says are left of the counted text must be those
that encoding it gives.

The results are printed and added to
benchmarks/results.jsonl.
"""

import argparse
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import get_args

import _corpus
import _harness
import numpy as np

import bytepair
from bytepair import MergeLearner, TokenizerSpec, VocabularyPruner, WordCounts
from bytepair.engines import PruneStrategy, select
from bytepair.engines.python import SymbolTable
from bytepair.pipeline import count_words
from bytepair.pruning import without_intermediate
from bytepair.pruning._apply import map_ids, take_out
from bytepair.pruning._measure import n_tokens

PART_CHARS = 1 << 16
ENGINE = select(None)
STRATEGIES: tuple[PruneStrategy, ...] = get_args(PruneStrategy)


def main() -> None:
    """Measure each size, report."""
    options = parse_options()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        files = options.corpus or [_corpus.standard_library(scratch)]
        paths = [_corpus.prefix(path, options.mb, scratch) for path in files]
        if options.tokenizer is None:
            records = list(learned(paths, options))
        else:
            records = list(cut(paths, options.tokenizer, options.cut))
    for record in records:
        _harness.append(record, options.results)
        report(record)


def parse_options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("corpus", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--sizes", type=int, nargs="+", default=[8_000, 16_000, 32_000])
    parser.add_argument("--thresholds", type=float, nargs="*", default=[0.6, 0.8, 0.9, 1.0])
    parser.add_argument("--pickybpe", metavar="PYTHON", help="an interpreter that has PickyBPE")
    parser.add_argument("--tokenizer", type=Path, help="prune this one instead of learned ones")
    parser.add_argument("--cut", type=int, nargs="+", default=[64_000, 32_000])
    parser.add_argument("--mb", type=float, help="only this much of each file")
    parser.add_argument("--results", type=Path, default=_harness.RESULTS)
    return parser.parse_args()


def counted(spec: TokenizerSpec, paths: Sequence[Path]) -> tuple[WordCounts, WordCounts]:
    """Nine parts of ten, and the tenth ones."""

    def some(is_held_out: bool) -> Iterator[str]:
        for number, part in enumerate(parts(paths)):
            if (number % 10 == 9) == is_held_out:
                yield part

    return count_words(spec, some(False)), count_words(spec, some(True))


def parts(paths: Sequence[Path]) -> Iterator[str]:
    """The documents, long ones in parts."""
    for document in _corpus.documents(map(str, paths)):
        lines = io.StringIO(document, newline="")
        while part := "".join(lines.readlines(PART_CHARS)):
            yield part


def learned(paths: Sequence[Path], options: argparse.Namespace) -> Iterator[_harness.Record]:
    """Twice the size, pruned to it."""
    plain = bytepair.train(["a"], vocab_size=256, special_tokens=[], min_frequency=9).spec
    words, held_out = counted(plain, paths)
    for size in options.sizes:
        large = MergeLearner(vocab_size=2 * size).learn(words)
        direct = MergeLearner(vocab_size=size).learn(words)
        tokens = {"before": measured(large, words, held_out)}
        tokens["learned at the size"] = measured(direct, words, held_out)
        for threshold in options.thresholds:
            picky = without_intermediate(large, words, threshold, vocab_size=size)
            tokens[f"threshold {threshold}"] = measured(picky, words, held_out)
            if options.pickybpe:
                found = pickybpe(options.pickybpe, size, threshold, words, held_out)
                tokens |= {f"PickyBPE {threshold}": found} if found else {}
        yield record_of(f"learned at {2 * size}", paths, large, size, words, held_out, tokens)


def pickybpe(
    python: str, size: int, threshold: float, words: WordCounts, held_out: WordCounts
) -> tuple[int, int] | None:
    """Tokens by the package itself; None if it fails, as it may by assertions of its own."""
    task = {
        "vocab_size": size,
        "threshold": threshold,
        "texts": [[(word.hex(), n) for word, n in counts] for counts in (words, held_out)],
    }
    worker = Path(__file__).with_name("_pickybpe_worker.py")
    done = subprocess.run(
        [python, str(worker)], input=json.dumps(task), text=True, capture_output=True, check=False
    )
    if done.returncode:
        print(f"PickyBPE {threshold}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    counted_tokens, held_out_tokens = json.loads(done.stdout)
    return counted_tokens, held_out_tokens


def cut(paths: Sequence[Path], tokenizer: Path, sizes: Sequence[int]) -> Iterator[_harness.Record]:
    """A published tokenizer, cut down."""
    spec = bytepair.load(tokenizer).spec
    words, held_out = counted(spec, paths)
    for size in sizes:
        tokens = {"before": measured(spec, words, held_out)}
        yield record_of(tokenizer.stem, paths, spec, size, words, held_out, tokens)


def record_of(
    name: str,
    paths: Sequence[Path],
    spec: TokenizerSpec,
    size: int,
    words: WordCounts,
    held_out: WordCounts,
    tokens: dict[str, tuple[int, int]],
) -> _harness.Record:
    """Prunes by each strategy; the line for the results."""
    dropped = naive(spec, words, size)
    tokens["naive"] = measured(dropped, words, held_out)
    if spec.ignore_merges:
        merging_alone = replace(dropped, ignore_merges=False)
        tokens["naive, merging alone"] = measured(merging_alone, words, held_out)
    seconds = {}
    for strategy in STRATEGIES:
        started = perf_counter()
        result = VocabularyPruner(vocab_size=size, strategy=strategy).prune(spec, words)
        seconds[strategy] = round(perf_counter() - started, 3)
        tokens[strategy] = measured(result.spec, words, held_out)
        if tokens[strategy][0] != result.report.corpus.tokens_after:
            raise SystemExit(f"{name}, {strategy}: the pruner says {result.report.corpus}")
        print(f"{name}, {strategy}: {seconds[strategy]:.2f} s", file=sys.stderr)
    return {
        "benchmark": "prune",
        "date": _harness.today(),
        "commit": _harness.commit(),
        "machine": _harness.machine("bytepair"),
        "corpus": "+".join(path.stem for path in paths),
        "counted_bytes": n_bytes(words),
        "held_out_bytes": n_bytes(held_out),
        "tokenizer": name,
        "vocab_size": size,
        "distinct_pretokens": len(words),
        "seconds": seconds,
        "tokens": tokens,
    }


def naive(spec: TokenizerSpec, words: WordCounts, size: int) -> TokenizerSpec:
    """Without the tokens that are used least, and without every merge that names one."""
    table = SymbolTable(spec)
    task = VocabularyPruner(vocab_size=size)._task(
        VocabularyPruner(vocab_size=size)._plan(spec), words
    )
    uses = ENGINE.pruner(task).uses()
    may_go = np.flatnonzero(task.removable)
    by_use = may_go[np.lexsort((-may_go, uses[may_go]))]
    n_gone = len(table) + len(spec.added_tokens) - size
    id_map = map_ids(spec, table.ids[by_use[:n_gone]].tolist())
    return take_out(table, id_map, ignore_merges=spec.ignore_merges)


def measured(spec: TokenizerSpec, words: WordCounts, held_out: WordCounts) -> tuple[int, int]:
    """Tokens of the counted text, and of what was held out."""
    return n_tokens(spec, words, ENGINE), n_tokens(spec, held_out, ENGINE)


def n_bytes(words: WordCounts) -> int:
    """Size of the text."""
    return int(np.diff(words.offsets) @ words.counts)


def report(record: _harness.Record) -> None:
    """Print bytes per token of what was held out."""
    before = record["tokens"]["before"][1]
    print(f"{record['corpus']}: {record['tokenizer']}, pruned to {record['vocab_size']}")
    for name, (_, tokens) in record["tokens"].items():
        share = f"{tokens / before - 1:+9.2%}"
        seconds = record["seconds"].get(name)
        took = "" if seconds is None else f"{seconds:8.2f} s"
        print(f"  {name:<22}{record['held_out_bytes'] / tokens:7.3f} bytes a token{share}{took}")


if __name__ == "__main__":
    main()
