"""Every way to put a token together from two others: what is a merge where ranks or scores say so.

A large vocabulary is cut in a million places, so the C++ core does it where it is installed.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bytepair.formats._entries import core
from bytepair.model import TokenId, Tokens


class Halves(NamedTuple):
    """Ids, uint32[n] each: left and right, one after the other, are whole."""

    left: NDArray[np.uint32]
    right: NDArray[np.uint32]
    whole: NDArray[np.uint32]


def halves(tokens: Tokens) -> Halves:
    """All of them, by ascending whole, then by the length of left.

    The tokens are distinct, none is empty. Cost: that of sorting them, and a step for each other
    one that a token begins or ends with.

    >>> [column.tolist() for column in halves(Tokens.of({0: b"a", 1: b"b", 7: b"ab"}))]
    [[0], [1], [7]]
    """
    if (compiled := core()) is not None:
        return Halves(*(tokens.ids[it] for it in compiled.halves(tokens.data, tokens.offsets)))
    rows = np.array(list(_looked_up(tokens)), dtype=np.uint32).reshape(-1, 3)
    return Halves(*(np.ascontiguousarray(column) for column in rows.T))


def _looked_up(tokens: Tokens) -> Iterator[tuple[TokenId, TokenId, TokenId]]:
    """The same with a dictionary: the reference."""
    id_by_token = {token: number for number, token in tokens.items()}
    # Only cuts into lengths that occur: a file with one very long token must not cost its square.
    lengths = {len(token) for token in id_by_token}
    cuts = {n: sorted(cut for cut in lengths if n - cut in lengths) for n in lengths}
    for token, whole in id_by_token.items():
        for cut in cuts[len(token)]:
            left = id_by_token.get(token[:cut])
            if left is not None and (right := id_by_token.get(token[cut:])) is not None:
                yield left, right, whole
