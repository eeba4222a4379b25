r"""Patterns inside a `tokenizer.json`, and those that its components have built in.

Hugging Face runs the patterns of a file on Oniguruma, to which some signs mean something else:
reading translates, so that the same regex may be spelt in another way here.
"""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from bytepair.errors import ExportError, PatternError
from bytepair.formats._hf_scripts import SCRIPT_RUNS
from bytepair.formats._json import Object, Section
from bytepair.model import Behavior, Split
from bytepair.patterns import (
    HF_DIGIT,
    HF_PUNCTUATION,
    NAMED,
    check_runs,
    for_oniguruma,
    portable,
)

_ANY_SIGN = r"[\s\S]"  # in what $ becomes
_LONGEST = 10_000  # characters of a text to look for
_META_CHARACTERS = set(r"\.^$|?*+()[]{}")

# What the pre-tokenisers with a rule of their own look for.
DIGIT = HF_DIGIT
PUNCTUATION = HF_PUNCTUATION
WHITE_SPACE = r"\s"
WORD_OR_SIGNS = r"\w+|[^\w\s]+"

BEHAVIOR_BY_NAME: dict[str, Behavior] = {
    "Isolated": "isolated",
    "Removed": "removed",
    "MergedWithPrevious": "merged_with_previous",
    "MergedWithNext": "merged_with_next",
    "Contiguous": "contiguous",
}
NAME_BY_BEHAVIOR = {behavior: name for name, behavior in BEHAVIOR_BY_NAME.items()}


class Source(NamedTuple):
    """A pattern as a file gives it: literal text, or a regex."""

    text: str
    is_regex: bool


def read_source(section: Section) -> Source:
    """The member "pattern": {"String": text} or {"Regex": regex}.

    Raises:
        FormatError: neither, or both; not a regex, or one that is not supported; very long.
    """
    source = section.section("pattern")
    if len(source.members) != 1 or not source.members.keys() <= {"String", "Regex"}:
        keys = ", ".join(map(repr, source.members)) or "nothing"
        raise source.error(f"{source.where} must hold either 'String' or 'Regex', got {keys[:60]}")
    is_regex = "Regex" in source.members
    text = source.get("Regex" if is_regex else "String", str)
    if is_regex:
        return Source(_our_reading(source, text), is_regex)
    if len(text) > _LONGEST:
        where = source.path("String")
        raise source.error(f"{where} has {len(text):,} characters, more than {_LONGEST:,}")
    return Source(text, is_regex)


def _our_reading(source: Section, pattern: str) -> str:
    try:
        ours = for_oniguruma(pattern)
        ours = _named().get(ours, ours) if _ANY_SIGN in ours else ours
        check_runs(ours)
    except PatternError as error:
        raise source.error(f"{source.path('Regex')}: {error}") from error
    return ours


@cache
def _named() -> Mapping[str, str]:
    """Named patterns that are spelt otherwise in files, by that spelling."""
    found = {portable(pattern): pattern for pattern in NAMED.values() if "$" in pattern}
    return {pattern: named for pattern, named in found.items() if _ANY_SIGN in pattern}


def as_regex(source: Source) -> str:
    r"""The pattern as a regex.

    >>> as_regex(Source("a.b", is_regex=False))
    'a\\.b'
    """
    return source.text if source.is_regex else literal(source.text)


def literal(text: str) -> str:
    """The regex that finds just this text."""
    return "".join(f"\\{char}" if char in _META_CHARACTERS else char for char in text)


def read_behavior(section: Section, default: str | None = None) -> Behavior:
    """The member "behavior"."""
    name = section.get("behavior", str, default)
    if name not in BEHAVIOR_BY_NAME:
        known = ", ".join(BEHAVIOR_BY_NAME)
        raise section.error(
            f"{section.path('behavior')} {name[:60]!r} is not supported (known: {known})"
        )
    return BEHAVIOR_BY_NAME[name]


def portable_or_refuse(pattern: str) -> str:
    """`pattern` in the spelling that other engines read alike.

    Raises:
        ExportError: there is none; the message says why.
    """
    try:
        return portable(pattern)
    except PatternError as error:
        raise ExportError(f"this tokenizer cannot be saved for other libraries: {error}") from error


def _own_components() -> dict[Split, Object]:
    table: dict[Split, Object] = {
        Split(DIGIT, "isolated"): {"type": "Digits", "individual_digits": True},
        Split(DIGIT, "contiguous"): {"type": "Digits", "individual_digits": False},
        Split(WHITE_SPACE, "removed"): {"type": "WhitespaceSplit"},
        Split(WORD_OR_SIGNS, "removed", invert=True): {"type": "Whitespace"},
        Split(SCRIPT_RUNS, "removed", invert=True): {"type": "UnicodeScripts"},
    }
    for name, behavior in BEHAVIOR_BY_NAME.items():
        table[Split(PUNCTUATION, behavior)] = {"type": "Punctuation", "behavior": name}
    return table


OWN_COMPONENTS = _own_components()
"""Cuts that are a component of their own in a `tokenizer.json`. Written as a Split they would be
read by Oniguruma, which knows other characters."""
