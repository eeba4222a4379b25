"""Threads for large requests: so many at a time, so many that wait, and no more."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from bytepair.server._errors import ApiError
from bytepair.server._metrics import Metrics

Receive = Callable[[], Awaitable[dict[str, Any]]]
T = TypeVar("T")


class ClientGoneError(Exception):
    """Nobody waits for the answer any more."""


class Stop:
    """Tells work that its result is not wanted any more."""

    def __init__(self) -> None:
        self._is_set = threading.Event()

    def set(self) -> None:
        """Ask the work to end."""
        self._is_set.set()

    def check(self) -> None:
        """Called between pieces of work.

        Raises:
            ClientGoneError: it is to end.
        """
        if self._is_set.is_set():
            raise ClientGoneError


class Pool:
    """Runs work on `threads` threads; up to `queue` pieces wait, and what comes then is refused."""

    def __init__(self, threads: int, queue: int, timeout: float, metrics: Metrics) -> None:
        self._threads = threads
        self._executor = self._new_executor()
        self._limit = threads + queue
        self._timeout = timeout
        self._metrics = metrics
        self._n_held = 0

    async def run(self, work: Callable[[Stop], T], receive: Receive) -> T:
        """The result of `work`; its place is free again only when its thread is.

        Raises:
            ApiError: 429, all places are taken; 503, it took too long.
            ClientGoneError: the client went away; work that has not begun never will.
        """
        if self._n_held >= self._limit:
            raise ApiError(
                429,
                "busy",
                "too many large requests are waiting. Try again in a moment.",
                headers=((b"retry-after", b"1"),),
            )
        stop = Stop()
        self._hold(1)
        future = self._executor.submit(work, stop)
        loop = asyncio.get_running_loop()
        future.add_done_callback(lambda _: loop.call_soon_threadsafe(self._hold, -1))
        return await self._wait(future, stop, receive)

    async def _wait(self, future: "Future[T]", stop: Stop, receive: Receive) -> T:
        result = asyncio.wrap_future(future)
        gone = asyncio.ensure_future(_disconnect(receive))
        try:
            both: set[asyncio.Future[Any]] = {result, gone}
            done, _ = await asyncio.wait(
                both, timeout=self._timeout, return_when=asyncio.FIRST_COMPLETED
            )
            if result in done:
                return await result
            if gone in done:
                raise ClientGoneError
            raise ApiError(503, "timeout", f"this took longer than {self._timeout:g} seconds.")
        finally:
            gone.cancel()
            if not result.done():
                stop.set()
                result.add_done_callback(_look_away)
                future.cancel()  # at once: what wraps it would do so only in the next turn
                result.cancel()

    def _hold(self, n: int) -> None:
        self._n_held += n
        self._metrics.queued.inc(n)

    def close(self) -> None:
        """Wait for the work that runs; forget what waits. An application may start again."""
        executor, self._executor = self._executor, self._new_executor()
        executor.shutdown(cancel_futures=True)

    def _new_executor(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads, thread_name_prefix="bytepair-serve")


def _look_away(future: "asyncio.Future[Any]") -> None:
    """Take what became of it, so that nobody complains that nobody did."""
    if not future.cancelled():
        future.exception()


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
