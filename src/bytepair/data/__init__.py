"""Reads corpora: paths, globs, folders, URLs, compressed files, JSONL, tables, documents in memory.

What comes out is bytes, exactly as they were stored: `Chunk`s for those who want all of it, and
`Record`s with their places for those who must be able to go on from one. What became of it is read
by `open_shards`.
"""

from bytepair.data._chunks import (
    Corpus,
    corpus_files,
    corpus_size,
    divisible_size,
    read_chunks,
    read_range,
)
from bytepair.data._faults import Skips, changed, require_on_error, state_of
from bytepair.data._open import is_compressed, open_stream, unreadable
from bytepair.data._record import Place, Record
from bytepair.data._records import describe, read_records, require_reader, stored_size
from bytepair.data._remote import InputFile, RemotePath, input_path
from bytepair.data.shards import Shard, Shards, open_shards

__all__ = [
    "Corpus",
    "InputFile",
    "Place",
    "Record",
    "RemotePath",
    "Shard",
    "Shards",
    "Skips",
    "changed",
    "corpus_files",
    "corpus_size",
    "describe",
    "divisible_size",
    "input_path",
    "is_compressed",
    "open_shards",
    "open_stream",
    "read_chunks",
    "read_range",
    "read_records",
    "require_on_error",
    "require_reader",
    "state_of",
    "stored_size",
    "unreadable",
]
