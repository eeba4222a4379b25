"""What cannot be read: an error, or left out with a warning."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import TypeVar

from bytepair.data._record import Record
from bytepair.data._records import describe
from bytepair.data._remote import InputFile
from bytepair.errors import ArgumentError, BytepairWarning, CorpusError
from bytepair.model import Chunk, OnError, Skipped, TextFile

_Item = TypeVar("_Item", Chunk, Chunk | TextFile)


def require_on_error(value: object) -> None:
    """Refuse what is no way to go on.

    Raises:
        ArgumentError: neither "fail" nor "skip".
    """
    if value not in ("fail", "skip"):
        raise ArgumentError(f"on_error must be 'fail' or 'skip', got {value!r:.60}.")


def state_of(path: InputFile) -> tuple[int, int] | None:
    """Size and time of the last change; None if there is no such file, or it is elsewhere."""
    if not isinstance(path, Path):
        return None
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def changed(path: InputFile) -> str:
    """What to say of a file that was written to while it was read."""
    return (
        f"{path}: was written to while it was read, so nobody knows what was read. Nothing may "
        "write to a corpus meanwhile."
    )


class Skips:
    """What is left out of a corpus: counted, and named. Threads may share it.

    Attributes:
        n: how much: records, and rests of files.
        named: the first `MOST` of these.
    """

    MOST = 1000

    def __init__(self) -> None:
        self._lock = Lock()
        self.n = 0
        self.named: list[Skipped] = []

    def add(self, n: int, named: Iterable[Skipped]) -> None:
        """Take note of `n` more, of which some are named."""
        with self._lock:
            self.n += n
            self.named.extend(islice(named, self.MOST - len(self.named)))

    def add_rest(self, path: InputFile, error: CorpusError) -> None:
        """Take note of a file that cannot be read on, and warn."""
        self.add(1, [Skipped(str(path), str(error))])
        _warn(f"{error} What was read before counts, and the rest of the file is skipped.")


def read_guarded(
    read: Callable[[InputFile], Iterator[_Item | Record]],
    path: InputFile,
    on_error: OnError,
    skips: Skips,
) -> Iterator[_Item | Chunk]:
    """What `read` gives of a file; with "skip" without what cannot be read, and a warning.

    Raises:
        CorpusError: with "fail": what `read` raises, the problem of a record, or the file has
            changed meanwhile.
    """
    before = state_of(path)
    is_open = False
    problems = _Problems(path)
    try:
        for piece in read(path):
            if isinstance(piece, Record):
                if piece.problem is None:
                    yield Chunk(piece.data)
                elif on_error == "fail":
                    raise CorpusError(piece.problem)
                else:
                    problems.note(piece, skips)
                continue
            is_open = isinstance(piece, Chunk) and not piece.is_last
            yield piece
            if isinstance(piece, TextFile):
                return  # whoever counts it looks for himself
        problems.tell()
        if isinstance(path, Path) and path.is_file() and state_of(path) != before:
            raise CorpusError(changed(path))
    except CorpusError as error:
        if on_error == "fail":
            raise
        skips.add_rest(path, error)
        if is_open:
            yield Chunk(b"")  # ends the document that was being read


class _Problems:
    """Records of one file that are left out."""

    def __init__(self, path: InputFile) -> None:
        self._path = path
        self._n = 0
        self._first = ""

    def note(self, record: Record, skips: Skips) -> None:
        problem = record.problem or ""
        skips.add(1, [Skipped(describe([self._path], record.place._replace(file=0)), problem)])
        self._n += 1
        self._first = self._first or problem

    def tell(self) -> None:
        """One warning a file: a column may have a million nulls."""
        if self._n == 1:
            _warn(f"{self._first} This is skipped; all that can be read counts.")
        elif self._n:
            others = f"This and {self._n - 1:,} more of the file are skipped"
            _warn(f"{self._first} {others}; all that can be read counts.")


def _warn(message: str) -> None:
    warnings.warn(message, BytepairWarning, stacklevel=4)
