"""What Prometheus gets is what the training did."""

import http.server
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

import bytepair
from bytepair.errors import ArgumentError, BytepairWarning, MissingExtraError, SaveError
from bytepair.model import Progress
from bytepair.monitoring import TrainingMetrics

CORPUS = ["low lower lowest newer newest wider widest " * 40]


def values(text: str) -> dict[str, float]:
    """Samples by name and labels, as Prometheus' own parser reads them."""
    samples = (s for family in text_string_to_metric_families(text) for s in family.samples)
    return {s.name + "".join(f"/{v}" for v in s.labels.values()): s.value for s in samples}


@pytest.fixture
def every_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Callbacks and files at every moment."""
    monkeypatch.setattr("bytepair.model._progress._INTERVAL_S", 0)
    monkeypatch.setattr("bytepair.monitoring._training._INTERVAL_S", 0)


@pytest.mark.usefixtures("every_moment")
def test_a_file_tells_what_was_learned_from_what(tmp_path: Path) -> None:
    """Oracle: the training record."""
    file = tmp_path / "train.prom"
    seen: list[Progress] = []
    with TrainingMetrics(file=file, also=seen.append) as metrics:
        tokenizer = bytepair.train(CORPUS, vocab_size=270, progress=metrics)
    found = values(file.read_text(encoding="utf-8"))
    record = tokenizer.spec.training
    assert record is not None
    assert found["bytepair_train_corpus_bytes_total"] == record.corpus_bytes
    assert found["bytepair_train_words"] == record.distinct_pretokens
    assert found["bytepair_train_merges_total"] == len(tokenizer.merges) == seen[-1].done
    assert found["bytepair_train_tokens_remaining"] == 0
    assert found["bytepair_train_live_pairs"] > 0
    assert found["bytepair_train_queue_pairs"] >= found["bytepair_train_live_pairs"]
    assert "bytepair_train_checkpoint_age_seconds" not in found
    assert {"bytepair_train_stage_seconds/count", "bytepair_train_stage_seconds/learn"} < set(found)


def test_the_histogram_holds_every_merge_between_two_moments(monkeypatch) -> None:
    """Ten merges in 0.05 s are 5 ms each: they are at most 10 ms, and not at most 3 ms."""
    now = [1.0]
    monkeypatch.setattr("bytepair.monitoring._training.monotonic", lambda: now[0])
    metrics = TrainingMetrics()
    metrics(Progress("learn", 5, 30, "merges"))
    now[0] = 1.05
    metrics(Progress("learn", 15, 30, "merges"))
    sample = metrics.registry.get_sample_value
    assert sample("bytepair_train_merge_seconds_count") == 10
    buckets = {le: sample("bytepair_train_merge_seconds_bucket", {"le": le}) for le in BUCKETS}
    assert buckets == {"0.003": 0, "0.01": 10, "+Inf": 10}


BUCKETS = ("0.003", "0.01", "+Inf")


def test_a_port_serves_the_same() -> None:
    """Only to this machine; closed when the work is done."""
    with TrainingMetrics(port=0) as metrics:
        bytepair.train(CORPUS, vocab_size=262, progress=metrics)
        url = f"http://127.0.0.1:{metrics.port}/metrics"
        with urllib.request.urlopen(url, timeout=10) as answer:
            found = values(answer.read().decode())
        with (
            pytest.raises(SaveError, match="cannot serve metrics there"),
            TrainingMetrics(port=metrics.port),
        ):
            pass
    assert found["bytepair_train_merges_total"] == 5
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(url, timeout=10)


@pytest.fixture
def gateway() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """A pushgateway that remembers what it got."""
    got: list[tuple[str, bytes]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            got.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(202)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", got
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_gateway_gets_the_last_moment(gateway) -> None:
    """Of a batch job nothing else is left when it is over."""
    url, got = gateway
    with TrainingMetrics(push=url) as metrics:
        bytepair.train(CORPUS, vocab_size=262, progress=metrics)
    path, body = got[-1]
    assert path == "/metrics/job/bytepair_train"
    assert values(body.decode())["bytepair_train_merges_total"] == 5


@pytest.mark.usefixtures("every_moment")
def test_a_gateway_that_is_gone_is_one_warning() -> None:
    """A week-long training does not end because nobody watches it."""
    with (
        pytest.warns(BytepairWarning, match="cannot be pushed there") as caught,
        TrainingMetrics(push="http://127.0.0.1:9") as metrics,
    ):
        tokenizer = bytepair.train(CORPUS, vocab_size=262, progress=metrics)
    assert (len(caught), tokenizer.vocab_size) == (1, 262)


@pytest.mark.usefixtures("every_moment")
def test_the_age_of_a_checkpoint_is_told(tmp_path: Path) -> None:
    """How much work a power cut would cost."""
    metrics = TrainingMetrics()
    bytepair.train(CORPUS, vocab_size=262, progress=metrics, checkpoint=tmp_path / "checkpoint")
    age = metrics.registry.get_sample_value("bytepair_train_checkpoint_age_seconds")
    assert age is not None
    assert 0 <= age < 60


def test_what_cannot_be_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name the collector ignores, a folder that is not there, a package that is missing."""
    with pytest.raises(ArgumentError, match=r"only reads names in \.prom"):
        TrainingMetrics(file=tmp_path / "metrics.txt")
    with pytest.raises(SaveError, match="No such file"):
        TrainingMetrics(file=tmp_path / "none" / "a.prom")(Progress("count", 1, 2, "bytes"))
    monkeypatch.setitem(__import__("sys").modules, "prometheus_client", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'bytepair\[metrics\]'"):
        TrainingMetrics()
