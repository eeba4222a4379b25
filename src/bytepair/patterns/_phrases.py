r"""From a pattern that cuts words to one that cuts phrases, in which superwords are learned.

A pattern for words is a choice: it has options for words, for numbers, and for all else (signs and
white space). A phrase is a run of all else with the run of words behind it; numbers stay what they
are. So phrases are long enough to hold what is worth a token, "of the", ". The" or ");\n\treturn",
and short enough to come again, so that they can be counted.
"""

import re
from collections.abc import Iterator
from functools import cache

from bytepair.errors import PatternError
from bytepair.patterns._codeset import CodeSet
from bytepair.patterns._named import resolve
from bytepair.patterns._pattern import check_runs, regex_of
from bytepair.patterns._syntax import UnsupportedError, parse
from bytepair.patterns._tree import (
    Atomic,
    Chars,
    Choice,
    Look,
    Node,
    Repeat,
    Sequence,
    can_be_empty,
    spelled,
)
from bytepair.patterns._unicode import property_set

_LATIN = CodeSet.of([(ord("A"), ord("Z")), (ord("a"), ord("z"))])
_BEFORE_NUMBER = r"(?:(?!\p{N})|(?<!\s))"
_SWITCH = re.compile(r"\(\?[a-z-]+\)")


@cache
def phrase_pattern(pattern: str | None) -> str:
    r"""The regex of the phrases of a pattern that cuts words.

    Args:
        pattern: a name or a regex, as `resolve` takes them.

    Raises:
        PatternError: not a pattern, or none with an option for words.

    >>> phrase_pattern(r" ?\p{L}+|\p{N}|[^\p{L}\p{N}]")
    '(?: ?\\p{L}+)+|\\p{N}|[^\\p{L}\\p{N}]+(?: ?\\p{L}+)*'
    """
    regex = resolve(pattern)
    if regex is None:
        raise PatternError(
            "superwords need a pattern that cuts words, whose borders they may cross. Without one "
            "every merge may cross them: leave superwords out."
        )
    words, numbers, others = _by_kind(regex)
    if not words:
        raise PatternError(
            f"superwords need a pattern with an option for words; {regex!r:.200} has none that "
            "matches letters. The published ones have: o200k, say."
        )
    word = _group("|".join(words))
    # Where a word does not begin with its space, phrases hold the space between two of them.
    begins_with_space = regex_of(word).fullmatch(" a") is not None
    run = f"{word}+" if begins_with_space else f"{word}(?: ?{word})*"
    behind = f"{word}*" if begins_with_space else f"(?:{run})?"
    options = [run, *numbers]
    if others:
        other = _group("|".join(others))
        takes_space = numbers and regex_of("|".join(numbers)).fullmatch(" 1") is not None
        # A number's own space is not part of the signs before it.
        options += (
            [f"{other}+{_BEFORE_NUMBER}{behind}", other] if takes_space else [other + "+" + behind]
        )
    return "|".join(options)


def _by_kind(regex: str) -> tuple[list[str], list[str], list[str]]:
    """The options for words, for numbers, and for all else."""
    kinds: tuple[list[str], list[str], list[str]] = ([], [], [])
    for text, option in _options(regex):
        if can_be_empty(option):
            raise PatternError(
                f"superwords: the option {text!r:.60} of the pattern matches the empty text."
            )
        kinds[_kind(_codes(option))].append(text)
    return kinds


def _kind(codes: CodeSet) -> int:
    """0: of words, 1: of numbers, 2: of all else, which may have letters that nobody thought of."""
    if (codes & _LATIN).ranges or ((codes & _having("L")).ranges and ord("!") not in codes):
        return 0
    return 1 if (codes & _having("Nd")).ranges and ord("!") not in codes else 2


def _having(name: str) -> CodeSet:
    return property_set(name) or CodeSet(())


def _options(regex: str) -> Iterator[tuple[str, Node]]:
    """What the pattern chooses among, as it is written if that is possible."""
    try:
        tree = parse(regex)
    except UnsupportedError as reason:
        check_runs(regex)  # what is no regex at all has another message
        raise PatternError(
            f"superwords need a pattern that can be taken apart, and {regex!r:.200} has {reason}."
        ) from reason
    options = tree.options if isinstance(tree, Choice) else (tree,)
    texts = _divided(regex)
    if len(texts) != len(options):
        texts = [""] * len(options)
    for text, option in zip(texts, options, strict=True):
        yield (text if _means(text, option) else spelled(option)), option


def _means(text: str, option: Node) -> bool:
    if _SWITCH.search(text):  # engines differ in how far it reaches, once it is not in front
        return False
    try:
        return parse(text) == option
    except (UnsupportedError, PatternError):
        return False


def _divided(regex: str) -> list[str]:
    """Cut at each `|` outside of groups and classes."""
    texts = [""]
    depth = 0
    at = 0
    while at < len(regex):
        size = 2 if regex[at] == "\\" else 1
        sign = regex[at : at + size]
        depth += (sign in "([") - (sign in ")]")
        if sign == "|" and depth == 0:
            texts.append("")
        else:
            texts[-1] += sign
        at += size
    return texts


def _codes(node: Node) -> CodeSet:
    """Every character that may be part of a match."""
    match node:
        case Chars(codes):
            return codes
        case Look():
            return CodeSet(())
        case Sequence(parts) | Choice(parts):
            together = CodeSet(())
            for part in parts:
                together |= _codes(part)
            return together
        case Repeat(inner) | Atomic(inner):
            return _codes(inner)


def _group(text: str) -> str:
    return text if isinstance(parse(text), Chars) else f"(?:{text})"
