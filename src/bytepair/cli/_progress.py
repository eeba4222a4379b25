"""The progress bar of training, and the clock behind its report."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter
from types import TracebackType
from typing import Any, Self

from rich.cells import set_cell_size
from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.text import Text

from bytepair import Progress
from bytepair.cli._render import visible
from bytepair.model import ProgressCallback

_VERBS = {
    "count": "counting",
    "learn": "learning",
    "prune": "pruning",
    "shard": "sharding",
    "verify": "verifying",
}
_NEWEST_CELLS = 18


class TrainingProgress:
    """Give it as `progress=` inside a `with` block: a bar on a terminal, silent elsewhere.

    Attributes:
        count_s, learn_s: seconds that counting and learning took, once the block is left.
    """

    def __init__(self) -> None:
        is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._bars = _bars() if is_terminal else None
        self._task_by_stage: dict[str, TaskID] = {}
        self._start = self._counted = 0.0
        self.count_s = self.learn_s = 0.0

    def __enter__(self) -> Self:
        self._start = self._counted = perf_counter()
        if self._bars:
            self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bars:
            self._bars.stop()
        self.count_s = self._counted - self._start
        self.learn_s = perf_counter() - self._counted

    def __call__(self, moment: Progress) -> None:
        """Take note of a moment, and show it."""
        if moment.stage == "count":
            self._counted = perf_counter()
        if not self._bars:
            return
        is_new = moment.stage not in self._task_by_stage
        if is_new:
            for earlier in self._task_by_stage.values():  # nobody knew how much it would be
                self._bars.update(earlier, total=self._bars.tasks[earlier].completed)
            verb = _VERBS.get(moment.stage, moment.stage)
            task = self._bars.add_task(verb, total=moment.total, unit=moment.unit, newest="")
            self._task_by_stage[moment.stage] = task
        newest = set_cell_size(_shown(moment), _NEWEST_CELLS)
        task = self._task_by_stage[moment.stage]
        # A stage may be over before the next regular look: it is shown at least once.
        self._bars.update(task, completed=moment.done, newest=newest, refresh=is_new)


def _shown(moment: Progress) -> str:
    """The pair that was merged last, and how often it occurred; or what was done last."""
    if moment.pair is None or moment.frequency is None:
        return visible(moment.detail.encode())
    left, right = map(visible, moment.pair)
    return f"{moment.frequency:,} {left}+{right}"


@contextmanager
def watched(bar: TrainingProgress, metrics: Mapping[str, Any]) -> Iterator[ProgressCallback]:
    """A callback for the bar, and for Prometheus if any of its options is given."""
    if all(value is None for value in metrics.values()):
        yield bar
        return
    from bytepair.monitoring import TrainingMetrics

    with TrainingMetrics(**metrics, also=bar) as callback:
        yield callback


def _bars() -> Bars:
    return Bars(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        _Done(),
        _Rate(),
        TimeRemainingColumn(compact=True, elapsed_when_finished=True),
        TextColumn("{task.fields[newest]}", style="bold cyan", markup=False),
        console=Console(stderr=True),
        transient=True,
    )


class _Done(ProgressColumn):
    def render(self, task: Task) -> Text:
        """Percent, or what was read if nobody knows how much there is."""
        if task.total is None:
            return Text(f"{task.completed / 1e6:,.0f} MB")
        return Text(f"{task.percentage:>3.0f}%")


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        """Bytes or merges a second."""
        speed = task.finished_speed or task.speed
        if speed is None:  # rich wants to see two moments first
            speed = task.completed / (task.elapsed or 1)
        if task.fields["unit"] == "bytes":
            return Text(f"{speed / 1e6:>5.1f} MB/s")
        return Text(f"{speed:>7,.0f} {task.fields['unit']}/s")
