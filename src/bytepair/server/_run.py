"""Runs a service until it is told to end, in one process or several."""

import gc
import logging
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.supervisors import Multiprocess

from bytepair.server._app import create_app
from bytepair.server._http import App
from bytepair.server._log import EventLog, ServerLogHandler
from bytepair.server._protocol import Connection, ServeConfig
from bytepair.server._settings import Settings
from bytepair.server._tokenizers import demo_tokenizer, load_all

_MULTI = "PROMETHEUS_MULTIPROC_DIR"
# A thread that computes gives way to one that waits after so many seconds (Python: 5 ms), so that
# small requests are not held up by large ones.
_SWITCH_S = 0.00005
_LOOK_S = 0.5


class _Server(uvicorn.Server):
    """uvicorn's, which ends with 0 after SIGTERM: draining was what was asked for.

    `announce` is called when signals are heard and connections taken.
    """

    def __init__(self, config: ServeConfig, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._announce()

    async def _serve(self, sockets: list[socket.socket] | None = None) -> None:
        await super()._serve(sockets)
        if signal.SIGTERM in self._captured_signals:
            self._captured_signals.clear()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if isinstance(self.config.loaded_app, App):
            self.config.loaded_app.is_draining = True
        await super().shutdown(sockets)


def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT; running requests are answered first.

    Raises:
        BytepairError: a tokenizer cannot be read.
        OSError: the address cannot be listened on.
    """
    with tempfile.TemporaryDirectory(prefix="bytepair-serve-") as folder:
        if not settings.tokenizers:
            demo_tokenizer().save(Path(folder) / "demo")
            settings = replace(settings, tokenizers=(("demo", str(Path(folder) / "demo")),))
        log = EventLog(settings.log)
        _allow_connections(settings.max_connections)
        with _listening(settings) as listener, _shared_metrics(settings, folder):
            host, port = listener.getsockname()[:2]
            address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
            names = [name for name, _ in settings.tokenizers]
            announce = partial(
                log.write, "listening", url=address, tokenizers=names, workers=settings.workers
            )
            if settings.workers == 1:
                _Server(_config(settings, make_app(settings)), announce).run([listener])
            else:
                load_all(settings.tokenizers)  # complains before any process is started
                config = _config(settings, partial(make_worker, settings, os.getpid()))
                workers = Multiprocess(config, [listener])
                announce()
                workers.run()
        log.write("ended")


def make_app(settings: Settings) -> App:
    """The application of one process."""
    sys.setswitchinterval(_SWITCH_S)
    log = EventLog(settings.log)
    _tell_server_log(log)
    app = create_app(settings, load_all(settings.tokenizers), log=log)
    # Vocabularies stay: to look through them for garbage again and again would be felt.
    gc.collect()
    gc.freeze()
    return app


def make_worker(settings: Settings, parent: int) -> App:
    """The application of one process of several, which ends with the one that started it."""
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    return make_app(settings)


def _end_with(parent: int) -> None:
    """Nobody else would end workers whose parent was killed, and they hold the address."""
    while os.getppid() == parent:
        time.sleep(_LOOK_S)
    os.kill(os.getpid(), signal.SIGTERM)


def _config(settings: Settings, app: Any) -> ServeConfig:
    config = ServeConfig(
        app,
        factory=settings.workers > 1,
        http=Connection,
        ws="none",
        workers=settings.workers,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=4096,
        timeout_keep_alive=settings.keep_alive,  # type: ignore[arg-type]  # a float will do
        timeout_graceful_shutdown=settings.drain,  # type: ignore[arg-type]  # seconds may be parts
        # A worker that is given much to do at once is not dead.
        timeout_worker_healthcheck=60,
    )
    config.settings = settings
    return config


def _tell_server_log(log: EventLog) -> None:
    logger = logging.getLogger("uvicorn")
    logger.handlers = [ServerLogHandler(log)]
    logger.setLevel(logging.WARNING)
    logger.propagate = False


@contextmanager
def _listening(settings: Settings) -> Iterator[socket.socket]:
    family, _, _, _, address = socket.getaddrinfo(
        settings.host, settings.port, type=socket.SOCK_STREAM
    )[0]
    with socket.create_server(address[:2], family=family, backlog=4096) as listener:
        yield listener


@contextmanager
def _shared_metrics(settings: Settings, folder: str) -> Iterator[None]:
    """Where several processes serve they keep their metrics in files that each can read."""
    if settings.workers == 1 or "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        yield
        return
    path = Path(folder) / "metrics"
    path.mkdir()
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(path)
    try:
        yield
    finally:
        del os.environ["PROMETHEUS_MULTIPROC_DIR"]


def _allow_connections(most: int) -> None:
    """As many open files as the connections need, or as the system gives."""
    try:
        import resource
    except ImportError:  # not on Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most + 256
    if soft < wanted:
        with suppress(ValueError, OSError):
            limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
