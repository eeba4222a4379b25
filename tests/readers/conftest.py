"""The consumers live in an environment of their own, which `make readers` makes.

Without it these tests are skipped, and say so; with BYTEPAIR_READERS=required they fail.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PYTHON = Path(
    os.environ.get("BYTEPAIR_READERS_PYTHON") or Path(sys.prefix) / "readers" / "bin" / "python"
)
CONSUMERS = Path(__file__).with_name("consumers.py")
TIMEOUT_S = 240


@pytest.fixture(scope="session")
def consumer() -> Callable[..., Any]:
    """Run a task of `consumers.py`; gives what it prints."""
    if not PYTHON.is_file():
        missing = f"{PYTHON} is missing: run 'make readers', which installs the consumers"
        if os.environ.get("BYTEPAIR_READERS") == "required":
            pytest.fail(missing)
        pytest.skip(missing)

    def run(task: str, *arguments: object) -> Any:
        command = [str(PYTHON), str(CONSUMERS), task, *map(str, arguments)]
        environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
        process = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
        assert process.returncode == 0, process.stderr
        return json.loads(process.stdout.splitlines()[-1])

    return run
