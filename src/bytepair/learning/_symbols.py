"""What symbols are spelt like and mean, while merges make more of them."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from bytepair.learning._beginning import Beginning
from bytepair.model import LengthUnit, MergeBatch, to_utf8

# No UTF-8 has these bytes: a spelling with them is that of a mark.
ENDS = b"\xff"
CONTINUES = b"\xfe"


class Symbols:
    """The symbols there are; grows with each merge.

    Attributes:
        contents: the bytes of each; those of the end mark are none.
        ends_word, continues_word: those that only stand where a word ends, or where none begins.
    """

    def __init__(self, beginning: Beginning) -> None:
        self.contents = list(beginning.contents)
        self.ends_word = set(beginning.ends_word)
        self.continues_word = set(beginning.continues_word)

    def __len__(self) -> int:
        return len(self.contents)

    def add(self, merges: MergeBatch) -> None:
        """What merges make: each ends as its right part does and begins as its left part does."""
        for left, right in zip(merges.left.tolist(), merges.right.tolist(), strict=True):
            joined = len(self.contents)
            self.contents.append(self.contents[left] + self.contents[right])
            if right in self.ends_word:
                self.ends_word.add(joined)
            if left in self.continues_word:
                self.continues_word.add(joined)

    def spellings(self) -> list[bytes]:
        """The contents with marks, so that no two symbols are spelt alike."""
        spellings = list(self.contents)
        for symbol in self.ends_word:
            spellings[symbol] += ENDS
        for symbol in self.continues_word:
            spellings[symbol] = CONTINUES + spellings[symbol]
        return spellings

    def lengths(self, unit: LengthUnit) -> NDArray[np.uint32]:
        """uint32[n]: of each, the bytes, or the characters that begin in it."""
        if unit == "bytes":
            return np.fromiter(map(len, self.contents), np.uint32, len(self))
        return np.fromiter(map(_n_characters, self.contents), np.uint32, len(self))


def spelled(token: str | bytes, end_of_word: str | None) -> bytes:
    r"""A token as people write it, with an end mark perhaps, as `Symbols` spells it.

    >>> spelled("low</w>", "</w>"), spelled("low", "</w>")
    (b'low\xff', b'low')
    """
    data = to_utf8(token) if isinstance(token, str) else token
    mark = "" if end_of_word is None else end_of_word
    if mark and data.endswith(mark.encode()):
        return data.removesuffix(mark.encode()) + ENDS
    return data


def shown(spellings: Iterable[bytes]) -> str:
    """Some of these, for a message."""
    some = [repr(one.decode("utf-8", "backslashreplace"))[:60] for one in spellings]
    return ", ".join(some[:3]) + (f" and {len(some) - 3} more" if len(some) > 3 else "")


def _n_characters(content: bytes) -> int:
    return sum(byte & 0xC0 != 0x80 for byte in content)
