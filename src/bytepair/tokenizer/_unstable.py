"""The end of a text that more text may change: what stays, and what the rest may become.

The meaning is that of `encode_with_unstable` of tiktoken: https://github.com/openai/tiktoken.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bytepair.errors import EncodeError
from bytepair.model import TokenId

Ids = NDArray[np.uint32]

_SPACES = frozenset(b" \n\t")
_MOST_BYTES = 1 << 30  # of text to encode: some seconds
_MOST_IDS = 1 << 26  # in all completions: half a gigabyte of them


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
        encode: Callable[[bytes], Ids],
        merge: Callable[[bytes], Ids],
    ) -> None:
        self._bytes_by_id = dict(bytes_by_id)
        self._encode = encode
        self._merge = merge
        ordered = sorted((data, token) for token, data in self._bytes_by_id.items())
        self._contents = [data for data, _ in ordered]
        self._ids = [token for _, token in ordered]
        sizes = {token: len(data) for token, data in self._bytes_by_id.items()}
        self._sizes = np.zeros(max(sizes, default=0) + 1, np.int64)
        self._sizes[list(sizes)] = list(sizes.values())
        self._longest = max(sizes.values(), default=0)

    def split(
        self, ids: Sequence[TokenId], n_last: int
    ) -> tuple[list[TokenId], list[list[TokenId]]]:
        """(stable ids, completions sorted), given a text's ids and how many its last pre-token has.

        Raises:
            EncodeError: the pre-token is so long, and has so many completions, that they would take
                too much time or memory.

        Cost: that of encoding the unstable bytes once for each token that begins with an end of
        them, which is also the size of the answer; slow for an unstable space.
        """
        n_unstable = self._n_unstable(ids, n_last)
        stable = list(ids[: len(ids) - n_unstable])
        unstable = b"".join(self._bytes_by_id[token] for token in ids[len(stable) :])
        if not unstable:
            return stable, []
        crossing = self._crossing(unstable)
        _refuse_large(sum(len(numbers) for _, numbers in crossing), n_unstable, len(unstable))
        rows = {_key([self._ids[number]]) for number in self._beginning_with(unstable)}
        rows.update(map(_key, self._texts(unstable, crossing)))
        rows.update(map(_key, self._before_space(unstable)))
        return stable, [_row(key) for key in sorted(rows)]

    def _n_unstable(self, ids: Sequence[TokenId], n_last: int) -> int:
        """White space before white space is unstable too: patterns take from long runs of it."""
        if n_last and self._is_space(ids[len(ids) - n_last]):
            while n_last < len(ids) and self._is_space(ids[len(ids) - n_last - 1]):
                n_last += 1
        return n_last

    def _is_space(self, token: TokenId) -> bool:
        return _SPACES.issuperset(self._bytes_by_id.get(token, b"x"))

    def _beginning_with(self, prefix: bytes) -> range:
        """Where in `_contents` the tokens are that do."""
        first, rest = bisect_left(self._contents, prefix), prefix.rstrip(b"\xff")
        if not rest:
            return range(first, len(self._contents))
        behind = rest[:-1] + bytes([rest[-1] + 1])
        return range(first, bisect_left(self._contents, behind, first))

    def _crossing(self, unstable: bytes) -> list[tuple[int, range]]:
        """(place, tokens): which may begin there, within the unstable bytes, and end beyond."""
        cuts = range(max(1, len(unstable) - self._longest + 1), len(unstable))
        return [(cut, self._beginning_with(unstable[cut:])) for cut in cuts]

    def _texts(self, unstable: bytes, crossing: Iterable[tuple[int, range]]) -> Iterator[Ids]:
        """The beginnings, up to the end of the unstable bytes, of texts that hold such tokens."""
        for cut, numbers in crossing:
            for number in numbers:
                ids = self._encode_any(unstable[:cut] + self._contents[number])
                ends = np.cumsum(self._sizes[ids])
                yield ids[: int(ends.searchsorted(len(unstable))) + 1]

    def _encode_any(self, data: bytes) -> Ids:
        try:
            data.decode()
        except UnicodeDecodeError:
            return self._merge(data)
        return self._encode(data)

    def _before_space(self, unstable: bytes) -> Iterator[Ids]:
        """The last space alone: it may turn out to belong to the word behind it."""
        last = unstable.decode("utf-8", "replace")[-1]
        n_rest = len(unstable) - len(last.encode())
        if last.isspace() and n_rest > 0:
            yield np.concatenate([self._merge(unstable[:n_rest]), self._merge(unstable[n_rest:])])


def _key(ids: Ids | list[TokenId]) -> bytes:
    """A row as what is sorted as it is, and takes little memory."""
    return np.asarray(ids, ">u4").tobytes()


def _row(key: bytes) -> list[TokenId]:
    row: list[TokenId] = np.frombuffer(key, ">u4").tolist()
    return row


def _refuse_large(n_rows: int, n_ids: int, n_bytes: int) -> None:
    if n_rows * n_ids > _MOST_IDS or n_rows * n_bytes > _MOST_BYTES:
        raise EncodeError(
            f"the last pre-token of the text has {n_bytes:,} bytes and up to {n_rows:,} "
            "completions: they would take too much time or memory. Cut the text where a word ends."
        )
