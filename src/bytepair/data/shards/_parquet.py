"""Parquet with a column `input_ids`, list<int32>, a document a row: what trainers of HF's read."""

from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bytepair.data._tables import arrow
from bytepair.data.shards._writer import Ids, ShardOptions, ShardWriter

_COLUMN = "input_ids"
_GROUP_TOKENS = 1 << 20


class ParquetWriter(ShardWriter):
    """Writes `.parquet`; a row group is about a million ids, which are in memory until then."""

    SUFFIX = ".parquet"

    def __init__(self, folder: Path, stem: str, options: ShardOptions) -> None:
        super().__init__(folder, stem, options)
        pa = arrow()
        schema = pa.schema([pa.field(_COLUMN, pa.list_(pa.int32()))])
        # Ids are compressed well by zstd, and no dictionary of them helps.
        self._table = arrow("pyarrow.parquet").ParquetWriter(
            self._main, schema, compression="zstd", use_dictionary=False
        )
        self._held: list[Ids] = []
        self._n_held = 0

    def write(self, ids: Ids, lengths: NDArray[np.int64]) -> None:
        """Append ids, and the lengths of the documents that they end."""
        super().write(ids, lengths)
        if self._n_held >= _GROUP_TOKENS and len(lengths):
            self._write_rows()

    def _append(self, ids: Ids) -> None:
        self._held.append(ids)
        self._n_held += len(ids)

    def _end(self) -> None:
        self._write_rows()
        self._table.close()

    def discard(self) -> None:
        """Forget the shard; nothing of it is left."""
        with suppress(OSError, arrow().ArrowException):  # it would close itself, and be heard
            self._table.close()
        super().discard()

    def _write_rows(self) -> None:
        """What is held is whole documents."""
        pa = arrow()
        lengths = np.concatenate([np.zeros(1, np.int64), *self._lengths])
        ids = np.concatenate([np.zeros(0, np.int32), *self._held])
        rows = pa.ListArray.from_arrays(pa.array(np.cumsum(lengths, dtype=np.int32)), pa.array(ids))
        if len(rows):
            self._table.write_table(pa.table([rows], [_COLUMN]))
        self._held, self._lengths, self._n_held = [], [], 0


def read_parquet(
    folder: Path,
    stem: str,
    options: ShardOptions,  # noqa: ARG001  # the file says all of it
) -> tuple[Ids, NDArray[np.int64]]:
    """The ids and where documents begin and end; see `Layout`. All of the shard is read."""
    pa = arrow()
    try:
        table = arrow("pyarrow.parquet").read_table(folder / f"{stem}.parquet")
        chunks = table.column(_COLUMN).cast(pa.large_list(pa.int32())).combine_chunks()
    except (pa.ArrowException, KeyError) as error:
        raise ValueError(str(error)) from error
    offsets = np.asarray(chunks.offsets, np.int64) if len(chunks) else np.zeros(1, np.int64)
    return np.asarray(chunks.values, np.int32), offsets
