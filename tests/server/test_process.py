"""The service as a process: clients that are slow, broken or hostile, and its end."""

import gzip
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from processes import Service, answer, raw
from serving import TEXT

pytestmark = pytest.mark.native_only  # the processes, not the engine, are tried


TINY_CHUNKS = (
    b"".join(b"1\r\n%c\r\n" % byte for byte in b'{"text":"low"}' + b" " * 90_000) + b"0\r\n\r\n"
)


@pytest.fixture(scope="module")
def saved(tok, tmp_path_factory):
    """Where the tokenizer lies."""
    folder = tmp_path_factory.mktemp("served") / "small"
    tok.save(folder)
    return folder


@pytest.fixture(scope="module")
def service(saved):
    """One for the tests that do not end it."""
    with Service(saved, "--timeout", "1", "--max-body", "10000000", "--keep-alive", "5") as running:
        yield running
        assert running.end() == 0
        assert [line for line in running.lines if line["event"] in {"fault", "not json"}] == []


def post(body, path=b"/v1/count", extra=b"", version=b"1.1"):
    """The bytes of a request."""
    head = b"POST %b HTTP/%b\r\nhost: localhost\r\n%bcontent-length: %d\r\n\r\n"
    return head % (path, version, extra, len(body)) + body


def ask(what, extra=b""):
    """The bytes of a request without a body."""
    return what + b" HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n" + extra + b"\r\n"


CHUNKED = (
    b"POST /v1/count HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
    b"transfer-encoding: chunked\r\n\r\n%b"
)


def test_the_answer_is_the_python_apis(service, tok):
    """Through a real connection."""
    status, found = service.post("/v1/encode", {"text": TEXT})
    assert (status, found["ids"]) == (200, tok.encode(TEXT))


def test_a_large_request_is_answered_whole(service, tok):
    """An answer larger than any buffer, made by a thread."""
    text = TEXT * 15_000
    status, found = service.post("/v1/encode", {"text": text})
    assert (status, found["n_tokens"]) == (200, tok.count(text))
    assert found["ids"] == tok.encode(text)


def test_one_request_does_not_block_the_others(service, tok):
    """Half a megabyte without a space, which some tokenizers need minutes for."""
    text, found = "x" * 524_288, []
    body = {"text": text}
    large = threading.Thread(target=lambda: found.append(service.post("/v1/count", body)))
    large.start()
    slowest = 0.0
    while large.is_alive():
        began = time.monotonic()
        assert service.post("/v1/count", {"text": "low"})[0] == 200
        slowest = max(slowest, time.monotonic() - began)
    assert found[0][1]["n_tokens"] == tok.count(text)
    assert slowest < 1


def test_a_slow_client_is_cut_off_and_others_are_served(service):
    """Heads that come a byte at a time, bodies that never come, connections without a word."""
    with service.connect() as head, service.connect() as body, service.connect() as silent:
        head.sendall(b"GET /health HTTP/1.1\r\nx: ")
        body.sendall(post(b"{}")[:-1])
        deadline = time.monotonic() + 8
        threading.Thread(target=_trickle, args=(head,), daemon=True).start()
        assert service.post("/v1/count", {"text": "a"})[0] == 200
        assert answer(body).startswith(b"HTTP/1.1 408 ")
        assert b"slow_request" in answer(head)
        assert answer(silent) == b""
        assert time.monotonic() < deadline


def _trickle(connection):
    try:
        for _ in range(100):
            connection.sendall(b"x")
            time.sleep(0.1)
    except OSError:
        return


def test_a_client_that_does_not_read_is_cut_off(service):
    """Its answer is not kept for ever."""
    before = service.metric('bytepair_errors_total{kind="slow_reader"}')
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    with connection:
        connection.connect(("127.0.0.1", service.port))
        text = json.dumps({"text": TEXT * 30_000}).encode()
        connection.sendall(post(text, b"/v1/encode"))
        for _ in range(80):
            if service.metric('bytepair_errors_total{kind="slow_reader"}') > before:
                break
            time.sleep(0.1)
        else:
            pytest.fail("it was not cut off")


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET / HTTP/1.1\r\nhost: localhost\r\nx: " + b"y" * 150_000, b"431"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 50, b"400"),
        (b"GET /health HTTP/9.9\r\n\r\n", b"400"),
        (post(b"x" * 10_000_001), b"413"),
        (b"POST /v1/count HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n", b"400"),
        (b"POST /v1/count HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n",
         b"400"),
        (post(gzip.compress(b'{"text":"low"}'), extra=b"content-encoding: gzip\r\n"), b"415"),
        (CHUNKED % b"e;" + b"x" * 150_000, b"431"),
        (CHUNKED % b'e\r\n{"text":"low"}\r\n0\r\nx: ' + b"y" * 150_000, b"431"),
        (b"CONNECT elsewhere:443 HTTP/1.1\r\nhost: localhost\r\n\r\n", b"400"),
        (b"GET /health HTTP/1.1\r\nhost: localhost\r\nhost: evil\r\n\r\n", b"403"),
        (post(b"{}", extra=b"content-length: 1\r\n"), b"400"),
        (post(b"{}", extra=b"transfer-encoding: chunked\r\n"), b"400"),
    ],
    ids=["long head", "TLS", "version", "too large", "negative", "bad chunk", "compressed",
         "long extension", "long trailer", "proxy", "two hosts", "two lengths", "two framings"],
)  # fmt: skip
def test_broken_http_has_the_right_status(service, data, status):
    """In JSON, and the connection is closed."""
    found = raw(service, data)
    assert found.startswith(b"HTTP/1.1 " + status), found[:200]
    assert b'"error"' in found


@pytest.mark.parametrize(
    ("data", "status", "end"),
    [
        (post(b'{"text":"low"}', version=b"1.0"), b"200", b"}"),
        (CHUNKED % b'e\r\n{"text":"low"}\r\n0\r\n\r\n', b"200", b"}"),
        (CHUNKED % TINY_CHUNKS, b"200", b"}"),
        (ask(b"HEAD /health"), b"200", b"\r\n\r\n"),
        (ask(b"HEAD /v1/count"), b"405", b"\r\n\r\n"),
        (ask(b"OPTIONS /v1/count"), b"204", b"\r\n\r\n"),
        (ask(b"GET /health", b"connection: Upgrade\r\nupgrade: h2c\r\n"), b"200", b"}"),
    ],
    ids=["1.0", "chunked", "tiny chunks", "HEAD", "HEAD of a POST", "OPTIONS", "upgrade"],
)
def test_http_that_is_rare_and_right_is_answered(service, data, status, end):
    """As old, small and careful clients send it."""
    with service.connect() as connection:
        connection.sendall(data)
        found = answer(connection)
    assert found.startswith(b"HTTP/1.1 " + status), found[:200]
    assert found.endswith(end)


def test_who_asks_before_sending_is_told_at_once(service):
    """To go on, or, without a byte of the body, that it is too large."""
    with service.connect() as connection:
        connection.sendall(post(b'{"text":"low"}', extra=b"expect: 100-continue\r\n")[:-14])
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b'{"text":"low"}')
        assert connection.recv(9999).startswith(b"HTTP/1.1 200 ")
    with service.connect() as connection:
        head = b"POST /v1/count HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\n"
        connection.sendall(head + b"content-length: 99999999999\r\n\r\n")
        assert answer(connection).startswith(b"HTTP/1.1 413 ")


def test_a_thousand_hostile_requests_disturb_nobody(service):
    """Cut, garbled, malformed: each is refused, a client beside them sees nothing of it."""
    random_ = random.Random(7)
    good = post(b'{"text":"low"}')
    stop, counts = threading.Event(), []
    beside = threading.Thread(target=_ask, args=(service, stop, counts))
    beside.start()
    for number in range(1000):
        data = bytearray(good)
        if number % 2:
            del data[random_.randrange(1, len(data)) :]
        for _ in range(random_.randrange(4)):
            data[random_.randrange(len(data))] = random_.randrange(256)
        found = raw(service, bytes(data))
        assert not found.startswith(b"HTTP/1.1 5"), (bytes(data), found)
    stop.set()
    beside.join(20)
    assert len(counts) > 100
    assert set(counts) == {(200, service.post("/v1/count", {"text": "low"})[1]["n_tokens"])}
    assert service.metric("bytepair_http_requests_in_flight ") == 1  # this very scrape


def _ask(service, stop, counts):
    while not stop.is_set():
        status, found = service.post("/v1/count", {"text": "low"})
        counts.append((status, found.get("n_tokens")))


def test_requests_on_one_connection_are_answered_in_order(service):
    """Pipelined requests, one of them broken in itself."""
    last = b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    with service.connect() as connection:
        connection.sendall(post(b'{"text":"low"}') + post(b"{") + last)
        found = answer(connection)
    assert [part[:3] for part in found.split(b"HTTP/1.1 ")[1:]] == [b"200", b"400", b"200"]


def test_sigterm_answers_what_runs_and_ends_with_0(saved):
    """A request whose body is still on its way is read, answered, and then the process ends."""
    with Service(saved, "--log", "errors") as service:
        body = json.dumps({"text": TEXT * 5000}).encode()
        request = post(body)
        with service.connect() as connection:
            connection.sendall(request[:-1000])
            time.sleep(0.3)
            service.process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            with pytest.raises(ConnectionError):
                service.connect()
            connection.sendall(request[-1000:])
            found = answer(connection)
        assert found.startswith(b"HTTP/1.1 200")
        assert service.wait() == 0
        assert service.lines[-1]["event"] == "ended"


def test_sigterm_lets_a_stream_end(saved):
    """Ids that come after it still become text."""
    with Service(saved, "--log", "off") as service, service.connect() as connection:
        head = CHUNKED.replace(b"/v1/count", b"/v1/decode")
        head = head.replace(b"host:", b"content-type: application/x-ndjson\r\nhost:")
        connection.sendall(head % b"4\r\n108\n\r\n")
        found = b""
        while b'{"text":"l"}' not in found:
            found += connection.recv(9999)
        service.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        connection.sendall(b"4\r\n111\n\r\n0\r\n\r\n")
        found = answer(connection)
        assert b'{"text":"o"}' in found
        assert b"[DONE]" in found
        assert service.wait() == 0


def test_sigterm_waits_only_so_long(saved):
    """A client that does not finish cannot keep the process."""
    with Service(saved, "--drain", "0.5", "--log", "off") as service, service.connect() as slow:
        slow.sendall(post(b"{}")[:-1])
        time.sleep(0.3)
        began = time.monotonic()
        assert service.end() == 0
        assert time.monotonic() - began < 10


def test_several_workers_share_their_metrics(saved):
    """Any of them answers for all; all end together."""
    with Service(saved, "--workers", "2", "--log", "off") as service:
        for _ in range(60):
            assert service.post("/v1/count", {"text": "low"})[0] == 200
        name = 'bytepair_http_requests_total{endpoint="/v1/count",method="POST",status="200"}'
        wanted = {name: 60, "bytepair_http_requests_in_flight": 1, "bytepair_build_info": 1}
        for _ in range(50):  # a request is counted just after its answer
            found = {metric: service.metric(metric) for metric in wanted}
            if found == wanted:
                break
            time.sleep(0.1)
        assert found == wanted
        assert service.end() == 0


def test_a_worker_that_is_killed_is_replaced(saved):
    """Meanwhile the others answer, and its requests are forgotten."""
    with Service(saved, "--workers", "2", "--log", "off") as service:
        first, second = workers = service.workers()
        os.kill(first, signal.SIGKILL)
        until = time.monotonic() + 60
        while time.monotonic() < until:
            assert service.post("/v1/count", {"text": "low"})[0] == 200
            workers = service.workers()
            if len(workers) == 2 and first not in workers:
                break
            time.sleep(0.05)
        assert second in workers
        assert len(workers) == 2
        assert service.metric("bytepair_http_requests_in_flight") == 1
        assert service.end() == 0


def test_workers_end_with_the_process_that_started_them(saved):
    """Killed, it can tell them nothing; they must not keep the address."""
    with Service(saved, "--workers", "2", "--log", "off") as service:
        service.end(signal.SIGKILL)
        for _ in range(100):
            try:
                service.connect().close()
            except ConnectionError:
                return
            time.sleep(0.1)
        pytest.fail("somebody still listens")


def test_an_address_that_is_taken_is_said_so(saved, service):
    """One line, exit code 1."""
    command = [sys.executable, "-m", "bytepair", "serve", "-t", f"small={saved}"]
    done = subprocess.run(
        [*command, "--port", str(service.port)], capture_output=True, timeout=30, check=False
    )
    assert done.returncode == 1
    assert b"in use" in done.stderr
    assert b"Traceback" not in done.stderr


def test_without_a_tokenizer_it_serves_the_demos(tmp_path, tok):
    """`./demo-tokenizer` where there is one; the command always shows something."""
    tok.save(tmp_path / "demo-tokenizer")
    process = subprocess.Popen(
        [sys.executable, "-m", "bytepair", "serve", "--port", "0"],
        cwd=tmp_path, stderr=subprocess.PIPE,
    )  # fmt: skip
    first = json.loads(process.stderr.readline())
    process.terminate()
    process.communicate(timeout=30)
    assert first["tokenizers"] == ["demo"]
    assert process.returncode == 0
