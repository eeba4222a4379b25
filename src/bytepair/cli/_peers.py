"""Tokenizer libraries behind one face, so that each is asked the same thing in the same way.

Nothing here imports bytepair before it is asked to: a process that measures one library loads this
file alone, and holds no other library.
"""

import base64
import importlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ragged = tuple[NDArray[np.uint32], NDArray[np.int64]]
"""(ids, borders); row i is `ids[borders[i]:borders[i + 1]]`."""

Rows = Ragged | list[list[int]]
"""Ids of many texts, in the form in which a library gives them."""

_IMPORTED_LATE = {"gigatoken": ("awkward",)}
_SIZE_OF_BUILT_IN = {100_256: "cl100k_base", 199_998: "o200k_base"}


class LibraryError(Exception):
    """A library is not installed, or cannot load this tokenizer."""


@dataclass(frozen=True)
class Source:
    """A tokenizer in the forms that libraries read.

    Attributes:
        given: the path that was named.
        json: a Hugging Face tokenizer.json; "": it cannot be said in that form.
        ranks: a tiktoken file, likewise.
        pattern: how bytepair cuts; "": not by one pattern.
        pat_str, special_tokens: what a tiktoken file does not hold, as tiktoken wants it.
        n_ordinary: tokens that are not added tokens.
        reasons: why a form ("json", "ranks") is missing.
    """

    given: str
    json: str = ""
    ranks: str = ""
    pattern: str = ""
    pat_str: str = ""
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    n_ordinary: int = 0
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_ranks(self) -> bool:
        """True if what was named is a tiktoken file."""
        return self.given.endswith(".tiktoken")

    def need(self, form: str) -> str:
        """The path of a form.

        Raises:
            LibraryError: there is none.
        """
        path: str = getattr(self, form)
        if not path:
            raise LibraryError(self.reasons.get(form, f"it reads no {Path(self.given).suffix}"))
        return path


@dataclass(frozen=True)
class Library:
    """What a library with a loaded tokenizer can do, each the fastest call it has for that.

    Special tokens in a text are matched. A call that the library does not have is None; those that
    take one text or one row take no other argument, so that a bound method can be timed as it is.

    Attributes:
        encode_files: of (paths, what separates documents).
    """

    encode: Callable[[str], Any]
    encode_batch: Callable[[list[str]], Rows]
    encode_files: Callable[[list[str], str], Rows] | None = None
    count: Callable[[str], int] | None = None
    count_batch: Callable[[list[str]], Any] | None = None
    decode: Callable[[list[int]], Any] | None = None
    decode_batch: Callable[[list[list[int]]], Any] | None = None


def import_library(name: str) -> None:
    """Import a library, and what it would import itself in its first call.

    Raises:
        LibraryError: it is not installed, or cannot be imported.
    """
    package = name.partition(" ")[0]
    with answers():
        for module in (package.replace("-", "_"), *_IMPORTED_LATE.get(package, ())):
            importlib.import_module(module)


def load(name: str, source: Source, threads: int) -> Library:
    """A library with the tokenizer, for work on so many threads.

    Raises:
        LibraryError: it is not installed, or does not take this tokenizer; says why.
    """
    with answers():
        return LIBRARIES[name](source, threads)


@contextmanager
def answers() -> Iterator[None]:
    """Whatever a library raises inside is its answer.

    Raises:
        LibraryError: in place of it.
    """
    try:
        yield
    except (LibraryError, KeyboardInterrupt, SystemExit):
        raise
    except ImportError as error:
        raise LibraryError(f"not installed ({error})") from error
    except BaseException as error:  # what a library in Rust raises in a panic is no Exception
        raise LibraryError(f"{type(error).__name__}: {' '.join(str(error).split())}") from error


def installed_version(name: str) -> str | None:
    """The version of a library; None: it is not installed."""
    try:
        return version(name.partition(" ")[0])
    except PackageNotFoundError:
        return None


@contextmanager
def limited(threads: int) -> Iterator[None]:
    """Libraries that are imported inside use so many threads, and so many processors at most,
    where the system can see to that: some start more threads than they are told to.
    """
    told = {
        "RAYON_NUM_THREADS": str(threads),
        "TOKENIZERS_PARALLELISM": "true" if threads > 1 else "false",
    }
    before = {name: os.environ.get(name) for name in told}
    processors = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    os.environ.update(told)
    if processors:
        os.sched_setaffinity(0, sorted(processors)[:threads])
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            os.environ |= {} if value is None else {name: value}
        if processors:
            os.sched_setaffinity(0, processors)


def ragged(rows: Rows) -> Ragged:
    """Rows as arrays without empty rows, which some libraries leave out."""
    if isinstance(rows, tuple):
        ids, borders = rows
        return ids, np.unique(borders.astype(np.int64))
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    ids = np.fromiter((token for row in rows for token in row), np.uint32, int(lengths.sum()))
    return ids, np.unique(np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]))


def n_differing(mine: Ragged, theirs: Ragged) -> int:
    """How many rows are not the same, token by token; of a different number of rows: all."""
    if np.array_equal(mine[1], theirs[1]) and np.array_equal(mine[0], theirs[0]):
        return 0
    if len(mine[1]) != len(theirs[1]):
        return max(len(mine[1]), len(theirs[1])) - 1
    pairs = zip(*(np.split(ids, borders[1:-1]) for ids, borders in (mine, theirs)), strict=True)
    return sum(not np.array_equal(one, other) for one, other in pairs)


# ---------------------------------------------------------------------- the libraries


def _bytepair(source: Source, threads: int) -> Library:
    bytepair = importlib.import_module("bytepair")
    options = {}
    if source.is_ranks:
        options = {"pattern": source.pattern, "special_tokens": dict(source.special_tokens)}
    tok = bytepair.load(source.given, **options)
    return Library(
        encode=tok.encode,
        encode_batch=partial(tok.encode_batch_to_numpy, threads=threads, allowed_special="all"),
        encode_files=lambda paths, separator: tok.encode_files(
            paths, separator=separator, threads=threads, allowed_special="all"
        ),
        count=tok.count,
        count_batch=partial(tok.count_batch, threads=threads, allowed_special="all"),
        decode=tok.decode,
        decode_batch=partial(tok.decode_batch, num_threads=threads),
    )


def _tokenizers(source: Source, _threads: int) -> Library:
    tok = _hugging_face(source)
    plain = {"add_special_tokens": False}
    return Library(
        encode=lambda text: tok.encode(text, **plain).ids,
        encode_batch=lambda texts: [row.ids for row in tok.encode_batch_fast(texts, **plain)],
        decode=partial(tok.decode, skip_special_tokens=False),
        decode_batch=partial(tok.decode_batch, skip_special_tokens=False),
    )


def _hugging_face(source: Source) -> Any:
    tokenizers = importlib.import_module("tokenizers")
    vocab, merges = (Path(source.given, name) for name in ("vocab.json", "merges.txt"))
    if not merges.is_file():
        return tokenizers.Tokenizer.from_file(source.need("json"))
    # GPT-2's pair of files: read by the library itself, whatever bytepair makes of them.
    tok = tokenizers.Tokenizer(tokenizers.models.BPE.from_file(str(vocab), str(merges)))
    tok.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = tokenizers.decoders.ByteLevel()
    tok.add_special_tokens(list(source.special_tokens))
    return tok


def _tiktoken(source: Source, threads: int) -> Library:
    ranks = source.need("ranks")
    tiktoken = importlib.import_module("tiktoken")
    lines = (line.split() for line in Path(ranks).read_bytes().splitlines())
    tok = tiktoken.Encoding(
        "benchmark",
        pat_str=source.pat_str,
        mergeable_ranks={base64.b64decode(token): int(rank) for token, rank in lines},
        special_tokens=dict(source.special_tokens),
    )
    return Library(
        encode=tok.encode_ordinary,  # twice as fast as `encode` on a short text
        encode_batch=partial(tok.encode_batch, num_threads=threads, allowed_special="all"),
        decode=tok.decode,
        decode_batch=partial(tok.decode_batch, num_threads=threads),
    )


def _gigatoken(source: Source, threads: int, *, parallel: bool | None = None) -> Library:
    """`parallel=False` keeps it on the calling thread: faster cold, slower hot."""
    if parallel is False and threads > 1:
        raise LibraryError("it runs on one thread only")
    gigatoken = importlib.import_module("gigatoken")
    if source.is_ranks:
        specials = dict(source.special_tokens)
        tok = gigatoken.Tokenizer.from_tiktoken(source.given, special_tokens=specials)
    else:
        tok = gigatoken.Tokenizer(source.need("json"))

    def encode_files(paths: list[str], separator: str) -> Ragged:
        source = gigatoken.TextFileSource(paths, separator)
        return _from_awkward(tok.encode_files(source, parallel=parallel))

    return Library(
        encode=tok.backend.encode,  # a third less time than the method that calls it
        encode_batch=lambda texts: _from_awkward(tok.encode_batch(texts, parallel=parallel)),
        encode_files=encode_files,
        decode=tok.decode,
    )


def _from_awkward(array: Any) -> Ragged:
    return array.layout.content.data, array.layout.offsets.data


def _fastokens(source: Source, _threads: int) -> Library:
    fastokens = importlib.import_module("fastokens")
    if source.is_ranks:
        specials = dict(source.special_tokens)
        tok = fastokens.Tokenizer.from_tiktoken(source.given, source.pat_str, specials)
    else:
        tok = fastokens.Tokenizer.from_file(source.need("json"))

    def encode_batch(texts: list[str]) -> Ragged:
        ids, offsets = tok.encode_batch_flat(texts)
        return np.frombuffer(ids, np.uint32), np.frombuffer(offsets, np.uint64).astype(np.int64)

    return Library(
        encode=lambda text: tok.encode(text).ids,
        encode_batch=encode_batch,
        decode=tok.decode,
        decode_batch=tok.decode_batch,
    )


def _tokie(source: Source, _threads: int) -> Library:
    tok = importlib.import_module("tokie").Tokenizer.from_json(source.need("json"))
    return Library(
        encode=lambda text: tok.encode(text, False).ids,
        encode_batch=lambda texts: [row.ids for row in tok.encode_batch(texts, False)],
        encode_files=lambda paths, separator: tok.encode_files(paths, separator.encode()),
        count=tok.count_tokens,
        count_batch=tok.count_tokens_batch,
        decode=tok.decode,
        decode_batch=tok.decode_batch,
    )


def _rs_bpe(source: Source, threads: int) -> Library:
    openai = importlib.import_module("rs_bpe.bpe").openai
    tok = getattr(openai, _built_in(source))()
    options = openai.ParallelOptions(min_batch_size=2, chunk_size=64, max_threads=threads)
    return Library(
        encode=tok.encode,
        encode_batch=lambda texts: tok.encode_batch_parallel(texts, options)[0],
        count=tok.count,
        decode=tok.decode,
        decode_batch=tok.decode_batch,
    )


def _bpe_openai(source: Source, threads: int) -> Library:
    tok = importlib.import_module("bpe_openai").get_encoding(_built_in(source))
    return Library(
        encode=tok.encode_ordinary,
        encode_batch=partial(tok.encode_ordinary_batch, num_threads=threads),
        decode=tok.decode,
        decode_batch=partial(tok.decode_batch, num_threads=threads),
    )


def _built_in(source: Source) -> str:
    """The vocabulary that a library carries; by its size, since ids are compared anyway."""
    name = _SIZE_OF_BUILT_IN.get(source.n_ordinary)
    if name is None:
        raise LibraryError(f"it has only {' and '.join(_SIZE_OF_BUILT_IN.values())}")
    return name


LIBRARIES: dict[str, Callable[[Source, int], Library]] = {
    "bytepair": _bytepair,
    "gigatoken": _gigatoken,
    "gigatoken (sequential)": partial(_gigatoken, parallel=False),
    "fastokens": _fastokens,
    "tokie": _tokie,
    "tiktoken": _tiktoken,
    "tokenizers": _tokenizers,
    "rs-bpe": _rs_bpe,
    "bpe-openai": _bpe_openai,
}
"""By the name under which each is installed."""
