"""What of a token matters to words, for `Engine.tally`."""

import numpy as np
from numpy.typing import NDArray

from bytepair.model import Tokens

EMPTY = 1
STARTS_BLANK = 2
ENDS_BLANK = 4
HOLDS_BLANK = 8
WORDS_SHIFT = 4

_IS_BLANK = np.isin(np.arange(256), [*b" \t\n\v\f\r"])


def token_shapes(tokens: Tokens) -> NDArray[np.uint32]:
    r"""uint32[largest id + 1]: how words, runs of bytes other than white space, lie in each token.

    Bits: 1: no byte, 2: its first byte is white space, 4: its last one is, 8: any is; above, how
    many words begin behind its first byte. An id without a token has no byte.

    >>> token_shapes(Tokens.of({0: b"low", 1: b" a b", 3: b"\n"})).tolist()
    [0, 42, 1, 14]
    """
    shapes = np.full(int(tokens.ids[-1]) + 1 if len(tokens) else 0, EMPTY, np.uint32)
    offsets = tokens.offsets.astype(np.int64)
    is_filled = np.diff(offsets) > 0
    ids, starts, ends = tokens.ids[is_filled], offsets[:-1][is_filled], offsets[1:][is_filled]
    is_blank = _IS_BLANK[np.frombuffer(tokens.data, np.uint8)]
    begins = ~is_blank
    begins[1:] &= is_blank[:-1]
    begins[starts] = False
    blanks, words = (np.concatenate([[0], np.cumsum(flags)]) for flags in (is_blank, begins))
    shape = STARTS_BLANK * is_blank[starts] + ENDS_BLANK * is_blank[ends - 1]
    shape += HOLDS_BLANK * (blanks[ends] > blanks[starts])
    shapes[ids] = shape + ((words[ends] - words[starts]) << WORDS_SHIFT)
    return shapes
