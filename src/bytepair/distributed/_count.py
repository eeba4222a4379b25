"""`count_on`: partitions are counted by an executor, and their tables put together by a tree."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bytepair._atomic import write_atomically
from bytepair.checkpoint import Checkpoint
from bytepair.data import InputFile, Skips, changed, state_of, stored_size
from bytepair.distributed._counting import Counting
from bytepair.distributed._executor import Executor, Task
from bytepair.distributed._partitions import Partition, divide
from bytepair.errors import CorpusError
from bytepair.model import CountsFile, Progress, ProgressReporter, WordCounts

_Table = NDArray[np.uint8]  # of the binary form of counts: workers read it where it lies

_MERGED = 8  # tables at a time: two levels for 64, three for 512
_LEAST_BYTES = 64 << 20  # less, and starting a task costs as much as doing it
_MOST_BYTES = 2 << 30  # counted in some ten seconds, which is what a lost worker costs
_FEW = 256  # partitions: enough for some hundred cores
_MANY = 8192  # partitions: what the one who hands them out can keep in view


def count_on(
    executor: Executor,
    counting: Counting,
    files: Sequence[InputFile],
    folder: Checkpoint | None = None,
) -> WordCounts:
    """Count files in partitions, wherever the executor runs them.

    The result is that of `counting.count`, byte for byte. With `folder` the table of each partition
    is kept as soon as it is there, and what is there is not counted again.

    Raises:
        CorpusError: a file is missing, damaged or written to meanwhile.
        ClusterError: see `Executor.run`.
        SaveError: a table cannot be kept.
    """
    if counting.weights:
        alone = replace(counting, weights=())
        return counting.analyzer.merge(
            count_on(executor, alone, some, folder).weighed(weight)
            for weight, some in counting.weights
        )
    # A worker may have another working directory.
    files = [file.absolute() if isinstance(file, Path) else file for file in files]
    states = {file: state_of(file) for file in files}
    parts = list(divide(files, _part_bytes(files), counting.border))
    elsewhere = replace(counting, progress=None)
    tables = _counted(executor, elsewhere, parts, folder, ProgressReporter(counting.progress))
    while len(tables) > 1:
        tables = _merged(executor, elsewhere, tables)
    counts = WordCounts.from_content(executor.fetch(_loaded(tables[0])).data)
    skips = Skips()
    skips.add(counts.n_skipped, counts.skipped)
    for file, state in states.items():
        if state_of(file) != state:
            if counting.on_error == "fail":
                raise CorpusError(changed(file))
            skips.add_rest(file, CorpusError(changed(file)))
    return replace(counts, n_skipped=skips.n, skipped=tuple(skips.named))


def _part_bytes(files: Sequence[InputFile]) -> int:
    total = sum(stored_size(file) or 0 for file in files)
    return max(min(total // _FEW, _MOST_BYTES), total // _MANY, _LEAST_BYTES)


def _counted(
    executor: Executor,
    counting: Counting,
    parts: Sequence[Partition],
    folder: Checkpoint | None,
    reporter: ProgressReporter,
) -> list[Any]:
    """The table of each partition: a result of the executor, or the file it is kept in."""
    total = sum(part.n_bytes for part in parts)
    tables: list[Any] = [None if folder is None else _kept(folder, part) for part in parts]
    left = [number for number, table in enumerate(tables) if table is None]
    done = total - sum(parts[number].n_bytes for number in left)
    reporter.tell(Progress("count", done, total, "bytes"))
    tasks = (Task(f"counting {parts[number]}", (parts[number],)) for number in left)
    for index, table in executor.run(_count, tasks, counting):
        part = parts[left[index]]
        tables[left[index]] = table
        if folder is not None:
            write_atomically(folder.part_path(part.key), bytes(executor.fetch(table)))
        done += part.n_bytes
        reporter.tell(Progress("count", done, total, "bytes"))
    reporter.finish()
    return tables


def _kept(folder: Checkpoint, part: Partition) -> Path | None:
    path = folder.part_path(part.key)
    if path.exists():
        with suppress(CorpusError):  # damaged: it is counted again
            WordCounts.load(path)
            return path
    return None


def _merged(executor: Executor, counting: Counting, tables: list[Any]) -> list[Any]:
    """One table for each eight neighbours; `tables` is used up."""
    groups = [tables[start : start + _MERGED] for start in range(0, len(tables), _MERGED)]
    tables.clear()
    done = dict(executor.run(_merge, _merge_tasks(groups), counting))
    return [done[number] for number in range(len(groups))]


def _merge_tasks(groups: list[list[Any]]) -> Iterator[Task]:
    for number, group in enumerate(groups):
        name = f"putting tables together, group {number + 1} of {len(groups)}"
        yield Task(name, tuple(map(_loaded, group)))
        group.clear()  # what was put together is let go of


def _loaded(table: Any) -> Any:
    return np.fromfile(table, np.uint8) if isinstance(table, Path) else table


def _count(counting: Counting, part: Partition) -> _Table:
    """In a worker: the words of a partition."""
    for file in part.files:
        if isinstance(file, Path) and not file.exists():
            raise CorpusError(
                f"{file}: not there on {socket.gethostname()}. All machines must find the corpus "
                "under the same path, as on a file system they share; or give URLs."
            )
    return _table(counting.count_part(part))


def _merge(counting: Counting, *tables: _Table) -> _Table:
    """In a worker: tables of neighbours as one."""
    parts = (WordCounts.from_content(table.data) for table in tables)
    return _table(counting.analyzer.merge(parts))


def _table(counts: WordCounts) -> _Table:
    return np.frombuffer(CountsFile(counts).content(), np.uint8)
