"""Where a tokenizer is saved: its name, its files, and whether it can be written at all."""

import tempfile
from pathlib import Path

from bytepair.errors import SaveError

_FILE_SUFFIXES = {".json", ".tiktoken"}


def name_at(target: Path) -> str:
    """The name of a tokenizer that is saved there: that of the folder, or of the file.

    >>> name_at(Path("out/gpt-4.1")), name_at(Path("out/zen.tiktoken")), name_at(Path("/"))
    ('gpt-4.1', 'zen', 'bytepair')
    """
    place = target if target.name not in {"", ".."} else target.resolve()
    name = place.stem if place.suffix.lower() in _FILE_SUFFIXES else place.name
    return name or "bytepair"


def main_file(place: Path) -> Path:
    """The file that makes a path a tokenizer: the path itself, or the one in the folder."""
    is_file = place.suffix.lower() in _FILE_SUFFIXES and not place.is_dir()
    if is_file:
        return place
    own = place / "bytepair.json"
    return own if own.exists() else place / "tokenizer.json"


def require_apart(source: Path, target: Path) -> None:
    """Refuse a target whose files are those of the source.

    Raises:
        SaveError: saving there would overwrite the source.
    """
    for own in _own_files(source):
        for new in _own_files(target):
            if own.exists() and new.exists() and own.samefile(new):
                raise SaveError(
                    f"{target}: would overwrite the tokenizer it is made from ({own}). "
                    "Name another target."
                )


def _own_files(place: Path) -> list[Path]:
    first = main_file(place)
    sidecar = [first.with_name(f"{first.name}.json")] if first.suffix == ".tiktoken" else []
    return [first, *sidecar]


def require_writable(target: Path) -> None:
    """Try to create a file where the tokenizer will be saved; it is gone at once.

    For a training that may take hours this must be known before.

    Raises:
        SaveError: that is not possible.
    """
    is_file = target.suffix.lower() in _FILE_SUFFIXES
    if is_file and target.is_dir():
        raise SaveError(f"{target}: is a folder. Name a file, or a folder without this ending.")
    folder = target.parent if is_file else target
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    _require_room(folder, target, "--output")


def require_writable_file(file: Path, option: str) -> None:
    """The same for a file of its own, whose folder must be there.

    Raises:
        SaveError: it is not, or nothing can be written there.
    """
    if file.is_dir():
        raise SaveError(f"{file}: is a folder. Name a file with {option}.")
    _require_room(file.parent, file, option)


def _require_room(folder: Path, target: Path, option: str) -> None:
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise SaveError(
            f"{target}: cannot be written: {folder}: {error.strerror or error}. "
            f"Choose another place with {option}."
        ) from error
