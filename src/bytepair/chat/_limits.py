"""What a template may use up: it comes from a stranger, and could go on for ever.

Jinja's sandbox keeps templates away from Python, and says itself that it does not bound time and
memory (https://jinja.palletsprojects.com/en/stable/sandbox/).
"""

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any

from jinja2.exceptions import SecurityError

from bytepair.chat._traced import MOST_CHARS

MOST_STEPS = 1_000_000
"""Bodies of loops, conditions and macros that one rendering may enter: up to some seconds."""
_MOST_BITS = 1 << 14

_steps_left: ContextVar[list[int]] = ContextVar("steps left")


def begin() -> None:
    """A rendering begins, with all its steps before it."""
    _steps_left.set([MOST_STEPS])


def step() -> None:
    """Called by compiled templates where a body begins.

    Raises:
        SecurityError: there have been too many.
    """
    left = _steps_left.get()
    left[0] -= 1
    if left[0] < 0:
        raise SecurityError(f"it took {MOST_STEPS:,} steps and was stopped")


def check_size(size: int) -> None:
    """Refuse what is too long to be made.

    Raises:
        SecurityError: it is.
    """
    if size > MOST_CHARS:
        raise SecurityError(f"it makes more than {MOST_CHARS:,} characters, and was stopped")


def check_operands(operator: str, left: Any, right: Any) -> None:
    """Refuse `*`, `**` and `%` whose result could be too large."""
    if operator == "%":
        check_widths(left)
    elif isinstance(left, int) and isinstance(right, int):
        power = operator == "**"
        n_left, n_right = left.bit_length(), right.bit_length()
        if (n_left * right if power else n_left + n_right) > _MOST_BITS:
            raise SecurityError(f"a number has more than {_MOST_BITS:,} bits")
    elif operator == "*":
        for values, times in ((left, right), (right, left)):
            if hasattr(values, "__len__") and isinstance(times, int):
                check_size(len(values) * times)


def check_widths(form: Any) -> None:
    """Refuse a format whose fields are millions wide, and one that takes widths from its values."""
    if isinstance(form, str) and any(len(run) > 6 for run in _digits(form)):
        raise SecurityError("a format has a number of more than six digits")
    if isinstance(form, str) and "%" in form and "*" in form:
        raise SecurityError("a format may not take its widths from values ('*')")


def _digits(text: str) -> list[str]:
    return "".join(char if char.isdecimal() else " " for char in text).split()


def check_numbers(args: Any, kwargs: Any) -> None:
    """Refuse a call with a number that no width, count or amount of text needs."""
    for value in (*args, *kwargs.values()):
        if isinstance(value, int) and value > MOST_CHARS:
            raise SecurityError(f"a call may not be given {value:,}")


def check_method(method: Any, args: Any) -> None:
    """Refuse methods of text that would make too much of it."""
    text, name = getattr(method, "__self__", None), getattr(method, "__name__", "")
    if isinstance(text, str) and name == "replace" and len(args) > 1:
        check_replaced(text, args[0], args[1])
    elif isinstance(text, str) and name == "expandtabs":
        check_size(
            text.count("\t") * max((each for each in args if isinstance(each, int)), default=8)
        )


def check_replaced(text: Any, old: Any, new: Any) -> None:
    """Refuse a replacement that would make too much text."""
    if all(isinstance(each, str) for each in (text, old, new)):
        check_size(len(text) + text.count(old) * len(new))


def limited(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter of Jinja's that is given no such number."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        check_numbers(args, kwargs)
        return function(*args, **kwargs)

    return call
