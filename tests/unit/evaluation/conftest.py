from collections.abc import Sequence

import numpy as np
import pytest

import bytepair
from bytepair.evaluation import Encoded

TOKENS = {0: b"low", 1: b" ", 2: b"er", 3: b"l", 4: b"unused"}


class ByHand:
    """A subject that knows "low", " ", "er" and "l"; six bytes of others are one token."""

    name = "by hand"
    kind = "greedy"
    unknown_id = 4
    vocab_size = 5

    def encode(self, texts: Sequence[bytes]) -> Encoded:
        rows = [self._row(text) for text in texts]
        ids = np.array([token for row in rows for token in row], np.uint32)
        offsets = np.cumsum([0, *map(len, rows)])
        sizes = [len(TOKENS[token]) for token in ids.tolist()]
        return Encoded(ids, offsets, np.cumsum(sizes, dtype=np.int64))

    def contents(self) -> dict[int, bytes]:
        return TOKENS

    def _row(self, text: bytes) -> list[int]:
        row: list[int] = []
        while text:
            row.append(next((i for i, token in TOKENS.items() if text.startswith(token)), 4))
            text = text[len(TOKENS[row[-1]]) :]
        return row


@pytest.fixture
def by_hand() -> ByHand:
    """Five tokens, one of them for what is unknown."""
    return ByHand()


@pytest.fixture(scope="session")
def small() -> bytepair.Tokenizer:
    """256 bytes and the merges of a sentence."""
    return bytepair.train(["low lower lowest"] * 9, vocab_size=262, special_tokens=[])
