"""What the page asks: tokens, vocabularies, prefixes, training, pruning, uploads."""

import json

import pytest

import bytepair
from bytepair.evaluation import parallel_texts, read_prices
from bytepair.formats import huggingface_json
from serving import TEXT


def test_a_tokens_card_is_its_merge_tree(client, tok):
    """Parts in the order of reading, as deep as the library draws them."""
    token = tok.encode("lowest")[0]
    answer = client.post("/v1/token", {"id": token}).json
    rows = [(len(drawn) // 3, tree.id) for drawn, tree in tok.merge_tree(token).rows()]
    assert [(row["depth"], row["id"]) for row in answer["tree"]] == rows
    assert bytes.fromhex(answer["token"]["bytes"]) == tok.decode_single_token_bytes(token)
    assert answer["token"]["rank"] == tok.merge_tree(token).rank
    beside = [row["id"] for row in answer["neighbours"]]
    assert beside == [i for i in range(token - 5, token + 6) if i != token]
    assert client.post("/v1/token", {"id": 290}).code == "unknown_token"


def test_tokens_are_found_by_what_they_hold(client, tok):
    """By bytes, length, script and kind; in pages, in three orders."""
    every = {**tok.spec.vocabulary.tokens, **{i: c.encode() for c, i in tok.special_tokens.items()}}

    def ask(**wanted):
        answer = client.post("/v1/vocabulary", {"limit": 1000, **wanted}).json
        assert answer["total"] == len(answer["tokens"])
        return [row["id"] for row in answer["tokens"]]

    assert ask() == sorted(every)
    assert ask(search="ow") == [i for i in sorted(every) if b"ow" in every[i]]
    assert ask(shortest=3) == [i for i in sorted(every) if len(every[i]) >= 3]
    assert ask(longest=1) == list(range(256))
    assert set(ask(only_special=True)) == set(tok.special_tokens.values())
    assert ask(script="greek") == [
        i for i in sorted(every) if any("α" <= c <= "ω" for c in every[i].decode("utf-8", "ignore"))
    ]
    assert len(every[ask(order="length")[0]]) == max(map(len, every.values()))
    assert ask(order="rank")[0] == tok.spec.merges.joined[0]
    page = client.post("/v1/vocabulary", {"offset": 250, "limit": 3}).json
    assert [row["id"] for row in page["tokens"]] == [250, 251, 252]


def test_prefix_is_the_librarys(client, tok):
    """For each size of a block."""
    first, second = TEXT * 3, TEXT * 2 + "other"
    answer = client.post("/v1/prefix", {"first": first, "second": second, "sizes": [1, 16]}).json
    assert answer["shared"] == tok.shared_prefix(first, second)
    for cache in answer["caches"]:
        blocks = tok.cache_blocks(first, second, cache["size"])
        assert (cache["blocks"], cache["reused"]) == (blocks.blocks, blocks.reused)
        assert cache["computed"] == blocks.computed


def test_training_gives_the_merges_that_train_learns(client):
    """In order, with how often each pair occurred."""
    merges = client.post("/v1/train", {"text": TEXT * 3, "n_merges": 9}).json["merges"]
    learned = bytepair.train([TEXT * 3], vocab_size=265, special_tokens=[])
    contents = learned.spec.vocabulary.tokens
    assert [(bytes.fromhex(m["left"]), bytes.fromhex(m["right"]), m["id"]) for m in merges] == [
        (contents[left], contents[right], joined) for left, right, joined, _ in learned.merges
    ]
    assert [m["count"] for m in merges] == [*learned.spec.training.merge_counts]
    assert client.post("/v1/train", {"text": ""}).status == 400


@pytest.mark.parametrize("strategy", ["leaves", "whole-words", "residues"])
def test_pruning_gives_the_report_of_prune(client, tok, strategy):
    """What goes first and what it costs: a slider adds the costs up."""
    body = {"text": TEXT * 3, "vocab_size": 280, "strategy": strategy}
    answer = client.post("/v1/prune", body)
    if answer.status == 400:  # the library refuses the strategy for this tokenizer
        with pytest.raises(bytepair.BytepairError):
            tok.prune([TEXT * 3], vocab_size=280, strategy=strategy)
        return
    report = tok.prune([TEXT * 3], vocab_size=280, strategy=strategy).report
    assert answer.json["removed"] == [token.id for token in report.removed]
    assert answer.json["costs"] == [token.cost for token in report.removed]
    after = answer.json["n_tokens"] + sum(answer.json["costs"])
    assert after == report.corpus.tokens_after


def test_languages_and_prices_are_those_that_come_along(client):
    """Shipped with the library, and nothing of the operator's."""
    languages = client.get("/v1/languages").json["languages"]
    assert [row["code"] for row in languages] == [text.code for text in parallel_texts()]
    assert client.get("/v1/prices").json["per_million_tokens"] == read_prices().by_name


@pytest.mark.parametrize("pattern", ["(a+)+$", "(", "[a-z]+", "gpt-2 "])
@pytest.mark.parametrize("path", ["/v1/train", "/v1/pretokens"])
def test_clients_bring_no_pattern_of_their_own(client, path, pattern):
    """One that tracks back takes for ever, and the thread with it; the named ones do not."""
    answer = client.post(path, {"text": "a" * 40 + "b", "pattern": pattern})
    assert (answer.status, answer.json["error"]["param"]) == (400, "pattern")
    assert "o200k" in answer.json["error"]["message"]
    assert client.post(path, {"text": "a" * 40 + "b", "pattern": "gpt2"}).status == 200


@pytest.mark.parametrize("part", ["pre_tokenizer", "normalizer"])
def test_an_upload_brings_no_pattern_that_may_take_for_ever(make, tok, part):
    """In a splitter or in a normaliser."""
    file = json.loads(huggingface_json(tok.spec))
    regex = {"pattern": {"Regex": "(a+)+b(?!cd)"}}
    if part == "normalizer":
        file[part] = {"type": "Replace", "content": "", **regex}
    else:
        split = next(step for step in file[part]["pretokenizers"] if step["type"] == "Split")
        split.update(regex)
    answer = make(uploads=1).post("/v1/tokenizers", json.dumps(file).encode())
    assert (answer.status, answer.code) == (400, "pattern"), answer.body


def test_uploads_are_off_unless_allowed_and_few(make, tok, other):
    """In memory only; the oldest goes; names of clients never become labels of metrics."""
    files = [huggingface_json(t.spec) for t in (tok, other)]
    assert make().post("/v1/tokenizers", files[0]).code == "uploads_off"
    client = make(uploads=1)
    names = [client.post("/v1/tokenizers", file).json["name"] for file in files]
    body = {"text": TEXT, "tokenizer": names[1]}
    assert client.post("/v1/encode", body).json["ids"] == other.encode(TEXT)
    assert client.post("/v1/encode", {**body, "tokenizer": names[0]}).status == 404
    assert names[1] not in client.get("/metrics").body.decode()
    assert client.post("/v1/tokenizers", b"{}").status == 400
