"""Every way a command can end badly, as one clean line and an exit code."""

import os
import select
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

import typer

from bytepair.cli import _streams
from bytepair.cli._messages import say
from bytepair.errors import BytepairError, BytepairWarning

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it: 128 and the number of the signal."""

_GRACE_S = 1.0
_SHOW_CURSOR = b"\x1b[?25h"  # a progress bar hides it
_told = threading.Event()  # the user has been told of the interrupt


@contextmanager
def guard() -> Iterator[None]:
    """Run a command: errors become a message and an exit code, warnings a line each.

    Raises:
        typer.Exit: 1 for an error, 130 for Ctrl-C, 0 if the reader of our output has enough.
    """
    with _warnings_as_lines():
        try:
            yield
            _streams.flush()  # here a full disk can still be reported
        except KeyboardInterrupt as interrupt:
            _told.set()
            say("interrupted")
            for note in getattr(interrupt, "__notes__", ()):
                say("note", note)
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:  # `bytepair … | head`
            _leave_stdout()
            raise typer.Exit(0) from None
        except (BytepairError, OSError, MemoryError) as error:
            say("error", _explain(error))
            for note in getattr(error, "__notes__", ()):
                say("note", note)
            _leave_stdout_if_broken()
            raise typer.Exit(1) from None


def _explain(error: Exception) -> str:
    if isinstance(error, BytepairError):
        return str(error)
    if isinstance(error, MemoryError):
        return "out of memory. Give smaller texts, or several files instead of one."
    reason = getattr(error, "strerror", None) or str(error)
    name = getattr(error, "filename", None)
    return f"{os.fsdecode(name)}: {reason}." if isinstance(name, str | bytes) else f"{reason}."


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    shown_before = warnings.showwarning
    with warnings.catch_warnings():
        warnings.simplefilter("always", BytepairWarning)
        warnings.showwarning = _show_warning
        try:
            yield
        finally:
            # Where each context has its filters (free-threaded Python), this is not put back.
            warnings.showwarning = shown_before


def _show_warning(message: Warning | str, *_source: object, **_options: object) -> None:
    """One line without source code: the user called a program, not a function."""
    say("warning", " ".join(str(message).split()))


def _leave_stdout_if_broken() -> None:
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        _leave_stdout()


def _leave_stdout() -> None:
    """Let what is still buffered go nowhere: at its end Python would try again, and complain."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):  # not a real file: nothing will be tried
        return
    os.close(nowhere)


def watch_interrupts() -> None:
    """See to it that Ctrl-C ends the process within a second, whatever the main thread is doing.

    Python hears a signal only between two of its instructions: not inside a long call of the core,
    nor while it waits to write into a pipe that nobody reads. What the operating system tells this
    thread, it hears at once; it lets the main thread clean up first. A second Ctrl-C does not wait.
    """
    if os.name != "posix":
        return
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    threading.Thread(target=_wait_for_interrupt, args=(read_end,), daemon=True).start()


def leave_interrupts() -> None:
    """Stop watching: a service has its own way to end, which may take longer."""
    if os.name == "posix":
        signal.set_wakeup_fd(-1)


def _wait_for_interrupt(read_end: int) -> NoReturn:
    while os.read(read_end, 1) != bytes([signal.SIGINT]):
        pass
    select.select([read_end], [], [], _GRACE_S)
    with suppress(OSError):
        if os.isatty(2):
            os.write(2, _SHOW_CURSOR)
        if not _told.is_set():
            os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)
