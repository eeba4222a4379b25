"""Results as Markdown tables, one function a table; "" where nothing of its kind was measured."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

Record = dict[str, Any]

_FEWEST_ROUNDS = 3  # of training, for a line in the table
_UNITS = (("µs", 1e6), ("ms", 1e3), ("s", 1))
_COLUMNS = (("files", "cold"), ("files", "hot"), ("batch", "cold"), ("batch", "hot"))


def training(records: Iterable[Record]) -> str:
    """From files to a tokenizer."""
    fields = ("corpus", "pattern", "vocab_size", "threads")
    latest = _combined(filter(_is_repeated, records), "learn", fields)
    names = list(dict.fromkeys(name for record in latest.values() for name in record["seconds"]))
    rows = [_training_row(record, names) for _, record in sorted(latest.items())]
    header = ["training on", "pattern, tokens", *names, "peak memory", "runs"]
    notes = [
        "Seconds from files to a tokenizer, medians of runs in turns, each in a fresh process, and "
        "how many times as long as bytepair's (median of ratios round by round). All learn the "
        "same tokens in the same order as bytepair when it breaks ties as they do; ≠: not this "
        "one. Where several runs were needed, bytepair's time and the commit are those of the "
        f"latest. Memory: bytepair's peak, and the smallest of the others. On {_place(record)}."
        for record in sorted(latest.values(), key=lambda record: len(record["machine"]["versions"]))
    ]
    return _table(header, rows, notes[-1:])


def _is_repeated(record: Record) -> bool:
    """Of training: runs that were made to compare what is learned are too few to tell of time."""
    return record["benchmark"] != "learn" or len(record["runs"]["bytepair"]) >= _FEWEST_ROUNDS


def _training_row(record: Record, names: Sequence[str]) -> list[str]:
    peaks = {name: f"{peak / 1e6:.0f}" for name, peak in record["peak_rss_bytes"].items()}
    least = min((p for n, p in record["peak_rss_bytes"].items() if n != "bytepair"), default=0)
    return [
        f"{record['corpus']}, {_megabytes(record)}, {_threads(record)}",
        f"{record['pattern']}, {record['vocab_size']:,}",
        *(_training_time(record, name) for name in names),
        f"{peaks['bytepair']} against {least / 1e6:.0f} MB",
        f"{len(record['runs']['bytepair'])} at {record['commit']}",
    ]


def _training_time(record: Record, name: str) -> str:
    seconds = record["seconds"].get(name)
    if seconds is None:
        return "–"
    if name == "bytepair":
        return f"{seconds:.2f} s ± {record['spread'][name] / 2:.0%}"
    mark = " ≠" if name in record["differing"] else ""
    return f"{seconds:.1f} s, **{record['times'][name]:.1f}×**{mark}"


def encoding(records: Iterable[Record]) -> str:
    """Whole corpora to ids: first pass and repeated passes, from files and from texts."""
    fields = ("tokenizer", "corpus", "threads", "track", "pass")
    latest = _latest(records, "encode", fields)
    latest = {key: record for key, record in latest.items() if key[3:5] in _COLUMNS}
    works = sorted({key[:3] + key[5:] for key in latest})
    rows = []
    for tokenizer, corpus, threads, cpu in works:
        found = [latest.get((tokenizer, corpus, threads, *column, cpu)) for column in _COLUMNS]
        measured = [record for record in found if record]
        first = f"{tokenizer}, {corpus} {_megabytes(measured[0])}, {_threads(measured[0])}"
        rows.append([first, *map(_rate, found), _memory(found[0]), measured[-1]["commit"]])
    header = ["ids by, of, on", "files, cold", "files, hot", "texts, cold", "texts, hot"]
    notes = [
        "The same ids, token by token, as the library the format comes from. Rates of bytepair, ± "
        "half their range, and how many times longer the fastest of the others takes (median of "
        "ratios round by round). Cold: first pass of a fresh process, loading not counted; hot: "
        f"repeated passes, all in one process, in turns. On {_place(record)}."
        for record in sorted(latest.values(), key=lambda record: len(record["machine"]["versions"]))
    ]
    return _table([*header, "peak memory", "at"], rows, notes[-1:])


def _rate(record: Record | None) -> str:
    if record is None or "bytepair" not in record["seconds"]:
        return "–"
    seconds = record["seconds"]["bytepair"]
    rate = f"{record['corpus_bytes'] / seconds / 1e6:.0f} MB/s"
    mark = " (other ids!)" if "bytepair" in record["differing"] else ""
    best = _best(record)
    if best is None:
        return rate + mark
    times = record["times"][best]["median"]
    return f"{rate} ± {record['spread']['bytepair'] / 2:.0%}, **{times:.2f}×** {best}{mark}"


def _best(record: Record) -> str | None:
    """The fastest of the other libraries that gave the right ids."""
    right = [name for name in record["times"] if name not in record["differing"]]
    return min(right, key=lambda name: record["times"][name]["median"], default=None)


def _memory(record: Record | None) -> str:
    peaks = (record or {}).get("peak_rss_bytes", {})
    best = _best(record) if record else None
    if "bytepair" not in peaks or best is None:
        return "–"
    return f"{peaks['bytepair'] / 1e6:.0f} against {peaks[best] / 1e6:.0f} MB"


def calls(records: Iterable[Record]) -> str:
    """Everything else: a column for each library."""
    fields = ("tokenizer", "track", "call", "threads", "corpus")
    latest = _latest(records, "encode", fields)
    latest = {k: r for k, r in latest.items() if (k[1], "hot") not in _COLUMNS and r["seconds"]}
    names = list(dict.fromkeys(name for record in latest.values() for name in record["seconds"]))
    names = [name for name in names if " " not in name]  # those with one call measured
    rows = [
        [f"{key[0]}: {_title(record)}", *(_time(record, name) for name in names)]
        for key, record in latest.items()
        if record["track"] not in {"count", "split", "long"}
    ]
    notes = [
        "Medians of rounds in turns; ≠: other results than the library the format comes from; "
        f"–: no such call, or the tokenizer cannot be loaded. On {_place(record)}."
        for record in sorted(latest.values(), key=lambda record: len(record["machine"]["versions"]))
    ]
    return _table(["", *names], rows, notes[-1:])


def _title(record: Record) -> str:
    if record["track"] == "calls":
        return str(record["call"])
    if record["track"] == "load":
        return "load"
    what = {"short": f"{record['n_texts']:,} short texts"}.get(record["track"], record["call"])
    return f"{what}, {record['corpus']} {_megabytes(record)}, {_threads(record)}"


def _time(record: Record, name: str) -> str:
    seconds = record["seconds"].get(name)
    if seconds is None:
        return "–"
    unit, times = next((u, t) for u, t in _UNITS if seconds * t < 1000)
    return f"{seconds * times:.3g} {unit}" + (" ≠" if name in record["differing"] else "")


ALL: tuple[Callable[[Iterable[Record]], str], ...] = (training, encoding, calls)


# ---------------------------------------------------------------------- what tables share


def _latest(
    records: Iterable[Record], benchmark: str, fields: Sequence[str]
) -> dict[tuple[Any, ...], Record]:
    """The newest record for each piece of work on each kind of machine."""
    return {
        (*(record.get(field, "") for field in fields), record["machine"]["cpu"]): record
        for record in records
        if record["benchmark"] == benchmark
    }


def _combined(
    records: Iterable[Record], benchmark: str, fields: Sequence[str]
) -> dict[tuple[Any, ...], Record]:
    """The same, with the libraries that only earlier runs of the same work have measured."""
    found: dict[tuple[Any, ...], Record] = {}
    for record in records:
        if record["benchmark"] == benchmark:
            key = (*(record.get(field, "") for field in fields), record["machine"]["cpu"])
            found[key] = _added(found.get(key, {}), record)
    return found


def _added(older: Record, record: Record) -> Record:
    by_name = ("seconds", "peak_rss_bytes", "spread", "times", "runs")
    merged = {name: older.get(name, {}) | record[name] for name in by_name}
    kept = [name for name in older.get("differing", []) if name not in record["seconds"]]
    versions = older.get("machine", {}).get("versions", {}) | record["machine"]["versions"]
    machine = {**record["machine"], "versions": versions}
    return {**record, **merged, "differing": [*kept, *record["differing"]], "machine": machine}


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], notes: Iterable[str]) -> str:
    if not rows:
        return ""
    lines = [f"| {' | '.join(row)} |" for row in (header, *rows)]
    lines.insert(1, "|---" * len(header) + "|")
    return "\n".join([*lines, "", *dict.fromkeys(notes)])


def _threads(record: Record) -> str:
    return "1 thread" if record["threads"] == 1 else f"{record['threads']} threads"


def _megabytes(record: Record) -> str:
    return f"{record['corpus_bytes'] / 1e6:.0f} MB"


def _place(record: Record) -> str:
    machine = record["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    return f"{machine['cpu']} ({machine['cores']} cores), Python {machine['python']}, {versions}"
