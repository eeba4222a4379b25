"""Names for the plain values that travel everywhere."""

from typing import Literal, NamedTuple, get_args

TokenId = int
Pair = tuple[TokenId, TokenId]

Alphabet = Literal["bytes", "chars"]
"""What the first symbols are: the 256 bytes, or the corpus's code points."""

OnError = Literal["fail", "skip"]
"""What to do about a file that cannot be read to its end."""

LengthUnit = Literal["bytes", "characters"]
"""What the length of a token counts."""

Ties = Literal["lowest", "huggingface", "first", "bytes"]
"""Which of several equally frequent pairs is merged first; see `bytepair.learning`."""

TIES: tuple[Ties, ...] = get_args(Ties)


class Merge(NamedTuple):
    """One learned step: `left` next to `right`, found `frequency` times, becomes `joined`."""

    left: TokenId
    right: TokenId
    joined: TokenId
    frequency: int
