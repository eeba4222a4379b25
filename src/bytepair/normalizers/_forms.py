"""The four Unicode normal forms, on the characters of Unicode 9.

Source: Unicode Standard Annex 15, https://www.unicode.org/reports/tr15/. Unicode promises that the
forms of a character never change once it is assigned, so `unicodedata` is right about these in
every version of Python; it is shown no others, which all of its versions would see differently.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bytepair.normalizers._aligned import Edit
from bytepair.normalizers._tables import char_class, code_points

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

FORMS: Mapping[str, Form] = {"nfc": "NFC", "nfd": "NFD", "nfkc": "NFKC", "nfkd": "NFKD"}
"""The normalisers that are normal forms, and what Unicode calls them."""

_LEADING_JAMO = frozenset(range(0x1100, 0x1113))
_OTHER_JAMO = frozenset([*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)])


class NormalForm:
    """Brings text into a normal form, group by group.

    A group is a character with those behind it that may join it or trade places. What lies between
    two groups stays as it is.

    >>> list(NormalForm("NFC").edits("cafe\u0301"))
    [(3, 5, 'é')]
    """

    def __init__(self, form: Form) -> None:
        self._form: Form = form

    def apply(self, text: str) -> str:
        """The whole text in this form."""
        return "".join(
            line if is_done else _groups(self._form).sub(lambda group: self._normal(group[0]), line)
            for line, is_done in self._lines(text)
        )

    def edits(self, text: str) -> Iterator[Edit]:
        """What must change, without what stays at the ends of a group."""
        start = 0
        for line, is_done in self._lines(text):
            for group in () if is_done else _groups(self._form).finditer(line):
                old, new = group[0], self._normal(group[0])
                if old != new:
                    yield _trimmed(start + group.start(), old, new)
            start += len(line)

    def _lines(self, text: str) -> Iterator[tuple[str, bool]]:
        """(line, is it in this form already?): no group goes beyond a line.

        What is normal in a later Unicode version, for all its characters, is so in an earlier one.
        """
        for line in text.splitlines(keepends=True):
            yield line, unicodedata.is_normalized(self._form, line)

    def _normal(self, group: str) -> str:
        return unicodedata.normalize(self._form, group)


def _trimmed(start: int, old: str, new: str) -> Edit:
    shorter = min(len(old), len(new))
    n_left = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    rest = range(shorter - n_left)
    n_right = next((n for n in rest if old[-1 - n] != new[-1 - n]), len(rest))
    return start + n_left, start + len(old) - n_right, new[n_left : len(new) - n_right]


@cache
def _groups(form: Form) -> "re.Pattern[str]":
    known = code_points("forms")
    seconds = _OTHER_JAMO.union(ord(second) for _, second in _pairs())
    firsts = _LEADING_JAMO.union(ord(first) for first, _ in _pairs())
    joining = {c for c in known | seconds if _joins_what_is_before(chr(c), seconds)}
    leading = {c for c in known | firsts if not unicodedata.combining(chr(c))}
    changing = {c for c in known if unicodedata.normalize(form, chr(c)) != chr(c)}
    return re.compile(f"{char_class(leading)}?{char_class(joining)}+|{char_class(changing)}")


def _joins_what_is_before(char: str, seconds: frozenset[int]) -> bool:
    """A mark, or one of what is composed; or it decomposes into something that begins so."""
    return any(
        unicodedata.combining(first) or ord(first) in seconds
        for first in (char, unicodedata.normalize("NFKD", char)[0])
    )


@cache
def _pairs() -> list[tuple[str, str]]:
    """The pairs of characters that are composed into one; Hangul, which has a rule, left out."""
    parts = {c: unicodedata.decomposition(chr(c)).split() for c in code_points("forms")}
    return [
        (chr(int(pair[0], 16)), chr(int(pair[1], 16)))
        for code, pair in parts.items()
        if len(pair) == 2 and pair[0][0] != "<" and _is_composed(chr(code))
    ]


def _is_composed(char: str) -> bool:
    return unicodedata.normalize("NFC", char) == char


def quick_values(name: str) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """(code points, value of each) for the quick check of a form of `FORMS`; all others have 0.

    The value is the canonical combining class, or 255 if the character may change, alone or with
    what stands before it.
    """
    form = FORMS[name]
    known = code_points("forms")
    may_change = {c for c in known if unicodedata.normalize(form, chr(c)) != chr(c)}
    if form in ("NFC", "NFKC"):
        may_change |= _OTHER_JAMO | {ord(second) for _, second in _pairs()}
    codes = sorted(known | may_change)
    values = [255 if c in may_change else unicodedata.combining(chr(c)) for c in codes]
    return np.array(codes, np.uint32), np.array(values, np.uint8)
