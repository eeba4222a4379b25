"""`Tokens`: many byte strings by id, in three flat pieces."""

from collections.abc import Collection, ItemsView, Iterator, KeysView, Mapping, ValuesView
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bytepair.model._types import TokenId


class Tokens(Mapping[TokenId, bytes]):
    """Id -> bytes, by ascending id; a mapping that costs nothing per token to make or to hand on.

    A look-up costs O(log n). What goes through all tokens builds a dictionary the first time.

    Attributes:
        ids: uint32[n], ascending.
        data: the bytes of all tokens, one after the other.
        offsets: uint64[n + 1]; token i is `data[offsets[i]:offsets[i + 1]]`.

    >>> tokens = Tokens.of({7: b"low", 5: b"er"})
    >>> tokens[7], tokens.data, tokens.offsets.tolist()
    (b'low', b'erlow', [0, 2, 5])
    """

    def __init__(self, ids: NDArray[np.uint32], data: bytes, offsets: NDArray[np.uint64]) -> None:
        self.ids = ids
        self.data = data
        self.offsets = offsets
        for column in (ids, offsets):
            column.flags.writeable = False

    @classmethod
    def of(cls, tokens: Mapping[TokenId, bytes]) -> "Tokens":
        """The same tokens; what is flat already comes back as it is."""
        if isinstance(tokens, Tokens):
            return tokens
        ids = np.fromiter(tokens, np.uint32, len(tokens))
        if np.any(ids[1:] < ids[:-1]):
            return cls.of(dict(sorted(tokens.items())))
        return cls(ids, b"".join(tokens.values()), _sums(_sizes(tokens.values())))

    def replaced(self, others: Mapping[TokenId, bytes]) -> "Tokens":
        """With these instead of, or besides, those of the same ids. Cheap if they are few."""
        if not others:
            return self
        added = np.array(sorted(others), np.uint32)
        contents = [others[token] for token in added.tolist()]
        starts, stops = (self.ids.searchsorted(added, side) for side in ("left", "right"))
        removed = starts[starts < stops]
        ids, sizes = np.delete(self.ids, removed), np.delete(np.diff(self.offsets), removed)
        places = ids.searchsorted(added)
        return Tokens(
            np.insert(ids, places, added),
            b"".join(self._around(self.offsets[starts], self.offsets[stops], contents)),
            _sums(np.insert(sizes, places, _sizes(contents))),
        )

    def _around(
        self, ends: NDArray[np.uint64], begins: NDArray[np.uint64], contents: list[bytes]
    ) -> Iterator[bytes | memoryview]:
        """The bytes of all, in order, with `contents` in the gaps between ends and begins."""
        data, begin = memoryview(self.data), 0
        for content, end, next_begin in zip(contents, ends.tolist(), begins.tolist(), strict=True):
            if begin < end:  # neighbours have nothing between them
                yield data[begin:end]
            yield content
            begin = next_begin
        yield data[begin:]

    def with_text(self, old: bytes, new: bytes, but: Collection[TokenId] = ()) -> "Tokens":
        """With `new` for each `old` within a token, but in those of `but`; as `bytes.replace`."""
        places = _places(self.data, old)
        owners = self.offsets.searchsorted(places.astype(np.uint64), "right") - 1
        ends = self.offsets[owners + 1].astype(np.int64)
        kept = (places + len(old) <= ends) & ~np.isin(self.ids[owners], list(but))
        places, owners = places[kept], owners[kept]
        if len(new) > len(old) or np.any(np.diff(places) < len(old)):
            return Tokens.of({i: b if i in but else b.replace(old, new) for i, b in self.items()})
        data = np.frombuffer(self.data, np.uint8).copy()
        stays = np.ones(len(data), np.bool_)
        for i in range(len(old)):
            if i < len(new):
                data[places + i] = new[i]
            else:
                stays[places + i] = False
        n_found = np.bincount(owners, minlength=len(self)).astype(np.uint64)
        sizes = np.diff(self.offsets) - n_found * np.uint64(len(old) - len(new))
        return Tokens(self.ids, data[stays].tobytes(), _sums(sizes))

    def __getitem__(self, token: TokenId) -> bytes:
        place = self._place(token)
        if place is None:
            raise KeyError(token)
        return self.data[int(self.offsets[place]) : int(self.offsets[place + 1])]

    def __contains__(self, token: object) -> bool:
        return self._place(token) is not None

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[TokenId]:
        return iter(self.ids.tolist())

    def keys(self) -> KeysView[TokenId]:
        """All ids."""
        return self._by_id.keys()

    def values(self) -> ValuesView[bytes]:
        """The bytes of all, by ascending id."""
        return self._by_id.values()

    def items(self) -> ItemsView[TokenId, bytes]:
        """All ids with their bytes."""
        return self._by_id.items()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tokens):
            return bool(self._by_id == other) if isinstance(other, Mapping) else NotImplemented
        return (
            self.data == other.data
            and np.array_equal(self.ids, other.ids)
            and np.array_equal(self.offsets, other.offsets)
        )

    __hash__ = None  # type: ignore[assignment]  # large and compared by content

    def __repr__(self) -> str:
        return repr(self._by_id) if len(self) <= 256 else f"<{len(self):,} tokens>"

    def __reduce__(self) -> tuple[object, ...]:  # the dictionary is rebuilt, not pickled
        return Tokens, (self.ids, self.data, self.offsets)

    def _place(self, token: object) -> int | None:
        if not isinstance(token, (int, np.integer)) or not 0 <= token < 2**32:
            return None
        place = int(self.ids.searchsorted(np.uint32(token)))
        return place if place < len(self.ids) and self.ids[place] == token else None

    @cached_property
    def _by_id(self) -> dict[TokenId, bytes]:
        contents = [self.data[start:end] for start, end in pairwise(self.offsets.tolist())]
        return dict(zip(self.ids.tolist(), contents, strict=True))


def _sizes(contents: Collection[bytes]) -> NDArray[np.uint64]:
    return np.fromiter(map(len, contents), np.uint64, len(contents))


def _places(data: bytes, old: bytes) -> NDArray[np.int64]:
    """Where `old`, which is not empty, stands in `data`, occurrences that overlap included."""
    if len(data) < len(old):
        return np.zeros(0, np.int64)
    letters, n = np.frombuffer(data, np.uint8), len(data) - len(old) + 1
    found = np.flatnonzero(letters[:n] == old[0])
    for i, letter in enumerate(old[1:], 1):
        found = found[letters[found + i] == letter]
    return found


def _sums(sizes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    offsets = np.zeros(len(sizes) + 1, np.uint64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets
