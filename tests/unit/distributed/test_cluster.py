"""What can be wrong before there is a cluster; Ray need not be installed for it."""

import importlib
import socket
import sys
from types import SimpleNamespace

import pytest

import bytepair
from bytepair.distributed import RayExecutor
from bytepair.errors import ArgumentError, ClusterError, MissingExtraError

cluster_module = importlib.import_module("bytepair.distributed._cluster")
connect_module = importlib.import_module("bytepair.distributed._connect")


@pytest.fixture
def fake_ray(monkeypatch):
    """A Ray that is installed, and connects to nothing."""
    ray = SimpleNamespace(is_initialized=lambda: False, calls=[])
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    return ray


@pytest.fixture
def closed_port():
    """A port of this machine that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return f"127.0.0.1:{port}"


@pytest.fixture
def use_elsewhere(monkeypatch, elsewhere, fake_ray):
    """Engine "ray" means an executor of these tests."""
    monkeypatch.setattr(cluster_module, "RayExecutor", lambda *_, **__: elsewhere)
    return elsewhere


def test_missing_ray_names_the_extra(monkeypatch, corpus):
    """Before anything is read."""
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'bytepair\[distributed\]'"):
        bytepair.train(corpus, engine="ray")
    tok = bytepair.train(corpus, vocab_size=260)
    with pytest.raises(MissingExtraError, match=r"bytepair\[distributed\]"):
        bytepair.shard(tok, corpus, "x", engine="ray")


def test_training_is_that_of_this_machine(corpus, use_elsewhere, tmp_path):
    """With a checkpoint, and without."""
    options = {"vocab_size": 300, "special_tokens": ["<|endoftext|>"]}
    expected = bytepair.train(corpus, **options).spec
    assert bytepair.train(corpus, engine="ray", **options).spec == expected
    kept = {"checkpoint": tmp_path / "kept", "resume": True}
    assert bytepair.train(corpus, engine="ray", **kept, **options).spec == expected
    n_tasks = len(use_elsewhere.names)
    assert bytepair.train(corpus, engine="ray", **kept, **options).spec == expected
    assert len(use_elsewhere.names) == n_tasks  # the words are there: no cluster is needed


@pytest.mark.parametrize("corpus", [["a document"], iter([b"another"])], ids=["list", "iterator"])
def test_documents_cannot_be_handed_out(corpus, use_elsewhere):
    """They are here, and nowhere else."""
    with pytest.raises(ArgumentError, match="engine='ray' reads files"):
        bytepair.train(corpus, engine="ray")


def test_words_that_are_counted_need_no_cluster(use_elsewhere):
    """Learning is done here."""
    with pytest.raises(ArgumentError, match="these are counted"):
        bytepair.train(bytepair.WordCounts.from_mapping({"a": 1}), engine="ray")


def test_address_needs_an_engine_that_has_one(corpus, tmp_path):
    """Nothing is left unsaid."""
    with pytest.raises(ArgumentError, match="needs engine='ray'"):
        bytepair.train(corpus, address="10.0.0.1:6379")
    tok = bytepair.train(corpus, vocab_size=260)
    with pytest.raises(ArgumentError, match="needs engine='ray'"):
        bytepair.shard(tok, corpus, tmp_path / "x", address="10.0.0.1:6379")
    with pytest.raises(ArgumentError, match="engine must be 'ray' or None"):
        bytepair.shard(tok, corpus, tmp_path / "x", engine="native")


def test_unreachable_cluster_is_said_soon(fake_ray, closed_port):
    """How long it was tried, where, and what to do."""
    with pytest.raises(ClusterError, match=rf"{closed_port}: tried for 1 s: .*ray status"):
        RayExecutor(closed_port, timeout_s=1)


def test_ray_address_is_looked_at_as_well(fake_ray, closed_port, monkeypatch):
    """Ray itself would try for minutes."""
    monkeypatch.setenv("RAY_ADDRESS", closed_port)
    with pytest.raises(ClusterError, match="tried for 0 s"):
        RayExecutor(timeout_s=0)


def test_what_is_no_head_is_said(fake_ray, monkeypatch):
    """Something else listens there."""
    monkeypatch.setattr(connect_module.sys, "executable", "false")
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        monkeypatch.setattr(connect_module.subprocess, "run", _failing)
        with pytest.raises(ClusterError, match=rf"{address} is no head .*RpcError: no"):
            RayExecutor(address, timeout_s=1)


def _failing(*_args, **_options):
    return SimpleNamespace(returncode=1, stderr="Traceback\nRpcError: no\n")


@pytest.mark.parametrize("address", ["10.0.0.1", "10.0.0.1:", ":6379", "a:b", "a:99999"])
def test_address_without_host_or_port_is_refused(fake_ray, address):
    """At once."""
    with pytest.raises(ArgumentError, match="address must be HOST:PORT"):
        RayExecutor(address)


def test_cluster_that_refuses_us_is_said_with_its_reason(fake_ray):
    """Other versions of Python, say."""

    def refuse(**_):
        raise RuntimeError("Version mismatch: 3.11 and 3.12")

    fake_ray.init = refuse
    with pytest.raises(ClusterError, match="takes no work from here: RuntimeError: Version mis"):
        RayExecutor("auto")


def test_shards_are_those_of_this_machine(use_elsewhere, corpus, tmp_path):
    """Each part is a task, in whatever order they are done; all files are the same."""
    tok = bytepair.train(corpus, vocab_size=300)
    options = {"separator": "\n", "shard_tokens": 500, "parts": 3, "eos": "<|endoftext|>"}
    bytepair.shard(tok, corpus, tmp_path / "here", **options)
    bytepair.shard(tok, corpus, tmp_path / "there", engine="ray", **options)
    here, there = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir() if path.is_file()}
        for name in ("here", "there")
    )
    assert len(here) > 9
    assert here == there
    assert len(use_elsewhere.names) == 3


def test_parts_are_files_where_nobody_says_how_many(use_elsewhere, corpus, tmp_path):
    """One part would be one task."""
    tok = bytepair.train(corpus, vocab_size=300)
    bytepair.shard(tok, corpus, tmp_path / "there", engine="ray")
    assert sorted(name.partition(" (")[0] for name in use_elsewhere.names) == [
        f"part {number}" for number in range(len(corpus))
    ]
