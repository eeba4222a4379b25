"""Files that lie elsewhere, by their URL; fsspec reads them."""

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, TypeAlias, cast

from bytepair.errors import CorpusError, MissingExtraError

_WILD = "*?["


@dataclass(frozen=True, slots=True, order=True)
class RemotePath(os.PathLike[str]):
    """A URL that fsspec knows (`s3://…`, `gs://…`, `https://…`): a file, a folder or a pattern.

    >>> RemotePath("s3://bucket/part-1.jsonl.gz").suffix
    '.gz'
    """

    url: str

    def __fspath__(self) -> str:
        return self.url

    def __str__(self) -> str:
        return self.url

    @property
    def name(self) -> str:
        """The last part of its path."""
        return PurePosixPath(self._path).name

    @property
    def suffix(self) -> str:
        """The ending of its name, with the dot."""
        return PurePosixPath(self._path).suffix

    @property
    def stem(self) -> str:
        """Its name without that ending."""
        return PurePosixPath(self._path).stem

    @property
    def _path(self) -> str:
        return self.url.partition("://")[2].partition("?")[0]

    def is_file(self) -> bool:
        """False: it is no file of this machine."""
        return False

    def size(self) -> int | None:
        """In bytes, as it is stored; None if the server does not say.

        Raises:
            CorpusError, MissingExtraError: as `stream`.
        """
        with _reaching(self.url):
            filesystem, path = _filesystem(self.url)
            size = filesystem.size(path)
        return None if size is None else int(size)

    def stream(self) -> BinaryIO:
        """Its bytes; the stream can seek.

        Raises:
            CorpusError: it cannot be reached.
            MissingExtraError: fsspec, or what it needs for this kind of URL, is not installed.
        """
        with _reaching(self.url):
            filesystem, path = _filesystem(self.url)
            return cast(BinaryIO, filesystem.open(path, "rb"))

    def files(self) -> list["RemotePath"]:
        """The files it stands for, in order; hidden ones in folders and patterns are left out.

        Raises:
            CorpusError, MissingExtraError: as `stream`; or there is none.
        """
        with _reaching(self.url):
            filesystem, path = _filesystem(self.url)
            if any(character in path for character in _WILD):
                found = [p for p in filesystem.glob(path) if not filesystem.isdir(p)]
            elif filesystem.isdir(path):
                root = len(path.rstrip("/"))
                found = [p for p in filesystem.find(path) if not _is_hidden(p[root:])]
            else:
                return [self]
            urls = [RemotePath(filesystem.unstrip_protocol(p)) for p in found]
        if not urls:
            raise CorpusError(f"{self.url}: no file there. Check the URL, or the pattern in it.")
        return sorted(urls, key=lambda remote: remote.url.encode())


InputFile: TypeAlias = Path | RemotePath
"""A file to read: on this machine, or elsewhere."""


def is_url(name: str) -> bool:
    """True for what fsspec is to read.

    >>> is_url("s3://bucket/a.txt"), is_url("a.txt")
    (True, False)
    """
    scheme, separator, _ = name.partition("://")
    return bool(separator) and scheme.replace("+", "").replace("::", "").isalnum()


def input_path(name: str) -> InputFile:
    """What a user names, as a path: `Path` would take a URL apart."""
    return RemotePath(name) if is_url(name) else Path(name)


def _is_hidden(path: str) -> bool:
    return any(part.startswith((".", "_")) for part in path.split("/"))


def _filesystem(url: str) -> tuple[Any, str]:
    try:
        fsspec = importlib.import_module("fsspec.core")
    except ImportError as error:
        raise MissingExtraError(
            f"{url}: to read URLs the package fsspec is needed, which is not installed. "
            "Install it with: pip install 'bytepair[data]'"
        ) from error
    try:
        filesystem, path = fsspec.url_to_fs(url)
    except ImportError as error:
        raise MissingExtraError(
            f"{url}: fsspec needs another package for this kind of URL: {error}"
        ) from error
    return filesystem, path


@contextmanager
def _reaching(url: str) -> Iterator[None]:
    try:
        yield
    except (CorpusError, MissingExtraError):
        raise
    # Each of fsspec's back ends raises what its client library raises.
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise CorpusError(
            f"{url}: cannot be read: {reason[:300]}. Check the URL and the access rights."
        ) from error
