"""What the tests of several rooms share."""

import importlib
import sys
from types import ModuleType

import pytest


@pytest.fixture(scope="session", params=["native", "python"])
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine in turn: what a test says of one must be true of both."""
    name: str = request.param
    return name


@pytest.fixture(scope="session")
def zstd() -> ModuleType:
    """The zstandard module of this Python."""
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    return importlib.import_module(name)
