"""`CodeSet`: a set of Unicode code points, as ranges."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

LAST_CODE_POINT = 0x10FFFF


@dataclass(frozen=True, slots=True)
class CodeSet:
    """Sorted, disjoint, inclusive ranges of code points.

    >>> CodeSet.of([(97, 99), (100, 102)]).ranges
    ((97, 102),)
    """

    ranges: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, ranges: Iterable[tuple[int, int]]) -> "CodeSet":
        """Any ranges, in any order, overlapping or touching."""
        merged: list[tuple[int, int]] = []
        for low, high in sorted(ranges):
            if merged and low <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
            else:
                merged.append((low, high))
        return cls(tuple(merged))

    @classmethod
    def chars(cls, characters: str) -> "CodeSet":
        """Exactly these characters."""
        return cls.of((ord(c), ord(c)) for c in characters)

    def __or__(self, other: "CodeSet") -> "CodeSet":
        return CodeSet.of(self.ranges + other.ranges)

    def __and__(self, other: "CodeSet") -> "CodeSet":
        common = []
        mine, others = iter(self.ranges), iter(other.ranges)
        one, two = next(mine, None), next(others, None)
        while one and two:
            low, high = max(one[0], two[0]), min(one[1], two[1])
            if low <= high:
                common.append((low, high))
            if one[1] < two[1]:
                one = next(mine, None)
            else:
                two = next(others, None)
        return CodeSet(tuple(common))

    def __invert__(self) -> "CodeSet":
        gaps = []
        start = 0
        for low, high in self.ranges:
            if start < low:
                gaps.append((start, low - 1))
            start = high + 1
        if start <= LAST_CODE_POINT:
            gaps.append((start, LAST_CODE_POINT))
        return CodeSet(tuple(gaps))

    def __contains__(self, code: int) -> bool:
        place = bisect_right(self.ranges, (code, LAST_CODE_POINT))
        return place > 0 and code <= self.ranges[place - 1][1]
