"""The committed stub of the C++ core says what the core really offers."""

import subprocess
import sys
from pathlib import Path

COMMITTED = Path(__file__).parents[2] / "src" / "bytepair" / "_core.pyi"


def test_stub_is_what_the_core_says_now(tmp_path):
    """A stale stub hides wrong calls into C++ from the type checker. Cure: `make stub`."""
    fresh = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "bytepair._core"]
    subprocess.run([*command, "-o", fresh], check=True, cwd=tmp_path)
    assert COMMITTED.read_text(encoding="utf-8") == fresh.read_text(encoding="utf-8")
