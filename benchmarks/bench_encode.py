"""Encoding and decoding: bytepair against every other library that loads the same tokenizer.

    python benchmarks/bench_encode.py [TOKENIZER ...] [--corpus FILE ...] [--threads 1 2]
        [--tracks files batch ...] [--libraries gigatoken ...] [--rounds 5] [--mb N]

A TOKENIZER is whatever `bytepair.load` takes by its path alone. Without one, a tokenizer is trained
on the corpus; without a corpus, the source of Python's standard library is read. What is timed is
also compared, token by token, with the library that the tokenizer's format comes from; other ids
are marked. Results are printed and added to benchmarks/results.jsonl.
"""

import argparse
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import _corpus
import _harness
from _vocabularies import name_of, open_vocabulary, reference_library

import bytepair
from bytepair.cli import _peers

WORKER = "_encode_worker.py"
ALL = tuple(_peers.LIBRARIES)
FAST = ("bytepair", "gigatoken", "gigatoken (sequential)", "fastokens", "tokie")
SMALL_MB = 4  # what slow libraries are given
LONG_MB = 10
TRAINED = {"vocab_size": 32_000, "pattern": "o200k"}  # where no tokenizer is named

Record = dict[str, Any]
Task = dict[str, Any]


@dataclass(frozen=True)
class Track:
    """One kind of work on the texts of a corpus.

    Attributes:
        calls: groups of calls; those of a group are timed beside each other.
        libraries: which are asked; those that lack the call are skipped.
        cold: the first pass of fresh processes is timed too.
        texts: "documents" of the corpus, or "short" pieces of its beginning.
        mb: limit of each corpus.
        threads: on how many, whatever is asked for.
    """

    calls: tuple[tuple[str, ...], ...]
    libraries: tuple[str, ...] = ALL
    cold: bool = False
    texts: str = "documents"
    mb: float | None = SMALL_MB
    threads: int | None = None


TRACKS = {
    "files": Track((("encode_files",),), FAST, cold=True, mb=None),
    "batch": Track((("encode_batch",),), FAST, cold=True, mb=None),
    "peers": Track((("encode_batch",),)),
    "short": Track((("encode_batch",),), texts="short", mb=5),
    "decode": Track((("decode",), ("decode_batch",))),
    "count": Track((("count_batch", "encode_batch"),), ("bytepair", "tokie")),
    "split": Track((("split", "encode_batch"),), ("bytepair",), mb=None, threads=1),
}
OF_A_TOKENIZER = ("calls", "load", "long")  # tracks that take at most the first corpus


def main() -> None:
    """Measure, print and keep, one piece of work after the other."""
    options = parse_options()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        corpora = options.corpus or [_corpus.standard_library(scratch)]
        corpora = [_corpus.prefix(path, options.mb, scratch) for path in corpora]
        for path in options.tokenizers or [trained(corpora, scratch)]:
            for record in Bench(path, options, scratch).records(corpora):
                _harness.append(record, options.results)
                report(record)


def parse_options() -> argparse.Namespace:
    """What the command line asks for."""
    tracks = [*TRACKS, *OF_A_TOKENIZER]
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("tokenizers", nargs="*", type=Path, metavar="TOKENIZER")
    parser.add_argument("--corpus", nargs="+", type=Path, metavar="FILE", default=[])
    parser.add_argument("--threads", nargs="+", type=int, default=[os.cpu_count() or 1])
    parser.add_argument("--tracks", nargs="+", choices=tracks, default=tracks)
    parser.add_argument("--libraries", nargs="+", choices=ALL, default=ALL)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--mb", type=float, help="only this much of each file")
    parser.add_argument("--results", type=Path, default=_harness.RESULTS)
    options = parser.parse_args()
    for path in [*options.tokenizers, *options.corpus]:
        if not path.exists():
            parser.error(f"{path} does not exist")
    if options.rounds < 1 or min(options.threads) < 1:
        parser.error("--rounds and --threads must be 1 or more")
    return options


def trained(corpora: Sequence[Path], folder: Path) -> Path:
    """A tokenizer of the corpus' own, so that this runs on a machine that has no other."""
    target = folder / "trained"
    bytepair.train(list(corpora), **TRAINED).save(target)
    return target


class Bench:
    """All measurements of one tokenizer."""

    def __init__(self, path: Path, options: argparse.Namespace, scratch: Path) -> None:
        self._options = options
        self._scratch = scratch
        self._name = name_of(path)
        _, source = open_vocabulary(path, scratch)
        self._source = scratch / f"{self._name}.source.json"
        self._source.write_text(json.dumps(asdict(source)), encoding="utf-8")
        self._reference_library = reference_library(source)
        self._counts: dict[str, Record] = {}  # by the file that holds the reference

    def records(self, corpora: Sequence[Path]) -> Iterator[Record]:
        """The lines for the results, each as soon as it is known."""
        if "load" in self._options.tracks:
            yield self._load()
        if "calls" in self._options.tracks:
            yield from self._calls(corpora)
        if "long" in self._options.tracks:
            yield from self._long(corpora)
        for path in corpora:
            for name in self._options.tracks:
                if name in TRACKS and (TRACKS[name].texts == "documents" or path == corpora[0]):
                    yield from self._track(name, path)

    def _track(self, name: str, path: Path) -> Iterator[Record]:
        track = TRACKS[name]
        corpus = _corpus.prefix(path, track.mb, self._scratch)
        for threads in [track.threads] if track.threads else self._options.threads:
            for calls in track.calls:
                libraries = self._asked(track.libraries, threads)
                entries = [(library, call) for call in calls for library in libraries]
                task = self._task([corpus], threads, entries, track.texts)
                what = {"track": name, "call": calls[0], "corpus": path.stem}
                if track.cold:
                    yield self._record({**what, "pass": "cold"}, task, self._cold_runs(task))
                yield self._record({**what, "pass": "hot"}, task, self._run("hot", task))

    def _load(self) -> Record:
        task = self._task([], 1, [(name, "load") for name in self._asked(ALL, 2)], "documents")
        return self._record({"track": "load", "call": "load"}, task, self._cold_runs(task, "load"))

    def _calls(self, corpora: Sequence[Path]) -> Iterator[Record]:
        """Calls with a single text, on one thread."""
        entries = [(name, "") for name in self._asked(ALL, 2)]
        small = _corpus.prefix(corpora[0], SMALL_MB, self._scratch)
        task = self._task([small], 1, entries, "documents")
        result = self._run("calls", task)
        for work, runs in result["works"].items():
            what = {"track": "calls", "call": work, "corpus": corpora[0].stem}
            yield self._record(what, task, {**runs, "refused": result["refused"]})

    def _long(self, corpora: Sequence[Path]) -> Iterator[Record]:
        """Ten million bytes of the same, on one thread, beside the first corpus."""
        corpus = _corpus.prefix(corpora[0], LONG_MB, self._scratch)
        task = self._task([], 1, [("bytepair", "encode_batch")], "documents")
        works = self._run("long", {**task, "corpus": [str(corpus)]})["works"]
        usual: float | None = None
        for work, runs in works.items():
            record = self._record({"track": "long", "call": work}, task, {**runs, "refused": {}})
            per_byte = record["seconds"]["bytepair"] / runs["n_bytes"]
            usual = usual or per_byte
            slower = round(per_byte / usual, 2)
            yield {**record, "corpus_bytes": runs["n_bytes"], "slower_than_corpus": slower}

    # ------------------------------------------------------------------ running

    def _asked(self, libraries: Sequence[str], threads: int) -> list[str]:
        """The libraries that take part; "sequential" says something only about one thread."""
        wanted = {"bytepair", *self._options.libraries}
        return [
            name
            for name in libraries
            if name in wanted and (threads == 1 or "sequential" not in name)
        ]

    def _task(
        self, corpus: list[Path], threads: int, entries: list[tuple[str, str]], texts: str
    ) -> Task:
        task: Task = {
            "source": str(self._source),
            "threads": threads,
            "corpus": [str(path) for path in corpus],
            "texts": texts,
            "libraries": entries,
            "reference_library": self._reference_library,
            "rounds": self._options.rounds,
        }
        if corpus:
            names = [path.stem for path in corpus]
            reference = self._scratch / f"{self._name}-{'+'.join(names)}-{texts}.npz"
            task["reference"] = str(reference)
            if str(reference) not in self._counts:
                threads = os.cpu_count() or 1
                self._counts[str(reference)] = self._run("reference", {**task, "threads": threads})
        return task

    def _run(self, work: str, task: Task) -> Record:
        return _harness.run_fresh(WORKER, {**task, "work": work}, {})

    def _cold_runs(self, task: Task, work: str = "cold") -> Record:
        """Fresh processes in turns; the files have been read just before, so no disk is timed."""
        runs: dict[str, list[Record]] = {}
        refused: dict[str, str] = {}
        for number in range(self._options.rounds):
            for path in task["corpus"]:
                Path(path).read_bytes()
            entries = task["libraries"]
            shift = number % len(entries)
            for entry in [*entries[shift:], *entries[:shift]]:
                if entry[0] in refused:
                    continue
                result = self._run(work, {**task, "libraries": [entry]})
                if "refused" in result:
                    refused[entry[0]] = result["refused"]
                else:
                    runs.setdefault(entry[0], []).append(result)
        return {"processes": runs, "refused": refused}

    # ------------------------------------------------------------------ results

    def _record(self, what: Record, task: Task, result: Record) -> Record:
        processes = result.get("processes", {})
        runs = result.get("runs") or {
            name: [run["seconds"] for run in done] for name, done in processes.items()
        }
        differing = result.get("differing") or {
            name: max(run.get("differing", 0) for run in done) for name, done in processes.items()
        }
        names = list(dict.fromkeys(name for name, _ in task["libraries"]))
        return {
            "benchmark": "encode",
            **what,
            "tokenizer": self._name,
            "threads": task["threads"],
            "corpus_bytes": sum(Path(path).stat().st_size for path in task["corpus"]),
            **self._counts.get(task.get("reference", ""), {}),
            "date": _harness.today(),
            "commit": _harness.commit(),
            "machine": _harness.machine(*installed(names)),
            "reference": task["reference_library"],
            "differing": {name: n for name, n in differing.items() if n},
            "refused": result["refused"],
            "seconds": {name: median(done) for name, done in runs.items()},
            "spread": {name: round(spread_of(done), 3) for name, done in runs.items()},
            "times": times_of(runs),
            **memory_of(processes),
            "runs": processes or runs,
        }


def installed(names: Sequence[str]) -> list[str]:
    """The packages of these libraries that are here."""
    packages = dict.fromkeys(name.partition(" ")[0] for name in names)
    return [name for name in packages if _peers.installed_version(name)]


def spread_of(seconds: Sequence[float]) -> float:
    """Largest minus smallest, as a part of the median."""
    return (max(seconds) - min(seconds)) / median(seconds)


def times_of(runs: dict[str, list[float]]) -> Record:
    """How many times longer each takes than the first, round by round: median, lowest, highest."""
    (_, ours), *others = list(runs.items()) or [("", [])]
    times = {}
    for name, theirs in others:
        ratios = [their / our for our, their in zip(ours, theirs, strict=True)]
        values = {"median": median(ratios), "lowest": min(ratios), "highest": max(ratios)}
        times[name] = {key: round(value, 3) for key, value in values.items()}
    return times


def memory_of(processes: dict[str, list[Record]]) -> Record:
    """Median peak of the fresh processes, and how long loading took in them."""
    if not processes:
        return {}
    fields = {"peak_rss_bytes": "peak_rss_bytes", "load_seconds": "load_seconds"}
    return {
        key: {name: median(run[field] for run in done) for name, done in processes.items()}
        for key, field in fields.items()
        if all(field in run for done in processes.values() for run in done)
    }


# ---------------------------------------------------------------------- printing


def report(record: Record) -> None:
    """Print the medians, and what is to be said of each library."""
    print(title_of(record), flush=True)
    for name in record["seconds"]:
        print("  ".join(part for part in cells_of(name, record) if part), flush=True)
    for name, reason in record["refused"].items():
        print(f"  {name:<23}  none: {reason[:100]}", flush=True)


def title_of(record: Record) -> str:
    """What was measured."""
    threads = "1 thread" if record["threads"] == 1 else f"{record['threads']} threads"
    text = (
        f"{record['corpus']} ({record['corpus_bytes'] / 1e6:.1f} MB)" if "corpus" in record else ""
    )
    what = f"{record['track']}: {record['call']}"
    parts = [record["tokenizer"], text, what, record.get("pass", ""), threads]
    return ", ".join(part for part in parts if part)


def cells_of(name: str, record: Record) -> Iterator[str]:
    """A library's time, ratio, memory, and whether its result was right; "" for what is not."""
    yield f"  {name:<23}{shown(name, record):>14} ±{record['spread'][name] / 2:4.0%}"
    times = record["times"].get(name)
    span = f"({times['lowest']:.2f} to {times['highest']:.2f})" if times else ""
    yield f"{times['median']:7.2f}× {span:<16}" if times else f"{'':25}"
    peak = record.get("peak_rss_bytes", {}).get(name)
    yield f"{peak / 1e6:6.0f} MB" if peak else ""
    slower = record.get("slower_than_corpus")
    yield f"{slower:.2f}× the time per byte of the corpus" if slower else ""
    n_differing = record["differing"].get(name)
    if n_differing:
        of_texts = f" for {n_differing} of {record['n_texts']} texts"
        is_row_each = record["call"] in ("encode_files", "encode_batch", "decode_batch")
        yield f"other results{of_texts if is_row_each else ''}"


def shown(name: str, record: Record) -> str:
    """A rate where a corpus was read, a time elsewhere."""
    seconds = record["seconds"][name]
    if record["track"] == "calls":
        return f"{seconds * 1e6:.2f} µs"
    if record["track"] in {"load", "short"}:
        return f"{seconds:.3f} s"
    return f"{record['corpus_bytes'] / seconds / 1e6:.1f} MB/s"


if __name__ == "__main__":
    main()
