"""The OpenAPI document of the service, and a page that shows it."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

import msgspec

import bytepair
from bytepair.server._errors import ErrorAnswer
from bytepair.server._http import Call, Page

_REF = "#/components/schemas/{name}"
_CODES = {
    400: "The request is wrong.",
    401: "A key is needed.",
    403: "Not allowed.",
    404: "No such tokenizer.",
    408: "The request did not arrive in time.",
    413: "The body is too large.",
    429: "Too many large requests wait.",
    501: "A package that this needs is not installed.",
    503: "It took too long, or the service shuts down.",
}
_EVENTS = "text/event-stream"


@dataclass(frozen=True)
class Described:
    """One operation of the document.

    Attributes:
        requests: shapes of the body, one of which it is; () for none.
        answers: shapes of the answer; a str is a content type that is no JSON.
        events: the answer can be a stream of events.
        example: of a body.
    """

    method: str
    path: str
    summary: str
    tag: str
    requests: tuple[Any, ...] = ()
    answers: tuple[Any, ...] = ()
    events: bool = False
    example: Any = None


class Document:
    """The document, made once."""

    def __init__(self, operations: Iterable[Described]) -> None:
        self.operations = list(operations)
        types = [t for o in self.operations for t in (*o.requests, *o.answers)]
        types = [t for t in types if not isinstance(t, str)]
        schemas, components = msgspec.json.schema_components(
            [*types, ErrorAnswer], ref_template=_REF
        )
        # By identity: some are `list[...]`, made anew each time they are written.
        self._schemas = {id(t): s for t, s in zip([*types, ErrorAnswer], schemas, strict=True)}
        self.value = {
            "openapi": "3.1.0",
            "info": {
                "title": "bytepair",
                "version": bytepair.__version__,
                "description": "Text to tokens and back, and why. Errors have OpenAI's form.",
            },
            "paths": self._paths(),
            "components": {
                "schemas": components,
                "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
            },
            "security": [{}, {"key": []}],
        }
        self._json = msgspec.json.encode(self.value)
        self._page = page(self.value).encode()

    def json(self, call: Call) -> Page:  # noqa: ARG002  # as all endpoints
        """The document."""
        return Page(self._json, b"application/json")

    def html(self, call: Call) -> Page:  # noqa: ARG002  # as all endpoints
        """The document, for people."""
        return Page(self._page, b"text/html; charset=utf-8")

    def _paths(self) -> dict[str, Any]:
        paths: dict[str, Any] = {}
        for operation in self.operations:
            paths.setdefault(operation.path, {})[operation.method.lower()] = self._of(operation)
        return paths

    def _of(self, operation: Described) -> dict[str, Any]:
        failed = {"application/json": {"schema": self._schemas[id(ErrorAnswer)]}}
        shown: dict[str, Any] = {
            "summary": operation.summary,
            "tags": [operation.tag],
            "operationId": f"{operation.method} {operation.path}",
            "responses": {
                "200": {"description": "Done.", "content": self._content(operation)},
                **{str(c): {"description": d, "content": failed} for c, d in _CODES.items()},
            },
        }
        if operation.requests:
            body: dict[str, Any] = {"schema": self._one_of(operation.requests)}
            if operation.example is not None:
                body["example"] = operation.example
            shown["requestBody"] = {"required": True, "content": {"application/json": body}}
        return shown

    def _content(self, operation: Described) -> dict[str, Any]:
        content: dict[str, Any] = {}
        shapes = [answer for answer in operation.answers if not isinstance(answer, str)]
        if shapes:
            content["application/json"] = {"schema": self._one_of(shapes)}
        for kind in (answer for answer in operation.answers if isinstance(answer, str)):
            content[kind] = {"schema": {"type": "string"}}
        if operation.events:
            content[_EVENTS] = {}
        return content

    def _one_of(self, shapes: Iterable[Any]) -> Any:
        schemas = [self._schemas[id(shape)] for shape in shapes]
        return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


# ---------------------------------------------------------------------- the page


def page(document: dict[str, Any]) -> str:
    """HTML that needs nothing else."""
    parts = ["<!doctype html><html lang=en><meta charset=utf-8>"]
    parts.append('<meta name=viewport content="width=device-width"><title>bytepair: API</title>')
    parts.append('<link rel=stylesheet href="/docs.css">')
    parts.append(f"<h1>bytepair {document['info']['version']}</h1>")
    parts.append('<p>The document itself: <a href="/openapi.json">openapi.json</a>.</p>')
    tags: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        for method, shown in methods.items():
            tags.setdefault(shown["tags"][0], []).append(_section(path, method, shown))
    for tag, sections in tags.items():
        parts += [f"<h2>{escape(tag)}</h2>", *sections]
    parts.append("<h2>Shapes</h2>")
    for name, schema in sorted(document["components"]["schemas"].items()):
        shown = escape(_pretty(schema))
        parts.append(
            f'<details id="{escape(name)}"><summary>{escape(name)}</summary>'
            f"<pre>{shown}</pre></details>"
        )
    return "".join(parts)


def _section(path: str, method: str, shown: dict[str, Any]) -> str:
    body = shown.get("requestBody", {}).get("content", {}).get("application/json", {})
    head = f"<b class=method>{method.upper()}</b> <code>{escape(path)}</code> {shown['summary']}"
    lines = [f"<details><summary>{head}</summary>"]
    if "example" in body:
        example = msgspec.json.encode(body["example"]).decode()
        command = f"curl localhost:8000{path} -d '{example}'"
        lines.append(f"<pre>{escape(command)}</pre>")
    for label, names in (("Takes", _names(body)), ("Gives", _names(shown["responses"]["200"]))):
        links = ", ".join(f'<a href="#{escape(n)}">{escape(n)}</a>' for n in names)
        lines.append(f"<p>{label}: {links}</p>" if links else "")
    return "".join([*lines, "</details>"])


def _names(value: Any) -> list[str]:
    """The shapes that a part of the document refers to."""
    if isinstance(value, dict):
        own = [value["$ref"].rpartition("/")[2]] if "$ref" in value else []
        return own + [name for part in value.values() for name in _names(part)]
    return [name for part in value for name in _names(part)] if isinstance(value, list) else []


def _pretty(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
