"""Paths as users give them."""

import os
from pathlib import Path

from bytepair.errors import ArgumentError, InputTypeError


def path_of(path: str | os.PathLike[str]) -> Path:
    """The path; the empty name, which `Path` takes for the current folder, is none.

    Raises:
        InputTypeError: neither `str` nor a path.
        ArgumentError: the empty string.

    >>> path_of("mine/tokenizer.json").name
    'tokenizer.json'
    """
    name = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(name, str):
        raise InputTypeError(f"path: expected str or os.PathLike, got {path!r:.60}.")
    if not name:
        raise ArgumentError("path: the empty string names nothing. '.' is the current folder.")
    return Path(name)
