"""`examples/demo.py`: the first thing anyone runs."""

import shlex
import subprocess
import sys
from pathlib import Path

from rich.cells import cell_len

DEMO = Path(__file__).parents[2] / "examples" / "demo.py"


def test_the_demo_runs_and_its_next_commands_work(here):
    """At 80 columns, without a terminal; every line it tells people to paste is pasted."""
    demo = subprocess.run(
        [sys.executable, DEMO], capture_output=True, check=False, timeout=300, text=True
    )
    assert (demo.returncode, demo.stderr) == (0, "")
    lines = demo.stdout.splitlines()
    following = lines[lines.index("Saved in demo-tokenizer/. Next:") + 1 :]
    assert len(following) == 3
    for line in following:
        subprocess.run(shlex.split(line), check=True, timeout=60, stdout=subprocess.DEVNULL)
    report = lines[: -len(following)]
    assert max(map(cell_len, report)) <= 80
