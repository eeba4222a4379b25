import numpy as np
import pytest

from bytepair.errors import ArgumentError
from bytepair.model import at_least_one


@pytest.mark.parametrize("value", [1, 7, np.int64(7), np.uint8(1), 10**30])
def test_whole_numbers_of_one_or_more_become_int(value: object) -> None:
    """A size computed with NumPy is as good as one typed in, and ends in JSON, which wants int."""
    result = at_least_one("size", value)
    assert type(result) is int
    assert result == value


@pytest.mark.parametrize("value", [0, -1, 1.0, True, np.bool_(True), "3", None, float("nan")])
def test_anything_else_is_refused_by_name(value: object) -> None:
    """True would count as 1 and 1.9 could be cut to 1: both are somebody's mistake."""
    with pytest.raises(ArgumentError, match=r"^size must be a whole number of 1 or more, got"):
        at_least_one("size", value)
