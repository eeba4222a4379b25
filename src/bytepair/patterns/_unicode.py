"""The pinned Unicode properties that patterns may name.

`regex`, Hugging Face and tiktoken know different Unicode versions, so the same pattern could cut
the same text in different places on different machines. These tables are a file of the package:
a pattern means the same everywhere.
"""

from collections.abc import Callable, Iterator
from functools import cache
from importlib import resources

from bytepair.patterns._codeset import LAST_CODE_POINT, CodeSet

UNICODE_VERSION = "16.0.0"

SPACES = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""The characters that have the White_Space property; it has not changed since Unicode 6.3."""

WHITE_SPACE = CodeSet.chars(SPACES)

_JOIN_CONTROL = CodeSet.of([(0x200C, 0x200D)])


@cache
def property_set(name: str) -> CodeSet | None:
    r"""The code points of `\p{name}`: a general category or its first letter, or Alphabetic.

    >>> 0x41 in property_set("Lu"), property_set("Klingon")
    (True, None)
    """
    if name in {"Alphabetic", "Alpha"}:
        return _select(1, lambda value: value == "+")
    found = _select(0, lambda value: value == name or (len(name) == 1 and value[0] == name))
    return found if found.ranges else None


@cache
def word_set() -> CodeSet:
    r"""`\w` of UTS #18 (https://unicode.org/reports/tr18/#word), as Rust's regex has it."""
    parts = [property_set(name) for name in ("Alphabetic", "M", "Nd", "Pc")]
    return CodeSet.of(r for part in parts if part for r in part.ranges) | _JOIN_CONTROL


def has_disputed(text: str) -> bool:
    """True if `text` has a character that newer Unicode versions see differently. O(n).

    >>> has_disputed("plain"), has_disputed("\U000323b0")
    (False, True)
    """
    return not text.isascii() and any(map(_is_disputed, set(text)))


@cache
def _is_disputed(char: str) -> bool:
    return ord(char) in _disputed_set()


@cache
def _disputed_set() -> CodeSet:
    return _select(2, lambda value: value == "+")


def _select(section: int, wanted: Callable[[str], bool]) -> CodeSet:
    return CodeSet.of((low, high) for low, high, value in _sections()[section] if wanted(value))


@cache
def _sections() -> list[list[tuple[int, int, str]]]:
    """Per section of the file, (first, last, value) of every run of code points."""
    text = resources.files("bytepair.patterns").joinpath("unicode.txt").read_text("ascii")
    sections: list[list[tuple[int, str]]] = []
    for line in text.splitlines()[1:]:
        if line.startswith("#"):
            sections.append([])
        else:
            code, value = line.split(" ")
            sections[-1].append((int(code, 16), value))
    return [list(_runs(starts)) for starts in sections]


def _runs(starts: list[tuple[int, str]]) -> Iterator[tuple[int, int, str]]:
    ends = [code - 1 for code, _ in starts[1:]] + [LAST_CODE_POINT]
    for (code, value), end in zip(starts, ends, strict=True):
        yield code, end, value
