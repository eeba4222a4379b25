"""`TrainingMetrics`: the moments of a training as metrics.

Names follow https://prometheus.io/docs/practices/naming/.
"""

import os
import warnings
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from bytepair.errors import ArgumentError, BytepairWarning, MissingExtraError, SaveError
from bytepair.model import Progress

if TYPE_CHECKING:
    from prometheus_client.core import Metric

_PREFIX = "bytepair_train_"
_BUCKETS_S = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 1.0)
_INTERVAL_S = 5.0  # between files, and between pushes
_PUSH_TIMEOUT_S = 3.0


class TrainingMetrics:
    """Give it as `progress=`, inside a `with` block if anything is to be served or written.

    Metrics, each beginning with `bytepair_train_`: `corpus_bytes_total`, `words` (distinct
    pre-tokens), `merges_total`, `merge_seconds` (a histogram; what is put into it is the mean of
    the merges between two moments), `queue_pairs`, `live_pairs` (that may still be merged and are
    kept in view), `tokens_remaining`, `checkpoint_age_seconds`, `stage_seconds` by `stage`.

    Args:
        port: serve them there, on the machine itself only (0: any free port, see `port`).
        file: write them there every few seconds, for node_exporter's textfile collector, which
            takes names that end in `.prom`.
        push: URL of a pushgateway that gets them every few seconds, under the job
            `bytepair_train`. A push that fails is a warning, and the last.
        also: another progress callback, called first.

    Raises:
        MissingExtraError: prometheus_client is not installed.
        ArgumentError: a file whose name does not end in `.prom`.
        SaveError: the port is taken, or the file cannot be written.

    >>> metrics = TrainingMetrics()
    >>> metrics(Progress("learn", 3, 10, "merges"))
    >>> metrics.registry.get_sample_value("bytepair_train_merges_total")
    3
    """

    def __init__(
        self,
        *,
        port: int | None = None,
        file: str | os.PathLike[str] | None = None,
        push: str | None = None,
        also: Callable[[Progress], None] | None = None,
    ) -> None:
        try:
            from prometheus_client import CollectorRegistry
        except ImportError as error:
            raise MissingExtraError(
                "metrics need prometheus_client: pip install 'bytepair[metrics]'"
            ) from error
        self.registry = CollectorRegistry()
        self.registry.register(self)
        self.port = port
        self._file = None if file is None else Path(file)
        if self._file is not None and self._file.suffix != ".prom":
            raise ArgumentError(f"{file}: the textfile collector only reads names in .prom.")
        self._push = push
        self._also = also
        self._moment: Progress | None = None
        self._seen_s = monotonic()
        self._next_s = 0.0
        self._by_stage: dict[str, Progress] = {}
        self._buckets = [0] * (len(_BUCKETS_S) + 1)
        self._merge_s = 0.0
        self._server: Any = None

    def __call__(self, moment: Progress) -> None:
        """Take note of a moment."""
        if self._also is not None:
            self._also(moment)
        now = monotonic()
        self._note_merges(moment, now - self._seen_s)
        self._by_stage[moment.stage] = moment
        self._moment, self._seen_s = moment, now
        if now >= self._next_s:
            self._publish()
            self._next_s = monotonic() + _INTERVAL_S

    def __enter__(self) -> Self:
        if self.port is None:
            return self
        from prometheus_client import start_http_server

        try:
            self._server, _ = start_http_server(self.port, "127.0.0.1", self.registry)
        except (OSError, OverflowError) as error:
            raise SaveError(f"port {self.port}: cannot serve metrics there: {error}.") from error
        self.port = self._server.server_port
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """The last moment is written and pushed, whatever ended the work."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
        if error is None:
            self._publish()
        else:
            with suppress(SaveError):
                self._publish()

    def collect(self) -> "Iterator[Metric]":
        """The metrics as they are now; prometheus_client calls this."""
        from prometheus_client.core import (
            CounterMetricFamily,
            GaugeMetricFamily,
            HistogramMetricFamily,
        )

        counted, learned = self._by_stage.get("count"), self._by_stage.get("learn")
        n_bytes = 0 if counted is None else counted.done
        n_merges = 0 if learned is None else learned.done
        yield CounterMetricFamily(
            f"{_PREFIX}corpus_bytes", "Bytes of the corpus that were counted.", n_bytes
        )
        yield CounterMetricFamily(f"{_PREFIX}merges", "Merges that were learned.", n_merges)
        yield HistogramMetricFamily(
            f"{_PREFIX}merge_seconds",
            "Time of a merge: the mean between two moments.",
            buckets=self._cumulated(),
            sum_value=self._merge_s,
        )
        for name, (text, value) in self._gauges(learned).items():
            if value is not None:
                yield GaugeMetricFamily(f"{_PREFIX}{name}", text, value)
        stages = GaugeMetricFamily(
            f"{_PREFIX}stage_seconds", "Time that a stage has taken so far.", labels=["stage"]
        )
        for stage, moment in self._by_stage.items():
            stages.add_metric([stage], moment.elapsed_s)
        yield stages

    def _gauges(self, learned: Progress | None) -> dict[str, tuple[str, float | None]]:
        if learned is None:
            return {}
        remaining = None if learned.total is None else learned.total - learned.done
        age = learned.checkpoint_age_s
        return {
            "words": ("Distinct pre-tokens.", learned.n_words),
            "queue_pairs": ("Entries in the queue of pairs.", learned.n_queued),
            "live_pairs": ("Pairs in view that may still be merged.", learned.n_pairs),
            "tokens_remaining": ("Merges that are still wanted.", remaining),
            "checkpoint_age_seconds": (
                "Time since what was learned was last known to be safely on disk.",
                None if age is None else age + monotonic() - self._seen_s,
            ),
        }

    def _note_merges(self, moment: Progress, passed_s: float) -> None:
        if moment.stage != "learn" or "learn" not in self._by_stage:
            return
        n_new = moment.done - self._by_stage["learn"].done
        if n_new > 0:
            self._buckets[bisect_left(_BUCKETS_S, passed_s / n_new)] += n_new
            self._merge_s += passed_s

    def _cumulated(self) -> list[tuple[str, float]]:
        names = [*map(str, _BUCKETS_S), "+Inf"]
        return [*zip(names, map(float, accumulate(self._buckets)), strict=True)]

    def _publish(self) -> None:
        if self._file is not None:
            from prometheus_client import write_to_textfile

            try:
                write_to_textfile(str(self._file), self.registry)
            except OSError as error:
                raise SaveError(f"{self._file}: {error.strerror or error}.") from error
        if self._push is not None:
            self._push_to(self._push)

    def _push_to(self, url: str) -> None:
        from prometheus_client import push_to_gateway

        try:
            push_to_gateway(url, "bytepair_train", self.registry, timeout=_PUSH_TIMEOUT_S)
        except (OSError, ValueError) as error:
            warnings.warn(
                f"{url}: metrics cannot be pushed there, so no more are: {error}.",
                BytepairWarning,
                stacklevel=2,
            )
            self._push = None  # a training goes on without whoever watches it
