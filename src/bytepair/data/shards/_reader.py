"""`open_shards`: shards as arrays, whatever their layout."""

import os
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bytepair.data.shards._manifest import Manifest, ShardFacts, read_manifest
from bytepair.data.shards._writer import Ids
from bytepair.errors import ShardError


class Shard(NamedTuple):
    """The ids of one shard and where its documents are.

    Attributes:
        ids: all of them, in the type they have on disk.
        offsets: int64[documents + 1]; document i is `ids[offsets[i]:offsets[i + 1]]`.
    """

    ids: Ids
    offsets: NDArray[np.int64]


class Shards:
    r"""The documents of a folder of shards: a sequence of arrays of ids.

    Files are mapped, not read: what is looked at comes from disk then, and an array is a view of
    the file's own bytes. Writing to one changes no file. Parquet is read, one shard at a time.
    It can be pickled, shared by threads and used after `fork`; workers open the files anew.

    Attributes:
        folder: where they are.
        manifest: what they are, and what they were made from.

    >>> import bytepair, tempfile
    >>> from pathlib import Path
    >>> tok = bytepair.train(["low lower"] * 9, vocab_size=259)
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.jsonl").write_text('{"text": "low"}\n{"text": "lower"}\n')
    >>> _ = bytepair.shard(tok, folder / "a.jsonl", folder / "out", eos="<|endoftext|>")
    >>> shards = open_shards(folder / "out")
    >>> len(shards), shards.n_tokens, shards[0].tolist()
    (2, 6, [257, 258])
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self._facts = [facts for facts in manifest.shards if facts.n_documents]
        self._last: tuple[int, Shard] | None = None

    @property
    def n_tokens(self) -> int:
        """Ids in all documents."""
        return self.manifest.n_tokens

    @property
    def n_shards(self) -> int:
        """Number of shards."""
        return len(self._facts)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the ids."""
        return self.manifest.options.dtype

    @property
    def bos(self) -> int | None:
        """The id that begins each document, if one does."""
        return self.manifest.options.bos

    @property
    def eos(self) -> int | None:
        """The id that ends each document, if one does."""
        return self.manifest.options.eos

    def shard(self, number: int) -> Shard:
        """One of the shards, from 0.

        Raises:
            IndexError: there is none of that number.
            ShardError: its files are not what they were.
        """
        if not 0 <= number < self.n_shards:
            raise IndexError(f"shard {number} of {self.n_shards}")
        last = self._last
        if last is not None and last[0] == number:
            return last[1]
        opened = open_shard(self.folder, self.manifest, self._facts[number])
        self._last = number, opened
        return opened

    def __len__(self) -> int:
        """Number of documents."""
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, number: int) -> Ids:
        """The ids of one document; negative numbers count from the end."""
        place = number + len(self) if number < 0 else number
        if not 0 <= place < len(self):
            raise IndexError(f"document {number} of {len(self)}")
        shard = bisect_right(self._ends, place)
        ids, offsets = self.shard(shard)
        row = place - (self._ends[shard - 1] if shard else 0)
        return ids[offsets[row] : offsets[row + 1]]

    def __iter__(self) -> Iterator[Ids]:
        for number in range(self.n_shards):
            ids, offsets = self.shard(number)
            for row in range(len(offsets) - 1):
                yield ids[offsets[row] : offsets[row + 1]]

    def __repr__(self) -> str:
        return (
            f"<Shards {str(self.folder)!r}: {len(self):,} documents, {self.n_tokens:,} ids "
            f"{self.dtype.name}, {self.n_shards:,} {self.manifest.layout.name} shards>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Shards, (self.folder, self.manifest)

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(shard.n_documents for shard in self._facts))


def open_shards(folder: str | os.PathLike[str]) -> Shards:
    """Open what `bytepair.shard` wrote; files are looked at when they are used.

    Raises:
        ShardError: the folder has no shards, or they are not finished.
        MissingExtraError: Parquet, and no pyarrow; when a shard is used.
    """
    place = Path(folder)
    manifest = read_manifest(place)
    if not manifest.is_complete:
        raise ShardError(
            f"{place}: the shards are not finished. Go on with them: shard again with the same "
            "options and resume=True (--resume)."
        )
    return Shards(place, manifest)


def open_shard(folder: Path, manifest: Manifest, shard: ShardFacts) -> Shard:
    """One shard, its sizes compared with what the manifest says.

    Raises:
        ShardError: they differ, or a file is missing or damaged.
    """
    try:
        ids, offsets = manifest.layout.read(folder, shard.stem, manifest.options)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ShardError(f"{folder / shard.stem}: cannot be read: {reason}.") from error
    found = (len(offsets) - 1, len(ids))
    wanted = (shard.n_documents, shard.n_tokens)
    if found != wanted or offsets[-1] != len(ids) or np.any(offsets[1:] < offsets[:-1]):
        raise ShardError(
            f"{folder / shard.stem}: has {found[0]:,} documents and {found[1]:,} ids, by its index "
            f"{int(offsets[-1]):,}; the manifest says {wanted[0]:,} and {wanted[1]:,}. "
            "Was it cut short, or changed?"
        )
    return Shard(ids, offsets)
