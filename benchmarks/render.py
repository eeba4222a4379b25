"""Renders benchmarks/results.jsonl as tables in README.md, between the two markers.

    python benchmarks/render.py [--print]

Of several results for the same work on the same kind of machine the latest one is shown; the
others stay in the file. Without markers in README.md nothing is changed.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import _tables
from _harness import RESULTS, ROOT

START, END = "<!-- bench:start -->", "<!-- bench:end -->"

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
    """The tables, each with a line on how it was measured."""
    kept = list(records)
    tables = [table for make in _tables.ALL if (table := make(kept))]
    return "\n\n".join(tables) or "Nothing has been measured yet."


def between_markers(text: str, table: str) -> str | None:
    """`text` with what stands between the markers replaced; None if they are not there."""
    before, start, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        return None
    return f"{before}{START}\n{table}\n{END}{after}"


if __name__ == "__main__":
    main()
