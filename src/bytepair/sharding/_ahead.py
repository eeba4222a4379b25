"""`ahead`: an iterator that works in a thread of its own, ahead of whoever takes its items."""

from collections.abc import Generator, Iterable
from queue import Full, Queue
from threading import Event, Thread
from typing import Generic, TypeVar

_Item = TypeVar("_Item")
_PATIENCE_S = 0.1


class _End(Generic[_Item]):
    """The items are over; `error` says why, if that was not their end."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


def ahead(items: Iterable[_Item], n_ahead: int = 1) -> Generator[_Item, None, None]:
    """The same items. Closing the iterator ends the thread; what it raises is raised here.

    >>> list(ahead(iter([1, 2])))
    [1, 2]
    """
    queue: Queue[_Item | _End[_Item]] = Queue(n_ahead)
    is_over = Event()
    thread = Thread(target=_fill, args=(items, queue, is_over), daemon=True)
    thread.start()
    try:
        while not isinstance(item := queue.get(), _End):
            yield item
        if item.error is not None:
            raise item.error
    finally:
        is_over.set()
        thread.join()


def _fill(items: Iterable[_Item], queue: Queue[_Item | _End[_Item]], is_over: Event) -> None:
    error: BaseException | None = None
    try:
        for item in items:
            _put(item, queue, is_over)
            if is_over.is_set():
                break
    except BaseException as failure:  # it is raised where the items are taken
        error = failure
    _put(_End(error), queue, is_over)


def _put(item: _Item | _End[_Item], queue: Queue[_Item | _End[_Item]], is_over: Event) -> None:
    while not is_over.is_set():
        try:
            queue.put(item, timeout=_PATIENCE_S)
        except Full:
            continue
        return
