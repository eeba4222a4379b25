"""What a training keeps on disk while it runs, so that it can go on after whatever ends it.

A folder holds:

- `checkpoint.json`: the options and files it was begun with.
- `counted-KEY.counts`: the words of each part of the corpus that has been counted; gone once all
  are. KEY says which part that is.
- `words.counts`: the words of the whole corpus.
- `merges.log`: every merge, as it was learned.
- `lock`: held by the process that is at work.

The list of merges is all there is to learning: who has the words and the merges so far goes on to
the same result, bit for bit.
"""

from bytepair.checkpoint._folder import Checkpoint
from bytepair.checkpoint._log import MergeLog

__all__ = ["Checkpoint", "MergeLog"]
