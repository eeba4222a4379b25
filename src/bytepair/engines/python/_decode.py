"""Ids -> bytes: look each up, join."""

from collections.abc import Mapping, Sequence

from bytepair.errors import UnknownTokenError
from bytepair.model import TokenId


class Decoder:
    """Twin of the core's decoder.

    >>> Decoder({97: b"a", 256: b"ab"}).decode([256, 97])
    b'aba'
    """

    def __init__(self, bytes_by_id: Mapping[TokenId, bytes]) -> None:
        self._bytes_by_id = dict(bytes_by_id)

    def decode(self, ids: Sequence[TokenId], skip_unknown: bool = False) -> bytes:
        """The tokens' bytes, joined. O(len of the result)."""
        if skip_unknown:
            return b"".join(self._bytes_by_id.get(token, b"") for token in ids)
        try:
            return b"".join([self._bytes_by_id[token] for token in ids])
        except KeyError:
            position, token = next((p, t) for p, t in enumerate(ids) if t not in self._bytes_by_id)
            raise UnknownTokenError(unknown_id(token, position, max(self._bytes_by_id))) from None


def unknown_id(token: int, position: int, max_id: int) -> str:
    """The message for an id outside the vocabulary; both engines give it."""
    return (
        f"token id {token} at position {position} is not in the vocabulary "
        f"(largest id: {max_id}). Decode with the tokenizer that made the ids."
    )
