"""Renders benchmarks/results.jsonl as a table in README.md, between the two markers.

    python benchmarks/render.py [--print]

Of several results for the same work on the same kind of machine the latest one is shown; the
others stay in the file. Without markers in README.md nothing is changed.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from _harness import RESULTS, ROOT

START, END = "<!-- bench:start -->", "<!-- bench:end -->"
HEADER = (
    "| training on | pattern, tokens | bytepair | tokenizers | time | peak memory | runs |\n"
    "|---|---|---|---|---|---|---|"
)

Record = dict[str, Any]


def main() -> None:
    """Render, and write or print."""
    table = render(read(RESULTS))
    if "--print" in sys.argv[1:]:
        print(table)
        return
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    updated = between_markers(text, table)
    if updated is None:
        print(f"{readme.name} has no {START} ... {END}; nothing was changed.", file=sys.stderr)
    elif updated != text:
        readme.write_text(updated, encoding="utf-8")


def read(path: Path) -> list[Record]:
    """All results, oldest first."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def render(records: Iterable[Record]) -> str:
    """A table of the latest result for each piece of work, and a line on how it was measured."""
    latest: dict[tuple[Any, ...], Record] = {}
    for record in records:
        if record["benchmark"] == "train":
            latest[_work(record)] = record
    if not latest:
        return "Nothing has been measured yet."
    rows = [_row(record) for _, record in sorted(latest.items())]
    notes = dict.fromkeys(map(_note, latest.values()))
    return "\n".join([HEADER, *rows, "", *notes])


def between_markers(text: str, table: str) -> str | None:
    """`text` with what stands between the markers replaced; None if they are not there."""
    before, start, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        return None
    return f"{before}{START}\n{table}\n{END}{after}"


def _work(record: Record) -> tuple[Any, ...]:
    return (
        record["corpus"],
        record["pattern"],
        record["vocab_size"],
        record["threads"],
        record["machine"]["cpu"],
    )


def _row(record: Record) -> str:
    ours, theirs = record["seconds"]["bytepair"], record["seconds"]["tokenizers"]
    our_peak, their_peak = (record["peak_rss_bytes"][k] / 1e6 for k in ("bytepair", "tokenizers"))
    return (
        f"| {record['corpus']}, {record['corpus_bytes'] / 1e6:.0f} MB; "
        f"largest document {record['largest_document_bytes'] / 1e6:.1f} MB "
        f"| {record['pattern']}, {record['vocab_size']:,} "
        f"| {ours:.1f} s ± {record['spread']['bytepair'] / 2:.0%} "
        f"| {theirs:.1f} s ± {record['spread']['tokenizers'] / 2:.0%} "
        f"| **{theirs / ours:.1f}×** faster "
        f"| {our_peak:.0f} against {their_peak:.0f} MB, **{their_peak / our_peak:.1f}×** smaller "
        f"| {len(record['runs']['bytepair'])} at {record['commit']} |"
    )


def _note(record: Record) -> str:
    machine = record["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    return (
        "From files to a tokenizer, the same merges from both (checked first); medians of "
        f"alternating runs, ± half their range; {record['threads']} threads on {machine['cpu']} "
        f"({machine['cores']} cores), Python {machine['python']}, {versions}. `tokenizers` holds "
        "all pieces of a document at once, which shows where one is large."
    )


if __name__ == "__main__":
    main()
