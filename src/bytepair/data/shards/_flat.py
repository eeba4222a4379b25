"""Flat files: ids one after the other, and beside them an index of where documents end.

`flat` is what nanoGPT and OLMo-core map into memory. `llmc` has llm.c's head of 256 i32 before the
ids: magic, version, number of ids. The index is that of datatrove: u64, in ids.
"""

import json
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

_HEAD_INTS = 256
_HEAD_BYTES = 4 * _HEAD_INTS
_MAGIC_AND_VERSION = {"uint16": (20240520, 1), "uint32": (20240801, 7)}


class FlatWriter(ShardWriter):
    """Writes `.bin`, `.bin.index` and `.bin.json`, which says how to read the two."""

    SUFFIX = ".bin"

    def _end(self) -> None:
        self._files.create(".bin.index").write(ends_of(self._all_lengths()))
        options = self._options
        sidecar = {
            "dtype": options.dtype.name,
            "n_tokens": self.n_tokens,
            "n_documents": self.n_documents,
            "tokenizer": options.tokenizer,
            "tokenizer_sha256": options.fingerprint,
            "n_vocab": options.n_vocab,
            "bos": options.bos,
            "eos": options.eos,
        }
        text = json.dumps(sidecar, indent=2, ensure_ascii=False)
        self._files.create(".bin.json").write(text.encode() + b"\n")


class LlmcWriter(ShardWriter):
    """Writes `.bin` with a head, and `.bin.index`."""

    SUFFIX = ".bin"

    def __init__(self, folder: Path, stem: str, options: ShardOptions) -> None:
        super().__init__(folder, stem, options)
        self._main.write(bytes(_HEAD_BYTES))

    def _end(self) -> None:
        self._main.seek(0)
        self._main.write(_head(self._options, self.n_tokens).tobytes())
        self._files.create(".bin.index").write(ends_of(self._all_lengths()))


def read_flat(folder: Path, stem: str, options: ShardOptions) -> tuple[Ids, NDArray[np.int64]]:
    """The ids and where documents begin and end; see `Layout`."""
    path = folder / f"{stem}.bin"
    return map_ids(path, options.dtype), read_ends(folder / f"{stem}.bin.index")


def read_llmc(folder: Path, stem: str, options: ShardOptions) -> tuple[Ids, NDArray[np.int64]]:
    """Likewise."""
    path = folder / f"{stem}.bin"
    ids = map_ids(path, options.dtype, _HEAD_BYTES)
    if not np.array_equal(np.fromfile(path, "<i4", _HEAD_INTS), _head(options, len(ids))):
        raise ValueError("its head is not that of llm.c for this type and number of ids")
    return ids, read_ends(folder / f"{stem}.bin.index")


def _head(options: ShardOptions, n_tokens: int) -> NDArray[np.int32]:
    head = np.zeros(_HEAD_INTS, "<i4")
    head[:3] = *_MAGIC_AND_VERSION[options.dtype.name], n_tokens
    return head
