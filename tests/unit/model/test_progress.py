from typing import Any

import pytest

from bytepair.errors import ArgumentError
from bytepair.model import Progress, ProgressReporter


def moments(n: int) -> list[Progress]:
    return [Progress("count", done, n, "bytes") for done in range(n)]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr("bytepair.model._progress.monotonic", lambda: now[0])
    return now


def test_first_and_last_moment_are_told_and_few_between(clock: list[float]) -> None:
    """A callback that prints must not set the pace: here 1,000 moments pass in a second."""
    seen: list[Progress] = []
    reporter = ProgressReporter(seen.append)
    for moment in moments(1000):
        reporter.tell(moment)
        clock[0] += 0.001
    reporter.finish()
    done = [moment.done for moment in seen]
    assert (done[0], done[-1]) == (0, 999)
    assert 10 <= len(done) <= 12


def test_last_moment_is_told_once(clock: list[float]) -> None:
    """If it has been told already, finishing says nothing more."""
    seen: list[Progress] = []
    reporter = ProgressReporter(seen.append)
    for moment in moments(2):
        reporter.tell(moment)
        clock[0] += 1
    reporter.finish()
    reporter.finish()
    assert seen == moments(2)


def test_without_a_callback_nothing_happens() -> None:
    """Most jobs have nobody who watches."""
    reporter = ProgressReporter(None)
    reporter.tell(moments(1)[0])
    reporter.finish()


@pytest.mark.parametrize("callback", [True, "print", 5])
def test_what_cannot_be_called_is_refused(callback: Any) -> None:
    """`progress=True` is what other libraries take."""
    with pytest.raises(ArgumentError, match="progress must be a function that takes a Progress"):
        ProgressReporter(callback)


def test_the_rate_is_that_of_late_and_tells_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten a second at first, a hundred a second in the last ten seconds."""
    now = [0.0]
    monkeypatch.setattr("bytepair.model._progress.monotonic", lambda: now[0])
    seen: list[Progress] = []
    reporter = ProgressReporter(seen.append)
    for second, done in enumerate([0, *range(10, 110, 10), *range(200, 2200, 100)]):
        now[0] = float(second)
        reporter.tell(Progress("learn", done, 3000, "merges"))
    assert (seen[0].rate, seen[0].left_s) == (None, None)
    assert seen[5].rate == 10
    assert (seen[-1].rate, seen[-1].elapsed_s) == (100, 30)
    assert seen[-1].left_s == (3000 - 2100) / 100
