import threading

import pytest

from bytepair.sharding._ahead import ahead


def test_items_come_in_order():
    """However far ahead the thread is."""
    for n_ahead in (1, 7):
        assert list(ahead(iter(range(100)), n_ahead)) == list(range(100))


def test_error_comes_behind_the_items_before_it():
    """What was made is not lost, and the error is the one that was raised."""

    def items():
        yield 1
        raise KeyError("broken")

    taken = []
    with pytest.raises(KeyError, match="broken"):
        taken.extend(ahead(items()))
    assert taken == [1]


def test_closing_ends_the_thread_and_what_it_reads():
    """A reader that goes on would keep files open, and the process alive."""
    closed = []

    def items():
        try:
            yield from iter(int, 1)
        finally:
            closed.append(True)

    n_threads = threading.active_count()
    taken = ahead(ahead(items()))
    assert next(taken) == 0
    taken.close()
    assert threading.active_count() == n_threads
    assert closed == [True]
