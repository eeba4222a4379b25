"""What the tests of whole processes share: a service of its own, and raw connections to it."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Self


class Service:
    """`bytepair serve` in a process of its own, on a free port."""

    def __init__(self, tokenizer: Path, *options: str, timeout: float = 30) -> None:
        command = [sys.executable, "-m", "bytepair", "serve", "-t", f"small={tokenizer}"]
        self.process = subprocess.Popen(
            [*command, "--port", "0", *options], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
        )
        self.lines: list[dict[str, Any]] = []
        self._listening = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if not self._listening.wait(timeout):
            self.end(signal.SIGKILL)
            raise TimeoutError(f"the service did not begin: {self.lines}")
        self.url: str = self.lines[0]["url"]
        self.port = int(self.url.rpartition(":")[2])
        self._wait_until_well()

    def _read(self) -> None:
        if self.process.stderr is None:
            return
        for line in self.process.stderr:
            try:
                self.lines.append(json.loads(line))
            except ValueError:
                self.lines.append({"event": "not json", "line": line.decode("utf-8", "replace")})
            if self.lines[-1]["event"] == "listening":
                self._listening.set()

    def _wait_until_well(self) -> None:
        for _ in range(100):
            try:
                self.get("/health")
                return
            except OSError:
                time.sleep(0.05)
        raise TimeoutError("the service listens and does not answer")

    def get(self, path: str) -> bytes:
        """The body of a GET that succeeds."""
        with urllib.request.urlopen(self.url + path, timeout=20) as response:
            body: bytes = response.read()
            return body

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        """(status, JSON) of a POST."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, data, {"content-type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=20) as response:
                return response.status, json.loads(response.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    def connect(self) -> socket.socket:
        """A connection on which nothing was sent."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def metric(self, name: str) -> float:
        """The sum of all series whose name and labels begin so."""
        page = self.get("/metrics").decode().splitlines()
        return sum(float(line.rpartition(" ")[2]) for line in page if line.startswith(name))

    def workers(self) -> list[int]:
        """Process ids of those that answer, where there are several."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        started = [child for child in children if b"spawn_main" in _command(child)]
        return [int(child) for child in started]

    @property
    def memory(self) -> int:
        """Resident bytes of the process."""
        status = Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii")
        return int(status.split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, wait; the exit code."""
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        """Wait for the end; the exit code."""
        code = self.process.wait(30)
        self._reader.join(10)
        # A worker that is left would hold the pipe, and closing it here would wait for that.
        if self.process.stderr is not None and not self._reader.is_alive():
            self.process.stderr.close()
        return code

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.end(signal.SIGKILL)


def _command(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def answer(connection: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    pieces = []
    while piece := connection.recv(65536):
        pieces.append(piece)
    return b"".join(pieces)


def raw(service: Service, data: bytes) -> bytes:
    """What comes back for these bytes on a connection that then says no more."""
    with service.connect() as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            return answer(connection)
        except (ConnectionResetError, BrokenPipeError):
            return b""
