"""The pinned Unicode data of the normalisers.

Each Python version has another Unicode version, and so has each part of Hugging Face's
`tokenizers`, whose ids must come out. The tables are a file of the package, so the same text is
normalised alike on every machine (tools/make_normalizer_tables.py).
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path


@cache
def code_points(section: str) -> frozenset[int]:
    """The code points that a section of the file lists.

    >>> 0x301 in code_points("accents"), 0x41 in code_points("accents")
    (True, False)
    """
    ends = ([int(code, 16) for code in line.split()] for line in _sections()[section])
    return frozenset(code for first, last in ends for code in range(first, last + 1))


@cache
def lower_case() -> Mapping[str, str]:
    """Each capital letter -> what it becomes: one letter, or a letter and a mark.

    >>> lower_case()["É"], lower_case()["İ"], len(lower_case())
    ('é', 'i̇', 1488)
    """
    return dict(pair for line in _sections()["lower"] for pair in _small_letters(line))


def _small_letters(line: str) -> Iterator[tuple[str, str]]:
    capital, is_single, small = line.partition(" = ")
    if is_single:
        yield chr(int(capital, 16)), "".join(chr(int(code, 16)) for code in small.split())
        return
    first, last, step, distance = line.split()
    for code in range(int(first, 16), int(last, 16) + 1, int(step)):
        yield chr(code), chr(code + int(distance))


@cache
def _sections() -> Mapping[str, list[str]]:
    """Lines of the file by the first word of the line above them."""
    text = Path(__file__).with_name("unicode.txt").read_text("ascii")
    parts = text.split("\n# ")[1:]
    return {part.partition(":")[0]: part.splitlines()[1:] for part in parts}


def char_class(codes: Iterable[int]) -> str:
    r"""A regex class of these code points.

    >>> char_class([0x61, 0x62, 0x301])
    '[\\U00000061-\\U00000062\\U00000301-\\U00000301]'
    """
    ranges = (rf"\U{first:08x}-\U{last:08x}" for first, last in _runs(codes))
    return f"[{''.join(ranges)}]"


def _runs(codes: Iterable[int]) -> Iterator[tuple[int, int]]:
    """(first, last) of each run of code points."""
    present = frozenset(codes)
    firsts = sorted(code for code in present if code - 1 not in present)
    lasts = sorted(code for code in present if code + 1 not in present)
    return zip(firsts, lasts, strict=True)
