"""What the tests of the service share: a client that calls it in this process."""

import asyncio
import json
from typing import Any, NamedTuple

TEXT = "Low lower lowest: the wider, the newer. Größe, Ελλάδα, 日本語, नमस्ते 🌶️\n"
TEMPLATE = (
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
SPECIAL = ("<|endoftext|>", "<|user|>", "<|assistant|>", "<|system|>", "<|tool|>", "<|end|>")


class Response(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, read as JSON."""
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """Of an error."""
        code: str = self.json["error"]["code"]
        return code


class Client:
    """Calls an ASGI application directly; several requests share one event loop."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self._loop = asyncio.new_event_loop()

    def close(self) -> None:
        """End the loop."""
        self._loop.run_until_complete(asyncio.sleep(0.06))  # the log is written
        self._loop.close()

    def post(self, path: str, body: Any, **headers: str) -> Response:
        """POST JSON, or bytes as they are."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.request("POST", path, data, **headers)

    def get(self, path: str, **headers: str) -> Response:
        """GET."""
        return self.request("GET", path, b"", **headers)

    def request(self, method: str, path: str, data: bytes, **headers: str) -> Response:
        """Any request; underscores in names of headers are hyphens."""
        return self._loop.run_until_complete(self.send(method, path, [data], **headers))

    async def send(self, method: str, path: str, pieces: list[bytes], **headers: str) -> Response:
        """A request whose body comes in pieces."""
        path, _, query = path.partition("?")
        names = {"host": "localhost", "content_type": "application/json", **headers}
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query.encode(),
            "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in names.items()],
            "client": ("127.0.0.1", 1),
        }
        waiting = list(pieces)
        gone = asyncio.Event()

        async def receive() -> dict[str, Any]:
            if waiting:
                piece = waiting.pop(0)
                return {"type": "http.request", "body": piece, "more_body": bool(waiting)}
            await gone.wait()
            return {"type": "http.disconnect"}

        sent: list[dict[str, Any]] = []

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        start = next(m for m in sent if m["type"] == "http.response.start")
        body = b"".join(m.get("body", b"") for m in sent if m["type"] == "http.response.body")
        kept = {k.decode(): v.decode() for k, v in start["headers"]}
        return Response(start["status"], kept, body)
