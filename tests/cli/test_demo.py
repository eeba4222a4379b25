"""`examples/demo.py`: the first thing anyone runs."""

import shlex
import subprocess
import sys
from pathlib import Path

from rich.cells import cell_len

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_demo_runs_and_its_next_commands_work(here):
    """As in a checkout, without a terminal: no line wider than 80 columns or with blanks at its
    end, and every line it tells people to paste is pasted.
    """
    (here / ".venv").symlink_to(sys.prefix)
    (here / "examples").symlink_to(EXAMPLES)
    python = here / ".venv" / Path(sys.executable).relative_to(sys.prefix)
    demo = subprocess.run(
        [python, "examples/demo.py"], capture_output=True, check=False, timeout=300, text=True
    )
    assert (demo.returncode, demo.stderr) == (0, "")
    lines = demo.stdout.splitlines()
    assert max(map(cell_len, lines)) <= 80
    assert [line for line in lines if line != line.rstrip()] == []
    *following, blank, heading, report = lines[lines.index("Saved in demo-tokenizer/. Next:") + 1 :]
    assert (len(following), blank) == (3, "")
    assert heading == "The whole report is a page: open this file in a browser"
    page = (here / report.strip()).read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "Tokens that do nothing" in page
    for line in following:
        subprocess.run(shlex.split(line), check=True, timeout=60, stdout=subprocess.DEVNULL)
