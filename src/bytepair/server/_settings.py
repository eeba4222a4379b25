"""`Settings`: everything a service can be told, by options, the environment and a TOML file."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from bytepair.errors import ArgumentError

Dialect = Literal["auto", "vllm", "sglang", "llama.cpp", "tei"]
Log = Literal["requests", "errors", "off"]

PREFIX = "BYTEPAIR_SERVE_"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_ONE_OF = {"dialect": get_args(Dialect), "log": get_args(Log)}
_LISTS = ("api_key", "cors_origin", "allowed_host")
_MAY_BE_ZERO = frozenset({"port", "queue"})


@dataclass(frozen=True)
class Settings:
    """How a service behaves; each has an option of `bytepair serve` and a name in the environment.

    Attributes:
        tokenizers: (name, path); none: one that is found or made. The first is the default.
        host, port: where it listens; port 0: any that is free.
        api_key: keys that requests must bring one of; none: everybody may ask.
        max_body: bytes of a request.
        max_batch: texts, or rows of ids, of a request.
        max_tokens: ids of a request or an answer.
        timeout: seconds a request may take to arrive, and to be answered.
        keep_alive: seconds a connection may rest between requests.
        max_connections: open at a time; further ones are closed at once.
        workers: processes.
        threads: of each process, for large requests.
        queue: large requests of a process that may wait for a thread; further ones get 429.
        inline: bytes up to which a request is answered at once, without a thread.
        drain: seconds that running requests get at the end.
        cors_origin: other pages that may ask from a browser.
        allowed_host: names by which clients may call it, "*": any; none: on the loopback its names,
            else any.
        request_templates: clients may send chat templates of their own.
        uploads: tokenizer files of clients that are kept in memory, each worker its own.
        dialect: of bodies that several kinds of server would understand.
        log: which requests have a line in the log.
    """

    tokenizers: tuple[tuple[str, str], ...] = ()
    host: str = "127.0.0.1"
    port: int = 8000
    api_key: tuple[str, ...] = ()
    max_body: int = 32 << 20
    max_batch: int = 1024
    max_tokens: int = 8_000_000
    timeout: float = 30.0
    keep_alive: float = 75.0
    max_connections: int = 16_384
    workers: int = 1
    threads: int = os.cpu_count() or 1
    queue: int = 64
    inline: int = 16_384
    drain: float = 30.0
    cors_origin: tuple[str, ...] = ()
    allowed_host: tuple[str, ...] = ()
    request_templates: bool = False
    uploads: int = 0
    dialect: Dialect = "auto"
    log: Log = "requests"

    def __post_init__(self) -> None:
        for name in ("max_body", "max_batch", "max_tokens", "max_connections", "workers",
                     "threads", "port", "queue", "inline", "uploads"):  # fmt: skip
            lowest = 0 if name in _MAY_BE_ZERO or name in {"inline", "uploads"} else 1
            _check_range(name, getattr(self, name), lowest)
        for name in ("timeout", "keep_alive", "drain"):
            _check_range(name, getattr(self, name), 0.01)
        for name, known in _ONE_OF.items():
            if getattr(self, name) not in known:
                raise ArgumentError(
                    f"{name} must be one of {', '.join(known)}, got {getattr(self, name)!r:.60}."
                )
        if any(not key or not key.isascii() for key in self.api_key):
            raise ArgumentError("api_key: a key must be ASCII and not empty.")

    @property
    def hosts(self) -> frozenset[str] | None:
        """Names by which clients may call it; None: any. Stops pages that rebind their name."""
        if "*" in self.allowed_host:
            return None
        if self.allowed_host:
            return frozenset(name.lower() for name in self.allowed_host)
        return LOOPBACK if self.host in LOOPBACK else None


def read_settings(
    options: Mapping[str, Any],
    environment: Mapping[str, str] | None = None,
    config: Path | None = None,
) -> Settings:
    """Settings from options, then the environment, then a file, then what is usual.

    Args:
        options: by name; None and () mean not given.
        environment: None: the process's.
        config: a TOML file; None: the one that `BYTEPAIR_SERVE_CONFIG` names, if it does.

    Raises:
        ArgumentError: a name that is not known, or a value that cannot be; says where it stands.

    >>> read_settings({"port": 9000}, {"BYTEPAIR_SERVE_WORKERS": "2"}).workers
    2
    """
    environment = os.environ if environment is None else environment
    if config is None and environment.get(f"{PREFIX}CONFIG"):
        config = Path(environment[f"{PREFIX}CONFIG"])
    values = {} if config is None else _from_file(config)
    values |= _from_environment(environment)
    values |= {name: value for name, value in options.items() if value is not None and value != ()}
    return Settings(**values)


def parse_tokenizer(text: str) -> tuple[str, str]:
    """NAME=PATH, or a PATH whose last part is the name.

    >>> parse_tokenizer("small=models/a.json"), parse_tokenizer("models/llama3/")
    (('small', 'models/a.json'), ('llama3', 'models/llama3/'))
    """
    name, is_named, path = text.partition("=")
    if not is_named:
        name, path = Path(text).stem or text, text
    if not name or not path or len(name) > 100 or not name.isprintable():
        raise ArgumentError(f"{text!r:.80} is not NAME=PATH, such as 'small=models/small'.")
    return name, path


# ---------------------------------------------------------------------- where they come from


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for field in fields(Settings):
        name = PREFIX + field.name.upper()
        if environment.get(name):
            found[field.name] = _parse(name, field.name, field.default, environment[name])
    return found


def _parse(where: str, name: str, usual: Any, text: str) -> Any:
    if name == "tokenizers":
        return tuple(parse_tokenizer(item) for item in text.split(",") if item)
    if name in _LISTS:
        return tuple(item.strip() for item in text.split(",") if item.strip())
    if isinstance(usual, bool):
        if text.lower() not in {"0", "1", "false", "true"}:
            raise ArgumentError(f"{where}: wanted true or false, got {text!r:.60}.")
        return text.lower() in {"1", "true"}
    try:
        return type(usual)(text)
    except ValueError as error:
        raise ArgumentError(f"{where}: wanted a number, got {text!r:.60}.") from error


def _from_file(path: Path) -> dict[str, Any]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ArgumentError(f"{path}: cannot be read: {error}") from error
    usual = {field.name: field.default for field in fields(Settings)}
    found: dict[str, Any] = {}
    for name, value in table.items():
        if name not in usual:
            raise ArgumentError(f"{path}: {name!r:.60} is not known. Known: {', '.join(usual)}.")
        found[name] = _checked(f"{path}: {name}", name, usual[name], value)
    return found


def _checked(where: str, name: str, usual: Any, value: Any) -> Any:
    if name == "tokenizers":
        if not isinstance(value, dict) or not all(isinstance(p, str) for p in value.values()):
            raise ArgumentError(f"{where}: wanted a table of names and paths.")
        return tuple(value.items())
    if name in _LISTS:
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise ArgumentError(f"{where}: wanted a string or a list of strings.")
        return tuple(items)
    kinds = (int, float) if isinstance(usual, float) else (type(usual),)
    if not isinstance(value, kinds) or isinstance(value, bool) != isinstance(usual, bool):
        raise ArgumentError(f"{where}: wanted {type(usual).__name__}, got {value!r:.60}.")
    return value


def _check_range(name: str, value: float, lowest: float) -> None:
    highest = 65_535 if name == "port" else 1 << 40
    if not lowest <= value <= highest:
        raise ArgumentError(f"{name} must be from {lowest} to {highest}, got {value!r:.60}.")
