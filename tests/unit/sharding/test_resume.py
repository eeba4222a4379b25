"""Work that ended early goes on to the same bytes, and only what is missing is done."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import bytepair
from bytepair.data import open_shards
from bytepair.errors import ArgumentError, SaveError, ShardError

OPTIONS = {"eos": "</s>", "shard_tokens": 40}
FORMATS = ["flat", "llmc", "megatron", "parquet", "datatrove"]
N_KILLS = 20

# Each child is killed at another of the moments at which it touches the disk.
KILLED = """
import json, os, random, signal, sys
import bytepair
from bytepair.data.shards import ShardWriter

folder, tokenizer, corpus, n_kills, options, formats = json.loads(sys.argv[1])
tok = bytepair.load(tokenizer)
count = limit = 0

def touched(event="write", *_):
    global count
    if event in ("write", "open", "os.rename", "os.remove", "os.mkdir"):
        count += 1
        if count == limit:
            os.kill(os.getpid(), signal.SIGKILL)

def before(function):
    return lambda *arguments: touched() or function(*arguments)

def work(number):
    layout = formats[number % len(formats)]
    bytepair.shard(tok, corpus, f"{folder}/{number}", format=layout, **options)

def in_child(number, at):
    global count, limit
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    count, limit = 0, at
    work(number)
    os.write(pipe[1], b"%09d" % count)
    os._exit(0)

os.fsync, ShardWriter.write = before(os.fsync), before(ShardWriter.write)
sys.addaudithook(touched)
pipe = os.pipe()
in_child(n_kills, 0)
total = int(os.read(pipe[0], 9))
random.seed(1)
print(json.dumps([in_child(n, random.randint(1, total * 9 // 10)) for n in range(n_kills)]))
"""


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="there is no fork here")
def test_killed_at_any_moment_it_resumes_to_the_same_bytes(tok, corpus, tmp_path, contents):
    """Twenty times, at random, in all formats: kill -9 gives no chance to tidy up."""
    tok.save(tmp_path / "tok")
    folder = tmp_path / "out"
    task = [folder, tmp_path / "tok", corpus, N_KILLS, OPTIONS, FORMATS]
    command = [sys.executable, "-c", KILLED, json.dumps(task, default=str)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [9] * N_KILLS
    loaded = bytepair.load(tmp_path / "tok")
    for number in range(N_KILLS):
        options = OPTIONS | {"format": FORMATS[number % len(FORMATS)]}
        whole = tmp_path / "whole" / options["format"]
        bytepair.shard(loaded, corpus, whole, resume=True, **options)
        bytepair.shard(loaded, corpus, folder / str(number), resume=True, **options)
        assert contents(folder / str(number)) == contents(whole)


@pytest.mark.parametrize("shuffle", [None, 8])
def test_any_missing_shard_is_made_again_and_no_other(tok, corpus, tmp_path, contents, shuffle):
    """From its own place in the corpus: those before and behind it are not even opened."""
    options = OPTIONS | {"shuffle": shuffle}
    shards = bytepair.shard(tok, corpus, tmp_path / "out", **options)
    whole = contents(tmp_path / "out")
    n_shards = shards.n_shards
    assert n_shards > 4
    for gone in ([0], [1], [n_shards - 1], [1, 3], list(range(n_shards))):
        kept = _remove(tmp_path / "out", gone)
        bytepair.shard(tok, corpus, tmp_path / "out", resume=True, **options)
        assert contents(tmp_path / "out") == whole
        assert {path: path.stat().st_mtime_ns for path in kept} == kept


def _remove(folder, numbers):
    """Remove shards; gives the times of the files that stay."""
    for number in numbers:
        (folder / f"shard_00000_{number:05d}.bin").unlink()
    stems = {f"shard_00000_{number:05d}" for number in numbers}
    shards = folder.glob("shard_*")
    return {path: path.stat().st_mtime_ns for path in shards if path.name[:17] not in stems}


def test_shard_that_was_cut_short_is_made_again(tok, corpus, tmp_path, contents):
    """A file that is there is not yet a file that is whole."""
    bytepair.shard(tok, corpus, tmp_path / "out", **OPTIONS)
    whole = contents(tmp_path / "out")
    file = tmp_path / "out" / "shard_00000_00001.bin"
    file.write_bytes(file.read_bytes()[:-1])
    bytepair.shard(tok, corpus, tmp_path / "out", resume=True, **OPTIONS)
    assert contents(tmp_path / "out") == whole


def test_finished_work_is_left_alone(tok, corpus, tmp_path, contents):
    """Resuming what is finished does nothing, and is no error: scripts say --resume always."""
    for _ in range(2):
        bytepair.shard(tok, corpus, tmp_path / "out", resume=True, **OPTIONS)
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("shard_*")}
    bytepair.shard(tok, corpus, tmp_path / "out", resume=True, **OPTIONS)
    assert {path: path.stat().st_mtime_ns for path in times} == times


def test_what_is_there_is_not_overwritten_by_mistake(tok, corpus, tmp_path):
    """Nor are shards put among other things, which would then be removed with them."""
    bytepair.shard(tok, corpus, tmp_path / "out", **OPTIONS)
    with pytest.raises(ArgumentError, match=r"holds shards already\. Pass resume=True"):
        bytepair.shard(tok, corpus, tmp_path / "out", **OPTIONS)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").touch()
    with pytest.raises(ArgumentError, match=r"holds other things \(thesis\.tex\)"):
        bytepair.shard(tok, corpus, tmp_path / "other", **OPTIONS)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"eos": None}, "eos was 279, not None"),
        ({"format": "megatron"}, "format was 'flat', not 'megatron'"),
        ({"shard_tokens": 41}, "shard_tokens was 40, not 41"),
        ({"seed": 1}, "seed was 0, not 1"),
        ({"on_error": "skip"}, "on_error was 'fail', not 'skip'"),
    ],
)
def test_other_options_are_refused_with_both_values(tok, corpus, tmp_path, changed, message):
    """Half a data set in another format is none."""
    bytepair.shard(tok, corpus, tmp_path / "out", **OPTIONS)
    with pytest.raises(ArgumentError, match=message):
        bytepair.shard(tok, corpus, tmp_path / "out", resume=True, **(OPTIONS | changed))


def test_another_tokenizer_is_refused_and_another_name_is_not(tok, corpus, tmp_path):
    """What counts is which ids it gives: a copy under another path goes on."""
    bytepair.shard(tok, corpus, tmp_path / "out", **OPTIONS)
    tok.save(tmp_path / "renamed")
    renamed = bytepair.load(tmp_path / "renamed")
    bytepair.shard(renamed, corpus, tmp_path / "out", resume=True, **OPTIONS)
    other = bytepair.train(["other words"] * 9, vocab_size=262, special_tokens=["</s>"])
    with pytest.raises(ArgumentError, match="tokenizer_sha256 was"):
        bytepair.shard(other, corpus, tmp_path / "out", resume=True, **OPTIONS)


def test_changed_files_are_refused_and_named(tok, corpus, tmp_path):
    """The places in them that were noted mean nothing any more."""
    bytepair.shard(tok, corpus, tmp_path / "out", **OPTIONS)
    other = tmp_path / "other.jsonl"
    other.write_bytes(corpus.read_bytes())
    with pytest.raises(ArgumentError, match=r"corpus\.jsonl was there, and .*other\.jsonl is in"):
        bytepair.shard(tok, other, tmp_path / "out", resume=True, **OPTIONS)
    with pytest.raises(ArgumentError, match="there were 1 files, and there are 2"):
        bytepair.shard(tok, [corpus, other], tmp_path / "out", resume=True, **OPTIONS)
    corpus.write_text(json.dumps({"text": "new"}), encoding="utf-8")
    with pytest.raises(ArgumentError, match=r"corpus\.jsonl has been written to since"):
        bytepair.shard(tok, corpus, tmp_path / "out", resume=True, **OPTIONS)


def test_unfinished_shards_are_not_opened(tok, corpus, tmp_path):
    """Training on half of a data set would go unnoticed."""

    def fail(moment):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bytepair.shard(tok, corpus, tmp_path / "out", progress=fail, **OPTIONS)
    with pytest.raises(ShardError, match=r"the shards are not finished.*resume=True"):
        open_shards(tmp_path / "out")


def test_two_processes_do_not_write_to_one_folder(tok, corpus, tmp_path):
    """The second is told, and harms nothing."""

    def again(moment):
        with pytest.raises(ArgumentError, match="another process is writing shards to it"):
            bytepair.shard(tok, corpus, tmp_path / "out", resume=True, **OPTIONS)

    bytepair.shard(tok, corpus, tmp_path / "out", progress=again, **OPTIONS)
    assert len(open_shards(tmp_path / "out")) == 37


@pytest.mark.parametrize("layout", FORMATS)
def test_full_disk_is_an_error_that_leaves_what_is_finished(
    tok, corpus, tmp_path, contents, monkeypatch, layout
):
    """With the name of the shard; nothing half-written stays, and it can be resumed."""
    options = OPTIONS | {"format": layout}
    bytepair.shard(tok, corpus, tmp_path / "whole", **options)
    _fill_disk_after(monkeypatch, 2)
    with pytest.raises(SaveError, match=r"shard_00000_00002: cannot be written: No space left"):
        bytepair.shard(tok, corpus, tmp_path / "out", **options)
    monkeypatch.undo()
    left = {path.name.split(".")[0] for path in (tmp_path / "out").iterdir()}
    assert left == {"_manifest", "_shards", "shard_00000_00000", "shard_00000_00001"}
    bytepair.shard(tok, corpus, tmp_path / "out", resume=True, **options)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def _fill_disk_after(monkeypatch, n_shards):
    from bytepair.data.shards import _files

    synced = _files.ShardFiles.commit
    seen = []

    def commit(files):
        seen.append(files)
        if len(seen) > n_shards:
            raise OSError(28, "No space left on device")
        return synced(files)

    monkeypatch.setattr(_files.ShardFiles, "commit", commit)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("layout", FORMATS)
def test_disk_that_fills_up_while_ids_are_written_is_an_error_too(
    tok, corpus, tmp_path, monkeypatch, layout
):
    """Not only at the end: what is buffered may find no room at any time."""
    from bytepair.data.shards import _files

    monkeypatch.setattr(_files.ShardFiles, "_temporary", lambda *_: Path("/dev/full"))
    monkeypatch.setattr(Path, "unlink", lambda *_, **_options: None)
    with pytest.raises(SaveError, match=r"cannot be written: No space left"):
        bytepair.shard(tok, corpus, tmp_path / "out", format=layout, eos="</s>")


def test_folder_that_cannot_be_made_is_named(tok, corpus, tmp_path):
    """Before the work begins."""
    (tmp_path / "file").touch()
    with pytest.raises(SaveError, match=r"file/out: cannot be used"):
        bytepair.shard(tok, corpus, tmp_path / "file" / "out")
