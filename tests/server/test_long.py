"""What is long in a body is read and written by other means: the same answers come."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bytepair.server import _long
from bytepair.server._errors import ApiError
from bytepair.server._long import AT_ONCE, Parts, Written, encode_long, in_parts
from serving import TEXT

IDS = st.lists(st.integers(0, 2**32 - 1))
VALUES = st.dictionaries(st.text(), st.text() | IDS | st.lists(st.text() | IDS))


@pytest.fixture
def tiny(monkeypatch):
    """Everything is long."""
    monkeypatch.setattr(_long, "_LONG_BODY", 1)
    monkeypatch.setattr(_long, "_LONG_PART", 8)


@given(value=VALUES, escaped=st.booleans())
@settings(max_examples=200)
def test_what_is_put_back_is_what_was_sent(value, escaped):
    """Wherever in the body it stands; tests/parity/test_json_text.py is about what is found."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_long, "_LONG_BODY", 1)
        patch.setattr(_long, "_LONG_PART", 8)
        value = json.loads(json.dumps(value))
        parts = Parts(json.dumps(value, ensure_ascii=escaped).encode())
        assert parts.put_back(json.loads(parts.short)) == value


@pytest.mark.usefixtures("tiny")
def test_what_is_read_can_stay_as_it_is():
    """Bytes and arrays, which no other request has to wait for."""
    parts = Parts(b'{"a": "0123456789", "b": [1, 2, 3], "c": "short"}')
    found = parts.put_back(json.loads(parts.short), as_read=True)
    assert found["a"] == b"0123456789"
    assert found["b"].tolist() == [1, 2, 3]
    assert found["c"] == "short"


@pytest.mark.usefixtures("tiny")
def test_a_body_of_very_many_small_things_is_refused(monkeypatch):
    """Objects of Python's for each of them would hold up everybody."""
    monkeypatch.setattr(_long, "_MOST_VALUES", 20)
    with pytest.raises(ApiError, match="more than 20 strings") as caught:
        Parts(b"[" * 21)
    assert (caught.value.status, caught.value.code) == (400, "too_many_values")


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("body", [b'{"a": "0123456789', b'{"a": "01\x0123456789"}'])
def test_a_long_string_that_is_none_is_refused(body):
    """At once."""
    with pytest.raises(ApiError, match="not JSON") as caught:
        Parts(body)
    assert caught.value.code == "not_json"


def test_what_is_written_already_stands_in_its_place():
    """Not copied, between what is not."""
    first, second = Written(b"[1,2]"), Written(b'"\\u0000"')
    pieces = encode_long({"a": first, "b": 'x\x00"', "c": [second, 3]})
    assert b"".join(pieces) == b'{"a":[1,2],"b":"x\\u0000\\"","c":["\\u0000",3]}'
    assert first.json in pieces
    assert second.json in pieces


@given(st.lists(st.integers(0, 2 * AT_ONCE + 5) | st.integers(0, 9), max_size=6))
@settings(max_examples=50)
def test_pieces_are_sent_a_little_at_a_time(sizes):
    """Whatever their sizes, the bytes are the same."""
    pieces = [bytes([number]) * size for number, size in enumerate(sizes)]
    parts = list(in_parts(pieces))
    assert b"".join(parts) == b"".join(pieces)
    assert max(map(len, parts)) <= AT_ONCE


LONG = TEXT * 3000  # characters of every length


@pytest.mark.parametrize("text", [LONG, "a" + LONG, LONG.replace(" ", "\u3000")])
def test_long_texts_have_the_librarys_answers(client, tok, text):
    """By each endpoint that takes them as they were read."""
    assert client.post("/v1/encode", {"text": text}).json["ids"] == tok.encode(text)
    count = client.post("/v1/count", {"text": [text, "low"]}).json
    assert count["n_tokens"] == [tok.count(text), tok.count("low")]
    assert count["n_bytes"] == [len(text.encode()), 3]
    found = client.post("/v1/inspect", {"text": text, "columns": True}).json
    assert (found["n_characters"], found["n_words"]) == (len(text), len(text.split()))
    assert found["ids"] == tok.encode(text)


def test_long_texts_have_offsets_in_characters(client, tok):
    """Not in the bytes as which they were read."""
    answer = client.post("/v1/encode", {"text": LONG, "offsets": True}).json
    ids, places = tok.encode_with_offsets(LONG)
    assert (answer["ids"], [tuple(pair) for pair in answer["offsets"]]) == (ids, places)


@pytest.mark.parametrize("cut", [0, 1], ids=["text", "half a character"])
def test_long_rows_of_ids_have_the_librarys_answers(client, tok, cut):
    """By each endpoint that decodes; one that ends within a character is written otherwise."""
    ids = tok.encode(LONG + "é") * 2
    ids = ids[: len(ids) - cut]
    text = tok.decode(ids)
    for path, body, get in (
        ("/v1/decode", {"ids": ids}, lambda j: j["text"]),
        ("/v1/decode", {"ids": [ids, [108]]}, lambda j: j["text"][0]),
        ("/detokenize", {"tokens": ids}, lambda j: j["content"]),
        ("/detokenize", {"tokens": ids, "model": "small"}, lambda j: j["prompt"]),
        ("/decode", {"ids": ids}, lambda j: j[0]),
        ("/v1/inspect", {"ids": ids}, lambda j: "".join(p["text"] or "" for p in j["pieces"])[:9]),
    ):
        wanted = text[:9] if path == "/v1/inspect" else text
        assert get(client.post(path, body).json) == wanted, path


def test_long_rows_can_be_streamed(client, tok):
    """And come `after` others."""
    ids = tok.encode(LONG)
    events = client.post("/v1/decode", {"ids": ids, "after": ids, "stream": True}).body
    texts = [json.loads(line[6:]) for line in events.splitlines() if line.startswith(b"data: {")]
    assert "".join(event["text"] for event in texts) == LONG


@pytest.mark.parametrize("content", [[7] * 90_000, ["low", *[7] * 90_000]], ids=["ids", "both"])
def test_long_content_of_llama_cpp_can_be_ids(client, content):
    """Which stand for themselves."""
    assert client.post("/tokenize", {"content": content}).json["tokens"][-90_000:] == [7] * 90_000


def test_ids_that_are_none_are_refused_in_a_long_row_too(client):
    """With their position."""
    answer = client.post("/v1/decode", {"ids": [97] * 90_000 + [4_000_000_000]})
    assert (answer.status, answer.code) == (400, "unknown_token")
    assert "90000" in answer.json["error"]["message"]
