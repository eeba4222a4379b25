"""A few worker threads with a short queue: whoever submits waits when they fall behind."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import ParamSpec, Self

_P = ParamSpec("_P")


class WorkerPool:
    """Runs tasks on threads; on one thread, at once and in the caller.

    Leaving the `with` block waits for all tasks; leaving it by an exception drops those not begun.
    An exception in a task comes out of `submit` or of the block.
    """

    def __init__(self, threads: int) -> None:
        self._executor = ThreadPoolExecutor(threads) if threads > 1 else None
        self._limit = threads * 2
        self._futures: deque[Future[None]] = deque()

    def submit(self, task: Callable[_P, None], *args: _P.args, **kwargs: _P.kwargs) -> None:
        """Run `task` soon."""
        if self._executor is None:
            task(*args, **kwargs)
            return
        while len(self._futures) >= self._limit:
            self._futures.popleft().result()
        self._futures.append(self._executor.submit(task, *args, **kwargs))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._executor is None:
            return
        # Waiting here, not in shutdown(): if Ctrl-C ended the wait for a thread, Python would take
        # it for stopped, and end while it is still at work in the core.
        try:
            while error is None and self._futures:
                self._futures.popleft().result()
        finally:
            self._executor.shutdown(wait=True, cancel_futures=True)
