"""Files that cannot be read to their end: an error, or a warning and the next file."""

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from bytepair.data._remote import InputFile
from bytepair.errors import ArgumentError, BytepairWarning, CorpusError
from bytepair.model import Chunk, OnError, TextFile

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


def read_guarded(
    read: Callable[[InputFile], Iterator[_Item]], path: InputFile, on_error: OnError
) -> Iterator[_Item | Chunk]:
    """What `read` gives of a file; with "skip" what comes before the first fault, and a warning.

    Raises:
        CorpusError: with "fail": what `read` raises, or the file has changed meanwhile.
    """
    before = state_of(path)
    is_open = False
    try:
        for chunk in read(path):
            is_open = isinstance(chunk, Chunk) and not chunk.is_last
            yield chunk
            if isinstance(chunk, TextFile):
                return  # whoever counts it looks for himself
        if isinstance(path, Path) and path.is_file() and state_of(path) != before:
            raise CorpusError(changed(path))
    except CorpusError as error:
        if on_error == "fail":
            raise
        warn_skipped(error)
        if is_open:
            yield Chunk(b"")  # ends the document that was being read


def warn_skipped(error: CorpusError) -> None:
    """Say that a file is left out from its first fault on."""
    warnings.warn(
        f"{error} What was read before counts, and the rest of the file is skipped.",
        BytepairWarning,
        stacklevel=3,
    )
