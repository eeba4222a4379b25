import threading

import pytest

from bytepair.frequency._pool import WorkerPool


def fail(message: str) -> None:
    """A task that goes wrong."""
    raise RuntimeError(message)


def test_one_thread_is_the_caller() -> None:
    """No thread is started where one is enough: a traceback then shows the whole way."""
    seen: list[int] = []
    with WorkerPool(1) as pool:
        pool.submit(lambda: seen.append(threading.get_ident()))
        assert seen == [threading.get_ident()]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_every_task_has_run_when_the_block_is_left(threads: int) -> None:
    """Counts are merged right after."""
    seen: list[int] = []
    with WorkerPool(threads) as pool:
        for number in range(50):
            pool.submit(seen.append, number)
    assert sorted(seen) == list(range(50))


def test_who_submits_waits_when_workers_fall_behind() -> None:
    """Otherwise the queue would grow to hold the corpus."""
    gate, started = threading.Event(), threading.Semaphore(0)

    def wait() -> None:
        started.release()
        gate.wait(10)

    with WorkerPool(2) as pool:
        for _ in range(4):
            pool.submit(wait)
        blocked = threading.Thread(target=pool.submit, args=(wait,))
        blocked.start()
        blocked.join(0.05)
        assert blocked.is_alive()
        gate.set()
        blocked.join(10)
        assert not blocked.is_alive()


@pytest.mark.parametrize("threads", [1, 2])
def test_failure_of_a_task_comes_out(threads: int) -> None:
    """At the latest when the block is left; a part of the corpus must not be lost in silence."""
    with pytest.raises(RuntimeError, match="broken"), WorkerPool(threads) as pool:
        pool.submit(fail, "broken")


def test_failure_of_a_task_stops_the_submitting() -> None:
    """Not after the rest of the corpus has been read."""
    submitted: list[int] = []

    def submit_many() -> None:
        with WorkerPool(2) as pool:
            for number in range(1000):
                pool.submit(fail, "broken")
                submitted.append(number)

    with pytest.raises(RuntimeError, match="broken"):
        submit_many()
    assert len(submitted) < 10


def test_failure_in_the_block_drops_what_has_not_begun() -> None:
    """After Ctrl-C nobody waits for the queue; the threads have ended when the error comes out."""
    before = threading.active_count()
    last_is_dropped = threading.Event()
    seen: list[int] = []

    def slow(number: int) -> None:
        last_is_dropped.wait(10)
        seen.append(number)

    def interrupted() -> None:
        with WorkerPool(2) as pool:
            for number in range(4):
                pool.submit(slow, number)
            pool._futures[-1].add_done_callback(lambda _: last_is_dropped.set())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert threading.active_count() == before
    assert len(seen) < 4
