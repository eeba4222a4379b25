"""The ceiling that keeps every file readable in one sitting."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ["src", "cpp", "tests", "lessons", "tools", "benchmarks", "examples"]
SOURCES = {".py", ".pyi", ".cpp", ".hpp"}
MAX_LINES = 500


@pytest.mark.parametrize("room", ROOMS)
def test_no_file_passes_the_ceiling(room):
    """The linter limits functions, not files, and the longest files are where it hurts."""
    lines_by_file = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in (ROOT / room).rglob("*")
        if path.suffix in SOURCES
    }
    assert lines_by_file, f"{room} holds no source: is the list of rooms stale?"
    assert {name: n for name, n in lines_by_file.items() if n > MAX_LINES} == {}
