"""`bytepair serve`: the HTTP service."""

from pathlib import Path
from typing import Annotated

import typer

from bytepair.cli._guard import leave_interrupts
from bytepair.server import parse_tokenizer, read_settings


def serve(
    tokenizer: Annotated[
        list[str] | None,
        typer.Option(
            "--tokenizer",
            "-t",
            metavar="NAME=PATH",
            help="What to serve; repeat it. The first is the default. None: ./demo-tokenizer, "
            "else one learned at once from Python's library.",
        ),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(help="Where to listen; 0.0.0.0: for other machines too. [127.0.0.1]"),
    ] = None,
    port: Annotated[int | None, typer.Option(help="0: any that is free. [8000]")] = None,
    api_key: Annotated[
        list[str] | None,
        typer.Option(help="A key that requests must bring; better BYTEPAIR_SERVE_API_KEY."),
    ] = None,
    max_body: Annotated[int | None, typer.Option(help="Bytes of a request. [32 MiB]")] = None,
    max_batch: Annotated[int | None, typer.Option(help="Texts of a request. [1024]")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Ids of a request. [8000000]")] = None,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds to arrive, and to be answered. [30]")
    ] = None,
    keep_alive: Annotated[
        float | None, typer.Option(help="Seconds that a connection may rest. [75]")
    ] = None,
    max_connections: Annotated[int | None, typer.Option(help="Open at a time. [16384]")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes. [1]")] = None,
    threads: Annotated[
        int | None, typer.Option(help="Of a process, for large requests. [one a core]")
    ] = None,
    queue: Annotated[
        int | None, typer.Option(help="Large requests that may wait; more get 429. [64]")
    ] = None,
    inline: Annotated[
        int | None, typer.Option(help="Bytes up to which no thread is needed. [16384]")
    ] = None,
    drain: Annotated[
        float | None, typer.Option(help="Seconds for running requests at the end. [30]")
    ] = None,
    cors_origin: Annotated[
        list[str] | None, typer.Option(help="An origin whose pages may ask; repeat it.")
    ] = None,
    allowed_host: Annotated[
        list[str] | None, typer.Option(help="A name that clients may call it by; *: any.")
    ] = None,
    request_templates: Annotated[
        bool | None,
        typer.Option("--request-templates", help="Clients may send chat templates."),
    ] = None,
    uploads: Annotated[
        int | None, typer.Option(help="Tokenizer files of clients kept in memory. [0]")
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option(help="Of bodies that are ambiguous: auto, vllm, sglang, llama.cpp, tei."),
    ] = None,
    log: Annotated[
        str | None, typer.Option(help="Lines for: requests, errors (of the service), off.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A TOML file with the same names.")
    ] = None,
) -> None:
    """Serve tokenizers over HTTP, with metrics and a page to look at.

    Options go before the environment (BYTEPAIR_SERVE_PORT=9000), which goes before the file.
    Events are lines of JSON on standard error.

    For example:

        bytepair serve

        bytepair serve -t zen=zen --port 9000
    """
    options = {name: tuple(v) if isinstance(v, list) else v for name, v in locals().items()}
    from bytepair.server import serve as run

    del options["tokenizer"], options["config"]
    options["tokenizers"] = tuple(parse_tokenizer(text) for text in tokenizer or ())
    settings = read_settings(options, config=config)
    leave_interrupts()
    run(settings)
