"""Ctrl-C while a pruning is begun."""

import gc
import os
import signal
import threading
from types import FrameType

import numpy as np
import pytest

from bytepair.engines import PruneTask, select
from bytepair.model import MergeTable

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


class PressedError(Exception):
    """What the handler raises: pytest's own one would end the run."""


def press(_number: int, _frame: FrameType | None) -> None:
    raise PressedError


@pytest.fixture(autouse=True)
def handler():
    """Ctrl-C is heard by `press` for the time of a test."""
    gc.disable()  # hypothesis has a callback there, in which the exception would be lost
    before = signal.signal(signal.SIGINT, press)
    yield
    signal.signal(signal.SIGINT, before)
    gc.enable()


def large_task(strategy: str) -> PruneTask:
    """Words that no two neighbours of are ever joined: seconds of looking for pairs."""
    n_words, length = 200_000, 40
    symbols = np.tile(np.arange(length, dtype=np.uint32), n_words)
    offsets = np.arange(0, len(symbols) + 1, length, dtype=np.int64)
    ones = np.ones(n_words, np.int64)
    first = np.arange(256, dtype=np.uint32)
    return PruneTask(
        symbols,
        offsets,
        ones,
        -ones,
        MergeTable.from_merges([(254, 255, 256)]),
        np.concatenate([first, np.array([254, 255], np.uint32)]),
        np.append(np.arange(257), 258).astype(np.int64),
        np.append(np.zeros(256, np.uint8), np.uint8(1)),
        strategy,
    )


def begin_again_and_again(task: PruneTask) -> None:
    """On a fast machine one may be over before the key is pressed."""
    for _ in range(100):
        select(None).pruner(task)


@pytest.mark.parametrize("strategy", ["leaves", "residues"])
def test_ctrl_c_is_heard_while_all_words_are_looked_at(strategy):
    """A large corpus takes many seconds, before anything is removed."""
    task = large_task(strategy)
    timer = threading.Timer(0.05, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(PressedError):
        begin_again_and_again(task)
    timer.join()
