"""Text as it becomes certain, over server-sent events."""

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bytepair.server import Settings, create_app
from serving import TEXT, Client


def events(body):
    """The data of each event."""
    return [
        json.loads(part.partition(b"data: ")[2]) if b"[DONE]" not in part else None
        for part in body.split(b"\n\n")
        if part
    ]


def test_a_row_of_ids_comes_as_events(client, tok):
    """The texts joined are the whole, the last says how many ids there were, then the end."""
    ids = tok.encode(TEXT * 3)
    answer = client.post("/v1/decode", {"ids": ids, "stream": True})
    assert answer.headers["content-type"].startswith("text/event-stream")
    *parts, last, done = events(answer.body)
    assert len(parts) > 1
    assert "".join(p["text"] for p in [*parts, last]) == TEXT * 3
    assert (last["n_tokens"], done) == (len(ids), None)


@pytest.mark.parametrize("skip", ["true", "false"])
def test_ids_can_come_one_by_one(client, tok, skip):
    """A line an id or several, in any pieces; special tokens kept or left out."""
    ids = tok.encode("a🌶b<|end|>é", allowed_special="all")
    lines = "".join(f"{token}\n" for token in ids[:-2]) + json.dumps(ids[-2:])
    pieces = [bytes([byte]) for byte in lines.encode()]
    path = f"/v1/decode?skip_special_tokens={skip}"
    answer = client._loop.run_until_complete(
        client.send("POST", path, pieces, content_type="application/x-ndjson")
    )
    texts = [event["text"] for event in events(answer.body) if event]
    assert "".join(texts) == tok.decode(ids, skip_special_tokens=skip == "true")
    assert not any("\ufffd" in text for text in texts)


def test_text_comes_before_the_last_id_has(client):
    """What is certain is sent at once: a model's words are read as it writes them."""
    app, seen = client.app, []

    async def run():
        ids: asyncio.Queue[bytes] = asyncio.Queue()
        texts: asyncio.Queue[bytes] = asyncio.Queue()

        async def receive():
            data = await ids.get()
            return {"type": "http.request", "body": data, "more_body": data != b""}

        async def send(message):
            if message.get("body"):
                await texts.put(message["body"])

        headers = [(b"host", b"localhost"), (b"content-type", b"application/x-ndjson")]
        scope = {"type": "http", "method": "POST", "path": "/v1/decode", "query_string": b"",
                 "headers": headers}  # fmt: skip
        task = asyncio.create_task(app(scope, receive, send))
        for letter in b"hi":
            await ids.put(b"%d\n" % letter)
            seen.append(events(await texts.get())[0]["text"])
        await ids.put(b"")
        await task

    client._loop.run_until_complete(asyncio.wait_for(run(), 5))
    assert seen == ["h", "i"]


def test_what_is_left_of_a_character_comes_at_the_end(client):
    """Generation stopped inside a character: it is reported, not lost."""
    answer = client.post("/v1/decode", {"ids": [97, 0xF0, 0x9F], "stream": True})
    assert [event["text"] for event in events(answer.body) if event] == ["a", "\ufffd"]


def test_only_new_text_comes_after_a_prompt(client):
    """A prompt that ends inside a character: the character comes, the prompt never."""
    *prompt, last = "Low 🌶".encode()
    answer = client.post("/v1/decode", {"ids": [last], "after": prompt, "stream": True})
    assert "".join(event["text"] for event in events(answer.body) if event) == "🌶"


def test_an_error_in_a_stream_is_an_event(client):
    """After the first text the status has gone out already."""
    answer = client._loop.run_until_complete(
        client.send(
            "POST", "/v1/decode", [b"97\n", b"77777\n"], content_type="application/x-ndjson"
        )
    )
    assert answer.status == 200
    assert b"event: error" in answer.body
    assert b"unknown_token" in answer.body
    first = client.request("POST", "/v1/decode", b"77777\n", content_type="application/x-ndjson")
    assert (first.status, first.code) == (400, "unknown_token")


def test_only_one_row_can_be_streamed(client):
    """Several would be mixed up."""
    assert client.post("/v1/decode", {"ids": [[1], [2]], "stream": True}).status == 400
    assert client.post("/v1/decode?x=1", {"ids": [1]}).status == 200


@pytest.fixture(scope="module")
def shared(tok):
    """One service for many examples."""
    app = create_app(Settings(log="off"), [("small", tok)])
    client = Client(app)
    yield client
    client.close()
    app.pool.close()


@given(st.lists(st.integers(0, 289)))
@settings(max_examples=100)
def test_any_ids_streamed_are_the_ids_decoded(shared, tok, ids):
    """Stray bytes in the middle, half characters, special tokens: joined it is `decode`."""
    answer = shared.post("/v1/decode", {"ids": ids, "stream": True})
    assert "".join(event["text"] for event in events(answer.body) if event) == tok.decode(ids)
