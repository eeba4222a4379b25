"""Servers that bench_serve.py measures: bytepair's, and two that do everything but encode."""

import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import uvicorn

import bytepair
from bytepair.server import Settings, serve


class Request(msgspec.Struct):
    """What both servers are asked."""

    prompt: str
    model: str | None = None
    add_special_tokens: bool = True
    return_token_strs: bool | None = False


class Answer(msgspec.Struct):
    """What both servers answer."""

    count: int
    max_model_len: int
    tokens: list[int]
    token_strs: list[str] | None = None


def bare(tokens: list[int]) -> Any:
    """An application that parses the same request and answers the same JSON, without encoding."""
    decode, encode = msgspec.json.Decoder(Request).decode, msgspec.json.Encoder().encode
    kind = (b"content-type", b"application/json")

    async def app(_scope: Any, receive: Any, send: Any) -> None:
        body = (await receive())["body"]
        decode(body)
        answer = encode(Answer(len(tokens), (1 << 31) - 1, tokens))
        headers = [(b"content-length", b"%d" % len(answer)), kind]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    return app


def starlette(tokens: list[int]) -> Any:
    """The same as most people would write it."""
    from starlette.applications import Starlette
    from starlette.requests import Request as HttpRequest
    from starlette.responses import Response
    from starlette.routing import Route

    decode, encode = msgspec.json.Decoder(Request).decode, msgspec.json.Encoder().encode

    async def tokenize(request: HttpRequest) -> Response:
        decode(await request.body())
        answer = encode(Answer(len(tokens), (1 << 31) - 1, tokens))
        return Response(answer, media_type="application/json")

    return Starlette(routes=[Route("/tokenize", tokenize, methods=["POST"])])


def main() -> None:
    """Serve what the task says, until the process is ended."""
    task = json.loads(sys.argv[1])
    if task["kind"] == "bytepair":
        named = (("bench", task["tokenizer"]),)
        serve(Settings(tokenizers=named, port=task["port"], **task.get("settings", {})))
        return
    prompt = Path(task["prompt"]).read_text(encoding="utf-8")
    tokens = bytepair.load(task["tokenizer"]).encode(prompt, disallowed_special=())
    make = {"bare": bare, "starlette": starlette}[task["kind"]]
    uvicorn.run(
        make(tokens),
        port=task["port"],
        log_level="error",
        access_log=False,
        lifespan="off",
        server_header=False,
    )


if __name__ == "__main__":
    main()
