"""What a long job tells whoever watches it."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from bytepair.errors import ArgumentError

_INTERVAL_S = 0.1  # often enough for eyes; a callback may be slow, and must not set the pace


@dataclass(frozen=True, slots=True)
class Progress:
    """A moment of a long job.

    Attributes:
        stage: "count", "learn", "prune", "shard" or "verify".
        done, total: in `unit`; total is None while it is not known.
        unit: "bytes", "merges" or "tokens".
        detail: what was just done, for people: the newest token, or the one that went last.
    """

    stage: str
    done: int
    total: int | None
    unit: str
    detail: str = ""


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
        self._held: Progress | None = None

    def tell(self, moment: Progress) -> None:
        """Pass `moment` on, or hold it back if the callback was called a moment ago."""
        if self._callback is None:
            return
        if monotonic() < self._next_s:
            self._held = moment
            return
        self._held = None
        self._callback(moment)
        self._next_s = monotonic() + _INTERVAL_S

    def finish(self) -> None:
        """Pass on the last moment, if it was held back."""
        if self._callback is not None and self._held is not None:
            self._callback(self._held)
        self._held = None
