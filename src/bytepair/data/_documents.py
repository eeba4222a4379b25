"""Documents in memory: an iterable of `str` or `bytes`, checked item by item."""

import os
from collections.abc import Iterable, Iterator

from bytepair.data._paths import names_a_file
from bytepair.errors import ArgumentError, InputTypeError
from bytepair.model import to_utf8


def read_documents(items: Iterable[object]) -> Iterator[bytes]:
    """Each item as bytes: `bytes` as they are, `str` as UTF-8.

    Strings are documents, never paths; but if *every* item is a `str` that names an existing
    file, nobody can tell which was meant, and nothing is yielded. One look at the file system an
    item, until the first that names no file.

    Raises:
        ArgumentError: all items are names of files.
        InputTypeError: an item is neither `str` nor `bytes`.
    """
    names: list[str] = []
    documents = enumerate(items)
    for index, item in documents:
        if not (isinstance(item, str) and names_a_file(item)):
            yield from map(to_utf8, names)
            yield _document(index, item)
            break
        names.append(item)
    else:
        _refuse_names(names)
    for index, item in documents:
        yield _document(index, item)


def _document(index: int, item: object) -> bytes:
    if isinstance(item, os.PathLike):
        raise InputTypeError(
            f"corpus: item {index} is a path, {os.fspath(item)!r}, among documents. "
            "Give a list of paths only, or read the file yourself and give its content."
        )
    if isinstance(item, str):
        return to_utf8(item)
    if isinstance(item, bytes):
        return item
    raise InputTypeError(
        f"corpus: item {index} is {type(item).__name__}, wanted str or bytes. "
        "Leave empty values out, and pick the text out of records."
    )


def _refuse_names(names: list[str]) -> None:
    if names:
        raise ArgumentError(
            f"corpus: ambiguous: every string in it names a file ({names[0][:60]!r}). "
            "To read the files write [Path(p) for p in corpus]; to use the strings themselves "
            "as text write [s.encode() for s in corpus]."
        )
