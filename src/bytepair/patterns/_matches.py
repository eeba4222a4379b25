"""Where a pattern matches, as Hugging Face's engine steps through a text."""

from collections.abc import Iterator

import regex

from bytepair.patterns._pattern import regex_for


def matches(pattern: str, text: str) -> Iterator["regex.Match[str]"]:
    """The matches of `pattern` from left to right.

    An empty match right behind another is none; after an empty one the search goes on a character
    further.

    >>> [match.span() for match in matches("a*", "aab")]
    [(0, 2), (3, 3)]
    """
    compiled = regex_for(pattern, text)
    last_end: int | None = None
    place: int | None = 0
    while place is not None and place <= len(text):
        begin, place = place, None
        for match in compiled.finditer(text, begin):
            is_empty = match.start() == match.end()
            if not (is_empty and match.end() == last_end):
                yield match
            last_end = match.end()
            if is_empty:  # `regex` itself would now look for a longer one here
                place = last_end + 1
                break
