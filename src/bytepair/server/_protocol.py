"""HTTP connections that end when a client is too slow, in either direction."""

import asyncio
from typing import Any

from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from bytepair.server._errors import ApiError
from bytepair.server._metrics import Metrics
from bytepair.server._settings import Settings

_MAX_HEAD = 64 << 10  # bytes of a request's line and headers, and of what is around its chunks
_LINGER_S = 1.0
_AROUND = 8  # bytes for each one of a body: chunks may be as small as that
_SLOW = ApiError(408, "slow_request", "the request did not arrive in time.")
_MALFORMED = ApiError(400, "malformed_http", "this is not a valid HTTP request.")
_LONG_HEAD = ApiError(431, "long_head", f"the headers are longer than {_MAX_HEAD} bytes.")
_PHRASES = {400: b"Bad Request", 408: b"Request Timeout", 431: b"Request Header Fields Too Large"}


class ServeConfig(Config):
    """uvicorn's configuration, and what our connections need besides."""

    settings: Settings


class Connection(HttpToolsProtocol):
    """uvicorn's connection with limits on time and size.

    A request must have arrived `timeout` seconds after its first byte (of a new connection: after
    it was opened), and a client that does not read its answer for so long is cut off. uvicorn
    alone would wait for both without an end.
    """

    def __init__(self, config: Config, *args: Any, **options: Any) -> None:
        super().__init__(config, *args, **options)
        if not isinstance(config, ServeConfig):
            raise TypeError(f"expected a ServeConfig, got {type(config).__name__}.")
        self._settings = config.settings
        self._metrics: Metrics | None = getattr(config.loaded_app, "metrics", None)
        self._arrival: asyncio.TimerHandle | None = None
        self._reading: asyncio.TimerHandle | None = None
        self._n_head = 0
        self._n_body = self._n_seen = 0  # bytes of the body, and of the whole request
        self._is_arriving = True
        self._in_head = True
        self._is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn's own
        super().connection_made(transport)
        if len(self.connections) > self._settings.max_connections:
            self._count("connections")
            transport.abort()
            return
        self._await_rest()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timers()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            return
        self._n_seen += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            self._stop_timers()
        elif self._is_arriving:
            self._await_rest()
            if self._in_head:
                self._n_head += len(data)
                if self._n_head > _MAX_HEAD:
                    self._refuse(_LONG_HEAD)
            elif self._n_seen - self._n_body > 2 * _MAX_HEAD + _AROUND * self._n_body:
                self._refuse(_LONG_HEAD)  # what stands between chunks, or behind them

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._is_arriving = self._in_head = True

    def on_headers_complete(self) -> None:
        self._n_head, self._in_head = 0, False
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._n_body += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._is_arriving = False
        self._n_body = self._n_seen = 0
        if self._arrival is not None:
            self._arrival.cancel()
            self._arrival = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading = self.loop.call_later(self._settings.timeout, self._cut_off, "slow_reader")

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def timeout_keep_alive_handler(self) -> None:
        """Nothing came for too long; if the last answer is still not read, it never will be."""
        if self.transport.get_write_buffer_size():
            self._cut_off("slow_reader")
        else:
            super().timeout_keep_alive_handler()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  # ours says it in JSON
        self._refuse(_MALFORMED)

    # ------------------------------------------------------------------ within

    def _await_rest(self) -> None:
        if self._arrival is None:
            self._arrival = self.loop.call_later(self._settings.timeout, self._too_slow)

    def _too_slow(self) -> None:
        if self.cycle is not None and self.cycle.response_started:
            self._cut_off("slow_request")
        elif self._n_head or (self.cycle is not None and not self.cycle.response_complete):
            self._refuse(_SLOW)
        else:  # not a byte: there is nothing to answer
            self._count("idle_connection")
            self.transport.close()

    def _refuse(self, error: ApiError) -> None:
        """Answer without the application, and close."""
        if self._is_refused or self.transport.is_closing():
            return
        self._count(error.code)
        body = error.body()
        status = b"HTTP/1.1 %d %b\r\n" % (error.status, _PHRASES[error.status])
        head = b"content-type: application/json\r\ncontent-length: %d\r\n" % len(body)
        self.transport.write(status + head + b"connection: close\r\n\r\n" + body)
        self._linger()

    def _linger(self) -> None:
        """Read on for a moment: closed at once, what was written could be lost on its way."""
        self._is_refused = True
        self._stop_timers()
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.write_eof()
        self.flow.resume_reading()
        self._arrival = self.loop.call_later(_LINGER_S, self.transport.close)

    def _cut_off(self, kind: str) -> None:
        self._count(kind)
        self.transport.abort()

    def _count(self, kind: str) -> None:
        if self._metrics is not None:
            self._metrics.errors.labels(kind).inc()

    def _stop_timers(self) -> None:
        for timer in (self._arrival, self._reading):
            if timer is not None:
                timer.cancel()
        self._arrival = self._reading = None


def answer_at_once(send: object, head: bytes, body: bytes) -> bool:
    """Write a whole answer in one go; False: this is not possible, and nothing was done.

    uvicorn looks at each header of each answer with regular expressions, which takes a third of a
    small request's time. Here head and body are known to be right.

    Args:
        send: of a request that came by a `Connection`.
        head: status line and headers, without those of the server, the length, and the empty line.
    """
    cycle = getattr(send, "__self__", None)
    if (
        not isinstance(cycle, RequestResponseCycle)
        or not cycle.keep_alive
        or cycle.response_started
        or cycle.disconnected
        or cycle.flow.write_paused
        or cycle.scope["method"] == "HEAD"
    ):
        return False
    lines = [b"%b: %b\r\n" % header for header in cycle.default_headers]
    length = b"content-length: %d\r\n\r\n" % len(body)
    cycle.response_started = cycle.response_complete = True
    cycle.waiting_for_100_continue = False
    cycle.transport.write(b"".join((head, *lines, length, body)))
    cycle.message_event.set()
    cycle.on_response()
    return True
