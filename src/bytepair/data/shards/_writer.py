"""What every writer of shards does, and what it is told."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bytepair.data.shards._files import FileFacts, ShardFiles

Ids = NDArray[Any]
"""Token ids, one-dimensional, in the type that the shards have."""


@dataclass(frozen=True, slots=True)
class ShardOptions:
    """What all shards of a data set share.

    Attributes:
        dtype: of the ids on disk, little-endian.
        tokenizer: its name.
        fingerprint: see `bytepair.model.fingerprint`.
        n_vocab: the largest id of the tokenizer, and one.
        bos, eos: ids that begin, end each document; None: none does.
    """

    dtype: np.dtype[Any]
    tokenizer: str
    fingerprint: str
    n_vocab: int
    bos: int | None = None
    eos: int | None = None


class ShardWriter(ABC):
    """One shard on its way to disk. Ids go straight into its file; where documents end is kept.

    Methods raise OSError where the system does.
    """

    SUFFIX: ClassVar[str]

    def __init__(self, folder: Path, stem: str, options: ShardOptions) -> None:
        self._options = options
        self._files = ShardFiles(folder, stem)
        self._main = self._files.create(self.SUFFIX)
        self._lengths: list[NDArray[np.int64]] = []
        self.n_tokens = 0
        self.n_documents = 0

    def write(self, ids: Ids, lengths: NDArray[np.int64]) -> None:
        """Append ids, and the lengths of the documents that they end.

        A document may come in several calls; its whole length comes with the last. Where lengths
        are given, the ids end with a document.
        """
        self.n_tokens += len(ids)
        self.n_documents += len(lengths)
        self._lengths.append(lengths)
        self._append(ids)

    def finish(self) -> dict[str, FileFacts]:
        """Put the shard in its place; returns its files."""
        self._end()
        return self._files.commit()

    def discard(self) -> None:
        """Forget the shard; nothing of it is left."""
        self._files.discard()

    def _append(self, ids: Ids) -> None:
        self._main.write(ids.data.cast("B") if len(ids) else b"")

    @abstractmethod
    def _end(self) -> None:
        """Write what is behind or beside the ids."""

    def _all_lengths(self) -> NDArray[np.int64]:
        return np.concatenate([np.zeros(0, np.int64), *self._lengths])


def map_ids(path: Path, dtype: np.dtype[Any], start: int = 0) -> Ids:
    """The ids in a file from byte `start` on, in place: writing to them changes no file.

    Raises:
        OSError: it cannot be opened.
        ValueError: what is there is no whole number of ids.
    """
    if path.stat().st_size == start:
        return np.zeros(0, dtype)  # nothing can be mapped
    return np.memmap(path, dtype, mode="c", offset=start)


def read_ends(path: Path) -> NDArray[np.int64]:
    """Where documents begin and end, from an index of their ends.

    Raises:
        OSError, ValueError: as `map_ids`.
    """
    ends = np.fromfile(path, "<u8")
    if ends.nbytes != path.stat().st_size:
        raise ValueError("its size is no multiple of 8")
    return np.concatenate([np.zeros(1, np.int64), ends.astype(np.int64)])


def ends_of(lengths: NDArray[np.int64]) -> bytes:
    """Such an index."""
    return np.cumsum(lengths).astype("<u8").tobytes()
