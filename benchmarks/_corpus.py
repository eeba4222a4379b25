"""The texts that benchmarks read: files whose documents are separated by `<|endoftext|>`."""

import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

SEPARATOR = "<|endoftext|>"
READ_BYTES = 4 << 20


def documents(paths: Iterable[str]) -> Iterator[str]:
    """The documents of the files, cut at the separator; each file ends a document."""
    separator = SEPARATOR.encode()
    for path in paths:
        rest = b""
        with Path(path).open("rb") as stream:
            while block := stream.read(READ_BYTES):
                *whole, rest = (rest + block).split(separator)
                yield from (document.decode("utf-8") for document in whole)
        yield rest.decode("utf-8")


def describe(paths: Sequence[Path]) -> tuple[int, int]:
    """(number of documents, bytes of the largest one); an empty one counts too."""
    sizes = [len(document.encode()) for document in documents(map(str, paths))]
    return len(sizes), max(sizes)


def standard_library(folder: Path) -> Path:
    """The source of Python's standard library as one file; a module is a document."""
    library = Path(sysconfig.get_path("stdlib"))
    target = folder / f"python-{sys.version_info.major}.{sys.version_info.minor}-library.txt"
    with target.open("w", encoding="utf-8") as stream:
        for path in sorted(library.rglob("*.py")):
            if {"site-packages", "dist-packages"} & set(path.parts):
                continue
            try:
                stream.write(path.read_text(encoding="utf-8") + SEPARATOR)
            except UnicodeDecodeError:  # the library tests its readers with such files
                continue
    return target


def prefix(path: Path, megabytes: float | None, folder: Path) -> Path:
    """The first `megabytes` of a file up to the end of a document (or else of a line)."""
    if megabytes is None or path.stat().st_size <= megabytes * 1e6:
        return path
    with path.open("rb") as stream:
        data = stream.read(int(megabytes * 1e6))
    cut = data.rfind(SEPARATOR.encode())
    target = folder / f"{path.stem}-{megabytes:g}MB{path.suffix}"
    target.write_bytes(data[: cut if cut > 0 else data.rfind(b"\n") + 1])
    return target
