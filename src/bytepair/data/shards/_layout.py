"""`Layout`: the kinds of files that shards can be."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bytepair.data.shards._datatrove import DatatroveWriter, read_datatrove
from bytepair.data.shards._flat import FlatWriter, LlmcWriter, read_flat, read_llmc
from bytepair.data.shards._megatron import MegatronWriter, read_megatron
from bytepair.data.shards._parquet import ParquetWriter, read_parquet
from bytepair.data.shards._writer import Ids, ShardOptions, ShardWriter
from bytepair.errors import ArgumentError

_I32_MAX = (1 << 31) - 1
_NO_LIMIT = 1 << 62
_UNSIGNED = {"uint16": 1 << 16, "uint32": 1 << 32}

Read = Callable[[Path, str, ShardOptions], tuple[Ids, NDArray[np.int64]]]
"""(folder, stem, options) -> (ids, offsets: int64[documents + 1]).

Raises OSError or ValueError, whose message says what is wrong with the files."""


@dataclass(frozen=True)
class Layout:
    """One of them.

    Attributes:
        writer, read: to disk and back.
        vocab_by_dtype: type of the ids -> the largest vocabulary it is taken for; smallest first.
        max_document, max_shard: most ids in one.
    """

    name: str
    writer: Callable[[Path, str, ShardOptions], ShardWriter]
    read: Read
    vocab_by_dtype: Mapping[str, int]
    max_document: int = _NO_LIMIT
    max_shard: int = _NO_LIMIT

    def dtype(self, n_vocab: int, wanted: str | None = None) -> np.dtype[Any]:
        """The smallest type that is taken for a vocabulary, or the wanted one if it can be.

        Raises:
            ArgumentError: the layout has no such type, or there are ids that do not fit.
        """
        if wanted is None:
            for name, limit in self.vocab_by_dtype.items():
                if n_vocab <= limit:
                    return np.dtype(name).newbyteorder("<")
        if wanted is not None and wanted not in self.vocab_by_dtype:
            raise ArgumentError(
                f"dtype={wanted!r:.60}: {self.name} shards have {' or '.join(self.vocab_by_dtype)}."
            )
        widest = list(self.vocab_by_dtype)[-1]
        if n_vocab - 1 > np.iinfo(wanted or widest).max:
            raise ArgumentError(
                f"dtype={wanted or widest!r}: too small for the ids of this tokenizer, which go up "
                f"to {n_vocab - 1:,}. Take {widest}, or leave it to be chosen."
            )
        return np.dtype(wanted).newbyteorder("<")


LAYOUTS = {
    layout.name: layout
    for layout in (
        Layout("flat", FlatWriter, read_flat, _UNSIGNED),
        Layout("llmc", LlmcWriter, read_llmc, _UNSIGNED, max_shard=_I32_MAX),
        # From 65,500 on, as Megatron itself chooses.
        Layout(
            "megatron",
            MegatronWriter,
            read_megatron,
            {"uint16": 65_499, "int32": 1 << 31},
            max_document=_I32_MAX,
        ),
        # A row group of many rows and one of the longest must not pass the limit of Arrow's lists.
        Layout(
            "parquet",
            ParquetWriter,
            read_parquet,
            {"int32": 1 << 31},
            max_document=_I32_MAX - (1 << 21),
        ),
        Layout("datatrove", DatatroveWriter, read_datatrove, _UNSIGNED),
    )
}
