r"""Digits in groups from the right, "1|234|567": a look too far ahead for the tables, in steps.

Where a group ends depends on how many digits follow, and the tables know one character ahead. But
a search that fails at one place goes on at the next, so a run of digits can be cut in front of the
last of them that make whole groups; and these are easily cut apart.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, NamedTuple

from bytepair.model import Behavior, Split
from bytepair.patterns._syntax import UnsupportedError, parse
from bytepair.patterns._tree import (
    ANY,
    Chars,
    Choice,
    Look,
    Node,
    Repeat,
    Sequence,
    spelled,
    word_border,
)

Digits = Literal["single", "threes"]
"""How digits are kept apart: each for itself, or in groups of three from the right."""


def digit_steps(digits: Digits) -> tuple[Split, ...]:
    r"""Steps that cut digits apart from each other and from all else; text in between stays whole.

    Digits are numbers of any script, as in published patterns.

    >>> [step.pattern for step in digit_steps("single")]
    ['\\p{N}']
    """
    if digits == "single":
        return (Split(r"\p{N}"),)
    return split_steps(Split(r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))"))


class _Groups(NamedTuple):
    """Groups of `size` digits up to where neither a digit nor another of `after` follows."""

    digit: Chars
    size: int
    after: Chars


def split_steps(step: Split) -> tuple[Split, ...]:
    r"""Steps that cut as `step` does, in patterns that compile if there are such.

    It is the step itself but where it groups digits from the right, as `\d{1,3}(?=(\d{3})*\b)` and
    `(?=(\d{3})+(?!\d))` do.

    >>> [s.pattern for s in split_steps(Split(r"(?=(\d{3})+(?!\d))"))]
    ['(?:\\d{3})+(?!\\d)', '\\d{3}(?=\\d)']
    """
    if step.behavior != "isolated":
        return (step,)
    try:
        tree = parse(step.pattern)
    except UnsupportedError:
        return (step,)
    return tuple(replace(step, pattern=p, behavior=b) for p, b in _steps(tree)) or (step,)


_Step = tuple[str, Behavior]


def _steps(tree: Node) -> Iterator[_Step]:
    match tree:
        case Look(ahead, False, False):
            groups = _groups(ahead, least=1)
            if groups and groups.after == groups.digit:
                yield from _cut_before(groups)
        case Sequence((Repeat(Chars() as digit, 1, size, "greedy"), Look(ahead, False, False))):
            groups = _groups(ahead, least=0)
            if groups and (groups.digit, groups.size) == (digit, size):
                yield from _cut_off(groups)


def _groups(ahead: Node, least: int) -> _Groups | None:
    r"""What `(?:\d{3})*(?!\d)` (`least` 1: with `+`) looks for; None if it is something else."""
    match ahead:
        case Sequence((Repeat(whole, at_least, None), end)) if at_least == least:
            digit, size = _counted(whole)
            after = _what_may_not_follow(end)
            if digit and after and (digit.codes & after.codes) == digit.codes:
                return _Groups(digit, size, after)
    return None


def _counted(whole: Node) -> tuple[Chars | None, int]:
    r"""The set and the number in `\d{3}`, or in `\d\d\d`."""
    match whole:
        case Repeat(Chars() as digit, size, most) if size == most:
            return digit, size
        case Sequence((Chars() as digit, *others)) if all(other == digit for other in others):
            return digit, 1 + len(others)
    return None, 0


def _what_may_not_follow(end: Node) -> Chars | None:
    match end:
        case Look(Chars() as after, True, False):
            return after
        case Choice((Sequence((Look(Chars() as word), _)), _)):  # behind a digit, a word's end
            return word if end == word_border(word, negated=False) else None
    return None


def _cut_before(groups: _Groups) -> Iterator[_Step]:
    """A cut before each group, and none where the digits end."""
    digit = spelled(groups.digit, exact=False)
    whole = f"{digit}{{{groups.size}}}"
    yield f"(?:{whole})+(?!{digit})", "merged_with_next"
    yield f"{whole}(?={digit})", "isolated"


def _cut_off(groups: _Groups) -> Iterator[_Step]:
    """Each group, and the digits before the first, cut off on both sides."""
    digit, after = spelled(groups.digit, exact=False), spelled(groups.after, exact=False)
    whole = f"{digit}{{{groups.size}}}"
    yield f"{digit}+(?!{after})", "isolated"
    yield f"(?:{whole})+(?!{after})", "isolated"
    # Digits that `after` follows were not cut off: a piece that holds them stays as it is.
    other = "" if groups.after == groups.digit else rf"{digit}*(?!{digit}){ANY.source}+|"
    yield other + whole, "isolated"
