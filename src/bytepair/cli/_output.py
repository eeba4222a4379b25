"""What must be known before a training that may take hours: that its result can be saved."""

import tempfile
from pathlib import Path

from bytepair.errors import SaveError

_FILE_SUFFIXES = {".json", ".tiktoken"}


def require_writable(target: Path) -> None:
    """Try to create a file where the tokenizer will be saved; it is gone at once.

    Raises:
        SaveError: that is not possible.
    """
    is_file = target.suffix.lower() in _FILE_SUFFIXES
    if is_file and target.is_dir():
        raise SaveError(f"{target}: is a folder. Name a file, or a folder without this ending.")
    folder = target.parent if is_file else target
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise SaveError(
            f"{target}: cannot be written: {folder}: {error.strerror or error}. "
            "Choose another place with --output."
        ) from error
