"""A folder that one process at a time writes to."""

import os
from pathlib import Path

from bytepair.errors import ArgumentError, SaveError


class FolderLock:
    """A folder, made if it is missing, that is locked until `close` or the end of the process.

    Args:
        folder: whose lock.
        work: what another process does that has it, such as "is training with it".

    Raises:
        SaveError: no folder, and none can be made.
        ArgumentError: another process has the lock.
    """

    def __init__(self, folder: Path, work: str) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._handle = os.open(folder, os.O_RDONLY)
        except OSError as error:
            raise SaveError(
                f"{folder}: cannot be used: {error.strerror or error}. Give another folder."
            ) from error
        try:
            _lock(self._handle)
        except BlockingIOError as error:
            self.close()
            raise ArgumentError(f"{folder}: another process {work}.") from error

    def close(self) -> None:
        """Let others have it; once."""
        os.close(self._handle)


def _lock(handle: int) -> None:
    if os.name != "posix":
        return
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        pass  # a file system without locks
