"""`write_on`: parts of a plan are written by an executor, each by one worker."""

import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from bytepair.data.shards import MANIFEST, Manifest, finished_shards
from bytepair.distributed import Executor, Task
from bytepair.errors import ClusterError
from bytepair.sharding._part import write_part
from bytepair.sharding._plan import Plan
from bytepair.sharding._rows import RowEncoder
from bytepair.tokenizer import Tokenizer


@dataclass(frozen=True)
class Work:
    """What all parts share. A worker makes the tokenizer's tables once, of what it is sent."""

    plan: Plan
    tokenizer: Tokenizer
    threads: int
    folder: Path
    manifest: Manifest


def write_on(executor: Executor, work: Work, tell: Callable[[int], None]) -> None:
    """Write the shards that are not finished; `tell` gets the number of each part that is.

    Raises:
        ClusterError: a part could not be written, by whatever worker; or not all see the folder.
        CorpusError, SaveError: see `write_part`.
    """
    # A worker may have another working directory.
    inputs = tuple(
        replace(one, file=one.file.absolute()) if isinstance(one.file, Path) else one
        for one in work.plan.inputs
    )
    plan = replace(work.plan, inputs=inputs)
    work = replace(work, plan=plan, folder=work.folder.absolute())
    tasks = (Task(f"part {number} ({_named(plan, number)})", (number,)) for number in _parts(plan))
    for number, _ in executor.run(_write, tasks, work):
        tell(number)


def _parts(plan: Plan) -> range:
    return range(len(plan.parts))


def _named(plan: Plan, number: int) -> str:
    start, end = plan.parts[number]
    first = str(plan.files[start])
    return first if end == start + 1 else f"{first} and {end - start - 1} more"


def _write(work: Work, number: int) -> None:
    """In a worker: one part. What an earlier try has finished is not done again."""
    if not (work.folder / MANIFEST).exists():
        raise ClusterError(
            f"{work.folder}: is another folder on {socket.gethostname()}. Shards are written where "
            "all machines see the same files, as on a file system they share."
        )
    finished = finished_shards(work.folder, work.manifest, part=number)
    encoder = RowEncoder(work.tokenizer, work.plan, work.threads)
    write_part(work.plan, number, encoder, work.folder, finished, lambda _place, _stem: None)
