"""How fast `bytepair serve` answers, beside servers that do all but encode.

    python benchmarks/bench_serve.py [TOKENIZER] [--seconds 4] [--soak 600]

TOKENIZER: a file or folder; none: one that is learned from Python's library. Needs `wrk`
(Debian: apt-get install wrk) and starlette.
"""

import argparse
import http.client
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from _harness import ROOT, append, commit, machine, today

import bytepair

PROMPT_CHARACTERS = 900
CONNECTIONS = 16
LARGE_BYTES = 10_000_000
SOAK_REST_S = 0.002  # it is the memory that is looked at, not the speed
KINDS = ("bare", "starlette", "bytepair", "bytepair, no log")


def main() -> None:
    """Measure, print, keep."""
    options = _options()
    if shutil.which("wrk") is None:
        raise SystemExit("bench_serve needs wrk: on Debian `apt-get install wrk`.")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tokenizer = options.tokenizer or _learned(folder)
        prompt = _texts()[:PROMPT_CHARACTERS]
        (folder / "prompt.txt").write_text(prompt, encoding="utf-8")
        script = _wrk_script(folder, prompt)
        result = {
            "throughput": _throughput(folder, tokenizer, script, options),
            "half_load": _half_load(folder, tokenizer, prompt, options.seconds),
            "beside_large": [
                _beside_large(folder, tokenizer, prompt) for _ in range(options.rounds)
            ],
        }
        if options.soak:
            result["soak"] = _soak(folder, tokenizer, prompt, options.soak, options.connections)
    record = {"benchmark": "serve", "commit": commit(), "date": today(), "results": result}
    print(json.dumps(result, indent=1))
    if options.keep:
        append({**record, "machine": machine("uvicorn", "msgspec", "starlette")})


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tokenizer", nargs="?")
    parser.add_argument("--seconds", type=int, default=4, help="of each run of wrk")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--soak", type=int, default=0, help="seconds; 0: none")
    parser.add_argument("--connections", type=int, default=10_000, help="of the soak, half idle")
    parser.add_argument("--no-keep", dest="keep", action="store_false")
    return parser.parse_args()


def _texts() -> str:
    """Prose: the longest docstrings that come with Python."""
    import pydoc_data.topics

    return "\n".join(pydoc_data.topics.topics.values())


def _learned(folder: Path) -> str:
    bytepair.train([_texts()], vocab_size=8000).save(folder / "tokenizer")
    return str(folder / "tokenizer")


def _wrk_script(folder: Path, prompt: str) -> Path:
    body = json.dumps({"prompt": prompt})
    path = folder / "post.lua"
    headers = 'wrk.headers["Content-Type"]="application/json"'
    path.write_text(f'wrk.method="POST"\n{headers}\nwrk.body=[==[{body}]==]\n', encoding="utf-8")
    return path


# ---------------------------------------------------------------------- servers


@contextmanager
def _server(folder: Path, tokenizer: str, kind: str, **settings: Any) -> Iterator[tuple[int, int]]:
    """(port, process id) of a server of this kind that answers."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    if kind == "bytepair, no log":
        settings["log"] = "errors"
    task = {"kind": kind.partition(",")[0], "tokenizer": tokenizer, "port": port}
    task |= {"prompt": str(folder / "prompt.txt"), "settings": settings}
    command = [sys.executable, str(ROOT / "benchmarks" / "_serve_worker.py"), json.dumps(task)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stderr=log)
    try:
        _wait_for(port)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait(30)


def _wait_for(port: int) -> None:
    for _ in range(300):
        try:
            with socket.create_connection(("127.0.0.1", port)):
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("a server did not begin.")


def _wrk(port: int, script: Path, seconds: int) -> dict[str, float]:
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "-s", str(script)]
    url = f"http://127.0.0.1:{port}/tokenize"
    done = subprocess.run([*command, url], capture_output=True, text=True, check=True)
    if "Non-2xx" in done.stdout:
        raise SystemExit(done.stdout)
    found = re.search(r"Requests/sec:\s*([\d.]+)", done.stdout)
    times = dict(re.findall(r"(50|99)%\s+([\d.]+\w+)", done.stdout))
    if found is None:
        raise SystemExit(done.stdout)
    return {"per_s": float(found[1]), **{f"p{k}_ms": _ms(v) for k, v in times.items()}}


def _ms(text: str) -> float:
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s)", text).groups()  # type: ignore[union-attr]  # wrk's form
    return float(number) * {"us": 0.001, "ms": 1.0, "s": 1000.0}[unit]


# ---------------------------------------------------------------------- what is measured


def _throughput(
    folder: Path, tokenizer: str, script: Path, options: argparse.Namespace
) -> dict[str, Any]:
    """Requests a second of each kind, in turns; the median of the rounds."""
    runs: dict[str, list[dict[str, float]]] = {kind: [] for kind in KINDS}
    for _ in range(options.rounds):
        for kind in KINDS:
            with _server(folder, tokenizer, kind) as (port, _):
                _wrk(port, script, 1)
                runs[kind].append(_wrk(port, script, options.seconds))
    rates = {kind: statistics.median(run["per_s"] for run in runs[kind]) for kind in KINDS}
    shares = {f"share_of_{kind}": rates["bytepair"] / rates[kind] for kind in ("bare", "starlette")}
    return {"per_s": rates, **shares, "runs": runs}


def _half_load(folder: Path, tokenizer: str, prompt: str, seconds: int) -> dict[str, float]:
    """Times of requests that come at half the rate that one connection can take."""
    with _server(folder, tokenizer, "bytepair") as (port, _):
        fastest = statistics.median(_ask(port, prompt, 400, 0.0))
        times = sorted(_ask(port, prompt, int(seconds / (2 * fastest)), 2 * fastest))
    p50, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
    return {"p50_ms": p50 * 1e3, "p99_ms": p99 * 1e3, "ratio": p99 / p50}


def _ask(port: int, prompt: str, n: int, every_s: float) -> list[float]:
    """The times of requests on one connection, one begun every so many seconds."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    body = json.dumps({"prompt": prompt}).encode()
    times: list[float] = []
    due = time.perf_counter()
    for _ in range(n):
        due += every_s
        # Not busy: on a small machine that would take the processor from what is measured.
        time.sleep(max(0.0, due - time.perf_counter()))
        began = time.perf_counter()
        connection.request("POST", "/tokenize", body)
        connection.getresponse().read()
        times.append(time.perf_counter() - began)
    connection.close()
    return times


def _beside_large(folder: Path, tokenizer: str, prompt: str) -> dict[str, float]:
    """Times of small requests: alone, and while one client posts 10 MB again and again.

    Once to another process ("elsewhere": what the machine costs), once to the same one ("beside").
    """
    text = _texts()
    text = (text * (LARGE_BYTES // len(text) + 1))[:LARGE_BYTES]
    source = folder / "large.json"
    source.write_bytes(json.dumps({"prompt": text}).encode())
    with (
        _server(folder, tokenizer, "bytepair") as (port, _),
        _server(folder, tokenizer, "bytepair") as (other, _),
    ):
        times = {"alone": sorted(_ask(port, prompt, 1000, 0.002))}
        times["elsewhere"], _ = _while_large(port, other, prompt, source)
        times["beside"], sent = _while_large(port, port, prompt, source)
    figures = {"large_s": statistics.median(sent), "n_large": float(len(sent))}
    for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
        found = {where: all_[int(len(all_) * share)] for where, all_ in times.items()}
        figures |= {f"{name}_{where}_ms": seconds * 1e3 for where, seconds in found.items()}
        figures[f"{name}_ratio"] = found["beside"] / found["alone"]
        figures[f"{name}_to_elsewhere"] = found["beside"] / found["elsewhere"]
    return figures


def _while_large(
    port: int, other: int, prompt: str, source: Path
) -> tuple[list[float], list[float]]:
    """(times of small requests to `port`, of those of 10 MB to `other`)."""
    stop, sent = threading.Event(), list[float]()
    thread = threading.Thread(target=_post_large, args=(other, source, stop, sent))
    thread.start()
    time.sleep(0.5)
    times = sorted(_ask(port, prompt, 2000, 0.002))
    stop.set()
    thread.join()
    return times, sent


def _post_large(port: int, source: Path, stop: threading.Event, sent: list[float]) -> None:
    """In a process of its own: this one measures."""
    url = f"http://127.0.0.1:{port}/tokenize"
    while not stop.is_set():
        began = time.perf_counter()
        command = ["curl", "-s", "-o", "/dev/null", "-H", "Expect:", "--data-binary", f"@{source}"]
        subprocess.run([*command, url], check=True)
        sent.append(time.perf_counter() - began)


def _soak(
    folder: Path, tokenizer: str, prompt: str, seconds: int, n_connections: int
) -> dict[str, Any]:
    """Memory of a service with many connections, half of them idle, the others in turn asked on."""
    import resource

    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    settings = {"keep_alive": seconds + 120.0, "log": "errors"}
    body = json.dumps({"prompt": prompt}).encode()
    request = b"POST /tokenize HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n" % len(
        body
    )
    with _server(folder, tokenizer, "bytepair", **settings) as (port, pid):
        connections = [socket.create_connection(("127.0.0.1", port)) for _ in range(n_connections)]
        for connection in connections:
            _once(connection, request + body)
        sizes, n_asked, until = [_resident(pid)], 0, time.monotonic() + seconds
        next_look = time.monotonic() + seconds / 10
        while time.monotonic() < until:
            for connection in connections[::2]:
                _once(connection, request + body)
                n_asked += 1
                time.sleep(SOAK_REST_S)
            if time.monotonic() >= next_look:
                sizes.append(_resident(pid))
                next_look += seconds / 10
        for connection in connections[1::2]:  # the idle ones are still served
            _once(connection, request + body)
            connection.close()
    return {"connections": n_connections, "requests": n_asked, "seconds": seconds, "bytes": sizes}


def _once(connection: socket.socket, data: bytes) -> None:
    connection.sendall(data)
    answer = connection.recv(65536)
    while not answer.endswith(b"}"):
        answer += connection.recv(65536)
    if not answer.startswith(b"HTTP/1.1 200"):
        raise SystemExit(answer[:200])


def _resident(pid: int) -> int:
    pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
