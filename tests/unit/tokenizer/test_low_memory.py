"""What happens when the memory is used up: an error, and a tokenizer that goes on."""

import subprocess
import sys

import pytest

pytest.importorskip("resource", reason="limits of memory are a matter of POSIX")

SCRIPT = """
import resource, sys
from pathlib import Path
import bytepair

engine, room = sys.argv[1], int(sys.argv[2])
tok = bytepair.train(["the quick brown fox"] * 9, vocab_size=280, special_tokens=[], engine=engine)
word, texts = tok.encode("the fox"), ["the quick brown fox, é " * 50] * 400
expected = [tok.encode(text) for text in texts]
calls = [
    lambda: tok.encode_batch(texts, threads=2) == expected,
    lambda: tok.count_batch(texts, threads=2) == list(map(len, expected)),
    lambda: len(tok.encode_with_offsets("".join(texts))[0]) > 0,
    lambda: tok.decode_batch(expected) == texts,
    lambda: len(tok.encode_with_unstable("t" * 100_000)[1]) > 0,
]
used = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + room, resource.RLIM_INFINITY))
for call in calls:
    try:
        assert call()
    except (MemoryError, bytepair.errors.BytepairError):
        pass
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
assert tok.encode("the fox") == word and tok.encode_batch(texts) == expected
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc says how much is used")
@pytest.mark.parametrize("room", [0, 1 << 20, 8 << 20])
def test_memory_that_is_used_up_is_an_error_and_nothing_worse(engine: str, room: int) -> None:
    """In no thread does it end the process; afterwards the same tokenizer gives the same ids."""
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, engine, str(room)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
