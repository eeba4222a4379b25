"""Tally: how often each id stands in texts, and which words the borders of tokens divide."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bytepair.engines._interface import Tally
from bytepair.engines._shapes import EMPTY, ENDS_BLANK, HOLDS_BLANK, STARTS_BLANK, WORDS_SHIFT


def tally(ids: NDArray[np.uint32], offsets: NDArray[np.int64], shapes: NDArray[np.uint32]) -> Tally:
    """Twin of the core's tally: one look at each token, none at the text."""
    uses = np.bincount(ids, minlength=len(shapes)).astype(np.int64)
    n_words = n_divided = 0
    for start, end in pairwise(offsets.tolist()):
        is_in_word = is_divided = False
        for shape in shapes[ids[start:end]].tolist():
            if shape & EMPTY:
                continue
            goes_on = not shape & STARTS_BLANK
            divides = goes_on and is_in_word
            n_words += (goes_on and not is_in_word) + (shape >> WORDS_SHIFT)
            n_divided += divides and not is_divided
            # Behind white space another word begins, which nothing divides yet.
            is_divided = (is_divided or divides) and goes_on and not shape & HOLDS_BLANK
            is_in_word = not shape & ENDS_BLANK
    return Tally(uses, n_words, n_divided)
