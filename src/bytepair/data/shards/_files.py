"""`ShardFiles`: the files of one shard, which appear all at once and only when they are on disk."""

import os
from contextlib import suppress
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import BinaryIO

_PREFIX = ".bytepair-"


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What a file must be: its size in bytes and its SHA-256 in hexadecimal."""

    n_bytes: int
    sha256: str


class ShardFiles:
    """Files with one stem, written under other names and renamed in the end.

    Methods raise OSError where the system does; `discard` never does.
    """

    def __init__(self, folder: Path, stem: str) -> None:
        self._folder = folder
        self._stem = stem
        self._streams: dict[str, BinaryIO] = {}

    def create(self, suffix: str) -> BinaryIO:
        """A new file, open to write and to read."""
        name = f"{self._stem}{suffix}"
        stream = self._temporary(name).open("w+b")
        self._streams[name] = stream
        return stream

    def commit(self) -> dict[str, FileFacts]:
        """Sync and rename them all; returns what they are, by name."""
        facts = {name: _synced(stream) for name, stream in self._streams.items()}
        for name in self._streams:
            self._temporary(name).replace(self._folder / name)
        self._streams = {}
        return facts

    def discard(self) -> None:
        """Remove what was written so far."""
        for name, stream in self._streams.items():
            with suppress(OSError):  # what is still buffered finds no room on a full disk
                stream.close()
            self._temporary(name).unlink(missing_ok=True)
        self._streams = {}

    def _temporary(self, name: str) -> Path:
        return self._folder / f"{_PREFIX}{name}.tmp"


def remove_left_overs(folder: Path) -> None:
    """Remove the files of shards that a process did not finish."""
    for path in folder.glob(f"{_PREFIX}*.tmp"):
        path.unlink(missing_ok=True)


def facts_of(path: Path) -> FileFacts:
    """What a file is now; it is read to its end.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as stream:
        digest = file_digest(stream, "sha256").hexdigest()
        return FileFacts(stream.tell(), digest)


def _synced(stream: BinaryIO) -> FileFacts:
    with stream:
        stream.flush()
        os.fsync(stream.fileno())
        stream.seek(0)
        digest = file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]  # it is a file
        return FileFacts(stream.tell(), digest)
