"""`Checkpoint`: the folder, who may use it, and what it was begun with."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Any, Self

from bytepair._atomic import write_atomically
from bytepair._lock import FolderLock
from bytepair.checkpoint._log import MergeLog
from bytepair.errors import (
    ArgumentError,
    BytepairError,
    ClusterError,
    CorpusError,
    FormatError,
    SaveError,
)
from bytepair.model import WordCounts

_FACTS = "checkpoint.json"
_WORDS = "words.counts"
_MERGES = "merges.log"


class Checkpoint:
    """A folder in use by one training; a context manager.

    Args:
        folder: it is made if it is not there.
        options: all that the result depends on, by name; values that JSON can express.
        files: the corpus: path, size and time of change of each file.
        resume: go on with what is there, if anything is.

    Raises:
        ArgumentError: there is a checkpoint and `resume` is not set, or it was begun with other
            options or files (the message names them), or another process uses it.
        FormatError: the file that says what it was begun with is damaged.
        SaveError: the folder cannot be made or written to.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        options: Mapping[str, object],
        *,
        files: Iterable[tuple[str, int, int]] = (),
        resume: bool = False,
    ) -> None:
        self._folder = Path(folder)
        self._log: MergeLog | None = None
        self._saving: _Saving | None = None
        facts = {"version": 1, "options": dict(options), "files": [list(row) for row in files]}
        self._lock = FolderLock(self._folder, "is training with it")
        try:
            self._identity = self._begin(json.loads(json.dumps(facts)), resume=resume)
        except BaseException:
            self._lock.close()
            raise

    def counts(self, count: Callable[[], WordCounts]) -> WordCounts:
        """The words of the corpus: as they were saved, or counted now, and saved meanwhile.

        Raises:
            CorpusError: the saved words are damaged.
        """
        path = self._folder / _WORDS
        if path.exists():
            return WordCounts.load(path)
        (self._folder / _MERGES).unlink(missing_ok=True)  # of words that were not saved in time
        counts = count()
        self._saving = _Saving(counts, path)
        return counts

    def part(self, key: str, count: Callable[[], WordCounts]) -> WordCounts:
        """The words of a part of the corpus: as they were saved, or counted now and saved.

        A part that is damaged is counted again.

        Args:
            key: names the part; parts that are not the same have different keys.
        """
        path = self.part_path(key)
        if path.exists():
            with suppress(CorpusError):
                return WordCounts.load(path)
        counts = count()
        counts.save(path)
        return counts

    def part_path(self, key: str) -> Path:
        """Where the words of a part are kept."""
        return self._folder / f"counted-{key}.counts"

    def log(self, n_first: int) -> MergeLog:
        """The merges of what is learned: merge `i` makes symbol `n_first + i`."""
        self._log = MergeLog(self._folder / _MERGES, self._identity, n_first)
        return self._log

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Everything is on disk when this returns.

        Raises:
            SaveError: it is not, and nothing else went wrong.
        """
        try:
            self._finish()
        except SaveError as failure:
            failure.add_note(self._how_to_resume())
            if error is None:
                raise
        finally:
            self._lock.close()
        if isinstance(error, KeyboardInterrupt | OSError | MemoryError | ClusterError):
            error.add_note(self._how_to_resume())

    def _finish(self) -> None:
        try:
            if self._saving:
                self._saving.finish()
                for part in self._folder.glob("counted-*.counts"):
                    part.unlink(missing_ok=True)
        finally:
            if self._log:
                self._log.close()

    def _how_to_resume(self) -> str:
        done = "" if self._log is None else f"{self._log.n_merges:,} merges are in there. "
        return (
            f"Training can go on from {self._folder}. {done}"
            "Train again with the same options and resume=True (--resume)."
        )

    def _begin(self, facts: dict[str, Any], *, resume: bool) -> bytes:
        path = self._folder / _FACTS
        for left_over in self._folder.glob(".bytepair-*.tmp"):  # of a process that was killed
            left_over.unlink(missing_ok=True)
        for left_over in self._folder.glob("bytepair-*"):  # words it had no memory for
            shutil.rmtree(left_over, ignore_errors=True)
        if not path.exists():
            write_atomically(path, json.dumps(facts, indent=1).encode())
        elif not resume:
            raise ArgumentError(
                f"{self._folder}: holds a checkpoint already. Pass resume=True (--resume) to go "
                "on with it, or give another folder."
            )
        else:
            _require_same(self._folder, _read_facts(path), facts)
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).digest()


class _Saving:
    """Words on their way to the disk, in a thread of their own: learning need not wait for it."""

    def __init__(self, counts: WordCounts, path: Path) -> None:
        self._counts = counts
        self._path = path
        self._failure: BytepairError | None = None
        self._thread = Thread(target=self._save)
        self._thread.start()

    def finish(self) -> None:
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def _save(self) -> None:
        try:
            self._counts.save(self._path)
        except BytepairError as failure:
            self._failure = failure


def _read_facts(path: Path) -> dict[str, Any]:
    try:
        facts = json.loads(path.read_bytes())
        if facts["version"] == 1 and isinstance(facts["options"], dict):
            return {"options": facts["options"], "files": list(facts["files"])}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FormatError(
            f"{path}: damaged: {error!r:.80}. Remove the folder and train anew."
        ) from error
    raise FormatError(
        f"{path}: written by another version of bytepair. Go on with that one, or train anew."
    )


def _require_same(folder: Path, begun: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    old, new = begun["options"], now["options"]
    changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    if changed:
        pairs = (f"{n}={old.get(n)!r:.60}, not {new.get(n)!r:.60}" for n in changed)
        raise ArgumentError(
            f"{folder}: was begun with {'; '.join(pairs)}. Resume with the same options, or give "
            "another folder."
        )
    if begun["files"] != now["files"]:
        difference = _first_difference(begun["files"], now["files"])
        raise ArgumentError(
            f"{folder}: the corpus has changed since: {difference}. "
            "Resume with the same files, or give another folder."
        )


def _first_difference(begun: list[list[Any]], now: list[list[Any]]) -> str:
    for old, new in zip(begun, now, strict=False):
        if old[0] != new[0]:
            return f"{old[0]} was there, and {new[0]} is in its place"
        if old != new:
            return f"{old[0]} has been written to"
    return f"there were {len(begun)} files, and there are {len(now)}"
