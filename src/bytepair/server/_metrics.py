"""What Prometheus is told. Names follow https://prometheus.io/docs/practices/naming/."""

import os
from pathlib import Path
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

import bytepair
from bytepair import Tokenizer

# When a series began: as many series again, which nobody asks for.
disable_created_metrics()  # type: ignore[no-untyped-call]  # prometheus_client's

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_MULTI = "PROMETHEUS_MULTIPROC_DIR"
_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_CORE_SECONDS = (0.00001, 0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3)
_TOKENS = tuple(4**power for power in range(12))


class OfTokenizer:
    """The series of one tokenizer, looked up once."""

    def __init__(self, metrics: "Metrics", name: str) -> None:
        self.texts = metrics.texts.labels(name)
        self.bytes = metrics.bytes.labels(name)
        self.tokens = metrics.tokens.labels(name)
        self.decoded = metrics.decoded.labels(name)
        self.seconds = metrics.encode_seconds.labels(name)
        self.request_tokens = metrics.request_tokens.labels(name)
        self.hits = metrics.hits.labels(name)
        self.misses = metrics.misses.labels(name)

    def encoded(self, n_texts: int, n_bytes: int, n_tokens: int, seconds: float) -> None:
        """Texts became tokens, in so many seconds of the core."""
        self.texts.inc(n_texts)
        self.bytes.inc(n_bytes)
        self.tokens.inc(n_tokens)
        self.seconds.observe(seconds)
        self.request_tokens.observe(n_tokens)


class Metrics:
    """The service's series.

    Where several processes serve (`PROMETHEUS_MULTIPROC_DIR` is set before this package is
    imported) each answers for all of them; the series of the process itself are then left out.
    """

    def __init__(self) -> None:
        registry = self._own = CollectorRegistry()
        self.requests = Counter(
            "bytepair_http_requests_total",
            "Requests that were answered.",
            ["endpoint", "method", "status"],
            registry=registry,
        )
        self.duration = Histogram(
            "bytepair_http_request_duration_seconds",
            "From the first byte of a request's head to the last of its answer.",
            ["endpoint"],
            buckets=_SECONDS,
            registry=registry,
        )
        self.in_flight = Gauge(
            "bytepair_http_requests_in_flight",
            "Requests being answered now.",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self.queued = Gauge(
            "bytepair_queued_requests",
            "Large requests that have a thread or wait for one.",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self.errors = Counter(
            "bytepair_errors_total", "Requests that failed, by kind.", ["kind"], registry=registry
        )
        self._make_work(registry)
        self._make_info(registry)
        self._registry = _answering(registry)

    def _make_work(self, registry: CollectorRegistry) -> None:
        def counter(name: str, text: str) -> Counter:
            return Counter(f"bytepair_{name}_total", text, ["tokenizer"], registry=registry)

        self.texts = counter("encoded_texts", "Texts encoded or counted.")
        self.bytes = counter("encoded_bytes", "Bytes of UTF-8 encoded or counted.")
        self.tokens = counter("encoded_tokens", "Tokens that texts became.")
        self.decoded = counter("decoded_tokens", "Tokens that became text.")
        self.hits = counter("cache_hits", "Stretches of conversations that were known.")
        self.misses = counter("cache_misses", "Stretches of conversations that were not known.")
        self.encode_seconds = Histogram(
            "bytepair_encode_seconds",
            "Time in the core, of one request.",
            ["tokenizer"],
            buckets=_CORE_SECONDS,
            registry=registry,
        )
        self.request_tokens = Histogram(
            "bytepair_request_tokens",
            "Tokens of one request's texts.",
            ["tokenizer"],
            buckets=_TOKENS,
            registry=registry,
        )

    def _make_info(self, registry: CollectorRegistry) -> None:
        self._build = Gauge(
            "bytepair_build_info",
            "Which version runs on which engine.",
            ["version", "backend"],
            registry=registry,
            multiprocess_mode="max",
        )
        self._tokenizer = Gauge(
            "bytepair_tokenizer_info",
            "The tokenizers that are served.",
            ["tokenizer", "vocab_size", "sha256"],
            registry=registry,
            multiprocess_mode="max",
        )
        self._build.labels(bytepair.__version__, bytepair.engine()).set(1)

    def of(self, name: str, tokenizer: Tokenizer, sha256: str) -> OfTokenizer:
        """The series of a tokenizer, which now exist."""
        self._tokenizer.labels(name, str(tokenizer.vocab_size), sha256).set(1)
        return OfTokenizer(self, name)

    def page(self) -> bytes:
        """What a scrape gets."""
        _forget_dead_processes()
        return generate_latest(self._registry)


def _answering(own: CollectorRegistry) -> CollectorRegistry:
    if _MULTI not in os.environ:
        ProcessCollector(registry=own)
        PlatformCollector(registry=own)
        return own
    every = CollectorRegistry()
    MultiProcessCollector(every)  # type: ignore[no-untyped-call]  # prometheus_client's
    return every


def _forget_dead_processes() -> None:
    """Gauges count living workers only; one that was killed could not sign off."""
    folder = os.environ.get(_MULTI)
    for file in Path(folder).glob("gauge_live*_*.db") if folder else ():
        pid = int(file.stem.rpartition("_")[2])
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            mark_process_dead(pid)  # type: ignore[no-untyped-call]  # prometheus_client's
