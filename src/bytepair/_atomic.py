"""Write a file so that, whatever happens, the target is the old file or the new one, whole."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from bytepair.errors import SaveError

Content = bytes | Sequence[bytes | memoryview]
"""What a file gets: bytes, or several one behind the other."""


def write_atomically(path: Path, content: Content) -> None:
    """Write `content` to `path`: temporary name, sync, rename.

    Raises:
        SaveError: the folder is missing or read-only, or the disk is full; nothing is left.
    """
    write_all_atomically({path: content})


def write_all_atomically(content_by_path: Mapping[Path, Content]) -> None:
    """Write several files; none is renamed into place before all are safely on disk.

    Raises:
        SaveError: as above. If a rename itself failed, files before it may be the new ones; the
            message names them.
    """
    temporary_by_path: dict[Path, Path] = {}
    replaced: list[str] = []
    path = Path()
    try:
        for link, content in content_by_path.items():
            path = link.resolve() if link.is_symlink() else link  # a link stays one
            temporary_by_path[path] = _write_synced(path, content)
        for path, temporary in temporary_by_path.items():
            temporary.replace(path)
            replaced.append(str(path))
        for folder in {path.parent for path in temporary_by_path}:
            _sync_folder(folder)
    except OSError as error:
        changed = f"Already replaced: {', '.join(replaced)}" if replaced else "Nothing was changed"
        raise SaveError(
            f"{path}: cannot write: {error.strerror or error}. {changed}; "
            "check that the folder exists, can be written to, and has space."
        ) from error
    finally:
        for temporary in temporary_by_path.values():
            temporary.unlink(missing_ok=True)


def _write_synced(target: Path, content: Content) -> Path:
    handle, name = tempfile.mkstemp(prefix=".bytepair-", suffix=".tmp", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            for part in [content] if isinstance(content, bytes) else content:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes files private: an old file's mode is kept, a new one is like any other.
        mode = target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask()
        temporary.chmod(mode)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _umask() -> int:
    # The mask can only be read by setting it; a thread creating a file in between is harmless
    # because the value set is the most private one.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable; file systems that cannot sync a folder are let be."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
