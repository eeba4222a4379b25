"""Stage 4, prune: tokens that earn too little go, and the rest stays exact.

What a token costs is how many tokens the corpus gains without it. The cheapest goes first, and
after each removal the words that it changes are merged anew: every cost is exact. Strategies:

- `leaves`: any token, together with those that merging cannot make without it; of such groups the
  one that costs least per token goes first. The result is plain BPE, for every format.
- `whole-words`: any token. Tokens made of it are found where whole pre-tokens are looked up before
  merging (`ignore_merges` of Hugging Face, tiktoken).
- `residues`: any token. Its merge stays as a step within; where nothing follows it, its parts stand
  for it. No format of others can say so.
"""

from bytepair.pruning._idle import IdleTokens, idle_tokens
from bytepair.pruning._intermediate import share_taken, without_intermediate
from bytepair.pruning._pruner import VocabularyPruner
from bytepair.pruning._report import Compression, PruneReport, RemovedToken
from bytepair.pruning._result import PruneResult

__all__ = [
    "Compression",
    "IdleTokens",
    "PruneReport",
    "PruneResult",
    "RemovedToken",
    "VocabularyPruner",
    "idle_tokens",
    "share_taken",
    "without_intermediate",
]
