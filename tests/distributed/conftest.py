"""A Ray cluster of two workers on this machine, which is gone when the tests are over.

`make test-distributed` installs Ray and runs these tests; without it they are skipped.
"""

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# Before it is imported: nothing is sent anywhere, and nothing kept in the home folder.
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_AUTH_MODE"] = "disabled"
os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"

GONE_S = 20


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """Ray, connected; its folder is short, because sockets lie in it."""
    ray = pytest.importorskip("ray", reason="run 'make test-distributed', which installs it")
    folder = f"/tmp/bytepair-ray-{os.getpid()}"
    ray.init(
        address="local",
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        object_store_memory=100 << 20,
        _temp_dir=folder,
    )
    yield ray
    ray.shutdown()
    wait_until_gone(folder)


def wait_until_gone(folder: str) -> None:
    """Fail if a process is left that was started for the cluster in `folder`."""
    end = time.monotonic() + GONE_S
    while left := [line for line in command_lines() if folder in line]:
        assert time.monotonic() < end, left
        time.sleep(0.2)


def command_lines() -> Iterator[str]:
    """Of all processes."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield path.read_text(errors="replace").replace("\0", " ")
        except OSError:
            continue


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Some files, the first of which is divided."""
    folder = tmp_path_factory.mktemp("corpus")
    draw = random.Random(3)
    words = ["".join(draw.choices("abcdefghé", k=draw.randint(2, 9))) for _ in range(900)]
    for number in range(4):
        n_words = 40_000 if number == 0 else 9_000
        text = " ".join(draw.choices([*words, "\n", "<|endoftext|>"], k=n_words))
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    return sorted(folder.iterdir())
