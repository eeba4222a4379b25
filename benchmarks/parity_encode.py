"""Are the ids those of the libraries the formats come from? On a million strings, and on corpora.

    python benchmarks/parity_encode.py TOKENIZER ... [--strings 1000000] [--seed 0]
        [--corpus FILE ...] [--processes 2] [--twin 0.01]

The strings are those of tests/parity/strings.py, after them each code point among neighbours, and
strings of bytes that are not UTF-8; a corpus is compared document by document. Every string goes
through `encode_batch`, `count_batch` and, some of them, `encode`, against Hugging Face's tokenizers
and, where the tokenizer can be said in that form, tiktoken, there with special tokens and without.
Bytes that are no text come back as they were; a part of all is compared with the Python engine.

Prints the first differences, made as short as possible, and ends with 1 if there are any.
"""

import argparse
import mmap
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import _corpus
from _harness import ROOT
from _vocabularies import name_of, open_vocabulary

import bytepair
from bytepair.cli import _peers

sys.path.append(str(ROOT / "tests" / "parity"))
import strings as made

STRINGS_A_JOB = 4 * made.CHUNK
BYTES_A_JOB = 2 << 20
EVERY = 16  # so many strings go through the calls for one text
SHOWN = 5  # differences of a job, and of a tokenizer

Ids = list[int]


class Job(NamedTuple):
    """Some strings to compare: `kind` "strings", "code points" or "bytes" with the number of the
    first and how many, or a file with a range of bytes.
    """

    kind: str
    first: int
    n: int


class Difference(NamedTuple):
    """A text on which a call and its reference disagree, made short."""

    call: str
    text: str | bytes
    ours: Any
    theirs: Any


@dataclass(frozen=True)
class Check:
    """A call of ours and what it must give.

    Attributes:
        ours, theirs: texts to a result for each.
        every: only each so-manieth string, since it is slow.
    """

    name: str
    ours: Callable[[list[Any]], list[Any]]
    theirs: Callable[[list[Any]], list[Any]]
    every: int = 1


def main() -> None:
    """Compare one tokenizer after the other."""
    options = parse_options()
    found = 0
    for path in options.tokenizers:
        with tempfile.TemporaryDirectory() as folder:
            found += compare(path, options, folder)
    sys.exit(1 if found else 0)


def parse_options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("tokenizers", nargs="+", type=Path, metavar="TOKENIZER")
    parser.add_argument("--strings", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--corpus", nargs="+", type=Path, metavar="FILE", default=[])
    parser.add_argument("--no-code-points", action="store_true", help="leave those strings out")
    parser.add_argument("--twin", type=float, default=0.01, help="part compared with Python")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def compare(path: Path, options: argparse.Namespace, folder: str) -> int:
    """All jobs of one tokenizer, on processes; returns how many differences were found."""
    name = name_of(path)
    _, source = open_vocabulary(path, Path(folder))
    jobs = list(jobs_of(options))
    started = last = time.monotonic()
    n_texts = n_bytes = 0
    differences: list[Difference] = []
    with get_context("spawn").Pool(
        options.processes, start, (source, options.twin, options.seed)
    ) as pool:
        for number, (texts, size, found) in enumerate(pool.imap_unordered(run, jobs), 1):
            n_texts, n_bytes = n_texts + texts, n_bytes + size
            differences += found
            if time.monotonic() - last > 10:
                last = time.monotonic()
                print(f"{name}: {n_texts:,} texts, job {number} of {len(jobs)}", file=sys.stderr)
            if len(differences) >= SHOWN:
                break
    seconds = time.monotonic() - started
    what = f"{n_texts:,} texts, {n_bytes / 1e6:.1f} MB, {seconds:.0f} s"
    print(f"{name}: {what}: {len(differences) or 'no'} differences", flush=True)
    for difference in differences[:SHOWN]:
        print("\n".join(lines_of(difference)), flush=True)
    return len(differences)


def jobs_of(options: argparse.Namespace) -> Iterator[Job]:
    """Everything that is to be compared."""
    kinds = {"strings": options.strings, "bytes": options.strings // 10}
    if not options.no_code_points:
        kinds["code points"] = made.N_CODE_POINTS
    for kind, total in kinds.items():
        for first in range(0, total, STRINGS_A_JOB):
            yield Job(kind, first, min(STRINGS_A_JOB, total - first))
    for path in options.corpus:
        yield from (Job(str(path), first, n) for first, n in ranges_of(path))


def ranges_of(path: Path) -> Iterator[tuple[int, int]]:
    """(first byte, number of bytes) of stretches of a file that end where documents do."""
    separator = _corpus.SEPARATOR.encode()
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        start = 0
        while start < len(data):
            found = data.find(separator, start + BYTES_A_JOB)
            end = len(data) if found < 0 else found + len(separator)
            yield start, end - start
            start = end


# ---------------------------------------------------------------------- in each process

_state: dict[str, Any] = {}


def start(source: _peers.Source, twin: float, seed: int) -> None:
    """Load everything, once a process."""
    tok = bytepair.load(source.given)
    python = bytepair.load(source.given, engine="python") if twin else None
    every = max(1, round(1 / twin)) if twin else 0
    added = [token.content for token in tok.spec.added_tokens]
    _state.update(
        seed=seed,
        specials=added,
        text_checks=[*reference_checks(tok, source), *own_checks(tok, python, every)],
        byte_checks=[*round_trips(tok, source), *own_checks(tok, python, max(1, every // 10))],
    )


def run(job: Job) -> tuple[int, int, list[Difference]]:
    """(number of texts, their bytes, differences)."""
    texts = texts_of(job)
    checks = _state["byte_checks" if job.kind == "bytes" else "text_checks"]
    found: list[Difference] = []
    for check in checks:
        some = texts[:: check.every]
        for text, ours, theirs in zip(some, check.ours(some), check.theirs(some), strict=True):
            if ours != theirs and len(found) < SHOWN:
                found.append(shortened(check, text))
    encoded = (t if isinstance(t, bytes) else t.encode("utf-8", "surrogatepass") for t in texts)
    return len(texts), sum(map(len, encoded)), found


def texts_of(job: Job) -> list[Any]:
    """The texts of a job; empty documents are left out."""
    if job.kind == "strings":
        return made.strings(_state["seed"], job.first, job.n, _state["specials"])
    if job.kind == "bytes":
        return made.byte_strings(_state["seed"], job.first, job.n)
    if job.kind == "code points":
        return made.code_points(job.first, job.n)
    with Path(job.kind).open("rb") as stream:
        stream.seek(job.first)
        data = stream.read(job.n)
    return [text for text in data.decode().split(_corpus.SEPARATOR) if text]


def reference_checks(tok: bytepair.Tokenizer, source: _peers.Source) -> Iterator[Check]:
    """Against the libraries that load the tokenizer; one of them at least must."""

    def encode(texts: list[Any]) -> list[Ids]:
        return tok.encode_batch(texts, allowed_special="all", disallowed_special=(), threads=1)

    libraries = {}
    for name in ("tokenizers", "tiktoken"):
        try:
            libraries[name] = _peers.load(name, source, 1)
        except _peers.LibraryError as error:
            print(f"{name} takes no part: {error}", file=sys.stderr)
    if not libraries:
        raise SystemExit("Neither tokenizers nor tiktoken can load it: nothing to compare with.")
    for name, library in libraries.items():
        yield Check(f"encode_batch, {name}", encode, clean(library.encode_batch))
    if "tiktoken" in libraries:
        ordinary = libraries["tiktoken"].encode
        theirs = clean(lambda texts: [ordinary(text) for text in texts])
        yield Check("encode_ordinary_batch, tiktoken", tok.encode_ordinary_batch, theirs)


def clean(encode: Callable[[list[str]], Any]) -> Callable[[list[str]], list[Ids]]:
    """`encode` of texts without surrogates, which these libraries do not all take."""
    return lambda texts: encode([made.without_surrogates(text) for text in texts])


def own_checks(
    tok: bytepair.Tokenizer, python: bytepair.Tokenizer | None, every: int
) -> Iterator[Check]:
    """Our calls against each other, and the engines."""
    options: dict[str, Any] = {"allowed_special": "all", "disallowed_special": ()}

    def batch(texts: list[Any]) -> list[Ids]:
        return tok.encode_batch(texts, **options, threads=1)

    def arrays(texts: list[Any]) -> list[Ids]:
        ids, offsets = tok.encode_batch_to_numpy(texts, **options, threads=2)
        flat, ends = ids.tolist(), offsets.tolist()
        return [flat[a:b] for a, b in pairwise(ends)]

    def lengths(texts: list[Any]) -> list[int]:
        return list(map(len, batch(texts)))

    def counts(texts: list[Any]) -> list[int]:
        return list(tok.count_batch(texts, allowed_special="all", threads=1))

    def each(texts: list[Any]) -> list[Ids]:
        return [tok.encode(text, **options) for text in texts]

    yield Check("count_batch, length of encode_batch", counts, lengths)
    yield Check("encode, encode_batch", each, batch, EVERY)
    yield Check("encode_batch_to_numpy, encode_batch", arrays, batch, EVERY)
    if python is not None:
        twin = python
        name = "encode_batch, the Python engine"
        yield Check(name, batch, lambda texts: twin.encode_batch(texts, **options), every)


def round_trips(tok: bytepair.Tokenizer, source: _peers.Source) -> Iterator[Check]:
    """Bytes come back, where nothing is normalised: in what can be said in tiktoken's form."""
    if source.ranks:
        yield Check(
            "decode_bytes(encode_ordinary)",
            lambda texts: [tok.decode_bytes(ids) for ids in tok.encode_ordinary_batch(texts)],
            list,
        )


# ---------------------------------------------------------------------- showing


def shortened(check: Check, text: Any) -> Difference:
    """Leave out whatever can be, as long as the two differ."""
    size = len(text) // 2
    while size:
        start = 0
        while start < len(text):
            shorter = text[:start] + text[start + size :]
            if shorter and check.ours([shorter]) != check.theirs([shorter]):
                text = shorter
            else:
                start += size
        size //= 2
    return Difference(check.name, text, check.ours([text])[0], check.theirs([text])[0])


def lines_of(difference: Difference) -> Sequence[str]:
    """A difference as people can read it, and paste it into a test."""
    ours, theirs = (str(value)[:200] for value in (difference.ours, difference.theirs))
    shown = ascii(difference.text)
    cut = f"{shown[:300]} ... ({len(difference.text):,} long)" if len(shown) > 300 else shown
    return f"  {difference.call}", f"    text   {cut}", f"    ours   {ours}", f"    theirs {theirs}"


if __name__ == "__main__":
    main()
