"""What an engine offers: every inner loop, under the same name in both engines."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bytepair.model import Merge, SplitRules, TokenId, TokenizerSpec, WordCounts

Ragged = tuple[NDArray[np.uint32], NDArray[np.int64]]
"""(ids: uint32[n], offsets: int64[rows + 1]); row i is `ids[offsets[i]:offsets[i + 1]]`."""


class Splitter(Protocol):
    """Cuts one document into pre-tokens."""

    def split(self, data: bytes) -> list[int]:
        """End positions of the pre-tokens, ascending, the last one `len(data)`; [] for b""."""


class Counter(Protocol):
    """Counts pre-tokens. Not shared between threads: each has its own, merged at the end."""

    def feed(self, documents: Sequence[bytes], position: int) -> None:
        """Count whole documents; the first starts at byte `position` of the corpus."""

    def feed_part(self, data: bytes, position: int, is_last: bool) -> int:
        """Count the part of an unfinished document whose cuts no later text can change.

        Returns how many bytes were counted; the rest must come again, with more behind it.
        """

    def merge(self, other: Any) -> None:
        """Add the counts of another counter of the same engine to this one."""

    def result(self, rules: SplitRules, n_bytes: int, n_documents: int) -> WordCounts:
        """The counts so far, in order of first position."""


class Learner(Protocol):
    """Finds merges one after the other; keeps its place between calls."""

    def advance(self, n_merges: int) -> list[Merge]:
        """The next merges, at most `n_merges`; fewer (or none) once no pair is left to join."""


class Encoder(Protocol):
    """Text without added tokens -> ids. Read-only after construction: threads may share it."""

    def encode(self, data: bytes) -> list[TokenId]:
        """Ids of one document. O(n log n) for any input."""

    def count(self, data: bytes) -> int:
        """`len(encode(data))` without building the list."""

    def encode_batch(self, documents: Sequence[bytes], threads: int) -> Ragged:
        """Ids of many documents, in order; the result does not depend on `threads`."""


class Decoder(Protocol):
    """Ids -> bytes. Read-only after construction."""

    def decode(self, ids: Sequence[TokenId], skip_unknown: bool = False) -> bytes:
        """The tokens' bytes, joined.

        Raises:
            UnknownTokenError: an id is not in the vocabulary (unless `skip_unknown`).
        """


class Engine(Protocol):
    """Makes the loops. `engines.select()` says which engine runs."""

    name: str

    def splitter(self, pattern: str | None) -> Splitter: ...

    def counter(self, pattern: str | None, special_tokens: Sequence[str]) -> Counter: ...

    def learner(
        self,
        symbols: NDArray[np.uint32],
        offsets: NDArray[np.int64],
        counts: NDArray[np.int64],
        alphabet: Sequence[bytes],
        *,
        order: Sequence[int] | None = None,
        ties: str = "order",
        min_frequency: int = 1,
        max_token_length: int | None = None,
    ) -> Learner:
        """A learner over words given as symbols.

        Args:
            symbols: the words' symbols one after the other; values < len(alphabet).
            offsets: int64[n + 1]; word i is `symbols[offsets[i]:offsets[i + 1]]`.
            counts: int64[n], each >= 1.
            alphabet: distinct byte strings, one a symbol, together uniquely decodable; symbol i
                gets id i. The end mark is b"".
            order: rank of each symbol of the alphabet for ties "order" (default: its id); joined
                symbols rank after the alphabet, in learned order.
            ties: "order" (smallest pair of ranks), "first" (pair that occurs first),
                "bytes" (greatest pair of byte strings).
            min_frequency: a pair that occurs less often is never joined.
            max_token_length: a pair whose joined length (in symbols, the end mark not counted)
                would exceed it is never joined.
        """

    def encoder(self, spec: TokenizerSpec) -> Encoder: ...

    def decoder(self, bytes_by_id: Mapping[TokenId, bytes]) -> Decoder: ...
