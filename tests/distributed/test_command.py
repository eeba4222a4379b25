"""The command line with a cluster: one that is started for it, and one that is not there."""

import json
import os
import socket
import subprocess
import sys

import pytest

pytest.importorskip("ray", reason="run 'make test-distributed', which installs it")

TIMEOUT_S = 120


def bytepair(*arguments):
    command = [sys.executable, "-m", "bytepair", *map(str, arguments)]
    environment = {**os.environ, "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
    environment.pop("RAY_ADDRESS", None)
    return subprocess.run(
        command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, env=environment
    )


def test_training_and_sharding_on_a_cluster_are_those_of_this_machine(cluster, corpus, tmp_path):
    """The commands join the cluster at the address they are told."""
    address = cluster.get_runtime_context().gcs_address
    options = ["--vocab-size", 400]
    on_ray = ["--engine", "ray", "--address", address]
    files = corpus[1:]
    for name, more in (("here", []), ("there", on_ray)):
        done = bytepair("train", *files, *options, "-o", tmp_path / name, "--name", "x", *more)
        assert done.returncode == 0, done.stderr
        shards = ["-o", tmp_path / f"{name}-shards", "--parts", 3, *more]
        done = bytepair("shard", tmp_path / "here", *files, *shards)
        assert done.returncode == 0, done.stderr
    here, there = ((tmp_path / name / "tokenizer.json").read_bytes() for name in ("here", "there"))
    assert here == there
    for path in (tmp_path / "here-shards").glob("shard_*"):
        assert (tmp_path / "there-shards" / path.name).read_bytes() == path.read_bytes()


def test_unreachable_cluster_ends_the_command_and_can_be_resumed_from(corpus, tmp_path):
    """It says how long it was tried, where, and what to do."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
    train = ["train", corpus[1], "-o", tmp_path / "x", "--vocab-size", 300]
    kept = ["--checkpoint", tmp_path / "kept"]
    done = bytepair(*train, *kept, "--engine", "ray", "--address", address)
    assert done.returncode == 1
    assert f"no Ray cluster at {address}: tried for 10 s" in done.stderr
    done = bytepair(*train, *kept, "--resume", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
