"""Opens a file as a stream of bytes, decompressed by its suffix; every failure names the file."""

import gzip
import importlib
import io
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import BinaryIO, cast

from bytepair.data._remote import InputFile
from bytepair.errors import CorpusError, MissingExtraError

_GZIP = {".gz"}
_ZSTD = {".zst", ".zstd"}
_SNIFFED_BYTES = 8192
_REMOTE_BLOCK_BYTES = 1 << 20

_Damage = tuple[type[Exception], ...]


class DamagedError(CorpusError):
    """What the file holds is not what it should be: reading it again would not help."""


@contextmanager
def open_stream(path: InputFile) -> Iterator[BinaryIO]:
    """Read `path`: `.gz` and `.zst`/`.zstd` decompressed as they are read, others as they are.

    Members of a gzip file and frames of a zstd file follow each other without a border.

    Raises:
        CorpusError: the file cannot be opened or read; also while the stream is being read.
        DamagedError: it is damaged or cut short; likewise.
        MissingExtraError: zstd, and no package that reads it.
    """
    decompress, damage = _codec(path)
    try:
        with _open_raw(path) as raw:
            if decompress is None:
                yield raw
                return
            if not raw.peek(1):  # gzip takes a file of no bytes for a complete one
                raise EOFError("the file has no content, not even a header")
            with decompress(raw) as stream:
                yield stream
    except damage as error:
        raise DamagedError(
            f"{path}: damaged or cut short: {error}. A file named {path.suffix} must be "
            "complete and really compressed that way: fetch it or make it again."
        ) from error
    except OSError as error:
        raise CorpusError(unreadable(path, error)) from error


def _open_raw(path: InputFile) -> io.BufferedReader:
    if isinstance(path, Path):
        return path.open("rb")
    # What fsspec gives finds the ends of lines in Python, a byte at a time.
    return io.BufferedReader(cast(io.RawIOBase, path.stream()), _REMOTE_BLOCK_BYTES)


def unreadable(path: object, error: OSError) -> str:
    """What to tell the user when the operating system refuses a file."""
    return (
        f"{path}: cannot be read: {error.strerror or error}. "
        "Check the name, and that the file can be read."
    )


def is_compressed(path: InputFile) -> bool:
    """True if the suffix says that what is on disk is not the text itself."""
    return path.suffix.lower() in _GZIP | _ZSTD


def looks_binary(path: Path) -> bool:
    """True if the file starts like no text: a NUL in its first 8 KiB, and not compressed.

    Raises:
        CorpusError: the file cannot be read.
    """
    if is_compressed(path):
        return False
    with open_stream(path) as stream:
        return b"\0" in stream.read(_SNIFFED_BYTES)


def require_codec(path: InputFile) -> None:
    """Fail before the work begins if the package that decompresses `path` is missing.

    Raises:
        MissingExtraError: naming the command that installs it.
    """
    _codec(path)


def _codec(path: InputFile) -> tuple[Callable[[BinaryIO], BinaryIO] | None, _Damage]:
    """How to decompress `path` (None: not at all), and what a damaged file makes it raise."""
    suffix = path.suffix.lower()
    if suffix in _GZIP:
        return _open_gzip, (gzip.BadGzipFile, zlib.error, EOFError)
    if suffix in _ZSTD:
        zstd = _zstd_module()
        return lambda raw: _open_zstd(zstd, raw), (zstd.ZstdError, EOFError)
    return None, ()


def _open_gzip(raw: BinaryIO) -> BinaryIO:
    return cast(BinaryIO, gzip.GzipFile(fileobj=raw, mode="rb"))


def _open_zstd(zstd: ModuleType, raw: BinaryIO) -> BinaryIO:
    # Large public corpora are packed with `--long=31`, a window the decoder refuses unless told.
    window = zstd.DecompressionParameter.window_log_max
    return cast(BinaryIO, zstd.ZstdFile(raw, options={window: window.bounds()[1]}))


def _zstd_module() -> ModuleType:
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtraError(
            f"zstd files need the module {name}, which is not installed. "
            "Install it with: pip install 'bytepair[data]'"
        ) from error
