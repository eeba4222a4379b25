"""Megatron's `.bin` and `.idx`: read by Megatron-LM and -Core, NeMo, GPT-NeoX and their kin.

The `.bin` is the ids and nothing else. The `.idx`, little-endian: magic, u64 version, u8 code of
the type, u64 number of sequences, u64 number of document borders; then i32 lengths, i64 byte
offsets and i64 borders. Here each sequence is a document.
"""

import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bytepair.data.shards._writer import Ids, ShardOptions, ShardWriter, map_ids

_MAGIC = b"MMIDIDX\0\0"
_HEAD = struct.Struct("<9sQBQQ")
_CODES = {"uint16": 8, "int32": 4}


class MegatronWriter(ShardWriter):
    """Writes `.bin` and `.idx`."""

    SUFFIX = ".bin"

    def _end(self) -> None:
        dtype, lengths = self._options.dtype, self._all_lengths()
        n = len(lengths)
        starts = (np.cumsum(lengths) - lengths) * dtype.itemsize
        index = self._files.create(".idx")
        index.write(_HEAD.pack(_MAGIC, 1, _CODES[dtype.name], n, n + 1))
        index.write(lengths.astype("<i4").tobytes())
        index.write(starts.astype("<i8").tobytes())
        index.write(np.arange(n + 1, dtype="<i8").tobytes())


def read_megatron(folder: Path, stem: str, options: ShardOptions) -> tuple[Ids, NDArray[np.int64]]:
    """The ids and where documents begin and end; see `Layout`."""
    data = (folder / f"{stem}.idx").read_bytes()
    if len(data) < _HEAD.size:
        raise ValueError("the index is shorter than its head")
    magic, version, code, n, n_borders = _HEAD.unpack_from(data)
    if (magic, version, n_borders) != (_MAGIC, 1, n + 1):
        raise ValueError("the index does not begin as it must")
    if code != _CODES[options.dtype.name] or len(data) != _HEAD.size + 20 * n + 8:
        raise ValueError("the index has another type or size")
    lengths = np.frombuffer(data, "<i4", n, _HEAD.size).astype(np.int64)
    starts = np.frombuffer(data, "<i8", n, _HEAD.size + 4 * n)
    offsets: NDArray[Any] = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    if not np.array_equal(starts, offsets[:-1] * options.dtype.itemsize):
        raise ValueError("the index has documents that do not follow one another")
    return map_ids(folder / f"{stem}.bin", options.dtype), offsets
