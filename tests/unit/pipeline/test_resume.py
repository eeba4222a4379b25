"""Training that is killed, and goes on to the result it would have had."""

import importlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bytepair
from bytepair.errors import ArgumentError, CorpusError, FormatError, SaveError
from bytepair.model import TokenizerSpec

OPTIONS: dict[str, Any] = {"vocab_size": 1000, "pattern": "gpt2", "min_frequency": 1}
N_FILES = 4

CHILD = """
import importlib, json, os, signal, sys
import bytepair
folder, checkpoint, what, left, options = sys.argv[1:]
left, write, sync = int(left), os.write, os.fsync
importlib.import_module("bytepair.learning._work")._STEP_S = 0  # groups of 64 merges
importlib.import_module("bytepair.distributed._counting")._PART_BYTES = 20_000  # a file
def die_writing(file, data):
    global left
    n = write(file, data[:left])
    left -= n
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return n
def die_syncing(file):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    sync(file)
if what == "write":
    os.write = die_writing
else:
    os.fsync = die_syncing
bytepair.train(folder, checkpoint=checkpoint, resume=True, **json.loads(options))
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of random words, in which thousands of pairs can be joined."""
    folder = tmp_path_factory.mktemp("corpus")
    draw = random.Random(4)
    words = ["".join(draw.choices("abcdefgh", k=draw.randint(2, 12))) for _ in range(900)]
    for number in range(N_FILES):
        text = " ".join(draw.choices(words, k=2000))
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def expected(corpus: Path) -> TokenizerSpec:
    """What a training gives that nothing interrupts."""
    return bytepair.train(corpus, **OPTIONS).spec


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups of 64 merges, and each file is a part, as in the child."""
    monkeypatch.setattr(importlib.import_module("bytepair.learning._work"), "_STEP_S", 0)
    monkeypatch.setattr(
        importlib.import_module("bytepair.distributed._counting"), "_PART_BYTES", 20_000
    )


def run_until_killed(corpus: Path, folder: Path, what: str, left: int) -> int:
    """Train in a process that ends itself after so many bytes of merges, or so many syncs."""
    arguments = [corpus, folder, what, left, json.dumps(OPTIONS)]
    command = [sys.executable, "-c", CHILD, *map(str, arguments)]
    return subprocess.run(command, check=False, timeout=60).returncode


def require_same(spec: TokenizerSpec, expected: TokenizerSpec) -> None:
    """Equal in all that training decides, the record included."""
    assert spec.merges == expected.merges
    assert spec.vocabulary == expected.vocabulary
    assert spec.added_tokens == expected.added_tokens
    assert spec.training == expected.training


LOG_BYTES = 60 + 743 * 16 + 12 * 8  # header; merges; heads of groups
KILL_POINTS = random.Random(20).sample(range(LOG_BYTES), 20)


@pytest.mark.parametrize("left", KILL_POINTS)
def test_killed_at_any_byte_of_the_log_goes_on_to_the_same_result(corpus, expected, tmp_path, left):
    """A group is hardly ever whole then: what is torn is learned again."""
    assert run_until_killed(corpus, tmp_path, "write", left) == -signal.SIGKILL
    assert (tmp_path / "merges.log").stat().st_size == left
    require_same(bytepair.train(corpus, checkpoint=tmp_path, resume=True, **OPTIONS).spec, expected)


@pytest.mark.parametrize("left", range(0, 13, 2))
def test_killed_before_any_sync_goes_on_to_the_same_result(corpus, expected, tmp_path, left):
    """The other moments: before there is anything, amid the parts, before the words are saved."""
    assert run_until_killed(corpus, tmp_path, "sync", left) == -signal.SIGKILL
    require_same(bytepair.train(corpus, checkpoint=tmp_path, resume=True, **OPTIONS).spec, expected)
    assert list(tmp_path.glob(".bytepair-*")) == []


def test_killed_again_and_again_comes_to_the_same_result(corpus, expected, tmp_path):
    """Each process adds a few whole groups to those that are there, unless it dies before the words
    are on disk: then it begins anew.
    """
    runs = 0
    while run_until_killed(corpus, tmp_path, "write", 2_500):
        runs += 1
    assert runs >= 5
    require_same(bytepair.train(corpus, checkpoint=tmp_path, resume=True, **OPTIONS).spec, expected)


def test_finished_training_resumes_to_the_same_result(corpus, expected, tmp_path, engine):
    """Nothing is learned then, and nothing is written; the other engine may go on."""
    first = bytepair.train(corpus, checkpoint=tmp_path, **OPTIONS).spec
    log = (tmp_path / "merges.log").read_bytes()
    again = bytepair.train(
        corpus, checkpoint=tmp_path, resume=True, engine=engine, threads=1, **OPTIONS
    )
    require_same(first, expected)
    require_same(again.spec, expected)
    assert (tmp_path / "merges.log").read_bytes() == log


@pytest.mark.parametrize("byte", [0, 17, 59, 60, 70, 1000, 9000])
def test_damaged_byte_of_the_log_is_learned_again(corpus, expected, tmp_path, byte):
    """From the damaged group on; a header that is damaged counts as none."""
    bytepair.train(corpus, checkpoint=tmp_path, **OPTIONS)
    log = tmp_path / "merges.log"
    content = bytearray(log.read_bytes())
    content[byte] ^= 0x10
    log.write_bytes(content)
    require_same(bytepair.train(corpus, checkpoint=tmp_path, resume=True, **OPTIONS).spec, expected)


# ------------------------------------------------------------------ a full disk


@pytest.mark.parametrize("room", [0, 30, 60, 61, 2000, 9000])
def test_full_disk_is_said_and_costs_nothing_that_was_saved(
    corpus, expected, tmp_path, monkeypatch, small_steps, room
):
    """The log is the only thing written by `os.write`: half of a group may still fit."""
    write, left = os.write, [room]

    def full(file: int, data: bytes) -> int:
        if not left[0]:
            raise OSError(28, "No space left on device")
        n = write(file, data[: left[0]])
        left[0] -= n
        return n

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(SaveError, match=r"merges\.log: cannot write: No space left") as error:
            bytepair.train(corpus, checkpoint=tmp_path, **OPTIONS)
    assert any("resume=True" in note for note in error.value.__notes__)
    require_same(bytepair.train(corpus, checkpoint=tmp_path, resume=True, **OPTIONS).spec, expected)


LIMITED = """
import resource, sys
import bytepair
resource.setrlimit(resource.RLIMIT_FSIZE, (14_000, resource.RLIM_INFINITY))
try:
    bytepair.train(sys.argv[1], checkpoint=sys.argv[2], vocab_size=1000, pattern="gpt2")
except bytepair.errors.SaveError as error:
    print(error)
"""


def test_words_that_do_not_fit_on_the_disk_are_said(corpus, tmp_path):
    """A limit of the system's own; they are saved by another thread."""
    command = [sys.executable, "-c", LIMITED, corpus, tmp_path]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=60)
    assert b"words.counts: cannot write" in done.stdout
    assert not (tmp_path / "words.counts").exists()


# ------------------------------------------------------------------ what is refused


CHANGES = {
    "vocab_size": 999,
    "pattern": "llama3",
    "min_frequency": 2,
    "max_token_length": 9,
    "ties": "bytes",
    "alphabet": "chars",
    "normalizer": "nfc",
    "special_tokens": ["<a>"],
    "separator": "\n",
    "text_field": "content",
}


@pytest.mark.parametrize("name", CHANGES)
def test_changed_option_is_refused_by_name(corpus, tmp_path, name):
    """Half of the merges by one rule and half by another would be nobody's tokenizer."""
    bytepair.train(corpus, checkpoint=tmp_path, **OPTIONS)
    changed = {**OPTIONS, name: CHANGES[name]}
    with pytest.raises(ArgumentError, match=f"begun with .*{name}=.*, not "):
        bytepair.train(corpus, checkpoint=tmp_path, resume=True, **changed)


def test_option_that_changes_nothing_may_change(corpus, expected, tmp_path):
    """Name, threads and engine are not what is learned."""
    bytepair.train(corpus, checkpoint=tmp_path, **OPTIONS)
    tok = bytepair.train(
        corpus, checkpoint=tmp_path, resume=True, name="other", threads=1, **OPTIONS
    )
    require_same(tok.spec, expected)


def test_other_corpus_is_refused(corpus, tmp_path):
    """A file more, or one that was written to: named."""
    copy = tmp_path / "corpus"
    copy.mkdir()
    for file in corpus.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    kept = tmp_path / "kept"
    bytepair.train(copy, checkpoint=kept, **OPTIONS)
    (copy / "1.txt").write_text("other text", encoding="utf-8")
    with pytest.raises(ArgumentError, match=r"1\.txt has been written to"):
        bytepair.train(copy, checkpoint=kept, resume=True, **OPTIONS)
    with pytest.raises(ArgumentError, match="there were 4 files, and there are 1"):
        bytepair.train([copy / "0.txt"], checkpoint=kept, resume=True, **OPTIONS)


def test_log_of_another_training_is_refused(corpus, tmp_path):
    """Somebody copied a file from one folder to the other."""
    one, other = tmp_path / "one", tmp_path / "other"
    bytepair.train(corpus, checkpoint=one, **OPTIONS)
    bytepair.train(corpus, checkpoint=other, **{**OPTIONS, "vocab_size": 400})
    (one / "merges.log").write_bytes((other / "merges.log").read_bytes())
    with pytest.raises(ArgumentError, match="belong to another training"):
        bytepair.train(corpus, checkpoint=one, resume=True, **OPTIONS)


def test_folder_that_is_taken_is_not_written_to(corpus, tmp_path):
    """Without `resume` nobody meant to go on."""
    bytepair.train(corpus, checkpoint=tmp_path, **OPTIONS)
    with pytest.raises(ArgumentError, match="resume=True"):
        bytepair.train(corpus, checkpoint=tmp_path, **OPTIONS)


def test_resume_without_a_folder_is_refused(corpus):
    """There is nothing to go on from."""
    with pytest.raises(ArgumentError, match="checkpoint="):
        bytepair.train(corpus, resume=True, **OPTIONS)


@pytest.mark.parametrize(
    ("name", "error"), [("words.counts", CorpusError), ("checkpoint.json", FormatError)]
)
def test_damaged_file_is_named(corpus, tmp_path, name, error):
    """These are written as a whole: damage comes from the disk, and cannot be mended."""
    bytepair.train(corpus, checkpoint=tmp_path, **OPTIONS)
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(error, match=name.replace(".", r"\.")):
        bytepair.train(corpus, checkpoint=tmp_path, resume=True, **OPTIONS)


# ------------------------------------------------------------------ counting


def test_counted_files_are_not_read_again(corpus, expected, tmp_path, monkeypatch, small_steps):
    """Three of four had been counted when the last one could not be read."""
    last = corpus / f"{N_FILES - 1}.txt"
    read: list[str] = []
    analyzer = importlib.import_module("bytepair.frequency._analyzer")
    add_file = analyzer._Counting.add_file

    def count_or_fail(self: Any, file: Any) -> Iterator[int]:
        read.append(file.path.name)
        if fails and file.path == last:
            raise CorpusError("unreadable")
        return add_file(self, file)

    monkeypatch.setattr(analyzer._Counting, "add_file", count_or_fail)
    fails = True
    with pytest.raises(CorpusError, match="unreadable"):
        bytepair.train(corpus, checkpoint=tmp_path, **OPTIONS)
    fails = False
    read.clear()
    spec = bytepair.train(corpus, checkpoint=tmp_path, resume=True, **OPTIONS).spec
    assert read == [last.name]
    require_same(spec, expected)
    assert list(tmp_path.glob("counted-*")) == []


def test_documents_in_memory_need_not_be_read_again_once_they_are_counted(expected, tmp_path):
    """They may be gone by then."""
    documents = ["low lower lowest", "new newer newest"] * 3
    options = {**OPTIONS, "vocab_size": 265}
    first = bytepair.train(documents, checkpoint=tmp_path, **options).spec
    again = bytepair.train([], checkpoint=tmp_path, resume=True, **options).spec
    require_same(again, first)


# ------------------------------------------------------------------ ctrl-c

ENDLESS = """
import itertools, sys
import bytepair
def told(moment):
    if moment.stage == "learn" and moment.done >= 300:
        print("now", flush=True)
        while True:
            pass
bytepair.train(sys.argv[1], checkpoint=sys.argv[2], progress=told, vocab_size=1000,
               pattern="gpt2", min_frequency=1)
"""


def test_ctrl_c_saves_and_says_how_to_go_on(corpus, expected, tmp_path, hears_ctrl_c):
    """What had been learned by then is in the folder."""
    command = [sys.executable, "-c", ENDLESS, str(corpus), str(tmp_path)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:
        assert process.stdout.readline() == b"now\n"
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
        assert process.wait(10) != 0
    assert b"KeyboardInterrupt" in said
    assert b"merges are in there. Train again with the same options and resume=True" in said
    assert (tmp_path / "merges.log").stat().st_size > 300 * 16
    require_same(bytepair.train(corpus, checkpoint=tmp_path, resume=True, **OPTIONS).spec, expected)


def test_folder_in_use_is_refused(corpus, tmp_path):
    """Two processes would write into one log."""
    command = [sys.executable, "-c", ENDLESS, str(corpus), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"now\n"
        with pytest.raises(ArgumentError, match="another process is training with it"):
            bytepair.train(corpus, checkpoint=tmp_path, resume=True, **OPTIONS)
        process.kill()
