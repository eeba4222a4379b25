"""One pattern, ready to run: compiled to an automaton, as a `regex` object, or as portable text."""

import warnings
from collections.abc import Iterator
from functools import cache

import regex

from bytepair.errors import BytepairWarning, PatternError
from bytepair.patterns._automaton import Automaton, build
from bytepair.patterns._codeset import LAST_CODE_POINT, CodeSet
from bytepair.patterns._syntax import Node, UnsupportedError, inside_class, parse, spelled
from bytepair.patterns._unicode import has_disputed, property_set, word_set


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
        return build(_tree(pattern))
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
    if _RECURSION.search(pattern):
        raise PatternError(f"pattern {pattern[:60]!r} contains itself, which no text is safe from.")
    expanded = _expand(pattern, "w")
    try:
        compiled = regex.compile(expanded)  # for the position of an error
        if compiled.flags & regex.REVERSE:
            raise PatternError(f"pattern {pattern[:60]!r} searches backwards: leave out (?r).")
        return _compiled(expanded)
    except regex.error as error:
        raise PatternError(_explain(pattern, error)) from error
    except (RecursionError, ValueError, OverflowError) as error:
        if isinstance(error, PatternError):
            raise
        reason = "its groups are nested too deep" if isinstance(error, RecursionError) else error
        raise PatternError(f"pattern {pattern[:60]!r} is not a valid regex: {reason}.") from error


@cache
def exact_regex_of(pattern: str) -> "regex.Pattern[str]":
    """`pattern` with each property spelt out from the pinned tables: right for any text, slow."""
    return _compiled(_expand(pattern, "pwd"))


def regex_for(pattern: str, text: str) -> "regex.Pattern[str]":
    """The one of the two that is right for `text`: the fast one where it will do."""
    # To `regex` the small of U+0130 is "i"; to every other engine and to Unicode's simple case
    # folding it has none.
    if "\u0130" in text and "(?i" in pattern:
        return _without_folding(pattern)
    return exact_regex_of(pattern) if has_disputed(text) else regex_of(pattern)


@cache
def _without_folding(pattern: str) -> "regex.Pattern[str]":
    try:
        return _compiled(spelled(_tree(pattern)))
    except UnsupportedError:  # nothing but `regex` runs it, so what `regex` says is right
        return exact_regex_of(pattern)


def _compiled(pattern: str) -> "regex.Pattern[str]":
    # Begun by what never matches, `regex` does not skip to where a match may begin. Where only a
    # part of the pattern ignores case it skips too far: "[^A-Z]x|(?i:a)" would not match "bx".
    return regex.compile("(?!)|" + pattern)


def portable(pattern: str) -> str:
    r"""`pattern` so written that Oniguruma (Hugging Face) and fancy-regex (tiktoken) read it alike.

    Raises:
        PatternError: it uses something these engines understand differently.

    >>> portable(r"\w+|\s")
    '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\x{200C}\\x{200D}]+|\\s'
    """
    try:
        _tree(pattern)
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


def _tree(pattern: str) -> Node:
    try:
        return parse(pattern)
    except RecursionError:
        raise UnsupportedError("groups nested so deep") from None


def _portable_parts(pattern: str) -> Iterator[str]:
    word = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200C}\x{200D}"
    for text, in_class in _pieces(pattern):
        if text == r"\w":
            yield word if in_class else f"[{word}]"
        elif text == r"\W" and in_class:
            raise PatternError(
                f"pattern {pattern!r}: \\W inside a class cannot be written portably."
            )
        elif text == r"\W":
            yield f"[^{word}]"
        elif text in {r"\<", r"\>"}:  # to tiktoken the edge of a word
            yield text[1]
        elif _SHORT.fullmatch(text):  # Oniguruma takes \pL for the letters pL, \xe9 for a byte
            yield f"{text[:2]}{{{text[2:]}}}"
        else:
            yield text


def _without_properties(pattern: str) -> str:
    return "".join(text for text, _ in _pieces(pattern) if len(text) < 3)


_PIECE = regex.compile(r"\\[pPx]\{[^}]*\}|\\[pP][A-Za-z]|\\x[0-9A-Fa-f]{2}|\\.|.", regex.DOTALL)
_SHORT = regex.compile(r"\\[pP][A-Za-z]|\\x[0-9A-Fa-f]{2}")
_CODE_POINT = regex.compile(r"\\x\{([0-9A-Fa-f]{1,8})\}")


def _pieces(pattern: str) -> Iterator[tuple[str, bool]]:
    r"""(text, inside a class?): each escape, with the name or digits it takes, as one piece."""
    in_class = False
    for piece in _PIECE.finditer(pattern):
        text = piece[0]
        yield text, in_class
        in_class = text != "]" if in_class else text == "["


_RECURSION = regex.compile(r"(?<!\\)\(\?(?:R|[0-9]|&)")


def _expand(pattern: str, kinds: str) -> str:
    r"""`pattern` in the spelling of `regex`: \x{..} as \U.., and \w, \d and \p{..} (those named in
    `kinds`) as ranges of the pinned tables.
    """
    return "".join(_expanded(text, in_class, kinds) for text, in_class in _pieces(pattern))


def _expanded(text: str, in_class: bool, kinds: str) -> str:
    code = _CODE_POINT.fullmatch(text)
    if code and int(code[1], 16) <= LAST_CODE_POINT:
        return f"\\U{code[1]:0>8}"
    codes = _escape_set(text) if text[0] == "\\" and text[1:2].lower() in (*kinds,) else None
    if codes is None:
        return text
    return inside_class(codes) if in_class else f"[{inside_class(codes)}]"


def _escape_set(escape: str) -> CodeSet | None:
    kind = escape[1]
    if kind in "wW":
        codes: CodeSet | None = word_set()
    else:
        codes = property_set("Nd" if kind in "dD" else escape[2:].strip("{}"))
    return ~codes if codes and kind.isupper() else codes


def _explain(pattern: str, error: "regex.error") -> str:
    """The regex engine's complaint, under the line of the pattern that it is about."""
    if error.pos is None:
        return f"pattern {pattern!r} is not a valid regex: {error.msg}"
    position = _position(pattern, error.pos)
    begin = pattern.rfind("\n", 0, position) + 1
    line = pattern[begin:].partition("\n")[0]
    return (
        f"pattern is not a valid regex: {error.msg} at position {position}\n"
        f"  {line}\n  {' ' * (position - begin)}^ here"
    )


def _position(pattern: str, position: int) -> int:
    """Where in `pattern` a position of `_expand(pattern, "w")` is."""
    here = there = 0
    for text, in_class in _pieces(pattern):
        length = len(_expanded(text, in_class, "w"))
        if there + length > position:
            return here + min(position - there, len(text) - 1)
        here += len(text)
        there += length
    return here
