"""Training beside threads and forks."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

import bytepair

TEXTS = [f"low lower lowest {number % 97} newer" for number in range(3000)]


def run(code: str, *arguments: str) -> tuple[int, bytes, bytes]:
    """Exit code, output and errors of a program."""
    command = [sys.executable, "-W", "error", "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


FORKED = """
import os, signal, sys
import bytepair
engine = sys.argv[1]
texts = [f"low lower lowest {number % 97} newer" for number in range(3000)]
def trained():
    return bytepair.train(texts, vocab_size=300, threads=2, engine=engine)
tok = trained()
ids = tok.encode_batch(texts, threads=2)
child = os.fork()
if child == 0:
    signal.alarm(60)
    is_same = tok.encode_batch(texts, threads=2) == ids and trained() == tok
    os._exit(0 if is_same else 1)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
sys.exit(code or trained() != tok)
"""


def test_child_forked_after_a_training_encodes_and_trains(engine: str) -> None:
    """The threads that counted and learned are gone there: others wait for theirs for ever."""
    assert run(FORKED, engine) == (0, b"", b"")


# As above, but threads are in the middle of a training when the process is forked.
FORKED_AT_WORK = """
import os, signal, sys, threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # Python's own, of forks with threads
import bytepair
engine = sys.argv[1]
texts = [f"low lower lowest {number % 97} newer" for number in range(3000)]
def trained():
    return bytepair.train(texts, vocab_size=300, threads=2, engine=engine)
tok = trained()
ends = threading.Event()
def work():
    while not ends.is_set():
        trained()
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads: thread.start()
children = []
for _ in range(6):
    children.append(os.fork())
    if children[-1] == 0:
        signal.alarm(60)
        os._exit(0 if trained() == tok else 1)
codes = {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children}
ends.set()
for thread in threads: thread.join()
sys.exit(codes != {0})
"""


def test_child_forked_amid_trainings_trains(engine: str) -> None:
    """A lock that a thread of the parent held at that moment would never be free again."""
    assert run(FORKED_AT_WORK, engine) == (0, b"", b"")


def test_trainings_in_two_threads_do_not_see_each_other(engine: str, tmp_path: Path) -> None:
    """Files and documents, words that go to disk, and checkpoints, all at once."""
    file = tmp_path / "a.txt"
    file.write_text("\n".join(TEXTS), encoding="utf-8")
    tasks = [
        {"corpus": TEXTS, "vocab_size": 300, "checkpoint": tmp_path / "one"},
        {"corpus": file, "vocab_size": 290, "memory_limit": "1MB"},
        {"corpus": TEXTS[::2], "vocab_size": 280, "ties": "first"},
    ]
    alone = [
        bytepair.train(**{**task, "checkpoint": None}, threads=2, engine=engine) for task in tasks
    ]
    found: dict[int, bytepair.Tokenizer] = {}

    def work(number: int) -> None:
        found[number] = bytepair.train(**tasks[number], threads=2, engine=engine)

    threads = [threading.Thread(target=work, args=[number]) for number in range(len(tasks))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[number] for number in range(len(tasks))] == alone


@pytest.mark.usefixtures("hears_ctrl_c")
@pytest.mark.parametrize("stage", ["count", "learn"])
def test_ctrl_c_in_the_core_says_how_to_go_on(tmp_path: Path, stage: str) -> None:
    """It comes while the core is at work, and not in a callback."""
    code, out, errors = run(INTERRUPTED, stage, str(tmp_path / "kept"))
    assert (code, out) == (0, b"interrupted\n"), errors
    assert (tmp_path / "kept" / "checkpoint.json").exists()
    assert (tmp_path / "kept" / "merges.log").exists() == (stage == "learn")


INTERRUPTED = """
import os, random, signal, sys, threading, time
import bytepair
stage, folder = sys.argv[1:]
begun = threading.Event()
def documents():
    yield random.Random(1).randbytes(4_000_000).hex()
    while stage == "count":
        yield "low lower " * 100_000
def interrupt():
    begun.wait(60)
    time.sleep(0.1)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
try:
    bytepair.train(
        documents(),
        vocab_size=200_000,
        pattern="gpt2" if stage == "count" else None,
        checkpoint=folder,
        min_frequency=1,
        progress=lambda moment: moment.stage == stage and begun.set(),
    )
except KeyboardInterrupt as error:
    if any("Train again with the same options and resume=True" in n for n in error.__notes__):
        print("interrupted")
"""
