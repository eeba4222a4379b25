"""What the service says of itself: its tokenizers, its health, its metrics, its pages."""

import time
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import bytepair
from bytepair.server._http import Call, Endpoint, Page
from bytepair.server._metrics import CONTENT_TYPE, Metrics
from bytepair.server._schemas import (
    HealthAnswer,
    ModelAnswer,
    ModelsAnswer,
    TokenizerAnswer,
    TokenizersAnswer,
    VersionAnswer,
)
from bytepair.server._tokenizers import Served, Tokenizers

_TYPES = {
    ".html": b"text/html; charset=utf-8",
    ".css": b"text/css; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".json": b"application/json",
    ".svg": b"image/svg+xml",
    ".txt": b"text/plain; charset=utf-8",
    ".png": b"image/png",
    ".woff2": b"font/woff2",
}
_UNHEALTHY = b'{"error":{"code":503,"message":"Shutting down","type":"unavailable_error"}}'


class About:
    """The endpoints, as functions of a call."""

    def __init__(
        self, tokenizers: Tokenizers, metrics: Metrics, is_draining: Callable[[], bool]
    ) -> None:
        self._tokenizers = tokenizers
        self._metrics = metrics
        self._is_draining = is_draining
        self._started = int(time.time())

    def tokenizers(self, call: Call) -> TokenizersAnswer:  # noqa: ARG002  # as all endpoints
        """All tokenizers."""
        rows = [_answer(served, self._tokenizers.default) for served in self._tokenizers]
        return TokenizersAnswer(rows)

    def upload(self, call: Call) -> TokenizerAnswer:
        """A client's `tokenizer.json`, kept for a while."""
        return _answer(self._tokenizers.upload(call.body), self._tokenizers.default)

    def models(self, call: Call) -> ModelsAnswer:  # noqa: ARG002  # as all endpoints
        """All tokenizers, as OpenAI's clients list models."""
        return ModelsAnswer([ModelAnswer(s.name, self._started) for s in self._tokenizers])

    def tokenizer_info(self, call: Call) -> dict[str, Any]:  # noqa: ARG002  # as all endpoints
        """The default tokenizer's configuration, as vLLM shows it."""
        return self._tokenizers.default.config

    def health(self, call: Call) -> Any:  # noqa: ARG002  # as all endpoints
        """Whether requests are welcome."""
        if self._is_draining():
            return Page(_UNHEALTHY, b"application/json", 503)
        return HealthAnswer()

    def version(self, call: Call) -> VersionAnswer:  # noqa: ARG002  # as all endpoints
        """What runs."""
        return VersionAnswer(bytepair.__version__, bytepair.engine())

    def metrics(self, call: Call) -> Page:  # noqa: ARG002  # as all endpoints
        """For Prometheus."""
        return Page(self._metrics.page(), CONTENT_TYPE.encode())


def _answer(served: Served, default: Served) -> TokenizerAnswer:
    tokenizer, conventions = served.tokenizer, served.tokenizer.spec.conventions
    return TokenizerAnswer(
        name=served.name,
        is_default=served is default,
        vocab_size=tokenizer.vocab_size,
        n_vocab=tokenizer.n_vocab,
        n_merges=len(tokenizer.merges),
        pattern=tokenizer.pattern,
        special_tokens=tokenizer.special_tokens,
        named_tokens=dict(conventions.named_tokens),
        chat_templates=list(conventions.chat_templates),
        max_length=conventions.max_length,
        sha256=served.sha256,
    )


def static_endpoints() -> list[Endpoint]:
    """The files of the page at `/`, read once: no path of a request ever names a file."""
    endpoints = []
    for file in sorted(files("bytepair.server").joinpath("static").iterdir(), key=lambda f: f.name):
        kind = _TYPES.get("." + file.name.rpartition(".")[2])
        if kind is None or not file.is_file():
            continue
        page = Page(file.read_bytes(), kind, headers=((b"cache-control", b"no-cache"),))
        path = "/" if file.name == "index.html" else f"/{file.name}"
        endpoints.append(Endpoint("GET", path, _always(page), is_open=True))
    return endpoints


def _always(page: Page) -> Callable[[Call], Page]:
    return lambda _: page
