"""Lesson 7: an event loop in thirty lines.

What you will learn

* how one thread does many things at once: every job says when it wants to go on, and lets go;
* why a loop should wait for the next deadline, or for the next byte, and not keep asking;
* what `asyncio` adds to that, shown where the small loop gives up: jobs that fail, jobs that
  wait for ever, and jobs that do not let go.

Run it with

    python lessons/07_an_event_loop_in_thirty_lines.py
    python lessons/07_an_event_loop_in_thirty_lines.py --scale 0.1    # ten times as fast

It needs nothing but Python, and takes about twelve seconds, most of them spent asleep. This is
the loop under every server, also under one that answers with tokens.
"""

import argparse
import asyncio
import heapq
import selectors
import socket
import time
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import suppress
from itertools import count, zip_longest


class Clock:
    """Seconds since the clock was made; with a `scale` of 0.1 they pass ten times as fast."""

    def __init__(self, scale: float = 1.0) -> None:
        self.scale = scale
        self._start = time.monotonic()

    def now(self) -> float:
        """Scaled seconds."""
        return (time.monotonic() - self._start) / self.scale


class Diary:
    """Writes down what happens, and prints it with the time unless it is `quiet`."""

    def __init__(self, clock: Clock, quiet: bool = False) -> None:
        self.clock = clock
        self.quiet = quiet
        self.events: list[str] = []

    def note(self, event: str) -> None:
        """Something happened just now."""
        self.events.append(event)
        if not self.quiet:
            print(f"   {self.clock.now():4.1f} s  {event}", flush=True)


# --- the loop ---------------------------------------------------------------------------------

Sleeper = Generator[float, None, None]  # a job that yields the time at which it wants to go on


def sleep(clock: Clock, seconds: float) -> Sleeper:
    """Let go of the thread; come back no sooner than in `seconds`."""
    yield clock.now() + seconds


def job(clock: Clock, diary: Diary, name: str, seconds: float) -> Sleeper:
    """Something that takes its time, and takes it asleep."""
    diary.note(f"{name} starts")
    yield from sleep(clock, seconds)
    diary.note(f"{name} has finished")


def run(clock: Clock, *jobs: Sleeper) -> int:
    """Give every job its turn until all have finished; returns the number of turns."""
    queue = deque((clock.now(), job) for job in jobs)
    turns = 0
    while queue:
        turns += 1
        wake_at, job = queue.popleft()
        if clock.now() < wake_at:
            queue.append((wake_at, job))  # not yet: to the end of the queue
            continue
        with suppress(StopIteration):  # a job that has finished does not queue again
            queue.append((next(job), job))  # `next` runs it up to its next `yield`
    return turns


# --- the same loop, waiting -------------------------------------------------------------------

Job = Generator[float | socket.socket, None, None]  # yields a time, or a socket to read from


def receive(sock: socket.socket) -> Generator[socket.socket, None, bytes]:
    """Let go of the thread until somebody has sent something."""
    yield sock
    return sock.recv(1024)


class Loop:
    """As `run`, but asleep while nobody can go on: the selector wakes it.

    A selector is the operating system's list of things to wait for (epoll, kqueue, select): it
    returns when a socket on it can be read, or when the timeout has passed.
    """

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.selector = selectors.DefaultSelector()
        self.ready: deque[Job] = deque()
        self.sleeping: list[tuple[float, int, Job]] = []  # a heap: the earliest comes first
        self.arrival = count()  # of two with the same deadline, the one that came first
        self.waits = 0

    def run(self, *jobs: Job) -> int:
        """Run all jobs to their end, once; returns how often the loop had to wait."""
        self.ready.extend(jobs)
        with self.selector:
            while True:
                while self.ready:
                    self.step(self.ready.popleft())
                if not self.sleeping and not self.selector.get_map():
                    return self.waits
                self.wait()

    def step(self, job: Job) -> None:
        """Let a job go on, and put it where it wants to wait."""
        try:
            wanted = next(job)
        except StopIteration:
            return
        if isinstance(wanted, socket.socket):
            self.selector.register(wanted, selectors.EVENT_READ, job)
        else:
            heapq.heappush(self.sleeping, (wanted, next(self.arrival), job))

    def wait(self) -> None:
        """Sleep until the first deadline or the first byte, whichever is sooner."""
        self.waits += 1
        timeout = None
        if self.sleeping:
            timeout = max(0.0, self.sleeping[0][0] - self.clock.now()) * self.clock.scale
        for key, _ in self.selector.select(timeout):
            self.selector.unregister(key.fileobj)
            self.ready.append(key.data)
        while self.sleeping and self.sleeping[0][0] <= self.clock.now():
            self.ready.append(heapq.heappop(self.sleeping)[2])


# --- the lecture ------------------------------------------------------------------------------

JOBS = {"A": 2.0, "B": 1.0, "C": 3.0}


def asking_again_and_again(clock: Clock) -> list[str]:
    """Part 1: three jobs in the polling loop. Returns what happened, in order."""
    print("1. Three jobs of 2, 1 and 3 seconds, one thread\n")
    diary, started, cpu = Diary(clock), clock.now(), time.process_time()
    turns = run(clock, *(job(clock, diary, name, seconds) for name, seconds in JOBS.items()))
    took, cpu = clock.now() - started, time.process_time() - cpu
    print(f"\n   {sum(JOBS.values()):.0f} seconds of sleep took {took:.1f} seconds: they overlap.")
    print(f"   But the loop asked {turns:,} times whether it was time yet: {cpu:.1f} s of CPU.")
    return diary.events


def waiting(clock: Clock) -> list[str]:
    """Part 2: the same jobs in the loop that waits. Returns what happened, in order."""
    print("\n2. The same with a selector, which waits for the next deadline\n")
    diary, started, cpu = Diary(clock), clock.now(), time.process_time()
    jobs = (job(clock, diary, name, seconds) for name, seconds in JOBS.items())
    waits = Loop(clock).run(*jobs)
    took, cpu = clock.now() - started, time.process_time() - cpu
    print(f"\n   {took:.1f} seconds again; it waited {waits} times, and used {cpu:.1f} s of CPU.")
    return diary.events


def server(diary: Diary, sock: socket.socket) -> Job:
    """Wait for one request, and answer it."""
    request = yield from receive(sock)
    diary.note(f"server has received {request!r}")
    sock.send(b"%d words" % len(request.split()))


def client(clock: Clock, diary: Diary, sock: socket.socket) -> Job:
    """Think for a second, ask, and wait for the answer."""
    yield from sleep(clock, 1.0)
    diary.note("client sends a line")
    sock.send(b"low lower lowest")
    answer = yield from receive(sock)
    diary.note(f"client has received {answer!r}")


def sockets(clock: Clock) -> list[str]:
    """Part 3: deadlines and sockets in one wait. Returns what happened, in order."""
    print("\n3. The same loop waits for deadlines and sockets at the same time\n")
    diary = Diary(clock)
    left, right = socket.socketpair()
    with left, right:
        ticker = job(clock, diary, "a timer of 0.5 s", 0.5)
        Loop(clock).run(server(diary, left), client(clock, diary, right), ticker)
    return diary.events


# --- what asyncio adds ------------------------------------------------------------------------


def fails_here(clock: Clock) -> list[str]:
    """Our loop: one of three jobs raises. Returns what happened until `run` had returned."""
    diary = Diary(clock, quiet=True)

    def work(name: str, seconds: float) -> Job:
        try:
            yield from sleep(clock, seconds)
            diary.note(f"{name} fails")
            raise ValueError(name)
        finally:
            diary.note(f"{name} tidies up")

    jobs = [work(name, seconds / 5) for name, seconds in JOBS.items()]
    try:
        Loop(clock).run(*jobs)
    except ValueError as error:
        diary.note(f"run() raises {error!r}")
    events = list(diary.events)
    for left_behind in jobs:
        left_behind.close()
    return [*events, "A and C are left as they were"]


async def fails_there(clock: Clock) -> list[str]:
    """As `fails_here`, in asyncio: a task group."""
    diary = Diary(clock, quiet=True)

    async def work(name: str, seconds: float) -> None:
        try:
            await asyncio.sleep(seconds * clock.scale)
            diary.note(f"{name} fails")
            raise ValueError(name)
        finally:
            diary.note(f"{name} tidies up")

    try:
        async with asyncio.TaskGroup() as group:
            for name, seconds in JOBS.items():
                group.create_task(work(name, seconds / 5))
    except* ValueError as errors:
        diary.note(f"the group raises {list(errors.exceptions)}")
    return diary.events


async def gives_up_there(clock: Clock) -> list[str]:
    """An answer that never comes, in asyncio: a timeout cancels the wait."""
    diary = Diary(clock, quiet=True)
    left, right = socket.socketpair()
    left.setblocking(False)
    with left, right:
        try:
            async with asyncio.timeout(0.5 * clock.scale):
                try:
                    diary.note("waits for an answer")
                    await asyncio.get_running_loop().sock_recv(left, 1024)
                finally:
                    diary.note("is cancelled, and tidies up")
        except TimeoutError:
            diary.note("TimeoutError after 0.5 s")
    return diary.events


def read_slow_disk(clock: Clock) -> str:
    """A call that knows nothing of loops: it holds its thread until it is done."""
    time.sleep(0.5 * clock.scale)
    return "disk: done"


def blocks_here(clock: Clock) -> list[str]:
    """Our loop: one job does not let go. Returns what happened, in order."""
    diary = Diary(clock, quiet=True)

    def disk() -> Job:
        yield from sleep(clock, 0)
        diary.note("disk: reading")
        diary.note(read_slow_disk(clock))

    def ticks() -> Job:
        for _ in range(2):
            yield from sleep(clock, 0.1)
            diary.note("tick")

    Loop(clock).run(disk(), ticks())
    return diary.events


async def blocks_there(clock: Clock) -> list[str]:
    """As `blocks_here`, in asyncio: the call is handed to a thread, and awaited."""
    diary = Diary(clock, quiet=True)

    async def disk() -> None:
        diary.note("disk: reading")
        diary.note(await asyncio.to_thread(read_slow_disk, clock))

    async def ticks() -> None:
        for _ in range(2):
            await asyncio.sleep(0.1 * clock.scale)
            diary.note("tick")

    await asyncio.gather(disk(), ticks())
    return diary.events


async def same_jobs(clock: Clock) -> list[str]:
    """A, B and C once more, each a coroutine; `gather` also collects what they return."""
    diary = Diary(clock, quiet=True)

    async def work(name: str, seconds: float) -> str:
        await asyncio.sleep(seconds * clock.scale)
        diary.note(f"{name} has finished")
        return name

    results = await asyncio.gather(*(work(name, seconds) for name, seconds in JOBS.items()))
    return [*diary.events, f"results: {' '.join(results)}"]


def side_by_side(title: str, ours: Sequence[str], theirs: Sequence[str]) -> None:
    """Two accounts of the same afternoon."""
    print(f"\n   {title:<34}| asyncio")
    for here, there in zip_longest(ours, theirs, fillvalue=""):
        print(f"     {here:<32}|   {there}")


def compare(clock: Clock) -> None:
    """Part 4: where thirty lines are not enough."""
    print("\n4. What asyncio adds")
    order = [f"{name} has finished" for name in "BAC"] + ["(what they return is lost)"]
    side_by_side("three jobs", order, asyncio.run(same_jobs(clock)))
    side_by_side("one of three fails", fails_here(clock), asyncio.run(fails_there(clock)))
    order = ["waits for an answer", "and waits, and run() with it"]
    side_by_side("no answer comes", order, asyncio.run(gives_up_there(clock)))
    order = blocks_here(clock)
    side_by_side("a call that does not let go", order, asyncio.run(blocks_there(clock)))
    print("\n   Inside, asyncio is this loop: a queue of those who can go on, a heap of")
    print("   deadlines, a selector. What it adds is care for those who fail, or are late.")


def main(argv: Sequence[str] | None = None) -> None:
    """Tell the whole story, one clock for each part."""
    parser = argparse.ArgumentParser(description="An event loop in thirty lines.")
    parser.add_argument("--scale", type=float, default=1.0, help="how long a second lasts")
    scale = parser.parse_args(argv).scale
    asking_again_and_again(Clock(scale))
    waiting(Clock(scale))
    sockets(Clock(scale))
    compare(Clock(scale))


if __name__ == "__main__":
    main()
