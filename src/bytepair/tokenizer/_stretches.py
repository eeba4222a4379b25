"""The ids of a stretch between added tokens, for callers that find those tokens themselves."""

from bytepair.engines import Cutter, Encoder
from bytepair.model import TokenId


class Stretches:
    """Encodes stretches of one text.

    Args:
        inner: looks for the added tokens that show only once a stretch is normalised.
    """

    def __init__(self, encoder: Encoder, inner: Cutter) -> None:
        self._encoder = encoder
        self._inner = inner

    def ids(self, data: bytes, *, is_first: bool) -> list[TokenId]:
        """Ids of a whole stretch; `is_first`: the text begins with it."""
        return self.part(data, is_last=True, is_first=is_first)[0]

    def part(self, data: bytes, *, is_last: bool, is_first: bool) -> tuple[list[TokenId], int]:
        """(ids that no later text can change, how many bytes they stand for)."""
        return self._encoder.encode_part(data, is_last, is_first, self._inner) if data else ([], 0)
