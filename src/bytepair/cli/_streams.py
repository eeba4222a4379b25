"""Documents from files and standard input, bytes to standard output: exactly as they are."""

import errno
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple, TextIO, cast

from bytepair.cli._messages import say

_BLOCK_BYTES = 4 << 20


class Document(NamedTuple):
    """What becomes one row of output.

    Attributes:
        source: the file's name, or "-".
        line: number of the line, from 1; None if the document is the whole file.
        data: its bytes, without the newline that ended the line.
        is_ended: more follows, or a newline did; only the very last line can be without.
    """

    source: str
    line: int | None
    data: bytes
    is_ended: bool = True

    @property
    def label(self) -> str:
        """Where it comes from, as people read it; nothing for standard input."""
        if self.source == "-":
            return ""
        return self.source if self.line is None else f"{self.source}:{self.line}"

    def place(self) -> dict[str, str | int]:
        """Where it comes from, as JSON shows it."""
        where: dict[str, str | int] = {"source": self.source}
        return where if self.line is None else where | {"line": self.line}


def read_documents(names: Sequence[str] | None, *, by_line: bool) -> Iterator[list[Document]]:
    """The documents of several files in batches; no names: standard input.

    A batch of lines is what could be read at once, so a slow producer is answered line by line.

    Raises:
        OSError: a file cannot be read; the ones before it have been yielded.
    """
    names = names or ["-"]
    for number, name in enumerate(names):
        if not by_line:
            yield [Document(name, None, read_all(name))]
            continue
        n_lines = 0
        for lines, is_ended in _line_batches(name):
            ended = is_ended or number + 1 < len(names)
            yield [Document(name, n_lines + i, line, ended) for i, line in enumerate(lines, 1)]
            n_lines += len(lines)


def read_texts(
    names: Sequence[str] | None, *, by_line: bool, command: str
) -> Iterator[list[Document]]:
    """As `read_documents`; where no file is, a note tells how `command` is given text itself.

    Raises:
        OSError: a file cannot be read.
    """
    try:
        yield from read_documents(names, by_line=by_line)
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ENAMETOOLONG}:
            error.add_note(f'text itself goes in by a pipe: echo "…" | {command} --lines')
        raise


def read_all(name: str) -> bytes:
    """The content of a file; "-" is standard input.

    Raises:
        OSError: it cannot be read.
    """
    with _opened(name) as stream:
        return stream.read()


def read_blocks(name: str) -> Iterator[bytes]:
    """The content of a file in blocks, each as soon as it is there.

    Raises:
        OSError: it cannot be read.
    """
    with _opened(name) as stream:
        while block := stream.read1(_BLOCK_BYTES):
            yield block


def write(data: bytes) -> None:
    """Bytes to standard output.

    Raises:
        OSError: they cannot be written, or it is closed.
    """
    with _named("standard output"):
        _require_open(sys.stdout).buffer.write(data)


def write_line(text: str) -> None:
    """A line of UTF-8 to standard output; raises as `write`."""
    write(text.encode("utf-8", "backslashreplace") + b"\n")


def write_json(value: object) -> None:
    """A line of JSON to standard output; raises as `write`."""
    # A file name that is not UTF-8 holds lone surrogates; as \udcff they are JSON all the same.
    write_line(json.dumps(value, ensure_ascii=False))


@contextmanager
def no_results() -> Iterator[None]:
    """What is printed meanwhile goes to standard error: Ray tells of workers that were lost."""
    with redirect_stdout(sys.stderr):
        yield


def flush() -> None:
    """Hand on what was written: whoever reads it need not wait for more. Raises as `write`."""
    if sys.stdout is not None:
        with _named("standard output"):
            sys.stdout.flush()


def _line_batches(name: str) -> Iterator[tuple[list[bytes], bool]]:
    r"""(lines without "\n", was the last one ended?)."""
    unfinished: list[bytes] = []
    for block in read_blocks(name):
        unfinished.append(block)
        if b"\n" in block:
            *lines, rest = b"".join(unfinished).split(b"\n")
            unfinished = [rest] if rest else []
            yield lines, True
    if unfinished:
        yield [b"".join(unfinished)], False


@contextmanager
def _opened(name: str) -> Iterator[BufferedReader]:
    if name != "-":
        with Path(name).open("rb") as stream:
            yield stream
        return
    with _named("standard input"):
        if _require_open(sys.stdin).isatty():
            say("note", "reading standard input; Ctrl-D ends it.")
        yield cast(BufferedReader, sys.stdin.buffer)


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Give an error of the operating system the name of what it happened to."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, error.filename or name) from error


def _require_open(stream: TextIO | None) -> TextIO:
    if stream is None:  # closed by whoever started us
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    return stream
