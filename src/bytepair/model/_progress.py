"""What a long job tells whoever watches it."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import monotonic

from bytepair.errors import ArgumentError

_WINDOW_S = 10.0  # of which the rate is told: merges get faster and faster
_INTERVAL_S = 0.1  # often enough for eyes; a callback may be slow, and must not set the pace


@dataclass(frozen=True, slots=True)
class Progress:
    """A moment of a long job.

    Attributes:
        stage: "count", "learn", "prune", "shard" or "verify".
        done, total: in `unit`; total is None while it is not known.
        unit: "bytes", "merges" or "tokens".
        detail: what was just done, for people: the newest token, or the one that went last.
        pair, frequency: while learning: the contents of the pair that was merged last, and how
            often it occurred.
        n_words: distinct pre-tokens, while learning.
        n_queued, n_pairs: entries in the queue of pairs, and pairs in view that may still be
            merged, while learning.
        checkpoint_age_s: seconds since what was learned was last synced to disk, with a checkpoint.
        elapsed_s: seconds since the stage began.
        rate: `done` a second, of late; None until that is known.
    """

    stage: str
    done: int
    total: int | None
    unit: str
    detail: str = ""
    pair: tuple[bytes, bytes] | None = field(default=None, compare=False)
    frequency: int | None = field(default=None, compare=False)
    n_words: int | None = field(default=None, compare=False)
    n_queued: int | None = field(default=None, compare=False)
    n_pairs: int | None = field(default=None, compare=False)
    checkpoint_age_s: float | None = field(default=None, compare=False)
    elapsed_s: float = field(default=0.0, compare=False)
    rate: float | None = field(default=None, compare=False)

    @property
    def left_s(self) -> float | None:
        """About how many seconds the stage will still take, if anybody can tell.

        >>> Progress("count", 60, 90, "bytes", rate=10.0).left_s
        3.0
        """
        if self.total is None or not self.rate:
            return None
        return max(self.total - self.done, 0) / self.rate


ProgressCallback = Callable[[Progress], None]
"""Called in the calling thread, about ten times a second; an exception it raises ends the job."""


class ProgressReporter:
    """Tells a callback of a stage's first moment, of some between, and of the last.

    Raises:
        ArgumentError: the callback cannot be called.

    >>> reporter = ProgressReporter(lambda moment: print(moment.done))
    >>> for done in range(1_000):
    ...     reporter.tell(Progress("count", done, None, "bytes"))
    0
    >>> reporter.finish()
    999
    """

    def __init__(self, callback: ProgressCallback | None) -> None:
        if callback is not None and not callable(callback):
            raise ArgumentError(
                f"progress must be a function that takes a Progress, or None, got {callback!r:.60}."
            )
        self._callback = callback
        self._next_s = 0.0
        self._held: Progress | Callable[[], Progress] | None = None
        self._start_s = monotonic()
        self._past: deque[tuple[float, int]] = deque()  # when, how much was done

    def tell(self, moment: Progress | Callable[[], Progress]) -> None:
        """Pass `moment`, or what it returns, on; hold it back right after another."""
        if self._callback is None:
            return
        if monotonic() < self._next_s:
            self._held = moment
            return
        self._pass_on(moment)
        self._next_s = monotonic() + _INTERVAL_S

    def _pass_on(self, moment: Progress | Callable[[], Progress]) -> None:
        self._held = None
        now = monotonic()
        moment = moment() if callable(moment) else moment
        while len(self._past) > 1 and self._past[0][0] < now - _WINDOW_S:
            self._past.popleft()
        passed_s, n_done = 0.0, 0
        if self._past:
            passed_s, n_done = now - self._past[0][0], moment.done - self._past[0][1]
        self._past.append((now, moment.done))
        rate = n_done / passed_s if passed_s > 0 and n_done > 0 else None
        if self._callback is not None:
            self._callback(replace(moment, elapsed_s=now - self._start_s, rate=rate))

    def finish(self) -> None:
        """Pass on the last moment, if it was held back."""
        if self._held is not None:
            self._pass_on(self._held)
