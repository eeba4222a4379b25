"""One training, measured, in a process of its own: `python _train_worker.py '{"library": ...}'`.

Prints a line of JSON: seconds from the files to a tokenizer (imports not counted), processor
seconds, peak memory of the whole process, and a digest of the merges. The digest is made after
the clock and the memory have been read.
"""

import hashlib
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from _corpus import SEPARATOR, documents
from _harness import peak_rss_bytes

MIN_FREQUENCY = 2

Merges = Iterable[tuple[bytes, bytes]]


def train_bytepair(task: dict[str, Any]) -> Callable[[], Merges]:
    """Train with bytepair; returns what lists the merges."""
    import bytepair

    warnings.simplefilter("ignore", bytepair.BytepairWarning)  # a small corpus has fewer merges
    start_clock()
    tok = bytepair.train(
        [Path(path) for path in task["corpus"]],
        vocab_size=task["vocab_size"],
        pattern=task["pattern"],
        special_tokens=[SEPARATOR],
        min_frequency=MIN_FREQUENCY,
        ties="huggingface",
        threads=task["threads"],
        engine="native",
    )
    tokens = tok.spec.vocabulary.tokens
    return lambda: ((tokens[left], tokens[right]) for left, right, *_ in tok.merges)


def train_tokenizers(task: dict[str, Any]) -> Callable[[], Merges]:
    """Train with Hugging Face tokenizers: the same documents, pattern and number of merges.

    Its trainer takes the lines of a file for documents, so documents are handed over by an
    iterator, which reads in blocks; the number of threads is set by the environment.
    """
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    from bytepair.patterns import NAMED

    start_clock()
    tok = Tokenizer(models.BPE())
    if task["pattern"] == "gpt2":  # built in; a little faster than the same as a `Split`
        tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    else:
        split = pre_tokenizers.Split(Regex(NAMED[task["pattern"]]), behavior="isolated")
        to_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        tok.pre_tokenizer = pre_tokenizers.Sequence([split, to_bytes])
    trainer = trainers.BpeTrainer(
        vocab_size=task["vocab_size"],
        min_frequency=MIN_FREQUENCY,
        special_tokens=[SEPARATOR],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tok.train_from_iterator(documents(task["corpus"]), trainer)
    return lambda: read_merges(json.loads(tok.to_str())["model"]["merges"])


def read_merges(merges: Iterable[tuple[str, str]]) -> Merges:
    """Merges as tokenizers writes them: a printable character for each byte."""
    byte_by_char = printable_bytes()
    for left, right in merges:
        yield bytes(byte_by_char[c] for c in left), bytes(byte_by_char[c] for c in right)


def printable_bytes() -> dict[str, int]:
    """GPT-2's alphabet, made here once more so that an error in bytepair's own would show."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {
        **{chr(byte): byte for byte in printable},
        **{chr(256 + number): byte for number, byte in enumerate(others)},
    }


def digest(merges: Merges) -> tuple[int, str]:
    """How many merges, and a hash of all of them in order."""
    number = 0
    hashed = hashlib.sha256()
    for pair in merges:
        hashed.update(" ".join(part.hex() for part in pair).encode() + b"\n")
        number += 1
    return number, hashed.hexdigest()


_started: list[float] = []


def start_clock() -> None:
    """Called once everything is imported."""
    _started[:] = [time.perf_counter(), time.process_time()]


def main() -> None:
    """Train, measure, print."""
    task = json.loads(sys.argv[1])
    train = {"bytepair": train_bytepair, "tokenizers": train_tokenizers}[task["library"]]
    list_merges = train(task)
    seconds = time.perf_counter() - _started[0]
    cpu_seconds = time.process_time() - _started[1]
    peak = peak_rss_bytes()
    n_merges, merges_sha256 = digest(list_merges())
    result = {
        "seconds": round(seconds, 4),
        "cpu_seconds": round(cpu_seconds, 4),
        "peak_rss_bytes": peak,
        "n_merges": n_merges,
        "merges_sha256": merges_sha256,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
