"""One measurement of encoding, in a process of its own: `python _encode_worker.py '{"work": ...}'`.

Prints a line of JSON. What was computed under the clock is compared with the reference after the
clock, and the memory, have been read; imports are never counted. `task` holds:

    work       reference | cold | hot | calls | load | long
    source     a file with the forms of the tokenizer (`Source` of bytepair/cli/_peers.py)
    threads    also the number of processors this process may use
    corpus     files, and `texts`: their "documents", or "short" pieces of the first
    libraries  [name, call] each; the calls are those of `bulk_call`
    reference  where the ids of the texts lie
"""

import base64
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from _corpus import SEPARATOR, documents
from _harness import ROOT, peak_rss_bytes

# Not by way of the package: importing bytepair would charge its memory to every library.
sys.path.append(str(ROOT / "src" / "bytepair" / "cli"))
import _peers
from _peers import Library, LibraryError, Ragged, Source

N_SHORT, SHORT_CHARS = 20_000, 225
LONG_CHARS = 4_000
LONG_BYTES = 10_000_000
REFERENCE_BYTES = 4 << 20  # texts that the reference encodes at once
BLOCK_S = 0.02  # a short call is repeated for so long, and its mean is one measurement

Task = dict[str, Any]
Result = dict[str, Any]


def main() -> None:
    """Do the work, print what came out."""
    task = json.loads(sys.argv[1])
    works = (make_reference, cold, hot, calls, load, long)
    work = {function.__name__.removeprefix("make_"): function for function in works}[task["work"]]
    with _peers.limited(task["threads"]):
        print(json.dumps(work(task)))


def load(task: Task) -> Result:
    """From the file to a library that can encode."""
    (name, _call), *_ = task["libraries"]
    try:
        _, seconds = loaded(name, task)
    except LibraryError as error:
        return {"refused": str(error)}
    return {"seconds": seconds, "peak_rss_bytes": peak_rss_bytes()}


def cold(task: Task) -> Result:
    """The first pass of a fresh process; loading, and making a list of the texts, are not in it."""
    (name, call), *_ = task["libraries"]
    try:
        library, load_s = loaded(name, task)
        run, check = bulk_call(call, library, task)
    except LibraryError as error:
        return {"refused": str(error)}
    started, cpu_started = time.perf_counter(), time.process_time()
    result = run()
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
    return {
        "seconds": round(seconds, 5),
        "cpu_seconds": round(cpu_seconds, 5),
        "load_seconds": round(load_s, 4),
        "peak_rss_bytes": peak_rss_bytes(),
        "differing": check(result),
    }


def hot(task: Task) -> Result:
    """All libraries in one process: each once to warm up and to be compared, then in turns."""
    runs: dict[str, list[float]] = {}
    differing: dict[str, int] = {}
    refused: dict[str, str] = {}
    work: dict[str, Callable[[], Any]] = {}
    for name, call in task["libraries"]:
        label = label_of(name, call, task)
        try:
            work[label], check = bulk_call(call, loaded(name, task)[0], task)
        except LibraryError as error:
            refused[label] = str(error)
            continue
        differing[label] = check(work[label]())
        runs[label] = []
    for label in turns(list(runs), task["rounds"]):
        started = time.perf_counter()
        result = work[label]()
        runs[label].append(round(time.perf_counter() - started, 6))
        del result  # given back before the next one starts
    return {"runs": runs, "differing": differing, "refused": refused}


def calls(task: Task) -> Result:
    """Calls with one text, in turns; the mean of many calls is one measurement."""
    loaded_ones, refused = load_all(task)
    texts = {"hello world": "hello world", "4,000 characters": long_text(task)}
    works = {}
    reference = loaded_ones[task["reference_library"]]
    for title, text in texts.items():
        ids = [int(token) for token in reference.encode(text)]
        right = {"encode": ids, "count": len(ids), "decode": as_texts(reference.decode(ids))}
        for verb in ("encode", "count", "decode"):
            functions = {
                name: single_call(verb, library, ids if verb == "decode" else text, right[verb])
                for name, library in loaded_ones.items()
                if getattr(library, verb)
            }
            works[f"{verb} {title}"] = time_calls(functions, task["rounds"])
    return {"works": works, "refused": refused}


def long(task: Task) -> Result:
    """Texts on which an encoder can become quadratic, each one document, and ordinary ones."""
    library, _ = loaded("bytepair", task)
    works = {}
    for title, text in long_texts(task):
        seconds = []
        for _ in range(task["rounds"]):
            started = time.perf_counter()
            rows = library.encode_batch([text])
            seconds.append(round(time.perf_counter() - started, 5))
        ids, _ = _peers.ragged(rows)
        is_right = as_texts(library.decode(ids.tolist())) == [text]
        works[title] = {
            "runs": {"bytepair": seconds},
            "differing": {"bytepair": int(not is_right)},
            "n_bytes": len(text.encode()),
        }
    return {"works": works}


def make_reference(task: Task) -> Result:
    """The ids that are right, by the library the format comes from; written to a file."""
    library, _ = loaded(task["reference_library"], task)
    ids: list[Any] = []
    lengths: list[Any] = []
    for texts in batches(texts_of(task["corpus"], task["texts"])):
        some, borders = _peers.ragged(library.encode_batch(texts))
        ids.append(some)
        lengths.append(np.diff(borders))
    borders = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64)
    np.savez(task["reference"], ids=np.concatenate(ids), borders=borders)
    return {"n_texts": len(borders) - 1, "n_tokens": int(borders[-1])}


# ---------------------------------------------------------------------- libraries and their calls


def loaded(name: str, task: Task) -> tuple[Library, float]:
    """A library with the tokenizer, and how long it took; importing it is not counted."""
    _peers.import_library(name)
    source = source_of(task)
    started = time.perf_counter()
    library = _peers.load(name, source, task["threads"])
    return library, time.perf_counter() - started


def source_of(task: Task) -> Source:
    """The forms of the tokenizer, which the parent has written down."""
    return Source(**json.loads(Path(task["source"]).read_text(encoding="utf-8")))


def load_all(task: Task) -> tuple[dict[str, Library], dict[str, str]]:
    """(library by name, why not by name)."""
    libraries: dict[str, Library] = {}
    refused: dict[str, str] = {}
    for name, _ in task["libraries"]:
        try:
            libraries[name] = loaded(name, task)[0]
        except LibraryError as error:
            refused[name] = str(error)
    return libraries, refused


def label_of(name: str, call: str, task: Task) -> str:
    """The name of a library, with the call if another one is measured beside it."""
    calls_of_it = {other for library, other in task["libraries"] if library == name}
    return name if len(calls_of_it) == 1 else f"{name} {call}"


def bulk_call(call: str, library: Library, task: Task) -> tuple[Callable[[], Any], Callable]:
    """(what to time, how many rows of its result are wrong).

    Raises:
        LibraryError: the library has no such call.
    """
    if call == "split":
        return splitting(task), lambda _: 0
    function = getattr(library, call)
    if function is None:
        raise LibraryError(f"it has no such call ({call})")
    if call == "encode_files":
        return lambda: function(task["corpus"], SEPARATOR), lambda rows: wrong_ids(rows, task)
    texts = list_of_texts(tuple(task["corpus"]), task["texts"])
    if call == "encode_batch":
        return lambda: function(texts), lambda rows: wrong_ids(rows, task)
    ids, borders = reference_of(task)
    if call == "count_batch":
        lengths = np.diff(borders).tolist()
        return lambda: function(texts), lambda counts: unequal(counts, lengths)
    rows = [row.tolist() for row in np.split(ids, borders[1:-1])]
    argument: list[Any] = rows if call == "decode_batch" else ids.tolist()
    right = right_texts(call, argument, task)
    return lambda: function(argument), lambda decoded: unequal(as_texts(decoded), right)


def right_texts(call: str, argument: list[Any], task: Task) -> list[str]:
    """What the reference decodes to; asked once a process."""
    key = (call, task["reference"])
    if key not in _right_texts:
        library, _ = loaded(task["reference_library"], task)
        _right_texts[key] = as_texts(getattr(library, call)(argument))
    return _right_texts[key]


_right_texts: dict[tuple[str, str], list[str]] = {}


def splitting(task: Task) -> Callable[[], Any]:
    """Cutting the texts into pre-tokens, and nothing else: what the core does before it joins.

    Raises:
        LibraryError: the tokenizer does not cut by one pattern.
    """
    from bytepair.engines import select

    pattern = source_of(task).pattern or None
    if pattern is None:
        raise LibraryError("this tokenizer does not cut by one pattern")
    count = select("native").splitter(pattern).count
    data = [text.encode() for text in list_of_texts(tuple(task["corpus"]), task["texts"])]
    return lambda: sum(map(count, data))


def single_call(
    verb: str, library: Library, argument: Any, right: Any
) -> tuple[Callable[[Any], Any], Any, bool]:
    """(the method, its argument, is its result right?)."""
    method = getattr(library, verb)
    result = method(argument)
    comparable = {"encode": lambda ids: list(map(int, ids)), "decode": as_texts}.get(verb, int)
    return method, argument, comparable(result) == right


def time_calls(functions: dict[str, tuple[Callable, Any, bool]], rounds: int) -> Result:
    """Seconds a call."""
    runs: dict[str, list[float]] = {name: [] for name in functions}
    numbers = {}
    for name, (method, argument, _) in functions.items():
        once = min(timed(method, argument, 3) for _ in range(5))
        numbers[name] = max(1, int(BLOCK_S / max(once, 1e-8)))
    for name in turns(list(functions), rounds):
        method, argument, _ = functions[name]
        runs[name].append(timed(method, argument, numbers[name]))
    differing = {name: int(not is_right) for name, (_, _, is_right) in functions.items()}
    return {"runs": runs, "differing": differing}


def timed(method: Callable[[Any], Any], argument: Any, number: int) -> float:
    """Mean seconds of one call; the loop itself is in it (about 10 ns a call)."""
    started = time.perf_counter()
    for _ in range(number):
        method(argument)
    return (time.perf_counter() - started) / number


def turns(names: Sequence[str], rounds: int) -> Iterator[str]:
    """Every name once a round, another one first each time."""
    for number in range(rounds):
        shift = number % max(1, len(names))
        yield from [*names[shift:], *names[:shift]]


# ---------------------------------------------------------------------- texts and right answers


@cache
def list_of_texts(corpus: tuple[str, ...], kind: str) -> list[str]:
    """The texts that are not empty; one list for all libraries of a process."""
    return [text for text in texts_of(corpus, kind) if text]


def texts_of(corpus: Sequence[str], kind: str) -> Iterator[str]:
    """The documents, or pieces of equal length from the beginning of the first file."""
    if kind == "documents":
        yield from documents(corpus)
        return
    with Path(corpus[0]).open(encoding="utf-8", newline="") as stream:
        text = stream.read(N_SHORT * SHORT_CHARS).replace(SEPARATOR, "\n")
    for start in range(0, len(text), SHORT_CHARS):
        yield text[start : start + SHORT_CHARS]


def long_text(task: Task) -> str:
    """The first document that is long enough, its beginning."""
    for document in documents(task["corpus"]):
        if len(document) >= LONG_CHARS:
            return document[:LONG_CHARS]
    return "".join(documents(task["corpus"]))[:LONG_CHARS]


def long_texts(task: Task) -> Iterator[tuple[str, str]]:
    """(title, text), the corpus itself first."""
    choose = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    yield "the corpus", "".join(documents(task["corpus"]))
    for title, char in {"letter a": "a", "space": " ", "line end": "\n", "日": "日"}.items():
        yield f"one {title}", char * (LONG_BYTES // len(char.encode()))
    yield "random letters", "".join(choose.choices(letters, k=LONG_BYTES))
    yield "base64", base64.b64encode(choose.randbytes(LONG_BYTES * 3 // 4)).decode()


def batches(texts: Iterator[str]) -> Iterator[list[str]]:
    """The texts that are not empty, a few megabytes at a time."""
    batch: list[str] = []
    size = 0
    for text in texts:
        batch += [text] if text else []
        size += len(text)
        if size > REFERENCE_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def reference_of(task: Task) -> Ragged:
    """The right ids of the texts."""
    with np.load(task["reference"]) as saved:
        return saved["ids"], saved["borders"]


def wrong_ids(rows: _peers.Rows, task: Task) -> int:
    """How many texts got other ids than from the reference."""
    return _peers.n_differing(_peers.ragged(rows), reference_of(task))


def unequal(mine: Any, right: Sequence[Any]) -> int:
    """How many items differ; all, if there are more or fewer."""
    mine = list(mine)
    if len(mine) != len(right):
        return len(right)
    return sum(one != other for one, other in zip(mine, right, strict=True))


def as_texts(decoded: Any) -> list[str]:
    """What a library decodes to, one text or many, as texts."""
    many = decoded if isinstance(decoded, list) else [decoded]
    return [x.decode("utf-8", "replace") if isinstance(x, bytes) else x or "" for x in many]


if __name__ == "__main__":
    main()
