"""One training, measured, in a process of its own: `python _learn_worker.py '{"library": ...}'`.

Prints a line of JSON: seconds from the files to a tokenizer (imports not counted), processor
seconds, peak memory of the whole process, and digests of what was learned. They are made after the
clock and the memory have been read.
"""

import hashlib
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from _corpus import SEPARATOR, documents
from _harness import peak_rss_bytes

MIN_FREQUENCY = 2

Task = dict[str, Any]
Merges = list[tuple[bytes, bytes]]
Learned = Callable[[], Merges] | Callable[[], list[bytes]]
"""Gives the merges in order, or the tokens they made by a library that does not tell the merges."""


def train_superwords(task: Task) -> Callable[[], Merges]:
    """Train with bytepair, a share of the tokens across words."""
    return train_bytepair(task, superwords=task["superwords"])


def train_bytepair(task: Task, superwords: float | None = None) -> Callable[[], Merges]:
    """Train with bytepair; if asked for, what the result is worth comes into `_more`."""
    import bytepair

    warnings.simplefilter("ignore", bytepair.BytepairWarning)  # a small corpus has fewer merges

    def watch(moment: bytepair.Progress) -> None:
        _more[f"{moment.stage}_seconds"] = round(moment.elapsed_s, 4)

    start_clock()
    tok = bytepair.train(
        [Path(path) for path in task["corpus"]],
        vocab_size=task["vocab_size"],
        pattern=task["pattern"],
        superwords=superwords,
        special_tokens=task.get("special_tokens", [SEPARATOR]),
        min_frequency=MIN_FREQUENCY,
        ties=task["ties"],
        threads=task["threads"],
        memory_limit=task.get("memory_limit"),
        engine="native",
        progress=watch if "held_out" in task else None,
    )
    tokens = tok.spec.vocabulary.tokens

    def learned() -> Merges:
        if "held_out" in task:
            texts = list(documents([task["held_out"]]))
            _more.update(use(tok, texts, task["threads"]))
        return [(tokens[left], tokens[right]) for left, right, *_ in tok.merges]

    return learned


def use(tok: Any, texts: list[str], threads: int) -> dict[str, float]:
    """Bytes a token, and bytes a second: to an array, from lists; the best of three passes."""
    n_bytes = sum(len(text.encode()) for text in texts)
    encode_s, decode_s = [], []
    for _ in range(4):  # the first pass fills the cache
        started = time.perf_counter()
        ids, _ = tok.encode_batch_to_numpy(texts, threads=threads)
        encode_s.append(time.perf_counter() - started)
    rows = tok.encode_batch(texts, threads=threads)
    for _ in range(3):
        started = time.perf_counter()
        decoded = tok.decode_batch(rows)
        decode_s.append(time.perf_counter() - started)
    if decoded != texts:
        raise SystemExit("the text does not come back")
    return {
        "bytes_per_token": round(n_bytes / len(ids), 4),
        "encode_bytes_per_s": round(n_bytes / min(encode_s[1:])),
        "decode_bytes_per_s": round(n_bytes / min(decode_s)),
    }


def train_lesson(task: Task) -> Callable[[], Merges]:
    """Train with the first version of lesson 4: it recounts everything after every merge."""
    import importlib.util

    path = Path(__file__).parents[1] / "lessons" / "04_from_v1_to_v2.py"
    spec = importlib.util.spec_from_file_location("lesson", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} is missing")
    lesson = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(lesson)
    start_clock()
    data = b"".join(Path(path).read_bytes() for path in task["corpus"])
    merges, _ = lesson.learn_v1(data, task["vocab_size"] - 256)

    def learned() -> Merges:
        tokens = [bytes([byte]) for byte in range(256)]
        for left, right in merges:
            tokens.append(tokens[left] + tokens[right])
        return [(tokens[left], tokens[right]) for left, right in merges]

    return learned


def train_tokenizers(task: Task) -> Callable[[], Merges]:
    """Train with Hugging Face tokenizers.

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


def train_gigatoken(task: Task) -> Callable[[], Merges]:
    """Train with gigatoken: from the files, by its only pattern."""
    import gigatoken

    start_clock()
    source = gigatoken.TextFileSource(task["corpus"], separator=SEPARATOR)
    _, merges = gigatoken.train_bpe(source, task["vocab_size"], [SEPARATOR])
    return lambda: merges


def train_ffbpe(task: Task) -> Callable[[], list[bytes]]:
    """Train with ffbpe; words go from its counter to its trainer without Python between."""
    import ffbpe

    from bytepair.patterns import NAMED

    start_clock()
    counter = ffbpe.PreTokenizer([SEPARATOR], pat_str=NAMED[task["pattern"]]).word_counter()
    counter.add_source(documents(task["corpus"]))
    trainer = ffbpe.BpeTrainer([SEPARATOR], initial_alphabet="byte_level")
    trainer.add_word_counter(counter)
    trainer.train(task["vocab_size"])
    trainer.validate_model()
    ids = trainer.vocab
    return lambda: sorted(ids, key=ids.__getitem__)[257:]


def train_fast_bpe_rs(task: Task) -> Callable[[], list[bytes]]:
    """Train with fast-bpe-rs; it has its special token to itself."""
    from fast_bpe_rs import BPE

    from bytepair.patterns import NAMED

    start_clock()
    model = BPE(NAMED[task["pattern"]])
    size = task["vocab_size"] - 1
    model.train(size, list(documents(task["corpus"])))
    return lambda: [bytes(model.decode([number])) for number in range(256, size)]


def train_rustbpe(task: Task) -> Callable[[], list[bytes]]:
    """Train with rustbpe, which knows no special tokens."""
    import rustbpe

    from bytepair.patterns import NAMED

    start_clock()
    model = rustbpe.Tokenizer()
    size = task["vocab_size"] - 1
    model.train_from_iterator(documents(task["corpus"]), size, pattern=NAMED[task["pattern"]])
    by_rank = sorted(model.get_mergeable_ranks(), key=lambda row: row[1])
    return lambda: [bytes(content) for content, _ in by_rank[256:]]


TRAINERS: dict[str, Callable[[Task], Learned]] = {
    "bytepair": train_bytepair,
    "superwords": train_superwords,
    "gigatoken": train_gigatoken,
    "ffbpe": train_ffbpe,
    "fast-bpe-rs": train_fast_bpe_rs,
    "rustbpe": train_rustbpe,
    "tokenizers": train_tokenizers,
    "lesson v1": train_lesson,
}


def read_merges(merges: Iterable[tuple[str, str]]) -> Merges:
    """Merges as tokenizers writes them: a printable character for each byte."""
    byte_by_char = printable_bytes()
    return [
        (bytes(byte_by_char[c] for c in left), bytes(byte_by_char[c] for c in right))
        for left, right in merges
    ]


def printable_bytes() -> dict[str, int]:
    """GPT-2's alphabet, made here once more so that an error in bytepair's own would show."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {
        **{chr(byte): byte for byte in printable},
        **{chr(256 + number): byte for number, byte in enumerate(others)},
    }


def digests(learned: Merges | list[bytes]) -> dict[str, Any]:
    """How many merges, and hashes of all tokens and, if they are known, of all merges in order."""
    tokens = [one if isinstance(one, bytes) else b"".join(one) for one in learned]
    result: dict[str, Any] = {"n_merges": len(tokens), "tokens_sha256": digest(tokens)}
    if learned and not isinstance(learned[0], bytes):
        result["merges_sha256"] = digest(b" ".join(pair) for pair in hexadecimal(learned))
    return result


def hexadecimal(merges: Iterable[Any]) -> Iterable[list[bytes]]:
    """So that a space between two parts is nothing but that."""
    return ([part.hex().encode() for part in pair] for pair in merges)


def digest(lines: Iterable[bytes]) -> str:
    """A hash of all lines, whatever bytes they hold."""
    hashed = hashlib.sha256()
    for line in lines:
        hashed.update(line.hex().encode() + b"\n")
    return hashed.hexdigest()


_started: list[float] = []
_more: dict[str, Any] = {}


def start_clock() -> None:
    """Called once everything is imported."""
    _started[:] = [time.perf_counter(), time.process_time()]


def main() -> None:
    """Train, measure, print."""
    task = json.loads(sys.argv[1])
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # some libraries talk
    learned = TRAINERS[task["library"]](task)
    seconds = time.perf_counter() - _started[0]
    cpu_seconds = time.process_time() - _started[1]
    peak = peak_rss_bytes()
    result = {
        "seconds": round(seconds, 4),
        "cpu_seconds": round(cpu_seconds, 4),
        "peak_rss_bytes": peak,
        **digests(learned()),
        **_more,
    }
    print(json.dumps(result), file=out, flush=True)


if __name__ == "__main__":
    main()
