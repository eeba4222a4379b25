import copy
import pickle
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from bytepair.tokenizer import Tokenizer

TEXTS = ["The quick brown fox\n", "Größe 12<|endoftext|>", "日本語", "", "x" * 500, "<|im_start|>"]

# Work on threads in the parent, then everything again in the child; the exit code says whether
# both agree. Nothing may be printed.
FORKED = """
import os, signal, sys
import bytepair
engine = sys.argv[1]
def work():
    tok = bytepair.train(["low lower lowest"] * 50, vocab_size=262, threads=3, engine=engine)
    ids = tok.encode_batch(["low", "lowest lower"] * 200, threads=3)
    return ids, tok.count_batch(["low"] * 20, threads=2), tok.decode(tok.encode("lowest")), tok
expected = work()
tok = expected[3]
child = os.fork()
if child == 0:
    signal.alarm(60)
    same = tok.encode_batch(["low", "lowest lower"] * 200, threads=3) == expected[0]
    os._exit(0 if same and work()[:3] == expected[:3] else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""

UNPICKLED = """
import pickle, sys
tok = pickle.load(sys.stdin.buffer)
print(tok.encode_batch(["low dog", "<|endoftext|>"], allowed_special="all"))
"""


def everything(tok: Tokenizer) -> Any:
    """What a tokenizer says about the texts."""
    ids = tok.encode_batch(TEXTS, allowed_special="all")
    return ids, tok.decode_batch(ids), tok.special_tokens, tok.n_vocab, tok.pattern, tok.name


def test_pickle_gives_the_same_tokenizer(tok: Tokenizer) -> None:
    """Training record and engine included."""
    again = pickle.loads(pickle.dumps(tok))
    assert everything(again) == everything(tok)
    assert again.spec == tok.spec
    assert again.spec.training == tok.spec.training


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_gives_the_same_bytes_each_time(tok: Tokenizer, protocol: int) -> None:
    """Data libraries hash the pickle to find what they computed before: use must not change it."""
    before = pickle.dumps(tok, protocol)
    everything(tok)
    tok.encode_single_token("a")
    assert pickle.dumps(tok, protocol) == before
    again = pickle.loads(before)
    everything(again)
    assert pickle.dumps(again, protocol) == pickle.dumps(pickle.loads(before), protocol)


def test_pickle_is_read_by_another_process(tok: Tokenizer) -> None:
    """As `multiprocessing` with `spawn` does, under another hash seed."""
    result = subprocess.run(
        [sys.executable, "-c", UNPICKLED],
        input=pickle.dumps(tok),
        capture_output=True,
        check=True,
        env={"PYTHONHASHSEED": "77"},
    )
    assert result.stdout.decode().strip() == str([tok.encode("low dog"), [600]])
    assert result.stderr == b""


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copy_is_the_same_tokenizer(tok: Tokenizer, duplicate: Any) -> None:
    """It is immutable, so one is enough: deep-copying a model costs nothing here."""
    assert duplicate(tok) is tok
    assert duplicate({"tokenizer": tok})["tokenizer"] is tok


def test_fork_after_work_works_in_silence(engine: str) -> None:
    """Others deadlock, or warn from each worker that they have turned their threads off."""
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", FORKED, engine],
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")


# As above, but other threads are in the middle of encoding when the process is forked.
FORKED_AT_WORK = """
import os, signal, sys, threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # Python's own, of forks with threads
import bytepair
engine = sys.argv[1]
tok = bytepair.train(["low lower lowest"] * 50, vocab_size=262, engine=engine)
texts = ["lowest lower" * 50] * 400
expected = tok.encode_batch(texts, threads=2), tok.encode("low " * 9000)
ends = threading.Event()
def work():
    while not ends.is_set():
        tok.encode_batch(texts, threads=2)
        tok.encode("low " * 9000)
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads: thread.start()
children = []
for _ in range(8):
    children.append(os.fork())
    if children[-1] == 0:
        signal.alarm(60)
        found = tok.encode_batch(texts, threads=2), tok.encode("low " * 9000)
        os._exit(0 if found == expected else 1)
codes = {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children}
ends.set()
for thread in threads: thread.join()
sys.exit(codes != {0})
"""


def test_fork_while_threads_encode_works_in_the_child(engine: str) -> None:
    """A lock that a thread of the parent held at that moment would never be free again."""
    result = subprocess.run(
        [sys.executable, "-c", FORKED_AT_WORK, engine],
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")


# A text that takes seconds, then Ctrl-C; one of the ways to encode it for ever.
INTERRUPTED = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import bytepair
engine, way = sys.argv[1:]
tok = bytepair.train(["low lower lowest"] * 50, vocab_size=262, engine=engine)
text = "low lower lowest " * (600_000 if engine == "native" else 20_000)
ways = {
    "encode": lambda: tok.encode(text),
    "batch": lambda: tok.encode_batch_to_numpy([text] * 9, threads=2),
    "count": lambda: tok.count(text),
    "offsets": lambda: tok.encode_with_offsets(text),
    "dropout": lambda: tok.encode(text, dropout=0.1),
    "stream": lambda: tok.stream_encoder().push(text),
}
print("go", flush=True)
while True: ways[way]()
"""


@pytest.mark.parametrize("way", ["encode", "batch", "count", "offsets", "dropout", "stream"])
def test_sigint_stops_the_encoding_of_a_large_text(engine: str, way: str) -> None:
    """Others do not hear it until they are done."""
    command = [sys.executable, "-c", INTERRUPTED, engine, way]
    with subprocess.Popen(command, stdout=-1, stderr=-1) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"go\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode in {-signal.SIGINT, 130}
    assert errors.splitlines()[-1] == b"KeyboardInterrupt"


def test_eight_threads_share_one_tokenizer(tok: Tokenizer) -> None:
    """Options belong to the call: no thread may see those of another."""
    options: list[dict[str, Any]] = [
        {"allowed_special": "all"},
        {"disallowed_special": ()},
        {"allowed_special": {"<|endoftext|>"}, "disallowed_special": ()},
        {"allowed_special": {"<|im_start|>"}, "disallowed_special": ()},
    ]
    expected = [[tok.encode(text, **option) for text in TEXTS] for option in options]

    def work(number: int) -> bool:
        option, wanted = options[number % 4], expected[number % 4]
        one_by_one = [tok.encode(text, **option) for text in TEXTS]
        together = tok.encode_batch(TEXTS, threads=2, **option)
        texts = tok.decode_batch(one_by_one)
        return one_by_one == wanted and together == wanted and texts == TEXTS

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(400)))


def test_python_may_end_while_a_daemon_thread_encodes() -> None:
    """The core must not ask for the GIL of an interpreter that is gone: that would abort."""
    code = (
        "import bytepair, threading, time\n"
        "tok = bytepair.train(['the cat ' * 9], vocab_size=260)\n"
        "def work():\n"
        "    while True: tok.encode('the cat ' * 1_000_000)\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "time.sleep(0.3)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_tokenizers_are_equal_if_their_specifications_are(tok: Tokenizer) -> None:
    """However a copy came about; a set holds it once."""
    again = pickle.loads(pickle.dumps(tok))
    other = Tokenizer(replace(tok.spec, name="other"))
    assert again == tok == copy.deepcopy(tok)
    assert len({again, tok, other}) == 2
    assert tok != other
    assert tok != "small"
