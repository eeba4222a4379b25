"""Token ids on disk as shards: the layouts that trainers read, what says what they are, a reader.

`bytepair.sharding` makes them out of text.
"""

from bytepair.data.shards._files import FileFacts, ShardFiles, facts_of, remove_left_overs
from bytepair.data.shards._layout import LAYOUTS, Layout
from bytepair.data.shards._manifest import (
    MANIFEST,
    Cursor,
    Manifest,
    ShardFacts,
    finished_shards,
    read_manifest,
    shard_stem,
    write_record,
)
from bytepair.data.shards._reader import Shard, Shards, open_shard, open_shards
from bytepair.data.shards._writer import Ids, ShardOptions, ShardWriter

__all__ = [
    "LAYOUTS",
    "MANIFEST",
    "Cursor",
    "FileFacts",
    "Ids",
    "Layout",
    "Manifest",
    "Shard",
    "ShardFacts",
    "ShardFiles",
    "ShardOptions",
    "ShardWriter",
    "Shards",
    "facts_of",
    "finished_shards",
    "open_shard",
    "open_shards",
    "read_manifest",
    "remove_left_overs",
    "shard_stem",
    "write_record",
]
