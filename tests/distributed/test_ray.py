"""A real cluster gives what this machine gives, whatever happens to its workers."""

import importlib
import os
import signal
import sys
import warnings
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="run 'make test-distributed', which installs it")

import bytepair
from bytepair import FrequencyAnalyzer, Preprocessor
from bytepair.checkpoint import Checkpoint
from bytepair.data import RemotePath
from bytepair.distributed import Counting, RayExecutor, Task, count_on
from bytepair.errors import ArgumentError, BytepairWarning, ClusterError, CorpusError
from bytepair.model import CountsFile

pytestmark = [
    pytest.mark.filterwarnings("default"),  # Ray's, about things that are not ours
    pytest.mark.native_only,
]
count_module = importlib.import_module("bytepair.distributed._count")
cluster_module = importlib.import_module("bytepair.sharding._cluster")
COUNT, WRITE = count_module._count, cluster_module._write
OPTIONS = {"vocab_size": 600, "pattern": "gpt2"}
SHARDING = {"separator": "\n", "shard_tokens": 2000, "parts": 4, "eos": "<|endoftext|>"}


@pytest.fixture(autouse=True)
def functions_of_tests(cluster, monkeypatch):
    """Workers cannot import this module: its functions are sent to them. Partitions are small."""
    cluster.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    monkeypatch.setattr(count_module, "_LEAST_BYTES", 20_000)
    monkeypatch.setattr(count_module, "_MOST_BYTES", 20_000)


@pytest.fixture
def executor(cluster):
    with RayExecutor() as executor:
        yield executor


def counting(**options):
    preprocessor = Preprocessor(pattern="gpt2")
    analyzer = FrequencyAnalyzer(threads=1, **options)
    on_error = options.get("on_error", "fail")
    return Counting(analyzer, preprocessor, preprocessor.rules, "text", on_error, None)


def die(marker: Path) -> None:
    """End the worker as the kernel would, unless that has been done."""
    try:
        marker.touch(exist_ok=False)
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


def dying_once(folder, number_of, function):
    """`function`, whose worker is killed when it has done the task of that number."""

    def call(shared, task):
        result = function(shared, task)
        if number_of(task):
            die(folder / "killed")
        return result

    return call


def test_words_are_those_of_this_machine(executor, corpus):
    """Byte for byte; the first file is divided, and there are more tables than are put together."""
    expected = CountsFile(counting().count(corpus)).content()
    assert CountsFile(count_on(executor, counting(), corpus)).content() == expected
    urls = [RemotePath(path.as_uri()) for path in corpus]
    assert CountsFile(count_on(executor, counting(), urls)).content() == expected


def test_worker_that_is_killed_costs_only_its_task(executor, corpus, tmp_path, monkeypatch):
    """Its partition is counted again, by another."""
    dying = dying_once(tmp_path, lambda part: part.start == 0 and part.end, COUNT)
    monkeypatch.setattr(count_module, "_count", dying)
    counts = count_on(executor, counting(), corpus)
    assert (tmp_path / "killed").exists()
    assert CountsFile(counts).content() == CountsFile(counting().count(corpus)).content()


def test_task_that_kills_all_its_workers_is_named(executor, corpus, tmp_path, monkeypatch):
    """And what was counted beside it is kept for the next run."""

    def deadly(one, part):
        if corpus[2] in part.files:
            os.kill(os.getpid(), signal.SIGKILL)
        return COUNT(one, part)

    monkeypatch.setattr(count_module, "_count", deadly)
    with Checkpoint(tmp_path, {}) as folder:
        with pytest.raises(ClusterError, match=r"counting .*2\.txt.* lost 4 times"):
            count_on(executor, counting(), corpus, folder)
        monkeypatch.setattr(count_module, "_count", COUNT)
        assert list(tmp_path.glob("counted-*.counts"))
        assert count_on(executor, counting(), corpus, folder) == counting().count(corpus)


def test_errors_and_warnings_of_workers_are_ours(executor, tmp_path):
    """As if the work had been done here."""
    (tmp_path / "a.txt.gz").write_bytes(b"\x1f\x8b damaged")
    (tmp_path / "b.txt").write_bytes(b"low lower")
    files = sorted(tmp_path.iterdir())
    with pytest.raises(CorpusError, match=r"a\.txt\.gz: damaged"):
        count_on(executor, counting(), files)
    with pytest.warns(BytepairWarning, match=r"a\.txt\.gz: damaged"):
        counts = count_on(executor, counting(on_error="skip"), files)
    assert [*counts] == [(b"low", 1), (b" lower", 1)]


def test_what_is_shared_is_made_once_in_each_worker(executor):
    """Tables of an encoder are not made for each task."""

    def look(shared, _number):
        return os.getpid(), id(shared)

    tasks = [Task(str(number), (number,)) for number in range(20)]
    looks = [executor.fetch(look) for _, look in executor.run(look, tasks, ["large"])]
    assert len({pid for pid, _ in looks}) == len(set(looks))


def test_tasks_that_are_left_are_dropped(executor, tmp_path):
    """Whoever stops to listen wants no more."""

    def note(folder, number):
        (folder / str(number)).touch()

    tasks = (Task(str(number), (number,)) for number in range(10_000))
    results = executor.run(note, tasks, tmp_path)
    next(results)
    results.close()
    assert len(list(tmp_path.iterdir())) < 1000


def test_worker_of_another_version_is_refused(executor, corpus, monkeypatch):
    """What it gives might be something else."""
    monkeypatch.setattr(importlib.import_module("bytepair.distributed._ray"), "_version", str)
    with pytest.raises(ClusterError, match="Install the same version on all machines"):
        count_on(executor, counting(), corpus)


def test_tasks_too_large_for_any_machine_are_told_of(cluster):
    """They would wait for ever."""
    with pytest.warns(BytepairWarning, match="no machine of the cluster has 64 cores"):
        RayExecutor(cpus=64)


def test_other_cluster_than_the_connected_one_is_refused(cluster):
    """A process has one."""
    with pytest.raises(ArgumentError, match=r"is connected to .*ray\.shutdown"):
        RayExecutor("10.0.0.1:6379")
    RayExecutor(cluster.get_runtime_context().gcs_address).close()
    assert cluster.is_initialized()


def test_training_is_that_of_this_machine(corpus):
    """The whole way."""
    expected = bytepair.train(corpus, **OPTIONS).spec
    assert bytepair.train(corpus, engine="ray", **OPTIONS).spec == expected


# ---------------------------------------------------------------------- shards


@pytest.fixture(scope="module")
def tok(corpus):
    return bytepair.train(corpus, **OPTIONS)


@pytest.fixture(scope="module")
def expected(tok, corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("here")
    bytepair.shard(tok, corpus, folder, **SHARDING)
    return contents(folder)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_shards_are_those_of_this_machine(tok, corpus, expected, tmp_path):
    """Every file, the manifest too."""
    bytepair.shard(tok, corpus, tmp_path / "there", engine="ray", **SHARDING)
    assert contents(tmp_path / "there") == expected


def test_part_whose_writer_is_killed_goes_on(tok, corpus, expected, tmp_path, monkeypatch):
    """Amid a shard that is not the first: what was finished is not written again."""

    def dying(work, number):
        renamed = 0

        def look(event, _arguments):
            nonlocal renamed
            if event == "os.rename":
                renamed += 1
                if renamed == 8:
                    die(tmp_path / "killed")

        if number == 0:
            sys.addaudithook(look)
        return WRITE(work, number)

    monkeypatch.setattr(cluster_module, "_write", dying)
    bytepair.shard(tok, corpus, tmp_path / "there", engine="ray", **SHARDING)
    assert (tmp_path / "killed").exists()
    assert contents(tmp_path / "there") == expected


def test_shards_that_failed_are_resumed(tok, corpus, expected, tmp_path, monkeypatch):
    """By the cluster or by this machine alone."""

    def deadly(work, number):
        if number == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return WRITE(work, number)

    monkeypatch.setattr(cluster_module, "_write", deadly)
    for name, engine in (("a", "ray"), ("b", None)):
        with pytest.raises(ClusterError, match=r"part 2 \(.*2\.txt\): lost 4 times"):
            bytepair.shard(tok, corpus, tmp_path / name, engine="ray", **SHARDING)
        with monkeypatch.context() as patch:
            patch.setattr(cluster_module, "_write", WRITE)
            bytepair.shard(tok, corpus, tmp_path / name, engine=engine, resume=True, **SHARDING)
        assert contents(tmp_path / name) == expected


def test_no_warnings_of_ray_reach_users(cluster, corpus):
    """They are about its own future."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bytepair.train(corpus, engine="ray", **OPTIONS)
