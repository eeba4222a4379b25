"""The pinned Unicode properties that patterns may name.

`regex`, Hugging Face and tiktoken know different Unicode versions, so the same pattern could cut
the same text in different places on different machines. These tables are a file of the package:
a pattern means the same everywhere.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path

from bytepair.patterns._codeset import LAST_CODE_POINT, CodeSet

UNICODE_VERSION = "16.0.0"

SPACES = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""The characters that have the White_Space property; it has not changed since Unicode 6.3."""

WHITE_SPACE = CodeSet.chars(SPACES)
ASCII = CodeSet.of([(0, 127)])

_JOIN_CONTROL = CodeSet.of([(0x200C, 0x200D)])
_CASED_LETTERS = ("Lu", "Ll", "Lt")
_BINARY_BY_NAME = {
    "alphabetic": "Alphabetic",
    "alpha": "Alphabetic",
    "lowercase": "Lowercase",
    "lower": "Lowercase",
    "uppercase": "Uppercase",
    "upper": "Uppercase",
    "ideographic": "Ideographic",
    "ideo": "Ideographic",
    "emoji": "Emoji",
    "extendedpictographic": "Extended_Pictographic",
    "extpict": "Extended_Pictographic",
}


@cache
def property_set(name: str) -> CodeSet | None:
    r"""The code points of `\p{name}`, or None if the name is not known here.

    Known are general categories, scripts (`Han`, `Script=Han`), `Age=9.0` (assigned up to that
    version), Alphabetic, Lowercase, Uppercase, Ideographic, Emoji, Extended_Pictographic,
    White_Space, ASCII, Any and Assigned. Names are compared without regard to case, spaces,
    hyphens and underscores, long or short, also with "Is" before them
    (UAX 44, https://www.unicode.org/reports/tr44/#UAX44-LM3).

    >>> 0x41 in property_set("Lu"), property_set("Klingon")
    (True, None)
    """
    kind, separator, value = map(_loose, name.replace(":", "=").partition("="))
    if separator:
        return _property_of(kind, value)
    for plain in (kind, kind.removeprefix("is")):
        found = _category(plain) or _script(plain) or _named(plain)
        if found is not None:
            return found
    return None


def _loose(name: str) -> str:
    return name.lower().replace(" ", "").replace("_", "").replace("-", "")


def _property_of(kind: str, value: str) -> CodeSet | None:
    if kind in {"script", "sc"}:
        return _script(value)
    if kind in {"generalcategory", "gc"}:
        return _category(value)
    return _age(value) if kind == "age" else None


def _category(name: str) -> CodeSet | None:
    value = _names().get("lc" if name == "l&" else name, "")
    if value == "Lc":
        return _select("General_Category", lambda category: category in _CASED_LETTERS)
    if not value or len(value) > 2:
        return None
    return _select("General_Category", lambda category: category.startswith(value))


def _script(name: str) -> CodeSet | None:
    code = _names().get(name, "")
    return _select("Script", lambda value: value == code) if len(code) == 4 else None


def _age(version: str) -> CodeSet | None:
    known = _ranges("Age").keys() - {"-"}
    if version not in known:
        return None
    older = {value for value in known if _numbers(value) <= _numbers(version)}
    return _select("Age", lambda value: value in older)


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def _named(name: str) -> CodeSet | None:
    if name in _BINARY_BY_NAME:
        return _select(_BINARY_BY_NAME[name], lambda value: value == "+")
    if name in {"whitespace", "wspace", "space"}:
        return WHITE_SPACE
    if name == "assigned":
        return ~_known("Cn")
    return {"any": ~CodeSet(()), "ascii": ASCII}.get(name)


def _known(name: str) -> CodeSet:
    found = property_set(name)
    if found is None:
        raise KeyError(name)
    return found


@cache
def word_set() -> CodeSet:
    r"""`\w` of UTS 18 (https://unicode.org/reports/tr18/#word), as Rust's regex has it."""
    return _known("Alphabetic") | _known("M") | _known("Nd") | _known("Pc") | _JOIN_CONTROL


@cache
def posix_set(name: str) -> CodeSet | None:
    """The code points of `[:name:]`, those of Oniguruma, or None if the name is not known.

    >>> 0xB2 in posix_set("word"), 0x24 in posix_set("punct")
    (False, True)
    """
    if name in {"alpha", "lower", "upper", "space", "digit", "cntrl", "ascii"}:
        return property_set(name)
    unseen = _known("C") & ~_known("Cf") & ~_known("Co") | WHITE_SPACE
    return {
        "alnum": lambda: _known("Alphabetic") | _known("Nd"),
        "blank": lambda: _known("Zs") | CodeSet.chars("\t"),
        "graph": lambda: ~unseen,
        "print": lambda: ~unseen | _known("Zs"),
        "punct": lambda: _known("P") | _known("S"),
        "word": lambda: word_set() & ~_JOIN_CONTROL,
        "xdigit": lambda: CodeSet.of([(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)]),
    }.get(name, lambda: None)()


@cache
def without_case(codes: CodeSet) -> CodeSet:
    r"""With each code point those that differ from it by case only (simple case folding).

    >>> chr(without_case(CodeSet.chars("K")).ranges[-1][0])
    '\u212a'
    """
    cases = _cases()
    n_codes = sum(high - low + 1 for low, high in codes.ranges)
    if n_codes < len(cases):
        cased = [c for low, high in codes.ranges for c in range(low, high + 1) if c in cases]
    else:
        cased = [code for code in cases if code in codes]
    return codes | CodeSet.of((code, code) for found in cased for code in cases[found])


@cache
def _cases() -> dict[int, tuple[int, ...]]:
    """Each code point that has another case: all of its cases."""
    group_by_smallest: dict[int, list[int]] = {}
    for distance, ranges in _ranges("Case").items():
        for first, last in ranges if distance != "0" else ():
            for code in range(first, last + 1):
                group_by_smallest.setdefault(code - int(distance), []).append(code)
    groups = [(smallest, *others) for smallest, others in group_by_smallest.items()]
    return {code: group for group in groups for code in group}


@cache
def long_cases() -> dict[str, str]:
    """Letters that equal several others if case is ignored in full, as in Oniguruma: ß and "ss".

    They are as old as Unicode 5.1 and no others may come: any Python knows them.
    """
    spans = [(0xDF, 0x1F0), (0x390, 0x3B0), (0x587, 0x587), (0x1E96, 0x1FFF), (0xFB00, 0xFB17)]
    letters = (chr(code) for first, last in spans for code in range(first, last + 1))
    return {letter: letter.casefold() for letter in letters if len(letter.casefold()) > 1}


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
    return _select("Disputed", lambda value: value == "+")


def _select(section: str, wanted: Callable[[str], bool]) -> CodeSet:
    chosen = (ranges for value, ranges in _ranges(section).items() if wanted(value))
    return CodeSet.of(chain.from_iterable(chosen))


@cache
def _names() -> dict[str, str]:
    return dict(_pairs("Names"))


@cache
def _ranges(section: str) -> dict[str, list[tuple[int, int]]]:
    """Value -> (first, last) of every run of code points that have it, in a section of the file."""
    found: dict[str, list[tuple[int, int]]] = {}
    pairs = list(_pairs(section))
    ends = [int(code, 16) - 1 for code, _ in pairs[1:]] + [LAST_CODE_POINT]
    first = 0
    for (_, value), last in zip(pairs, ends, strict=True):
        found.setdefault(value, []).append((first, last))
        first = last + 1
    return found


def _pairs(section: str) -> Iterator[tuple[str, str]]:
    text = _file()
    start = text.index("\n", text.index(f"[{section}]"))
    words = text[start : text.find("\n[", start)].partition("#")[0].split()
    return zip(words[::2], words[1::2], strict=True)


@cache
def _file() -> str:
    return Path(__file__).with_name("unicode.txt").read_text("ascii")
