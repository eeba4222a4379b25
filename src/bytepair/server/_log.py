"""One line of JSON for each event, on standard error. Texts, ids and keys are never among it."""

import asyncio
import logging
import sys
import time
import traceback
from typing import IO, Any

import msgspec

from bytepair.server._settings import Log

_DELAY_S = 0.05  # one write for many requests: each by itself would cost as much as answering it


class RequestLine(msgspec.Struct, omit_defaults=True, rename={"n_in": "in", "n_out": "out"}):
    """A request that ended, as the log shows it: sizes in bytes of the bodies, time in seconds."""

    time: float
    method: str
    path: str
    status: int
    seconds: float
    n_in: int
    n_out: int
    client: str | None
    error: str = ""
    event: str = ""


class EventLog:
    """Writes events as lines of JSON.

    Args:
        level: "requests": every request; "errors": those that failed; "off": none of them. What
            concerns the service itself is always written.
        stream: bytes; None: standard error.
    """

    def __init__(self, level: Log = "requests", stream: IO[bytes] | None = None) -> None:
        self._lowest = {"requests": 0, "errors": 500, "off": 1000}[level]
        self._stream = sys.stderr.buffer if stream is None else stream
        self._encode = msgspec.json.Encoder().encode_lines
        self._lines: list[dict[str, Any] | RequestLine] = []

    def wants(self, status: int) -> bool:
        """True if a request that ended so gets a line."""
        return status >= self._lowest

    def write(self, event: str, **members: Any) -> None:
        """One event, at once; a stream that is closed or full loses it."""
        self._lines.append({"time": time.time(), "event": event, **members})
        self.flush()

    def request(self, line: "RequestLine") -> None:
        """One request among many, soon; called where an event loop runs."""
        if not self._lines:
            asyncio.get_running_loop().call_later(_DELAY_S, self.flush)
        self._lines.append(line)

    def flush(self) -> None:
        """Write what waits."""
        lines, self._lines = self._lines, []
        try:
            self._stream.write(self._encode(lines))
            self._stream.flush()
        except (OSError, ValueError):
            return

    def fault(self, request: str, error: BaseException) -> None:
        """A fault of the service: kind and place, without the message, which may quote texts."""
        frames = traceback.extract_tb(error.__traceback__)[-8:]
        places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        self.write("fault", request=request, kind=type(error).__name__, places=places)


class ServerLogHandler(logging.Handler):
    """What the HTTP server says, as events of ours."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(logging.INFO)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record of `logging`."""
        if record.exc_info and record.exc_info[1] is not None:
            self._log.fault("http", record.exc_info[1])
        else:
            self._log.write("server", level=record.levelname.lower(), message=record.getMessage())
