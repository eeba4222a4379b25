"""One pattern, ready to run: compiled to an automaton, or as a `regex` object."""

import re
import warnings
from collections.abc import Iterator
from functools import cache

import regex

from bytepair.errors import BytepairWarning, PatternError
from bytepair.patterns._automaton import Automaton, build, equivalent
from bytepair.patterns._codeset import LAST_CODE_POINT, CodeSet
from bytepair.patterns._syntax import UnsupportedError, parse
from bytepair.patterns._tree import spelled
from bytepair.patterns._unicode import has_disputed, property_set, word_set

_MAX_COPIES = 50_000  # about a second
_GROUPS = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\(|\)(?:(\+)|\{([0-9]{1,9}))?", re.DOTALL)
_CODE_POINT = "\\U{:08x}"  # how `regex` writes any code point


@cache
def automaton(pattern: str) -> Automaton | None:
    """The tables of `pattern`, or None if only a regex engine can run it (with a warning, once).

    Compiling takes about 20 ms; the result is kept. It is the same on every machine.

    Raises:
        PatternError: not a regex.

    >>> automaton(r"[a-z]+|[^a-z]+").transitions.shape
    (4, 3)
    """
    tables = _tables(pattern)
    if isinstance(tables, Automaton):
        return tables
    check_runs(pattern)  # what is no regex at all has another message
    warnings.warn(
        f"pattern {pattern!r:.200} runs on the `regex` package, which is slower: "
        f"the pattern compiler does not express {tables}.",
        BytepairWarning,
        stacklevel=2,
    )
    return None


@cache
def cuts_alike(one: str, other: str) -> bool:
    r"""True if two patterns, however they are spelt, find the same in every text.

    Of patterns that only a regex engine can run only the spelling is compared.

    Raises:
        PatternError: one of them is not a regex.

    >>> cuts_alike(r"\p{L}+|[^\p{L}]", r"\P{L}|\p{L}++"), cuts_alike("a|b", "[ac]")
    (True, False)
    """
    if one == other:
        return True
    tables, theirs = _tables(one), _tables(other)
    if isinstance(tables, Automaton) and isinstance(theirs, Automaton):
        return equivalent(tables, theirs)
    return False


def check_runs(pattern: str) -> None:
    """Refuse a pattern that neither the tables nor a regex engine can run.

    Raises:
        PatternError: not a regex, or one that would be very long work to compile.
    """
    if not isinstance(_tables(pattern), Automaton):
        regex_of(pattern)


def check_cuts(pattern: str) -> None:
    """Refuse a pattern of one's own that matches the empty text: engines disagree on what it cuts.

    Files of Hugging Face may hold such a pattern: there it is known what its engine does.

    Raises:
        PatternError: not a regex, or one that matches the empty text.
    """
    if not isinstance(_tables(pattern), Automaton) and regex_of(pattern).fullmatch(""):
        raise PatternError(
            f"pattern {pattern!r:.200} matches the empty text, so it cannot cut anything. "
            "Use '+' where '*' lets every part be absent."
        )
    automaton(pattern)


@cache
def _tables(pattern: str) -> Automaton | str:
    """The tables, or what in the pattern they cannot express."""
    try:
        return build(parse(pattern))
    except UnsupportedError as reason:
        return str(reason)


@cache
def regex_of(pattern: str) -> "regex.Pattern[str]":
    """`pattern` for the `regex` package; right for text without disputed code points.

    Raises:
        PatternError: not a regex (the message shows where), or one that is written out too often.
    """
    if _copies(pattern) > _MAX_COPIES:
        raise PatternError(
            f"pattern {pattern[:60]!r} repeats within repeats: a regex engine would write its "
            f"innermost group out more than {_MAX_COPIES:,} times."
        )
    try:
        return _compiled(spelled(parse(pattern), _CODE_POINT, exact=False))
    except (UnsupportedError, regex.error, RecursionError):
        return _as_written(pattern)


@cache
def exact_regex_of(pattern: str) -> "regex.Pattern[str]":
    """`pattern` with each set spelt out from the pinned tables: right for any text, slow."""
    try:
        return _compiled(spelled(parse(pattern), _CODE_POINT))
    except (UnsupportedError, regex.error, RecursionError):
        return _compiled(_expand(pattern, "pwd"))


def regex_for(pattern: str, text: str) -> "regex.Pattern[str]":
    """The one of the two that is right for `text`: the fast one where it will do."""
    return exact_regex_of(pattern) if has_disputed(text) else regex_of(pattern)


def _copies(pattern: str) -> int:
    """How often `regex` writes the innermost group out: as often as it must match, and once more.

    >>> _copies("((a+b)+c){3,5}")
    8
    """
    open_groups = [1]
    for sign in _GROUPS.finditer(pattern):
        if sign[0] == "(":
            open_groups.append(1)
        elif sign[0][0] == ")" and len(open_groups) > 1:
            least = 1 if sign[1] == "+" else int(sign[2] or 0)
            copies = open_groups.pop() * (least + 1)
            open_groups[-1] = max(open_groups[-1], copies)
    return max(open_groups)


def _compiled(pattern: str) -> "regex.Pattern[str]":
    # Begun by what never matches, `regex` does not skip to where a match may begin: it skips too
    # far where only a part of the pattern ignores case. "[^A-Z]x|(?i:a)" would not match "bx".
    return regex.compile("(?!)|" + pattern)


# ---------------------------------------------------------------------- outside the dialect


def _as_written(pattern: str) -> "regex.Pattern[str]":
    r"""A pattern that only `regex` can read; of its signs \w and \x{..} mean what they do here."""
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


_RECURSION = re.compile(r"(?<!\\)\(\?(?:R|[0-9]|&)")
_PIECE = re.compile(r"\\[pPx]\{[^}]*\}|\\[pP][A-Za-z]|\\x[0-9A-Fa-f]{2}|\\.|.", re.DOTALL)
_BRACED = re.compile(r"\\x\{([0-9A-Fa-f]{1,8})\}")


def _pieces(pattern: str) -> Iterator[tuple[str, bool]]:
    r"""(text, inside a class?): each escape, with the name or digits it takes, as one piece."""
    in_class = False
    for piece in _PIECE.finditer(pattern):
        text = piece[0]
        yield text, in_class
        in_class = text != "]" if in_class else text == "["


def _expand(pattern: str, kinds: str) -> str:
    r"""`pattern` in the spelling of `regex`: \x{..} as \U.., and \w, \d and \p{..} (those named in
    `kinds`) as ranges of the pinned tables.
    """
    return "".join(_expanded(text, in_class, kinds) for text, in_class in _pieces(pattern))


def _expanded(text: str, in_class: bool, kinds: str) -> str:
    code = _BRACED.fullmatch(text)
    if code and int(code[1], 16) <= LAST_CODE_POINT:
        return _CODE_POINT.format(int(code[1], 16))
    codes = _escape_set(text) if text[0] == "\\" and text[1:2].lower() in (*kinds,) else None
    if codes is None:
        return text
    inside = "".join(
        f"{_CODE_POINT.format(low)}-{_CODE_POINT.format(high)}" for low, high in codes.ranges
    )
    return inside if in_class else f"[{inside}]"


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
        return f"pattern {pattern!r:.200} is not a valid regex: {error.msg}"
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
