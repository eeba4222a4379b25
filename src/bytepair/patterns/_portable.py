"""Patterns between engines: written so that all read them alike, and read as one of them does."""

from functools import cache

from bytepair.errors import PatternError
from bytepair.patterns._syntax import UnsupportedError, parse
from bytepair.patterns._tree import spelled


@cache
def portable(pattern: str) -> str:
    r"""`pattern` so written that Oniguruma (Hugging Face) and fancy-regex (tiktoken) read it alike.

    Raises:
        PatternError: it uses something outside the dialect of the compiler.

    >>> portable(r"\w+|\s")
    '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u200C\\u200D]+|\\s'
    """
    try:
        tree = parse(pattern)
    except UnsupportedError as reason:
        raise PatternError(
            f"pattern {pattern!r:.200} uses {reason}, which engines disagree on."
        ) from None
    return pattern if _is_common(pattern) else spelled(tree, exact=False)


@cache
def for_oniguruma(pattern: str) -> str:
    r"""What `pattern` means in a file for Hugging Face tokenizers, as a pattern of our dialect.

    Their regex engine takes `^` and `$` for the ends of a line, counts ² as `\w` and the joiner of
    emoji not, and has other signs of its own. What both read alike comes back as it is.

    Raises:
        PatternError: it uses something that is not supported.

    >>> for_oniguruma(r"\s+$|\p{L}+")
    '\\s+(?![^\\n])|\\p{L}+'
    """
    try:
        theirs = parse(pattern, oniguruma=True)
    except UnsupportedError as reason:
        raise PatternError(
            f"pattern {pattern!r:.200} uses {reason}, which is not supported."
        ) from None
    try:
        if parse(pattern) == theirs:
            return pattern
    except UnsupportedError:
        pass
    return spelled(theirs, exact=False)


def _is_common(pattern: str) -> bool:
    # To Rust, [:alpha:] holds ASCII letters only, and \< is the beginning of a word.
    if any(sign in pattern for sign in ("[:", r"\<", r"\>")):
        return False
    try:
        return parse(pattern, oniguruma=True) == parse(pattern)
    except UnsupportedError:
        return False
