"""The end of a text that more text may change: what stays, and what the rest may become.

The meaning is that of `encode_with_unstable` of tiktoken: https://github.com/openai/tiktoken.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence

from bytepair.model import TokenId

Row = tuple[TokenId, ...]

_SPACES = frozenset(b" \n\t")


class Completions:
    """Finds the rows of ids with which a text that begins with some bytes may begin.

    Args:
        bytes_by_id: the ordinary tokens.
        encode: the ids of bytes that are a text of their own.
        merge: the ids of bytes that are not cut further.
    """

    def __init__(
        self,
        bytes_by_id: Mapping[TokenId, bytes],
        encode: Callable[[bytes], list[TokenId]],
        merge: Callable[[bytes], list[TokenId]],
    ) -> None:
        self._bytes_by_id = bytes_by_id
        self._encode = encode
        self._merge = merge
        self._sorted = sorted((data, token) for token, data in bytes_by_id.items())
        self._longest = max(map(len, bytes_by_id.values()), default=0)

    def split(self, ids: Sequence[TokenId], n_last: int) -> tuple[list[TokenId], set[Row]]:
        """(stable ids, completions), given the ids of a text and how many its last pre-token has.

        Cost: that of encoding the unstable bytes once for each token that begins with an end of
        them, which is also the size of the answer; slow for an unstable space.
        """
        n_unstable = self._n_unstable(ids, n_last)
        stable = list(ids[: len(ids) - n_unstable])
        unstable = b"".join(self._bytes_by_id[token] for token in ids[len(stable) :])
        if not unstable:
            return stable, set()
        rows: set[Row] = {(token,) for _, token in self._beginning_with(unstable)}
        rows.update(self._crossing(unstable))
        rows.update(self._before_space(unstable))
        return stable, rows

    def _n_unstable(self, ids: Sequence[TokenId], n_last: int) -> int:
        """White space before white space is unstable too: patterns take from long runs of it."""
        if n_last and self._is_space(ids[len(ids) - n_last]):
            while n_last < len(ids) and self._is_space(ids[len(ids) - n_last - 1]):
                n_last += 1
        return n_last

    def _is_space(self, token: TokenId) -> bool:
        return _SPACES.issuperset(self._bytes_by_id.get(token, b"x"))

    def _beginning_with(self, prefix: bytes) -> Iterator[tuple[bytes, TokenId]]:
        for place in range(bisect_left(self._sorted, (prefix, -1)), len(self._sorted)):
            if not self._sorted[place][0].startswith(prefix):
                return
            yield self._sorted[place]

    def _crossing(self, unstable: bytes) -> Iterator[Row]:
        """Texts in which some token begins within the unstable bytes and ends beyond them."""
        for cut in range(max(1, len(unstable) - self._longest + 1), len(unstable)):
            for data, _ in self._beginning_with(unstable[cut:]):
                ids = self._encode_any(unstable[:cut] + data)
                yield tuple(self._first_that_cover(ids, len(unstable)))

    def _encode_any(self, data: bytes) -> list[TokenId]:
        try:
            data.decode()
        except UnicodeDecodeError:
            return self._merge(data)
        return self._encode(data)

    def _first_that_cover(self, ids: Sequence[TokenId], n_bytes: int) -> Iterator[TokenId]:
        for token in ids:
            yield token
            n_bytes -= len(self._bytes_by_id[token])
            if n_bytes <= 0:
                return

    def _before_space(self, unstable: bytes) -> Iterator[Row]:
        """The last space alone: it may turn out to belong to the word behind it."""
        last = unstable.decode("utf-8", "replace")[-1]
        n_rest = len(unstable) - len(last.encode())
        if last.isspace() and n_rest > 0:
            yield (*self._merge(unstable[:n_rest]), *self._merge(unstable[n_rest:]))
