"""Words by tokens, in both engines, against words by bytes."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair.engines import NAMES, select, token_shapes
from bytepair.model import Tokens

TOKENS = st.lists(
    st.lists(st.sampled_from([b"a", b"\xff", b" ", b"\n", "é".encode()]), max_size=5).map(b"".join),
    min_size=1,
    max_size=8,
)


def by_bytes(texts: list[list[bytes]]) -> tuple[int, int]:
    """Words, and those with a border inside, each looked at by itself."""
    n_words = n_divided = 0
    for tokens in texts:
        borders = set(np.cumsum([0, *map(len, tokens)]).tolist())
        for word in re.finditer(rb"[^ \t\n\v\f\r]+", b"".join(tokens)):
            n_words += 1
            n_divided += any(word.start() < border < word.end() for border in borders)
    return n_words, n_divided


@pytest.mark.parametrize("engine", NAMES)
@given(data=st.data(), tokens=TOKENS)
def test_words_are_those_of_the_bytes(
    engine: str, data: st.DataObject, tokens: list[bytes]
) -> None:
    """Whatever the tokens are, empty ones among them; ids may have gaps."""
    vocabulary = {2 * number: token for number, token in enumerate(tokens)}
    rows = data.draw(
        st.lists(st.lists(st.sampled_from(sorted(vocabulary)), max_size=9), max_size=3)
    )
    ids = np.array([token for row in rows for token in row], np.uint32)
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    tally = select(engine).tally(ids, offsets, token_shapes(Tokens.of(vocabulary)))
    assert tally[1:] == by_bytes([[vocabulary[token] for token in row] for row in rows])
    assert tally.uses.tolist() == [ids.tolist().count(i) for i in range(len(tally.uses))]


def test_without_a_token_there_is_no_shape() -> None:
    """An empty vocabulary and no text."""
    assert token_shapes(Tokens.of({})).tolist() == []
