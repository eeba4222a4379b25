"""Whole numbers that users pass in, checked the same way everywhere."""

import operator

from bytepair.errors import ArgumentError


def at_least_one(name: str, value: object) -> int:
    """`value` as an int; NumPy's integers are taken too, booleans are not.

    Raises:
        ArgumentError: not a whole number of 1 or more.

    >>> at_least_one("threads", 2)
    2
    """
    try:
        number = 0 if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]  # caught
    except TypeError:
        number = 0
    if number < 1:
        raise ArgumentError(f"{name} must be a whole number of 1 or more, got {value!r:.60}.")
    return number
