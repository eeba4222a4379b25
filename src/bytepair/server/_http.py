"""From ASGI to functions: who may ask, how much, and what becomes of errors."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter, time
from typing import Any

import msgspec

from bytepair.server._errors import ApiError, as_api_error
from bytepair.server._guard import Guard, Headers
from bytepair.server._log import EventLog, RequestLine
from bytepair.server._long import AT_ONCE, Parts, encode_long, in_parts
from bytepair.server._metrics import Metrics
from bytepair.server._pool import ClientGoneError, Pool, Receive, Stop
from bytepair.server._protocol import answer_at_once
from bytepair.server._settings import Settings

Scope = dict[str, Any]
Send = Callable[[dict[str, Any]], Awaitable[None]]

JSON: Headers = ((b"content-type", b"application/json"),)
# Few: each costs a microsecond. JSON that a browser takes for nothing else can do no harm.
_JSON_SAFE = [*JSON, (b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store")]
_OK = b"".join([b"HTTP/1.1 200 OK\r\n", *(b"%b: %b\r\n" % header for header in _JSON_SAFE)])
_PAGE_SAFE: Headers = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (
        b"content-security-policy",
        b"default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
        b"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    ),
)
_LINGER_S = 1.0


class Call:
    """A request as endpoints see it: its body, and whether the answer is still wanted."""

    def __init__(self, body: bytes, query: bytes = b"", stop: Stop | None = None) -> None:
        self.body = body
        self.query = query
        self.stop = stop
        self._parts: Parts | None = None

    @property
    def parts(self) -> Parts:
        """The body, to be read as JSON."""
        # Not a `cached_property`: before Python 3.12 all calls would share its lock, and small
        # requests wait until a large one is read.
        if self._parts is None:
            self._parts = Parts(self.body)
        return self._parts

    def check(self) -> None:
        """Called between pieces of work.

        Raises:
            ClientGoneError: the answer is not wanted any more.
        """
        if self.stop is not None:
            self.stop.check()


class Page(msgspec.Struct, frozen=True):
    """An answer that is not JSON, or not a success."""

    body: bytes
    content_type: bytes = b"text/plain; charset=utf-8"
    status: int = 200
    headers: Headers = ()


Function = Callable[[Call], Any]
"""Gives a `Page`, or what msgspec can write as JSON."""

StreamFunction = Callable[[Call, AsyncIterator[bytes]], AsyncIterator[bytes]]
"""Gives the events of an answer; it gets the body in pieces, as it arrives."""


@dataclass(frozen=True)
class Endpoint:
    """What answers on a path.

    Attributes:
        path: also its name in the metrics.
        is_open: needs no key.
        is_slow: always on a thread.
        stream: decides, by content type and body, whether the answer is a stream.
    """

    method: str
    path: str
    function: Function
    is_open: bool = False
    is_slow: bool = False
    stream: StreamFunction | None = None


@dataclass(slots=True)
class _Request:
    """A request on its way; what the log and the metrics will say of it."""

    scope: Scope
    endpoint: str
    started: float = field(default_factory=perf_counter)
    status: int = 499  # nobody was there to be answered
    n_received: int = 0
    n_sent: int = 0
    code: str = ""
    cors: Headers = ()


class App:
    """The ASGI application."""

    def __init__(
        self,
        endpoints: list[Endpoint],
        settings: Settings,
        metrics: Metrics,
        log: EventLog,
        pool: Pool,
    ) -> None:
        self.settings, self.metrics, self.log, self.pool = settings, metrics, log, pool
        self.is_draining = False
        self._by_path: dict[str, dict[str, Endpoint]] = {}
        for endpoint in endpoints:
            self._by_path.setdefault(endpoint.path, {})[endpoint.method] = endpoint
        self._guard = Guard(settings)
        self._counters: dict[tuple[str, str, int], Any] = {}
        self._durations: dict[str, Any] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, whatever becomes of it."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        if scope["type"] != "http":
            return
        methods = self._by_path.get(scope["path"])
        request = _Request(scope, scope["path"] if methods else "other")
        self.metrics.in_flight.inc()
        try:
            await self._answer(request, methods or {}, receive, send)
        except ClientGoneError:
            request.code = "client_gone"
        except asyncio.CancelledError:  # the drain has ended
            request.code = "shutdown"
            raise
        except Exception as error:  # one request's failure is its own
            self.log.fault(request.endpoint, error)
            request.code = "internal"
            raise
        finally:
            self.metrics.in_flight.dec()
            self._account(request)

    # ------------------------------------------------------------------ one request

    async def _answer(
        self, request: _Request, methods: Mapping[str, Endpoint], receive: Receive, send: Send
    ) -> None:
        headers: Mapping[bytes, bytes] = dict(request.scope["headers"])
        try:
            request.cors = self._guard.check_origin(headers)
            endpoint = self._endpoint(request, methods)
            if endpoint is None:
                await self._preflight(request, methods, send)
                return
            if not endpoint.is_open:
                self._guard.check_key(headers)
            if endpoint.stream is not None and _wants_stream(headers):
                await self._stream(request, endpoint, receive, send)
                return
            body = await self._body(request, headers, receive)
            answer = await self._result(request, endpoint, body, receive)
        except ClientGoneError:
            raise
        except Exception as error:
            await self._fail(request, error, send)
            return
        if isinstance(answer, _Stream):
            await self._send_stream(request, answer.events, send)
        elif isinstance(answer, Page):
            await self._send(
                request, answer.status, answer.body, send,
                [(b"content-type", answer.content_type), *answer.headers, *_PAGE_SAFE],
            )  # fmt: skip
        elif isinstance(answer, list):
            await self._send_pieces(request, answer, send)
        elif not request.cors and len(answer) <= AT_ONCE and answer_at_once(send, _OK, answer):
            request.status, request.n_sent = 200, len(answer)
        else:
            await self._send(request, 200, answer, send, _JSON_SAFE)

    def _endpoint(self, request: _Request, methods: Mapping[str, Endpoint]) -> Endpoint | None:
        """None: a browser asks first what it may ask."""
        method = request.scope["method"]
        found = methods.get("GET" if method == "HEAD" else method)
        if found is not None:
            return found
        if not methods:
            raise ApiError(404, "unknown_path", "nothing answers here. /docs lists what does.")
        if method == "OPTIONS":
            return None
        allowed = ", ".join(methods)
        raise ApiError(
            405,
            "method",
            f"this path answers to {allowed}.",
            headers=((b"allow", allowed.encode()),),
        )

    async def _result(
        self, request: _Request, endpoint: Endpoint, body: list[bytes], receive: Receive
    ) -> Any:
        """What to send: JSON, in one piece or several, a page, or a stream."""
        query = request.scope["query_string"]
        if not endpoint.is_slow and request.n_received <= self.settings.inline:
            answer = endpoint.function(Call(b"".join(body), query))
            return answer if isinstance(answer, _READY) else _encode(answer)

        def work(stop: Stop) -> Any:
            whole = b"".join(body)  # of a large one: without Python's lock
            body.clear()
            answer = endpoint.function(Call(whole, query, stop))
            return answer if isinstance(answer, _READY) else encode_long(answer)

        return await self.pool.run(work, receive)

    async def _body(
        self, request: _Request, headers: Mapping[bytes, bytes], receive: Receive
    ) -> list[bytes]:
        """The whole body, in pieces; that it arrives in time is the connection's business.

        Raises:
            ApiError: 413, it is too large; 415, it is compressed.
            ClientGoneError: it will never be complete.
        """
        if headers.get(b"content-encoding", b"identity").lower() != b"identity":
            raise ApiError(
                415,
                "content_encoding",
                "bodies are taken as they are, not compressed.",
                headers=((b"accept-encoding", b"identity"), (b"connection", b"close")),
            )
        declared = headers.get(b"content-length", b"")
        if declared.isdigit() and int(declared) > self.settings.max_body:
            if headers.get(b"expect", b"").lower() != b"100-continue":  # or nothing will come
                await _discard(receive, self.settings.max_body)
            raise self._too_large()
        message = await receive()
        if message["type"] != "http.request":
            raise ClientGoneError
        body: bytes = message.get("body", b"")
        request.n_received = len(body)
        if not message.get("more_body"):
            if len(body) > self.settings.max_body:
                raise self._too_large()
            return [body]
        pieces = [body]
        while message.get("more_body"):
            message = await receive()
            if message["type"] != "http.request":
                raise ClientGoneError
            pieces.append(message.get("body", b""))
            request.n_received += len(pieces[-1])
            if request.n_received > self.settings.max_body:
                del pieces[:]
                await _discard(receive, self.settings.max_body)
                raise self._too_large()
        return pieces

    def _too_large(self) -> ApiError:
        return ApiError(
            413,
            "body_too_large",
            f"the body is larger than {self.settings.max_body} bytes. Send it in parts.",
            headers=((b"connection", b"close"),),
        )

    # ------------------------------------------------------------------ answers

    async def _preflight(
        self, request: _Request, methods: Mapping[str, Endpoint], send: Send
    ) -> None:
        allowed = ", ".join([*methods, "OPTIONS"]).encode()
        headers = [(b"allow", allowed)]
        if request.cors:
            headers += [
                (b"access-control-allow-methods", allowed),
                (b"access-control-allow-headers", b"authorization, content-type, x-api-key"),
                (b"access-control-max-age", b"600"),
            ]
        await self._send(request, 204, b"", send, headers)

    async def _fail(self, request: _Request, error: Exception, send: Send) -> None:
        said = as_api_error(error)
        if said is None:
            self.log.fault(request.endpoint, error)
            said = ApiError(500, "internal", "the service failed; its log says where.")
        request.code = said.code
        await self._send(request, said.status, said.body(), send, [*_JSON_SAFE, *said.headers])

    async def _send(
        self,
        request: _Request,
        status: int,
        body: bytes,
        send: Send,
        headers: list[tuple[bytes, bytes]],
    ) -> None:
        headers = [*headers, *request.cors]
        if status != 204:
            headers.append((b"content-length", b"%d" % len(body)))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
        request.status, request.n_sent = status, len(body)

    async def _send_pieces(self, request: _Request, pieces: list[bytes], send: Send) -> None:
        """A success, a little at a time."""
        size = sum(map(len, pieces))
        headers = [*_JSON_SAFE, *request.cors, (b"content-length", b"%d" % size)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for piece in in_parts(pieces):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            await asyncio.sleep(0)  # a fast reader never makes `send` wait; others have waited
        await send({"type": "http.response.body"})
        request.status, request.n_sent = 200, size

    async def _stream(
        self, request: _Request, endpoint: Endpoint, receive: Receive, send: Send
    ) -> None:
        """An answer that begins before the request has ended."""
        if endpoint.stream is None:
            raise TypeError(f"{endpoint.path} does not stream.")
        pieces = self._pieces(request, receive)
        events = endpoint.stream(Call(b"", request.scope["query_string"]), pieces)
        try:
            first = await anext(events, b"")
        except ClientGoneError:
            raise
        except Exception as error:
            await self._fail(request, error, send)
            return
        await self._send_stream(request, _behind(first, events), send)

    async def _pieces(self, request: _Request, receive: Receive) -> AsyncIterator[bytes]:
        more = True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                raise ClientGoneError
            piece: bytes = message.get("body", b"")
            request.n_received += len(piece)
            if request.n_received > self.settings.max_body:
                raise self._too_large()
            more = message.get("more_body", False)
            yield piece

    async def _send_stream(
        self, request: _Request, events: AsyncIterator[bytes], send: Send
    ) -> None:
        request.status = 200
        kind = (b"content-type", b"text/event-stream; charset=utf-8")
        headers = [kind, *_JSON_SAFE[1:], *request.cors]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        try:
            async for event in events:
                request.n_sent += len(event)
                await send({"type": "http.response.body", "body": event, "more_body": True})
                await asyncio.sleep(0)  # as in `_send`
        except Exception as error:
            said = as_api_error(error)
            if said is None or isinstance(error, ClientGoneError):
                raise
            request.code = said.code
            event = b"event: error\ndata: " + said.body() + b"\n\n"
            await send({"type": "http.response.body", "body": event, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    # ------------------------------------------------------------------ what is remembered

    def _account(self, request: _Request) -> None:
        seconds = perf_counter() - request.started
        method = request.scope["method"] if request.endpoint != "other" else "other"
        key = request.endpoint, method, request.status
        counter = self._counters.get(key)
        if counter is None:
            counter = self.metrics.requests.labels(key[0], key[1], str(key[2]))
            self._counters[key] = counter
            self._durations[key[0]] = self.metrics.duration.labels(key[0])
        counter.inc()
        self._durations[request.endpoint].observe(seconds)
        if request.code:
            self.metrics.errors.labels(request.code).inc()
        if self.log.wants(request.status):
            self.log.request(self._line(request, method, seconds))

    def _line(self, request: _Request, method: str, seconds: float) -> RequestLine:
        client = request.scope.get("client")
        return RequestLine(
            time(),
            method,
            request.endpoint,
            request.status,
            seconds,
            request.n_received,
            request.n_sent,
            client[0] if client else None,
            request.code,
            "request",
        )

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            else:
                await asyncio.to_thread(self.pool.close)
                self.log.flush()
                await send({"type": "lifespan.shutdown.complete"})
                return


class _Stream(msgspec.Struct):
    events: AsyncIterator[bytes]


def stream(events: AsyncIterator[bytes]) -> Any:
    """An endpoint's answer that is a stream of events."""
    return _Stream(events)


_encode = msgspec.json.Encoder(enc_hook=lambda part: msgspec.Raw(part.json)).encode
_READY = (Page, _Stream)


def _wants_stream(headers: Mapping[bytes, bytes]) -> bool:
    kind = headers.get(b"content-type", b"")
    return kind.partition(b";")[0].strip().lower() == b"application/x-ndjson"


async def _behind(first: bytes, events: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for event in events:
        yield event


async def _discard(receive: Receive, most: int) -> None:
    """Read on for a moment: a client that is still sending would not hear why it is cut off."""
    n_seen = 0
    try:
        async with asyncio.timeout(_LINGER_S):
            while n_seen <= most:
                message = await receive()
                if message["type"] != "http.request" or not message.get("more_body"):
                    return
                n_seen += len(message.get("body", b""))
    except TimeoutError:
        return
