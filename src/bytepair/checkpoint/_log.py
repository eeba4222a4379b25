"""`MergeLog`: merges on disk, each group with a checksum; a torn end is cut off."""

import os
import struct
import zlib
from pathlib import Path
from time import monotonic

import numpy as np

from bytepair.errors import ArgumentError, SaveError
from bytepair.model import MergeBatch

_MAGIC = b"bytepair merges\n"
_VERSION = 1
_HEADER = struct.Struct("<16sI32sI")  # magic, version, digest, checksum of these
_GROUP = struct.Struct("<II")  # number of merges, checksum of all merges up to the last of them
_MERGE = np.dtype([("left", "<u4"), ("right", "<u4"), ("frequency", "<i8")])
_SYNC_S = 1.0  # what a power cut may cost; a process that ends, however, loses nothing written


class MergeLog:
    """An open log. Merge `i` makes symbol `n_first + i`.

    What follows the last whole group is cut off: to learn it again gives the same.

    Args:
        path: it is made if it is not there.
        digest: 32 bytes that say what is being learned, from what.
        n_first: number of symbols before any merge.

    Attributes:
        merges: what was there when it was opened.

    Raises:
        ArgumentError: the log belongs to another training.
        SaveError: it cannot be read or written.
    """

    def __init__(self, path: Path, digest: bytes, n_first: int) -> None:
        self._path = path
        self._n_first = self._next = n_first
        self._checksum = 0
        self._synced_s = monotonic()
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        try:
            self._file = os.open(path, flags, 0o666)
        except OSError as error:
            raise self._failed(error) from error
        try:
            self.merges = self._read(digest)
        except BaseException:
            os.close(self._file)
            raise

    @property
    def n_merges(self) -> int:
        """Number of merges in it."""
        return self._next - self._n_first

    @property
    def unsynced_s(self) -> float:
        """Seconds since all that had been written was known to be safely on disk."""
        return monotonic() - self._synced_s

    def append(self, batch: MergeBatch) -> None:
        """Write merges; about once a second they are synced.

        Raises:
            SaveError: no space, say; what was written before stays good.
        """
        rows = np.empty(len(batch), _MERGE)
        rows["left"], rows["right"], rows["frequency"] = batch.left, batch.right, batch.frequency
        payload = rows.tobytes()
        self._checksum = zlib.crc32(payload, self._checksum)
        self._write(_GROUP.pack(len(rows), self._checksum) + payload)
        self._next += len(rows)
        if monotonic() - self._synced_s >= _SYNC_S:
            self.sync()

    def sync(self) -> None:
        """Return when all that was written is safely on disk.

        Raises:
            SaveError: it is not.
        """
        try:
            os.fsync(self._file)
        except OSError as error:
            raise self._failed(error) from error
        self._synced_s = monotonic()

    def close(self) -> None:
        """Sync, and let go of the file.

        Raises:
            SaveError: not all is safely on disk.
        """
        try:
            self.sync()
        finally:
            os.close(self._file)

    def _read(self, digest: bytes) -> MergeBatch:
        content = self._path.read_bytes()
        header = _header(digest)
        if content[: len(header)] != header:
            if _is_whole(content[: len(header)]):
                raise ArgumentError(
                    f"{self._path}: these merges belong to another training. Give each training "
                    "a checkpoint folder of its own."
                )
            content = b""
        rows, size = self._groups(content, len(header))
        try:
            os.ftruncate(self._file, size)
            os.lseek(self._file, size, os.SEEK_SET)
        except OSError as error:
            raise self._failed(error) from error
        if not size:
            self._write(header)
        return self._batch(rows)

    def _groups(self, content: bytes, start: int) -> tuple[bytes, int]:
        """The merges of all whole groups, and where the last of these ends; 0 without a header."""
        groups: list[bytes] = []
        end = start if content else 0
        while end + _GROUP.size <= len(content):
            n_merges, checksum = _GROUP.unpack_from(content, end)
            begin = end + _GROUP.size
            payload = content[begin : begin + n_merges * _MERGE.itemsize]
            if not n_merges or zlib.crc32(payload, self._checksum) != checksum:
                break
            groups.append(payload)
            self._checksum = checksum
            end = begin + len(payload)
        return b"".join(groups), end

    def _batch(self, payload: bytes) -> MergeBatch:
        rows = np.frombuffer(payload, _MERGE)
        joined = np.arange(self._next, self._next + len(rows), dtype=np.uint32)
        self._next += len(rows)
        left, right = rows["left"].astype(np.uint32), rows["right"].astype(np.uint32)
        return MergeBatch(left, right, joined, rows["frequency"].astype(np.int64))

    def _write(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self._file, data) :]
        except OSError as error:
            raise self._failed(error) from error

    def _failed(self, error: OSError) -> SaveError:
        return SaveError(
            f"{self._path}: cannot write: {error.strerror or error}. "
            "What was saved before is not lost: check that the folder can be written to and has "
            "space, and go on from there."
        )


def _header(digest: bytes) -> bytes:
    checksum = zlib.crc32(_HEADER.pack(_MAGIC, _VERSION, digest, 0)[:-4])
    return _HEADER.pack(_MAGIC, _VERSION, digest, checksum)


def _is_whole(header: bytes) -> bool:
    """False for one that was torn when the log was begun."""
    return (
        len(header) == _HEADER.size and zlib.crc32(header[:-4]).to_bytes(4, "little") == header[-4:]
    )
