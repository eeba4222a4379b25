"""datatrove's `.ds`, which nanotron reads too: ids, an index of ends, and three lines of text."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bytepair.data.shards._writer import (
    Ids,
    ShardOptions,
    ShardWriter,
    ends_of,
    map_ids,
    read_ends,
)

_PREFIXES = ("", "k", "M", "G", "T", "P", "E")


class DatatroveWriter(ShardWriter):
    """Writes `.ds`, `.ds.index` and `.ds.metadata`."""

    SUFFIX = ".ds"

    def _end(self) -> None:
        self._files.create(".ds.index").write(ends_of(self._all_lengths()))
        size = self._options.dtype.itemsize
        lines = (f"{self._options.tokenizer}|{size}", str(self.n_tokens), _short(self.n_tokens))
        self._files.create(".ds.metadata").write("\n".join(lines).encode())


def read_datatrove(folder: Path, stem: str, options: ShardOptions) -> tuple[Ids, NDArray[np.int64]]:
    """The ids and where documents begin and end; see `Layout`."""
    path = folder / f"{stem}.ds"
    return map_ids(path, options.dtype), read_ends(folder / f"{stem}.ds.index")


def _short(number: int) -> str:
    """Three digits and a metric prefix, T for tokens, as datatrove writes it.

    >>> _short(0), _short(999), _short(12_345)
    ('0.00 T', '999 T', '12.3 kT')
    """
    power = min((len(str(number)) - 1) // 3, len(_PREFIXES) - 1)
    digits = len(str(number)) - 1 - 3 * power
    return f"{number / 1000**power:.{max(2 - digits, 0)}f} {_PREFIXES[power]}T"
