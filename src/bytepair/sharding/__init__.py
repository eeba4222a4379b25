"""From a corpus to shards of token ids, resumable and checked.

`bytepair.data.open_shards` reads what is written here.
"""

from bytepair.sharding._shard import shard
from bytepair.sharding._verify import Verification, verify

__all__ = ["Verification", "shard", "verify"]
