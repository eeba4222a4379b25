"""Safetensors files as headers and rows of bytes: what their numbers mean does not matter here.

The format: 8 bytes with the size of the header, little-endian; the header, JSON: name -> dtype,
shape and place of each tensor; the tensors. Source: https://github.com/huggingface/safetensors.
"""

import json
import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from bytepair.errors import FormatError

_MOST_HEADER = 100_000_000  # as the library has it
_BLOCK_BYTES = 16 << 20


@dataclass(frozen=True)
class Tensor:
    """Where a tensor lies in its file's data.

    Attributes:
        start, end: in bytes, from the end of the header.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int

    @property
    def n_rows(self) -> int:
        """Length of the first axis; 0 for a single number."""
        return self.shape[0] if self.shape else 0

    @property
    def row_bytes(self) -> int:
        """Bytes of a row."""
        return (self.end - self.start) // max(self.n_rows, 1)

    def with_rows(self, n_rows: int, start: int) -> "Tensor":
        """The same tensor with so many rows, elsewhere."""
        shape = (n_rows, *self.shape[1:])
        return replace(self, shape=shape, start=start, end=start + n_rows * self.row_bytes)

    def moved(self, start: int) -> "Tensor":
        """The same tensor elsewhere."""
        return replace(self, start=start, end=start + self.end - self.start)


@dataclass(frozen=True)
class TensorFile:
    """The header of a file.

    Attributes:
        tensors: in the order of their data.
        metadata: what its writer noted, or None.
        data_start: where the data begins in the file.
    """

    path: Path
    tensors: tuple[Tensor, ...]
    metadata: Mapping[str, str] | None
    data_start: int


def read_header(path: Path) -> TensorFile:
    """The header of a safetensors file; the data is not read.

    Raises:
        FormatError: missing, damaged or cut off; says what.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            prefix = file.read(8)
            n_header = struct.unpack("<Q", prefix)[0] if len(prefix) == 8 else _MOST_HEADER + 1
            if n_header > min(_MOST_HEADER, size):
                raise FormatError(f"{path}: this is not a safetensors file, or it was cut off.")
            header = json.loads(file.read(n_header))
    except (OSError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{path}: its header cannot be read: {error}") from error
    return _checked(path, header, 8 + n_header, size)


def _checked(path: Path, header: object, data_start: int, size: int) -> TensorFile:
    try:
        entries: dict[str, Any] = {**cast(dict[str, Any], header)}
        metadata = entries.pop("__metadata__", None)
        tensors = [
            Tensor(name, str(row["dtype"]), tuple(map(int, row["shape"])), *row["data_offsets"])
            for name, row in entries.items()
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{path}: its header is damaged: {error!r}") from error
    tensors.sort(key=lambda tensor: (tensor.start, tensor.end))
    place = 0
    for tensor in tensors:
        n_rows, n_bytes = tensor.n_rows, tensor.end - tensor.start
        if tensor.start != place or n_bytes < 0 or (n_rows and n_bytes % n_rows):
            raise FormatError(f"{path}: tensor {tensor.name!r:.80} does not lie where it says.")
        if bool(n_bytes) != bool(math.prod(tensor.shape)):
            raise FormatError(f"{path}: tensor {tensor.name!r:.80} is not as large as it says.")
        place = tensor.end
    if data_start + place != size:
        raise FormatError(
            f"{path}: {size:,} bytes, but its header says {data_start + place:,}: it was cut off, "
            "or is damaged."
        )
    return TensorFile(path, tuple(tensors), metadata, data_start)


def write_rows(file: BinaryIO, source: TensorFile, rows: Mapping[str, NDArray[np.int64]]) -> int:
    """Write a file's tensors anew, of those in `rows` only these rows; returns bytes of data.

    Raises:
        OSError: reading or writing fails.
    """
    placed: list[Tensor] = []
    for tensor in source.tensors:
        start = placed[-1].end if placed else 0
        kept = rows.get(tensor.name)
        placed.append(tensor.moved(start) if kept is None else tensor.with_rows(len(kept), start))
    file.write(_header(placed, source.metadata))
    with source.path.open("rb") as data:
        for tensor in source.tensors:
            data.seek(source.data_start + tensor.start)
            if tensor.name in rows:
                file.writelines(_picked(data, tensor, rows[tensor.name]))
            else:
                file.writelines(_blocks(data, tensor.end - tensor.start))
    return placed[-1].end if placed else 0


def _header(tensors: list[Tensor], metadata: Mapping[str, str] | None) -> bytes:
    entries: dict[str, object] = {} if metadata is None else {"__metadata__": dict(metadata)}
    entries |= {
        tensor.name: {
            "dtype": tensor.dtype,
            "shape": tensor.shape,
            "data_offsets": (tensor.start, tensor.end),
        }
        for tensor in tensors
    }
    header = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)  # the data is aligned
    return struct.pack("<Q", len(header)) + header


def _blocks(data: BinaryIO, n_bytes: int) -> Iterator[bytes]:
    while n_bytes > 0:
        block = data.read(min(n_bytes, _BLOCK_BYTES))
        if not block:
            raise OSError("the file ended while it was read")
        n_bytes -= len(block)
        yield block


def _picked(data: BinaryIO, tensor: Tensor, rows: NDArray[np.int64]) -> Iterator[bytes]:
    """Some rows, ascending; a block of all of them is in memory at a time."""
    n_block = max(_BLOCK_BYTES // max(tensor.row_bytes, 1), 1)
    for first in range(0, tensor.n_rows, n_block):
        n_rows = min(n_block, tensor.n_rows - first)
        block = b"".join(_blocks(data, n_rows * tensor.row_bytes))
        within = rows[(rows >= first) & (rows < first + n_rows)] - first
        table = np.frombuffer(block, np.uint8).reshape(n_rows, tensor.row_bytes)
        yield table[within].tobytes()
