"""The OpenAPI document says what the service does, and the service does what it says."""

import io
import json

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

import bytepair
from bytepair.server import Settings, create_app
from bytepair.server._log import EventLog
from serving import TEXT

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
LOG = io.BytesIO()
# schemathesis asks for the document while tests are collected.
APP = create_app(
    Settings(allowed_host=("*",), max_tokens=100_000, timeout=120),
    [
        (name, bytepair.train([TEXT * 5], vocab_size=270, special_tokens=[]))
        for name in ("small", "other")
    ],
    log=EventLog("off", LOG),
)
schema = schemathesis.openapi.from_asgi("/openapi.json", APP)


@schema.parametrize()
@settings(max_examples=300, suppress_health_check=list(HealthCheck))
def test_every_request_has_the_answer_that_is_written_down(case):
    """Bodies that fit the document and bodies that do not: no fault, no shape not described."""
    case.call_and_validate(checks=CHECKS)


def test_every_path_is_described_or_known_not_to_be(client):
    """A path that is forgotten in the document would never be tried above."""
    described = set(client.get("/openapi.json").json["paths"])
    served = set(client.app._by_path)
    assert described <= served
    assert {path for path in served - described if not path.endswith((".js", ".css", ".svg"))} == {
        "/",
        "/healthz",
        "/ping",
        "/health_generate",
        "/openapi.json",
    }


def test_examples_of_the_document_can_be_pasted(client):
    """Each shows what the path does."""
    for path, methods in client.get("/openapi.json").json["paths"].items():
        if "post" not in methods:
            continue
        body = methods["post"]["requestBody"]["content"]["application/json"]
        if "example" in body:
            assert client.post(path, body["example"]).status == 200, path


def test_the_page_names_every_path(client):
    """What `/docs` shows is the document."""
    page = client.get("/docs").body.decode()
    for path in client.get("/openapi.json").json["paths"]:
        assert path in page
    assert "<script" not in page
    json.loads(client.get("/openapi.json").body)
