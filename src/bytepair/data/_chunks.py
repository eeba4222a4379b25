"""`read_chunks`: a corpus of any kind as one stream of `Chunk`s."""

import os
import stat
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias, cast, overload

from bytepair.data._documents import read_documents
from bytepair.data._faults import Skips, read_guarded, require_on_error
from bytepair.data._jsonl import is_jsonl, read_lines
from bytepair.data._open import is_compressed, open_stream, unreadable
from bytepair.data._paths import resolve, resolve_all
from bytepair.data._record import Place, Record
from bytepair.data._records import require_reader
from bytepair.data._remote import InputFile, RemotePath
from bytepair.data._tables import is_table, read_rows
from bytepair.errors import ArgumentError, CorpusError, InputTypeError
from bytepair.model import Chunk, OnError, TextFile

Corpus: TypeAlias = str | os.PathLike[str] | Iterable[os.PathLike[str]] | Iterable[str | bytes]
"""A path, folder, glob pattern or URL (`str` or path object; "-" is standard input), an iterable of
path objects, or an iterable of documents."""

_ReadFile: TypeAlias = Callable[[InputFile], Iterator[Chunk | TextFile | Record]]


@overload
def read_chunks(
    corpus: Corpus,
    *,
    text_field: str = ...,
    block_bytes: int = ...,
    in_place: Literal[False] = ...,
    on_error: OnError = ...,
    skips: Skips | None = ...,
) -> Iterator[Chunk]: ...


@overload
def read_chunks(
    corpus: Corpus,
    *,
    text_field: str = ...,
    block_bytes: int = ...,
    in_place: bool,
    on_error: OnError = ...,
    skips: Skips | None = ...,
) -> Iterator[Chunk | TextFile]: ...


def read_chunks(
    corpus: Corpus,
    *,
    text_field: str = "text",
    block_bytes: int = 4 << 20,
    in_place: bool = False,
    on_error: OnError = "fail",
    skips: Skips | None = None,
) -> Iterator[Chunk] | Iterator[Chunk | TextFile]:
    r"""Read a corpus as bytes, in order, nothing translated and nothing left out.

    A document is a text file, a record of a `.jsonl`/`.ndjson` file, a row of a Parquet or Arrow
    file, or an item of an iterable of documents. Text files come in blocks, an empty one not at
    all; the others come whole, also when they are empty. Files ending in `.gz`, `.zst` or `.zstd`
    are decompressed on the way.

    Args:
        corpus: see `Corpus`. Strings inside an iterable are documents, not paths.
        text_field: the field of a JSONL record, or the column, that holds the text.
        block_bytes: size of a text file's chunks, 1 or more; about twice that is in memory.
        in_place: text files that are not compressed come unread, as `TextFile`s.
        on_error: "skip": a record that cannot be read is left out, and so is the rest of a file
            that cannot be read on; a `BytepairWarning` a file says so. Paths that lead nowhere are
            errors all the same.
        skips: takes note of all that is left out.

    Raises:
        ArgumentError: `block_bytes` below 1, or strings that could be documents or file names.
        CorpusError: a file or folder is missing, has no text, cannot be read or is damaged.
        InputTypeError: the corpus, or an item of it, is of no kind described here.
        MissingExtraError: zstd, Parquet or Arrow files or URLs, and no package that reads them.

    Paths are looked up in the call; files are opened, and items checked, as the chunks are read.
    What the caller's own iterable raises comes through unchanged.

    >>> list(read_chunks(["low", b"\xff"]))
    [Chunk(data=b'low', is_last=True), Chunk(data=b'\xff', is_last=True)]
    """
    require_on_error(on_error)
    if block_bytes < 1:
        raise ArgumentError(f"block_bytes is {block_bytes}; it must be 1 or more.")
    if isinstance(corpus, str) and corpus == "-":
        return _read_standard_input(block_bytes)
    read = partial(_read_file, text_field=text_field, block_bytes=block_bytes, in_place=in_place)
    files = corpus_files(corpus)
    if files is not None:
        return _read_files(files, read, on_error, skips or Skips())
    return _read_iterable(cast(Iterable[object], corpus), read, on_error, skips or Skips())


def read_range(
    file: InputFile,
    start: int,
    end: int,
    *,
    block_bytes: int = 4 << 20,
    on_error: OnError = "fail",
    skips: Skips | None = None,
) -> Iterator[Chunk]:
    """The bytes from `start` to `end` of a plain text file, as if they were a document.

    Raises: as `read_chunks`.
    """

    def read(path: InputFile) -> Iterator[Chunk]:
        with open_stream(path) as stream:
            stream.seek(start)
            limited = _Limited(stream, end - start)
            yield from _blocks(limited, block_bytes)
        if limited.n_left:
            raise CorpusError(f"{path}: ends {limited.n_left:,} bytes before it should.")

    require_on_error(on_error)
    return read_guarded(read, file, on_error, skips or Skips())


def divisible_size(file: InputFile) -> int | None:
    """Bytes of a file of which `read_range` can read a part; None: it is no plain text.

    Raises:
        CorpusError: it cannot be looked up.
    """
    if isinstance(file, RemotePath):
        is_plain = not (is_compressed(file) or is_jsonl(file) or is_table(file))
        return file.size() if is_plain else None
    return _text_size(file)


def corpus_files(corpus: Corpus) -> list[InputFile] | None:
    """The files `read_chunks` would read, in order; the list is itself a corpus.

    None for documents and for standard input, and for an iterator, which could not be read again
    after looking into it.

    Raises:
        CorpusError: a path is missing, or a folder has no text.
        InputTypeError: the corpus is of no kind that can be read.
    """
    if isinstance(corpus, str | os.PathLike):
        return None if corpus == "-" else resolve(corpus)
    _check_iterable(corpus)
    if isinstance(corpus, Collection) and isinstance(next(iter(corpus), None), os.PathLike):
        return resolve_all(corpus)
    return None


def corpus_size(corpus: Corpus) -> int | None:
    """How many bytes `read_chunks` will give, if that can be known without reading.

    None unless the corpus is plain text files: what is in compressed files, records, pipes and
    iterables, or elsewhere, shows only when they are read.

    Raises: as `corpus_files`.
    """
    files = corpus_files(corpus)
    if files is None:
        return None
    total = 0
    for path in files:
        size = _text_size(path)
        if size is None:
            return None
        total += size
    return total


def _text_size(path: InputFile) -> int | None:
    if not isinstance(path, Path) or is_compressed(path) or is_jsonl(path) or is_table(path):
        return None
    try:
        status = path.stat()
    except OSError as error:
        raise CorpusError(unreadable(path, error)) from error
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _check_iterable(corpus: object) -> None:
    if isinstance(corpus, bytes | bytearray | memoryview):
        wanted = "put documents in a list, [data]"
    elif isinstance(corpus, Mapping):
        wanted = "iterating it would give its keys: pass corpus.values(), or the right entry"
    elif not isinstance(corpus, Iterable):
        wanted = "wanted a path, a list of paths, or an iterable of str or bytes documents"
    else:
        return
    raise InputTypeError(f"corpus: {type(corpus).__name__} cannot be read as it is; {wanted}.")


def _read_iterable(
    corpus: Iterable[object], read: _ReadFile, on_error: OnError, skips: Skips
) -> Iterator[Chunk | TextFile]:
    items = iter(corpus)
    first = list(islice(items, 1))
    everything = chain(first, items)
    if first and isinstance(first[0], os.PathLike):
        yield from _read_files(resolve_all(everything), read, on_error, skips)
    else:
        yield from map(Chunk, read_documents(everything))


def _read_files(
    files: list[InputFile], read: _ReadFile, on_error: OnError, skips: Skips
) -> Iterator[Chunk | TextFile]:
    for path in files:
        require_reader(path)
    return chain.from_iterable(read_guarded(read, path, on_error, skips) for path in files)


def _read_file(
    path: InputFile, text_field: str, block_bytes: int, in_place: bool
) -> Iterator[Chunk | TextFile | Record]:
    size = _text_size(path) if in_place else None
    if size and isinstance(path, Path):  # a file of size 0 may be one of /proc, which has text
        yield TextFile(path, size)
        return
    if is_jsonl(path) or is_table(path):
        read = read_lines if is_jsonl(path) else read_rows
        yield from read(path, text_field, Place())
        return
    with open_stream(path) as stream:
        yield from _blocks(stream, block_bytes)


def _read_standard_input(block_bytes: int) -> Iterator[Chunk]:
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise CorpusError("standard input: not connected to anything that gives bytes.")
    try:
        yield from _blocks(stream, block_bytes)
    except OSError as error:
        raise CorpusError(unreadable("standard input", error)) from error


class _Limited:
    """The next so many bytes of a stream."""

    def __init__(self, stream: BinaryIO, n_bytes: int) -> None:
        self._stream = stream
        self.n_left = n_bytes

    def read(self, n_bytes: int) -> bytes:
        block = self._stream.read(min(n_bytes, self.n_left))
        self.n_left -= len(block)
        return block


def _blocks(stream: "BinaryIO | _Limited", block_bytes: int) -> Iterator[Chunk]:
    """One document; reads a block ahead, because only the end of the stream tells which is last."""
    block = stream.read(block_bytes)
    while block:
        following = stream.read(block_bytes)
        yield Chunk(block, is_last=not following)
        block = following
