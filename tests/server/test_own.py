"""Our own API gives what the Python API gives."""

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bytepair import evaluation
from bytepair.server import Settings, create_app
from serving import TEXT, Client

TEXTS = ["", "Low lowest", TEXT, "<|end|>Low<|user|>", "\U0001f336\ufe0f", "\x00\ufffd", TEXT * 400]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
@pytest.mark.parametrize("allowed", ["all", [], ["<|end|>"]], ids=str)
def test_encode_is_the_tokenizers_encode(client, tok, text, allowed):
    """One text, short or long enough for a thread, with all, no, or some special tokens."""
    answer = client.post("/v1/encode", {"text": text, "allowed_special": allowed}).json
    wanted = tok.encode(
        text,
        allowed_special=allowed if allowed == "all" else set(allowed),
        disallowed_special=(),
    )
    assert answer == {"tokenizer": "small", "ids": wanted, "n_tokens": len(wanted)}


@pytest.mark.parametrize("side", ["left", "right"])
def test_encode_takes_the_options_of_the_tokenizer(client, tok, side):
    """Truncation and the tokens around a text."""
    options = {"add_special_tokens": True, "max_length": 7, "truncation_side": side}
    answer = client.post("/v1/encode", {"text": TEXT, **options}).json
    assert answer["ids"] == tok.encode(TEXT, **options)


def test_encode_of_several_texts_has_a_row_for_each(client, other):
    """A list in, a list out, of the tokenizer that was named."""
    texts = [TEXT, "", "low", TEXT * 300]
    body = {"text": texts, "tokenizer": "other"}
    answer = client.post("/v1/encode", body).json
    assert answer["ids"] == other.encode_batch(texts)
    assert answer["n_tokens"] == [len(row) for row in answer["ids"]]
    assert client.post("/v1/encode", {"text": []}).json["ids"] == []


def test_encode_with_offsets(client, tok):
    """Places are in characters, as in Python."""
    answer = client.post("/v1/encode", {"text": TEXT, "offsets": True}).json
    ids, offsets = tok.encode_with_offsets(TEXT, disallowed_special=())
    assert answer["ids"] == ids
    assert [tuple(place) for place in answer["offsets"]] == offsets


def test_a_disallowed_special_token_names_the_text(client):
    """The caller of a batch must learn which text it was."""
    texts = ["low", "a <|end|>"]
    answer = client.post("/v1/encode", {"text": texts, "disallowed_special": "all"})
    assert (answer.status, answer.code) == (400, "special_token")
    assert answer.json["error"]["param"] == "text[1]"


@pytest.mark.parametrize("skip", [False, True])
def test_decode_is_the_tokenizers_decode(client, tok, skip):
    """One row and several, special tokens kept or left out."""
    ids = tok.encode(TEXT + "<|end|>", allowed_special="all")
    wanted = tok.decode(ids, skip_special_tokens=skip)
    options = {"skip_special_tokens": skip}
    assert client.post("/v1/decode", {"ids": ids, **options}).json["text"] == wanted
    rows = client.post("/v1/decode", {"ids": [ids, []], **options}).json["text"]
    assert rows == [wanted, ""]


def test_half_a_character_is_as_errors_says(client):
    """Never a fault of the service: the replacement character, nothing, or a refusal."""
    half = {"ids": [0xF0, 0x9F]}
    assert client.post("/v1/decode", half).json["text"] == "\ufffd"
    assert client.post("/v1/decode", {**half, "errors": "ignore"}).json["text"] == ""
    assert client.post("/v1/decode", {**half, "errors": "strict"}).code == "not_utf8"


def test_an_unknown_id_is_refused_with_its_position(client):
    """A gap of the vocabulary, and numbers that no vocabulary has."""
    for token in (5_000, 2**40, -1):
        answer = client.post("/v1/decode", {"ids": [97, token]})
        assert answer.status == 400
        assert str(token) in answer.json["error"]["message"]


def test_half_a_surrogate_pair_is_a_replacement_character(client, tok):
    """What Python's JSON and JavaScript's can send, and the library knows as U+FFFD."""
    answer = client.post("/v1/encode", b'{"text": "a\\ud83d"}')
    assert answer.json["ids"] == tok.encode("a\ufffd")


def test_count_is_the_tokenizers_count(client, tok):
    """Tokens, and bytes of UTF-8."""
    answer = client.post("/v1/count", {"text": [TEXT, "<|end|>"]}).json
    assert answer["n_tokens"] == tok.count_batch([TEXT, "<|end|>"])
    assert answer["n_bytes"] == [len(TEXT.encode()), 7]
    one = client.post("/v1/count", {"text": "<|end|>", "allowed_special": "all"}).json
    assert (one["n_tokens"], one["n_bytes"]) == (1, 7)


def test_inspect_is_the_tokenizers_inspect(client, tok):
    """Each token with its bytes and place; the same as columns, and from ids alone."""
    pieces = tok.inspect(TEXT).pieces
    answer = client.post("/v1/inspect", {"text": TEXT}).json
    assert [bytes.fromhex(piece["bytes"]) for piece in answer["pieces"]] == [p.data for p in pieces]
    for name in ("id", "text", "start", "end", "special"):
        assert [piece[name] for piece in answer["pieces"]] == [getattr(p, name) for p in pieces]
    columns = client.post("/v1/inspect", {"text": TEXT, "columns": True}).json
    assert columns["ids"] == [p.id for p in pieces]
    assert columns["ends"] == [p.end for p in pieces]
    again = client.post("/v1/inspect", {"ids": columns["ids"]}).json
    assert again["pieces"] == answer["pieces"]
    assert answer["n_characters"] == len(TEXT)


def test_explain_is_the_tokenizers_explain(client, tok):
    """All merges, where they stopped, and what would be elsewhere."""
    found = tok.explain("lowest <|end|>").words
    words = client.post("/v1/explain", {"text": "lowest <|end|>"}).json["words"]
    assert [[s["rank"] for s in w["steps"]] for w in words] == [
        [s.rank for s in w.steps] for w in found
    ]
    assert [w["how"] for w in words] == [w.how for w in found]
    assert [[s["token"] for s in w["stops"]] for w in words] == [
        [s.token for s in w.stops] for w in found
    ]
    assert [w["elsewhere"] for w in words] == [list(w.elsewhere) for w in found]


def test_compare_is_the_librarys_compare(client, tok, other):
    """Figures, parity and differences; what no number is, is null."""
    rows = client.post("/v1/compare", {"text": TEXT}).json["rows"]
    wanted = evaluation.compare([tok, other], [TEXT.encode()]).rows
    for row, theirs in zip(rows, wanted, strict=True):
        figures = theirs.metrics.figures()
        finite = {k: v if math.isfinite(v) else None for k, v in figures.items()}
        assert row["figures"] == pytest.approx(finite)
        assert row["parity"] == pytest.approx(theirs.parity)
    chosen = client.post("/v1/compare", {"text": TEXT, "tokenizers": ["other"]}).json["rows"]
    assert [row["tokenizer"] for row in chosen] == ["other"]


def test_a_text_is_never_taken_for_the_name_of_a_file(client):
    """`evaluation.compare` and `train` read files that strings name; a client's never may."""
    name = str(Path(__file__).resolve())
    figures = client.post("/v1/compare", {"text": name}).json["rows"][0]["figures"]
    assert figures["bytes"] == len(name)
    body = {"text": "/a" * 9, "n_merges": 1, "pattern": None}
    assert client.post("/v1/train", body).json["merges"][0]["count"] == 9
    pruned = client.post("/v1/prune", {"text": name})
    assert pruned.json.get("n_tokens", 0) < 100


def test_tokenizers_are_listed_with_the_default_first(client, tok):
    """What a client must know to choose one."""
    first, second = client.get("/v1/tokenizers").json["tokenizers"]
    assert (first["name"], first["is_default"], second["is_default"]) == ("small", True, False)
    assert first["special_tokens"] == tok.special_tokens
    assert (first["vocab_size"], first["n_vocab"]) == (tok.vocab_size, tok.n_vocab)
    assert first["chat_templates"] == ["default"]
    assert len(first["sha256"]) == 64
    assert first["sha256"] != second["sha256"]


@pytest.fixture(scope="module")
def shared(tok):
    """One service for many examples."""
    app = create_app(Settings(log="off"), [("small", tok)])
    client = Client(app)
    yield client
    client.close()
    app.pool.close()


@given(st.text(), st.booleans())
@settings(max_examples=100)
def test_any_text_comes_back(shared, text, escaped):
    """Whatever JSON can say, raw or escaped, goes to ids and back."""
    import json

    body = json.dumps({"text": text}, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    ids = shared.post("/v1/encode", body).json["ids"]
    assert shared.post("/v1/decode", {"ids": ids}).json["text"] == text
