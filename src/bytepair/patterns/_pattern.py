"""One pattern, ready to run: compiled to an automaton, as a `regex` object, or as portable text."""

import warnings
from collections.abc import Iterator
from functools import cache

import regex

from bytepair.errors import BytepairWarning, PatternError
from bytepair.patterns._automaton import Automaton, build
from bytepair.patterns._codeset import CodeSet
from bytepair.patterns._syntax import UnsupportedError, parse
from bytepair.patterns._unicode import property_set, word_set


@cache
def automaton(pattern: str) -> Automaton | None:
    """The tables of `pattern`, or None if only a regex engine can run it (with a warning, once).

    Compiling takes about 20 ms; the result is kept. It is the same on every machine.

    Raises:
        PatternError: not a regex, or one that matches the empty text.

    >>> automaton(r"[a-z]+|[^a-z]+").transitions.shape
    (4, 3)
    """
    compiled = regex_of(pattern)
    if compiled.fullmatch(""):
        raise PatternError(
            f"pattern {pattern!r} matches the empty text, so it cannot cut anything. "
            "Use '+' where '*' lets every part be absent."
        )
    try:
        return build(parse(pattern))
    except UnsupportedError as reason:
        warnings.warn(
            f"pattern {pattern!r} runs on the `regex` package, which is slower: "
            f"the pattern compiler does not express {reason}.",
            BytepairWarning,
            stacklevel=2,
        )
        return None


@cache
def regex_of(pattern: str) -> "regex.Pattern[str]":
    """`pattern` for the `regex` package; right for text without disputed code points.

    Raises:
        PatternError: not a regex; the message shows where.
    """
    try:
        return regex.compile(_expand(pattern, "w"))
    except regex.error as error:
        raise PatternError(_explain(pattern)) from error


@cache
def exact_regex_of(pattern: str) -> "regex.Pattern[str]":
    """`pattern` with each property spelt out from the pinned tables: right for any text, slow."""
    return regex.compile(_expand(pattern, "pwd"))


def portable(pattern: str) -> str:
    r"""`pattern` so written that Oniguruma (Hugging Face) and fancy-regex (tiktoken) read it alike.

    Raises:
        PatternError: it uses something these engines understand differently.

    >>> portable(r"\w+|\s")
    '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\x{200C}\\x{200D}]+|\\s'
    """
    try:
        parse(pattern)
    except UnsupportedError as reason:
        raise PatternError(
            f"pattern {pattern!r} uses {reason}, which engines disagree on."
        ) from None
    for sign in ("}+", "}?"):
        if sign in _without_properties(pattern):
            raise PatternError(
                f"pattern {pattern!r}: engines disagree on what {sign!r} means. "
                "Write the repeat without its last sign, or spell it out."
            )
    folded = pattern.lower()
    double = next((d for d in ("ss", "st", "ff", "fi", "fl") if d in folded), None)
    if "(?i:" in pattern and double:
        raise PatternError(
            f"pattern {pattern!r} ignores case and holds {double!r}, for which some engines also "
            f"match a ligature. Write letters as classes: '[{double[0]}{double[0].upper()}]'."
        )
    return "".join(_portable_parts(pattern))


def _portable_parts(pattern: str) -> Iterator[str]:
    word = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200C}\x{200D}"
    for text, in_class in _pieces(pattern):
        if text == r"\w":
            yield word if in_class else f"[{word}]"
        elif text == r"\W" and in_class:
            raise PatternError(
                f"pattern {pattern!r}: \\W inside a class cannot be written portably."
            )
        else:
            yield f"[^{word}]" if text == r"\W" else text


def _without_properties(pattern: str) -> str:
    return "".join(text for text, _ in _pieces(pattern) if len(text) < 3)


def _pieces(pattern: str) -> Iterator[tuple[str, bool]]:
    r"""(text, inside a class?): each escape, with its \p{...} name, as one piece."""
    position, in_class = 0, False
    while position < len(pattern):
        length = 1
        if pattern[position] == "\\":
            length = 2
            if pattern[position + 1 : position + 3] in {"p{", "P{", "x{"}:
                length = pattern.find("}", position) + 1 - position
        text = pattern[position : position + max(length, 1)]
        yield text, in_class
        in_class = text != "]" if in_class else text == "["
        position += len(text)


def _expand(pattern: str, kinds: str) -> str:
    r"""Replace \w, \d and \p{..} (those named in `kinds`) by ranges of the pinned tables."""
    expanded = []
    for text, in_class in _pieces(pattern):
        codes = _escape_set(text) if text[1:2].lower() in (*kinds,) and text[0] == "\\" else None
        if codes is None:
            expanded.append(text)
        else:
            expanded.append(_ranges(codes) if in_class else f"[{_ranges(codes)}]")
    return "".join(expanded)


def _escape_set(escape: str) -> CodeSet | None:
    kind = escape[1]
    if kind in "wW":
        codes: CodeSet | None = word_set()
    else:
        codes = property_set("Nd" if kind in "dD" else escape[3:-1])
    return ~codes if codes and kind.isupper() else codes


def _ranges(codes: CodeSet) -> str:
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in codes.ranges)


def _explain(pattern: str) -> str:
    try:
        regex.compile(pattern)
    except regex.error as error:
        position = error.pos if error.pos is not None else 0
        return f"pattern is not a valid regex: {error.msg}\n  {pattern}\n  {' ' * position}^ here"
    return f"pattern {pattern!r} is not a valid regex."
