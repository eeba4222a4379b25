"""From a path, folder or glob pattern to the files it stands for, in an order anyone can repeat."""

import glob
import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from bytepair.data._open import looks_binary, unreadable
from bytepair.data._remote import InputFile, RemotePath, is_url
from bytepair.data._saved_datasets import without_descriptions
from bytepair.data._tables import is_table
from bytepair.errors import CorpusError, InputTypeError

_LONGEST_PATH = 4096
_DEEPEST_PATTERN = 64


def resolve(path: str | os.PathLike[str]) -> list[InputFile]:
    """The files that `path` stands for; never empty.

    A file is itself. A folder is every text, Parquet or Arrow file below it: hidden files and
    folders, other files that look binary and what is no regular file are left out, and a folder
    that links reach twice is read once. Of a data set that the package `datasets` saved, only the
    files that hold rows are read. A name that does not exist is tried as a glob pattern (`*`, `?`,
    `[...]`, and `**` for any depth). Folders and patterns give files sorted by the bytes of their
    paths; so does a URL, which fsspec looks up.

    Raises:
        CorpusError: nothing there, nothing in it, a device, or no permission to look.
    """
    name = os.fsdecode(path)
    if is_url(name):
        return list(RemotePath(name).files())
    try:
        # Path("") is the working directory; the empty string must stay a name of nothing.
        mode = os.stat(name).st_mode  # noqa: PTH116  # see above
    except (OSError, ValueError) as error:
        matches = _sorted(set(_matches(name)))
        if not matches:
            raise CorpusError(_nothing_there(path, name, error)) from error
        return list(matches)
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise CorpusError(
            f"{name}: a device, which may never end. Give a file or a pipe, or '-' for standard "
            "input."
        )
    return list(_files_below(name)) if stat.S_ISDIR(mode) else [Path(name)]


def resolve_all(paths: Iterable[object]) -> list[InputFile]:
    """The files of several paths, in the order given; one named twice is there twice.

    Raises:
        CorpusError: as `resolve`.
        InputTypeError: an item is not a path.
    """
    files: list[InputFile] = []
    for index, path in enumerate(paths):
        if not isinstance(path, os.PathLike):
            raise InputTypeError(
                f"corpus: item {index} is {type(path).__name__} among paths. "
                "Paths and documents cannot be mixed: write Path(...) around every path."
            )
        files.extend(resolve(path))
    return files


def names_a_file(text: str) -> bool:
    """True if `text` is the name of a file or folder that exists, or a pattern that matches one."""
    if "\0" in text or len(text) > _LONGEST_PATH or is_url(text):
        return False
    # Not Path.exists, which takes "" for the working directory and may raise.
    return os.path.exists(text) or any(_matches(text))  # noqa: PTH110  # see above


def _nothing_there(path: object, name: str, error: Exception) -> str:
    reason = getattr(error, "strerror", None) or str(error)
    if _is_pattern(name):
        reason += "; read as a glob pattern, it matches no file"
    message = f"{name[:200]!r}: {reason}."
    if isinstance(path, str):
        message += " A str is a path: to give a text itself, put it in a list, [text]."
    return message


def _is_pattern(name: str) -> bool:
    # Long or many-lined text was never meant as a pattern, and matching it could take for ever.
    return (
        any(character in name for character in "*?[")
        and not any(character in name for character in "\n\0")
        and len(name) <= _LONGEST_PATH
        and len(Path(name).parts) <= _DEEPEST_PATTERN
    )


def _matches(name: str) -> Iterator[Path]:
    """Files that match a glob pattern, in no particular order, perhaps repeated."""
    if _is_pattern(name):
        yield from filter(os.path.isfile, _expand(Path(name)))


def _expand(pattern: Path) -> Iterator[Path]:
    # `glob` follows links below `**` without remembering where it was, so two links that point
    # upwards keep it busy for 2**40 steps. `**` is therefore walked by `_walk`, the rest is glob's.
    parts = pattern.parts
    if "**" not in parts:
        yield from map(Path, _glob(pattern))
        return
    depth = parts.index("**")
    rest = Path(*parts[depth + 1 :] or ("*",))
    for base in filter(os.path.isdir, _glob(Path(*parts[:depth]))):
        for folder, _ in _walk(base, Counter()):
            yield from _expand(Path(glob.escape(folder), rest))


def _glob(pattern: Path) -> Iterator[str]:
    try:
        # Path.glob would match hidden names.
        yield from glob.iglob(str(pattern))  # noqa: PTH207  # see above
    except UnicodeEncodeError:  # a lone surrogate: no file system has such a name
        return


def _files_below(root: str) -> list[Path]:
    skipped: Counter[str] = Counter()
    files: list[Path] = []
    for folder, names in _walk(root, skipped):
        for name in names:
            path = Path(folder, name)
            reason = _reason_to_skip(path)
            if reason is None:
                files.append(path)
            else:
                skipped[reason] += 1
    if not files:
        found = ", ".join(f"{n} {reason}" for reason, n in sorted((+skipped).items()))
        raise CorpusError(
            f"{root}: no text file in this folder (skipped: {found or 'nothing, it is empty'}). "
            "A file that is named itself is always read."
        )
    return _sorted(files)


def _reason_to_skip(path: Path) -> str | None:
    if path.name.startswith("."):
        return "hidden"
    if not _is_regular(path):
        return "not a regular file"
    return "binary" if not is_table(path) and looks_binary(path) else None


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError as error:
        # A link that points nowhere, or at itself. Path.is_symlink may raise.
        if os.path.islink(path):  # noqa: PTH114  # see above
            return False
        raise CorpusError(unreadable(path, error)) from error


def _walk(root: str, skipped: Counter[str]) -> Iterator[tuple[str, list[str]]]:
    """Each folder from `root` down, once, with the names of its files; hidden ones left out."""
    seen: set[str] = set()
    for folder, subfolders, names in os.walk(root, followlinks=True, onerror=_refuse):
        real = os.path.realpath(folder)
        if real in seen:
            subfolders.clear()
            continue
        seen.add(real)
        shown = [name for name in subfolders if not name.startswith(".")]
        skipped["hidden"] += len(subfolders) - len(shown)
        subfolders[:] = sorted(shown, key=os.fsencode)
        yield folder, without_descriptions(names)


def _refuse(error: OSError) -> None:
    raise CorpusError(unreadable(error.filename, error)) from error


def _sorted(paths: Iterable[Path]) -> list[Path]:
    return sorted(paths, key=os.fsencode)
