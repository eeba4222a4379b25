"""`divide`: a corpus in partitions that can be counted apart."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bytepair.data import InputFile, divisible_size, stored_size

Border = Callable[[InputFile, int], int | None]
"""Gives the next place behind one in a file where it may be divided, if there is any."""


@dataclass(frozen=True, slots=True)
class Partition:
    """Some whole files, or a part of one.

    Attributes:
        n_bytes: as they are stored.
        start, end: of a part; None: the files are whole.
    """

    files: tuple[InputFile, ...]
    n_bytes: int
    start: int = 0
    end: int | None = None

    @property
    def key(self) -> str:
        """The same for the same partition, and for no other."""
        facts = [[str(file) for file in self.files], self.start, self.end]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]

    def __str__(self) -> str:
        first = str(self.files[0])
        if self.end is not None:
            return f"{first}, bytes {self.start:,} to {self.end:,}"
        others = len(self.files) - 1
        return f"{first} and {others} more" if others else first


def divide(files: Sequence[InputFile], part_bytes: int, border: Border) -> Iterator[Partition]:
    """The files in partitions of about `part_bytes`, in order.

    Files that are small go together; a large text is divided at borders. What cannot be divided is
    a partition by itself.

    Raises:
        CorpusError: the size of a file cannot be looked up.
    """
    group: list[InputFile] = []
    size = 0
    for file in files:
        n_bytes = stored_size(file) or 0
        if group and size + n_bytes > part_bytes:
            yield Partition(tuple(group), size)
            group, size = [], 0
        if n_bytes > part_bytes and divisible_size(file) is not None:
            yield from _parts(file, n_bytes, part_bytes, border)
            continue
        group.append(file)
        size += n_bytes
    if group:
        yield Partition(tuple(group), size)


def _parts(file: InputFile, size: int, part_bytes: int, border: Border) -> Iterator[Partition]:
    start = 0
    while size - start > part_bytes + part_bytes // 2:
        end = border(file, start + part_bytes)
        if end is None or end >= size:
            break
        yield Partition((file,), end - start, start, end)
        start = end
    yield Partition((file,), size - start, start, size if start else None)
