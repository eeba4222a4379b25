"""What every test relies on: which engine the suite runs on, and how hard hypothesis tries.

`BYTEPAIR_ENGINE=native pytest` runs everything. `BYTEPAIR_ENGINE=python pytest` repeats what the
choice of engine can change: it leaves out the rooms below, tests marked `native_only` and tests
that get an engine as a parameter. Where the native engine is not installed it runs all it can.
Without the variable the suite runs everything on the engine a user of this installation gets.
"""

import contextlib
import importlib.util
import os
import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import hypothesis
import pytest

import bytepair

ROOT = Path(__file__).parents[1]
# Tests that only read files, or name the engines they run whichever is chosen.
ENGINE_FREE = (
    "tests/architecture",
    "tests/browser",
    "tests/distributed",
    "tests/docs/test_cli_docs.py",
    "tests/docs/test_lessons.py",
    "tests/parity",
    "tests/torch",
    "tests/vocab",
)
# Rooms that the engines are built on.
BELOW_ENGINES = (
    "tests/unit/data",
    "tests/unit/errors",
    "tests/unit/model",
    "tests/unit/normalizers",
    "tests/unit/patterns",
)
HAS_NATIVE = importlib.util.find_spec("bytepair._core") is not None
ON_PYTHON = os.environ.get("BYTEPAIR_ENGINE") == "python"

hypothesis.settings.register_profile("desk", deadline=None)
# The same examples each time, so that a red run can be repeated; and what it found can be tried
# at a desk, where the examples are others.
hypothesis.settings.register_profile(
    "ci", deadline=None, max_examples=1000, derandomize=True, print_blob=True
)
hypothesis.settings.load_profile(os.environ.get("BYTEPAIR_HYPOTHESIS", "desk"))


def pytest_configure(config: pytest.Config) -> None:
    """Register our markers, and refuse to test another engine than the one asked for."""
    config.addinivalue_line(
        "markers", "native_only: too much work for the Python engine, or independent of the engine"
    )
    config.addinivalue_line("markers", "vocab: needs real vocabularies, which `make vocab` fetches")
    wanted = os.environ.get("BYTEPAIR_ENGINE")
    if wanted and bytepair.engine() != wanted:
        raise pytest.UsageError(f"BYTEPAIR_ENGINE={wanted}, but {bytepair.engine()} runs")


def pytest_report_header() -> str:
    """Say at the top which engine is tested."""
    return f"bytepair {bytepair.__version__}, engine: {bytepair.engine()}"


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """On the Python engine, leave out what the native run has shown already."""
    path = collection_path.relative_to(ROOT).as_posix()
    left_out = ENGINE_FREE + BELOW_ENGINES if HAS_NATIVE else ENGINE_FREE
    return True if ON_PYTHON and path.startswith(left_out) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The same for single tests: those marked, and those that are handed an engine."""
    _share_examples(items)
    if ON_PYTHON:
        config.hook.pytest_deselected(items=[item for item in items if _is_left_out(item)])
        items[:] = [item for item in items if not _is_left_out(item)]


def _share_examples(items: Sequence[pytest.Item]) -> None:
    """A property that runs for several parameters has its examples in all of them together.

    At the least a tenth of them in each. Otherwise most of the time would go into the few tests
    that have many parameters, not into those that need many examples.
    """
    n_examples = hypothesis.settings.default.max_examples
    functions = [item.function for item in items if isinstance(item, pytest.Function)]
    for function, n in Counter(filter(hypothesis.is_hypothesis_test, functions)).items():
        share = hypothesis.settings(max_examples=max(n_examples // n, n_examples // 10))
        # Refused where a test says for itself how many.
        with contextlib.suppress(hypothesis.errors.InvalidArgument):
            share(function)


def _is_left_out(item: pytest.Item) -> bool:
    params = item.callspec.params.values() if hasattr(item, "callspec") else ()
    handed = set(map(str, params)) & {"native", "python"}
    is_shown = bool(handed) and (HAS_NATIVE or "native" in handed)
    return is_shown or item.get_closest_marker("native_only") is not None


@pytest.fixture
def hears_ctrl_c() -> Iterator[None]:
    """Processes that the test starts hear Ctrl-C, also where the tests run in the background.

    There it is ignored, which new processes inherit; where it is handled, they begin as usual.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
