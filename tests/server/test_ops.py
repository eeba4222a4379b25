"""A real Prometheus scrapes a real service under load: metrics, dashboard and alerts are right.

Grafana itself is not run: the dashboard is held against the types that are made of its schema.
"""

import http.server
import json
import math
import os
import re
import shutil
import socket
import subprocess
import threading
import time
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
import yaml
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

from processes import Service, raw
from serving import TEXT

pytestmark = pytest.mark.native_only
OPS = Path(__file__).parents[2] / "ops"
DASHBOARD = json.loads((OPS / "grafana/dashboard.json").read_text(encoding="utf-8"))
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
QUERIES = [(p["title"], target["expr"]) for p in PANELS for target in p["targets"]]
LOAD_S = 7.0
# What `bytepair train --metrics-port` serves, a moment of it.
TRAINING = """\
bytepair_train_corpus_bytes_total {n}
bytepair_train_words 500
bytepair_train_merges_total {n}
bytepair_train_merge_seconds_bucket{{le="0.001"}} {n}
bytepair_train_merge_seconds_bucket{{le="+Inf"}} {n}
bytepair_train_merge_seconds_count {n}
bytepair_train_merge_seconds_sum {n}
bytepair_train_queue_pairs 70
bytepair_train_live_pairs 60
bytepair_train_tokens_remaining 1000
bytepair_train_checkpoint_age_seconds 3
bytepair_train_stage_seconds{{stage="learn"}} 9
"""


def installed(name):
    """The program. Where it must be there (`.ci/run` says so) its lack is a failure."""
    path = shutil.which(name)
    if path is None and os.environ.get("BYTEPAIR_PROMETHEUS") != "required":
        pytest.skip(f"{name} is not installed: on Debian `apt-get install prometheus`")
    assert path, f"{name} is not installed"
    return path


class Trainer(http.server.BaseHTTPRequestHandler):
    """Stands in for a training."""

    def do_GET(self):
        body = TRAINING.format(n=int(time.monotonic() * 100)).encode()
        self.send_response(200)
        self.send_header("content-type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Nothing."""


class Prometheus:
    """A Prometheus with the configuration of `ops/`, for these targets."""

    def __init__(self, folder, targets):
        config = (OPS / "prometheus/prometheus.yml").read_text(encoding="utf-8")
        for name, address in targets.items():
            assert name in config
            config = config.replace(name, address)
        config = re.sub(r"interval: 15s", "interval: 1s", config)
        (folder / "prometheus.yml").write_text(config, encoding="utf-8")
        shutil.copy(OPS / "prometheus/alerts.yml", folder)
        with socket.create_server(("127.0.0.1", 0)) as free:
            address = f"127.0.0.1:{free.getsockname()[1]}"
        self.url = f"http://{address}"
        self.process = subprocess.Popen(
            [installed("prometheus"), f"--config.file={folder}/prometheus.yml",
             f"--storage.tsdb.path={folder}/data", f"--web.listen-address={address}"],
            stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )  # fmt: skip

    def get(self, path, **query):
        """The data of an answer."""
        url = f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(url, timeout=10) as response:
            return json.load(response)["data"]

    def values(self, expression):
        """The values of an expression, now."""
        found = self.get("query", query=expression)["result"]
        return [float(series["value"][1]) for series in found]

    def end(self):
        """Stop it."""
        self.process.terminate()
        self.process.wait(20)


def small_load(service, stop):
    """Every kind of request, conversations and errors among them."""
    chat = [{"role": "user", "content": "Low"}]
    while not stop.wait(0.02):
        service.post("/tokenize", {"prompt": TEXT})
        service.post("/tokenize", {"messages": chat})
        service.post("/v1/encode", {"text": [TEXT, TEXT]})
        service.post("/v1/decode", {"ids": [72, 105]})
        service.post("/v1/count", {"text": 1})
        raw(service, b"nonsense\r\n\r\n")


def large_load(service, stop):
    """Requests that need a thread."""
    body = json.dumps({"text": TEXT * 40_000}).encode()  # once: most of the time is the service's
    while not stop.is_set():
        service.post("/v1/count", body)


@pytest.fixture(scope="module")
def watched(tok, tmp_path_factory):
    """(service, Prometheus) after some seconds of load, which still goes on."""
    folder = tmp_path_factory.mktemp("watched")
    tok.save(folder / "small")
    trainer = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Trainer)
    threading.Thread(target=trainer.serve_forever, daemon=True).start()
    with Service(folder / "small", "--log", "off") as service:
        (folder / "prometheus").mkdir()
        targets = {
            "bytepair:8000": f"127.0.0.1:{service.port}",
            "bytepair-train:9101": f"127.0.0.1:{trainer.server_port}",
        }
        prometheus = Prometheus(folder / "prometheus", targets)
        stop = threading.Event()
        loads = [
            threading.Thread(target=target, args=(service, stop))
            for target in (small_load, large_load, large_load)
        ]
        for thread in loads:
            thread.start()
        time.sleep(LOAD_S)
        yield service, prometheus
        stop.set()
        for thread in loads:
            thread.join(20)
        prometheus.end()
        trainer.shutdown()
        trainer.server_close()


@pytest.fixture(scope="module")
def answers(watched):
    """What Prometheus says to every query of the dashboard, all in the same moments."""
    _, prometheus = watched
    return {expr: _eventually(prometheus, _filled(expr)) for _, expr in QUERIES}


def _filled(expr):
    """With the dashboard's variables set to all."""
    return expr.replace("$__rate_interval", "5s").replace("=~\"$", '=~".*').replace(
        '".*job"', '".*"').replace('".*instance"', '".*"').replace('".*tokenizer"', '".*"').replace(
        '".*trainer"', '".*"')  # fmt: skip


def _eventually(prometheus, expression):
    """Its values as soon as there are any that are numbers."""
    values = []
    for _ in range(20):
        values = prometheus.values(expression)
        if values and all(map(math.isfinite, values)):
            break
        time.sleep(0.5)
    return values


def test_load_drives_every_metric_off_zero(watched):
    """A metric that never moves is broken, or measures nothing."""
    service, prometheus = watched
    page = service.get("/metrics").decode()
    names = set(re.findall(r"^# TYPE (bytepair_\w+) (?:counter|gauge)", page, re.MULTILINE))
    names |= {
        f"{name}_count"
        for name in re.findall(r"^# TYPE (bytepair_\w+) histogram", page, re.MULTILINE)
    }
    assert len(names) >= 15
    for _ in range(20):  # gauges move: a scrape must come at the right moment
        names = {n for n in names if not any(prometheus.values(f"max_over_time({n}[1m])"))}
        if not names:
            break
        time.sleep(0.5)
    assert names == set()


@pytest.mark.parametrize("query", QUERIES, ids=[f"{t}-{n}" for n, (t, _) in enumerate(QUERIES)])
def test_every_panel_shows_something(answers, query):
    """Each expression of the dashboard gives numbers while there is load."""
    values = answers[query[1]]
    assert values
    assert all(map(math.isfinite, values)), values


def test_every_alert_is_taken_and_none_cries_wolf(watched):
    """Prometheus evaluates each without an error; under honest load none is critical."""
    _, prometheus = watched
    rules = [rule for group in prometheus.get("rules")["groups"] for rule in group["rules"]]
    assert len(rules) == 9
    assert {rule["health"] for rule in rules} == {"ok"}
    firing = {alert["labels"]["alertname"] for alert in prometheus.get("alerts")["alerts"]}
    assert not firing & {"BytepairDown", "BytepairFaults", "BytepairServerErrors"}


def test_every_alert_fires_when_it_should():
    """Promtool plays a bad hour and a good one."""
    command = [installed("promtool"), "test", "rules", "alerts_test.yml"]
    done = subprocess.run(command, cwd=OPS / "prometheus", capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()


def test_the_dashboard_is_as_grafana_publishes_dashboards():
    """All that it says is known to the published schema: reading and writing loses nothing."""
    register_default_plugins()
    read = Dashboard.from_json(DASHBOARD)
    again = json.loads(json.dumps(read, cls=JSONEncoder))
    assert sorted(_lost(DASHBOARD, again)) == []
    places = [tuple(panel["gridPos"].values()) for panel in DASHBOARD["panels"]]
    assert len(set(places)) == len(places)
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(places)


def _lost(before, after, path=""):
    """Where something of `before` is not in `after`."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            yield from _lost(value, after.get(key, "nothing"), f"{path}/{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, pair in enumerate(zip(before, after, strict=True)):
            yield from _lost(*pair, f"{path}/{number}")
    elif before != after:
        yield path


def test_the_files_of_ops_fit_together():
    """Names of services, ports, mounted files: what one file says the others know."""
    compose = yaml.safe_load((OPS / "compose.yaml").read_text(encoding="utf-8"))
    targets = (OPS / "prometheus/prometheus.yml").read_text(encoding="utf-8")
    assert set(compose["services"]) == {"bytepair", "prometheus", "grafana"}
    assert "bytepair:8000" in targets
    for service in compose["services"].values():
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert source == "./tokenizers" or (OPS / source).exists()
    for file in (OPS / "grafana/provisioning").rglob("*.yml"):
        assert yaml.safe_load(file.read_text(encoding="utf-8"))["apiVersion"] == 1
    unit = (OPS / "bytepair.service").read_text(encoding="utf-8")
    assert "bytepair serve --config" in unit
