"""Who may ask, how much, and what becomes of requests that fail."""

import asyncio
import io
import json
import threading

import pytest

from bytepair.errors import ArgumentError
from bytepair.server import Settings, parse_tokenizer, read_settings
from serving import TEXT

BIG = {"text": TEXT * 1000}  # more than goes without a thread


def test_a_key_is_asked_for(make):
    """As a bearer token or in Anthropic's header; health, pages and their document are open."""
    client = make(api_key=("first", "second"))
    for headers in ({"authorization": "Bearer second"}, {"x_api_key": "first"},
                    {"authorization": "bearer first"}):  # fmt: skip
        assert client.post("/v1/count", {"text": "a"}, **headers).status == 200
    for headers in ({}, {"authorization": "Bearer firs"}, {"authorization": "Basic first"},
                    {"x_api_key": ""}, {"x_api_key": "first second"}):  # fmt: skip
        answer = client.post("/v1/count", {"text": "a"}, **headers)
        assert (answer.status, answer.code) == (401, "invalid_api_key")
        assert answer.headers["www-authenticate"] == "Bearer"
    assert client.get("/metrics").status == 401
    for path in ("/health", "/", "/docs", "/openapi.json"):
        assert client.get(path).status == 200


def test_every_key_is_compared_in_constant_time(make, monkeypatch):
    """No early end, by which a clock would tell that a key was nearly right."""
    import hmac

    seen = []
    real = hmac.compare_digest
    monkeypatch.setattr(hmac, "compare_digest", lambda a, b: (seen.append(b), real(a, b))[1])
    make(api_key=("one", "two", "three")).get("/v1/models", x_api_key="one")
    assert seen == [b"one", b"two", b"three"]


def test_other_sites_may_not_ask_unless_allowed(make):
    """CORS is off; a page of this very host may; an origin that is allowed gets its headers."""
    client = make()
    assert client.get("/v1/models", origin="https://evil.example").code == "origin"
    own = client.get("/v1/models", host="localhost:8000", origin="http://localhost:8000")
    assert own.status == 200
    assert "access-control-allow-origin" not in own.headers
    allowed = make(cors_origin=("https://good.example",))
    answer = allowed.get("/v1/models", origin="https://good.example")
    assert answer.headers["access-control-allow-origin"] == "https://good.example"
    preflight = allowed.request("OPTIONS", "/v1/encode", b"", origin="https://good.example")
    assert preflight.status == 204
    assert "POST" in preflight.headers["access-control-allow-methods"]
    assert allowed.get("/v1/models", origin="https://evil.example").status == 403


def test_on_the_loopback_it_answers_to_its_own_names_only(make):
    """A page whose name was made to mean 127.0.0.1 brings that name along."""
    client = make()
    for host in ("localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000"):
        assert client.get("/version", host=host).status == 200
    assert client.get("/version", host="evil.example").code == "host"
    assert make(allowed_host=("api.example",)).get("/version", host="api.example").status == 200
    assert make(host="0.0.0.0").get("/version", host="any.example").status == 200


def test_headers_keep_browsers_safe(client):
    """JSON is nothing else, pages take nothing from elsewhere and go into no frame."""
    assert client.get("/version").headers["x-content-type-options"] == "nosniff"
    page = client.get("/").headers
    assert "default-src 'self'" in page["content-security-policy"]
    assert page["x-frame-options"] == "DENY"


def test_paths_never_name_files(client):
    """What is served was read at the start."""
    for path in ("/../pyproject.toml", "/static/index.html", "/%2e%2e/x", "//etc/passwd", "/."):
        assert client.get(path).status == 404


def test_limits_of_size(make):
    """Of the body, declared or not; of a batch; of ids, in and out."""
    client = make(max_body=2000, max_batch=3, max_tokens=50)
    for answer in (
        client.post("/v1/count", {"text": "x" * 3000}),
        client.post("/v1/count", b"{}", content_length="9999999999"),
        client._loop.run_until_complete(client.send("POST", "/v1/count", [b"x" * 900] * 4)),
    ):
        assert (answer.status, answer.code) == (413, "body_too_large")
    assert client.post("/v1/encode", {"text": ["a"] * 4}).code == "batch_too_large"
    assert client.post("/v1/decode", {"ids": [97] * 51}).code == "too_many_tokens"
    assert client.post("/v1/encode", {"text": "!?" * 60}).code == "too_many_tokens"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "not_json"),
        (b"{", "not_json"),
        (b"\xff\xfe", "not_json"),
        (b'{"text": "\xff"}', "not_json"),
        (b"[]", "invalid_value"),
        (b"null", "invalid_value"),
        (b'{"text": 1}', "invalid_value"),
        (b'{"text": "a", "txet": "b"}', "invalid_value"),
        (b'{"text": NaN}', "not_json"),
        (b'{"text": "a", "allowed_special": "some"}', "invalid_value"),
        (b"[" * 100_000, "not_json"),
        (b'{"text":' + b"[" * 100_000, "invalid_value"),
    ],
)
def test_malformed_bodies_are_refused_in_openais_form(client, body, code):
    """Never a fault; the message says what was wrong."""
    answer = client.post("/v1/encode", body)
    assert answer.status == 400
    error = answer.json["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["type"] == "invalid_request_error"
    assert error["code"] in {code, "too_deep", "invalid_value"}


def test_unknown_paths_and_methods(client):
    """404 and 405 say where to look."""
    assert client.get("/nothing").code == "unknown_path"
    answer = client.get("/v1/encode")
    assert (answer.status, answer.headers["allow"]) == (405, "POST")


def test_a_full_queue_answers_429(make):
    """Instead of growing; small requests go on, and when there is room so do large ones."""
    client = make(threads=1, queue=1)
    gate = threading.Event()
    release = client.app.pool._executor.submit(gate.wait)
    client.app.pool._hold(1)

    async def both():
        first = asyncio.create_task(client.send("POST", "/v1/count", [json.dumps(BIG).encode()]))
        await asyncio.sleep(0)
        second = await client.send("POST", "/v1/count", [json.dumps(BIG).encode()])
        small = await client.send("POST", "/v1/count", [b'{"text":"a"}'])
        gate.set()
        return await first, second, small

    first, second, small = client._loop.run_until_complete(both())
    release.result()
    assert (second.status, second.code, second.headers["retry-after"]) == (429, "busy", "1")
    assert (first.status, small.status) == (200, 200)


def test_what_takes_too_long_is_given_up(make):
    """The client is told; the thread has its place until it ends."""
    client = make(threads=1, timeout=0.05)
    gate = threading.Event()
    client.app.pool._executor.submit(gate.wait)
    answer = client.post("/v1/count", BIG)
    gate.set()
    assert (answer.status, answer.code) == (503, "timeout")


def test_work_nobody_waits_for_is_not_begun(make):
    """A client that goes away while its request waits costs nothing more."""
    client = make(threads=1)
    gate, begun = threading.Event(), []
    client.app.pool._executor.submit(gate.wait)

    async def gone():
        return {"type": "http.disconnect"}

    async def run():
        from bytepair.server._pool import ClientGoneError

        with pytest.raises(ClientGoneError):
            await client.app.pool.run(begun.append, gone)
        gate.set()
        await asyncio.sleep(0.05)

    client._loop.run_until_complete(run())
    assert begun == []
    assert client.app.pool._n_held == 0


def test_a_fault_is_logged_without_texts_and_spares_the_rest(make):
    """The log tells kind and place; the client learns nothing of the inside."""
    log = io.BytesIO()
    client = make(log=log)
    served = client.app._by_path["/v1/count"]["POST"].function.__self__
    served._work = None
    answer = client.post("/v1/count", {"text": "my secret"})
    assert (answer.status, answer.code) == (500, "internal")
    assert client.get("/health").status == 200
    client._loop.run_until_complete(asyncio.sleep(0.1))
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    assert [line["event"] for line in lines] == ["fault", "request", "request"]
    assert lines[0]["kind"] == "AttributeError"
    assert "secret" not in log.getvalue().decode()


def test_the_log_says_what_matters(make):
    """Method, path, status, sizes; no text, no key."""
    log = io.BytesIO()
    client = make(log=log, api_key=("hush",))
    client.post("/v1/count", {"text": "private"}, x_api_key="hush")
    client.post("/secret-path?text=private", {"text": "private"}, x_api_key="wrong")
    client._loop.run_until_complete(asyncio.sleep(0.1))
    first, second = (json.loads(line) for line in log.getvalue().splitlines())
    assert (first["method"], first["path"], first["status"]) == ("POST", "/v1/count", 200)
    assert (second["path"], second["error"]) == ("other", "unknown_path")
    for word in (b"private", b"hush", b"wrong", b"secret"):
        assert word not in log.getvalue()


# ---------------------------------------------------------------------- templates from clients

MESSAGES = [{"role": "user", "content": "Low<|end|>"}]
OWN = "{% for m in messages %}<|user|>{{ m.content }}<|end|>{% endfor %}{{ extra }}"


def test_a_clients_template_gives_what_the_library_gives(make, tok):
    """Rendered elsewhere, with the same ids, and control tokens from the template alone."""
    client = make(request_templates=True, timeout=60)
    body = {"messages": MESSAGES, "chat_template": OWN, "chat_template_kwargs": {"extra": "é"}}
    wanted = tok.apply_chat_template(
        MESSAGES, chat_template=OWN, add_generation_prompt=True, extra="é"
    )
    assert client.post("/tokenize", body).json["tokens"] == wanted
    text = tok.apply_chat_template(MESSAGES, chat_template=OWN, tokenize=False, extra="é")
    assert client.post("/apply-template", body).json == {"prompt": text}


@pytest.mark.parametrize(
    "template",
    [
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{{ 'x' * 10**10 }}",
        "{{ ''.__class__.__mro__ }}",
        "{% include '/etc/passwd' %}",
        "{{ raise_exception('no') }}",
        "{% for",
    ],
)
def test_a_hostile_template_is_stopped(make, template):
    """Time, memory, Python, files: none of them is a template's."""
    client = make(request_templates=True, timeout=60)
    body = {"messages": MESSAGES, "chat_template": template}
    answer = client.post("/tokenize", body)
    assert (answer.status, answer.code) == (400, "chat_template")
    assert client.get("/health").status == 200


# ---------------------------------------------------------------------- settings


def test_options_go_before_environment_before_file(tmp_path):
    """Each place alone, and who wins."""
    file = tmp_path / "serve.toml"
    file.write_text(
        'port = 1\nworkers = 2\nqueue = 3\napi_key = "k"\n[tokenizers]\na = "x"\n',
        encoding="utf-8",
    )
    environment = {"BYTEPAIR_SERVE_PORT": "4", "BYTEPAIR_SERVE_QUEUE": "5"}
    found = read_settings({"queue": 6, "host": None}, environment, file)
    assert (found.port, found.workers, found.queue) == (4, 2, 6)
    assert (found.api_key, found.tokenizers) == (("k",), (("a", "x"),))
    assert found.host == "127.0.0.1"
    environment = {
        "BYTEPAIR_SERVE_CONFIG": str(file),
        "BYTEPAIR_SERVE_TOKENIZERS": "b=y,c/d.json",
        "BYTEPAIR_SERVE_REQUEST_TEMPLATES": "true",
    }
    found = read_settings({}, environment)
    assert found.tokenizers == (("b", "y"), ("d", "c/d.json"))
    assert (found.port, found.request_templates) == (1, True)


@pytest.mark.parametrize(
    ("environment", "file", "says"),
    [
        ({"BYTEPAIR_SERVE_PORT": "x"}, "", "BYTEPAIR_SERVE_PORT: wanted a number"),
        ({"BYTEPAIR_SERVE_PORT": "70000"}, "", "port must be from 0"),
        ({"BYTEPAIR_SERVE_REQUEST_TEMPLATES": "maybe"}, "", "wanted true or false"),
        ({}, "prot = 1", "'prot' is not known"),
        ({}, 'port = "8"', "port: wanted int"),
        ({}, "tokenizers = 3", "wanted a table"),
        ({}, "not toml", "cannot be read"),
        ({"BYTEPAIR_SERVE_DIALECT": "esperanto"}, "", "dialect must be one of"),
    ],
)
def test_wrong_settings_say_where(tmp_path, environment, file, says):
    """Which place, what was wanted."""
    path = tmp_path / "serve.toml"
    path.write_text(file, encoding="utf-8")
    with pytest.raises(ArgumentError, match=says):
        read_settings({}, environment, path)


def test_tokenizers_are_named_or_have_the_name_of_their_file():
    """What `--tokenizer` takes."""
    assert parse_tokenizer("a=b=c") == ("a", "b=c")
    with pytest.raises(ArgumentError, match="NAME=PATH"):
        parse_tokenizer("=x")
    assert Settings(host="::1").hosts == {"localhost", "127.0.0.1", "::1"}
