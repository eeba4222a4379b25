from hypothesis import given
from hypothesis import strategies as st

from bytepair.patterns._codeset import LAST_CODE_POINT, CodeSet

# Small numbers, so that ranges overlap and touch often.
CODES = st.integers(0, 40)
RANGES = st.lists(st.tuples(CODES, CODES).map(lambda pair: (min(pair), max(pair))))


def members(ranges: list[tuple[int, int]]) -> set[int]:
    """The code points, one by one."""
    return {code for low, high in ranges for code in range(low, high + 1)}


@given(RANGES)
def test_ranges_are_sorted_disjoint_and_apart(ranges: list[tuple[int, int]]) -> None:
    """Two sets are equal exactly if their ranges are: the compiler numbers sets by that."""
    codes = CodeSet.of(ranges)
    assert members(list(codes.ranges)) == members(ranges)
    ends = [-2, *(end for pair in codes.ranges for end in pair)]
    assert all(after > before + 1 for before, after in zip(ends[::2], ends[1::2], strict=False))
    assert all(low <= high for low, high in codes.ranges)


@given(RANGES, RANGES)
def test_union_and_membership_are_those_of_sets(
    one: list[tuple[int, int]], other: list[tuple[int, int]]
) -> None:
    """Oracle: Python's sets."""
    union = CodeSet.of(one) | CodeSet.of(other)
    assert union == CodeSet.of(one + other)
    assert [code for code in range(45) if code in union] == sorted(members(one) | members(other))


@given(RANGES)
def test_complement_holds_exactly_the_rest(ranges: list[tuple[int, int]]) -> None:
    """Both ends of Unicode are where an off-by-one would hide."""
    codes = CodeSet.of(ranges)
    rest = ~codes
    assert all((code in rest) != (code in codes) for code in [*range(45), LAST_CODE_POINT])
    assert ~rest == codes


def test_complement_of_nothing_is_everything() -> None:
    """And back."""
    everything = ~CodeSet(())
    assert everything.ranges == ((0, LAST_CODE_POINT),)
    assert (~everything).ranges == ()
