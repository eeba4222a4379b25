"""Cut a document into pre-tokens: the `regex` package over text, any byte string allowed."""

from collections.abc import Iterator

import regex

from bytepair.patterns import disputed_regex, exact_regex_of, regex_of


class Splitter:
    r"""Pre-tokens by regex; what the pattern leaves uncovered becomes pieces of its own.

    A byte that is not part of valid UTF-8 counts as one character that no property and no `\s`
    matches, only negated sets do.

    >>> Splitter(r"[a-z]+").split(b"ab 12 cd")
    [2, 6, 8]
    """

    def __init__(self, pattern: str | None) -> None:
        self._pattern = pattern

    def split(self, data: bytes) -> list[int]:
        """End positions of the pre-tokens. O(n) for patterns that do not backtrack."""
        if self._pattern is None or not data:
            return [len(data)] if data else []
        text = data.decode("utf-8", "surrogateescape")
        ends = list(_cuts(self._regex_for(text), text))
        if len(text) == len(data):
            return ends
        return list(_byte_positions(text, ends))

    def _regex_for(self, text: str) -> "regex.Pattern[str]":
        pattern = self._pattern or ""
        if not text.isascii() and disputed_regex().search(text):
            return exact_regex_of(pattern)
        return regex_of(pattern)


def _cuts(pattern: "regex.Pattern[str]", text: str) -> Iterator[int]:
    """Ends of matches and of the gaps between them, in characters."""
    end = 0
    for match in pattern.finditer(text):
        if match.end() == match.start():
            continue
        if match.start() > end:
            yield match.start()
        end = match.end()
        yield end
    if end < len(text):
        yield len(text)


def _byte_positions(text: str, ends: list[int]) -> Iterator[int]:
    start = position = 0
    for end in ends:
        position += len(text[start:end].encode("utf-8", "surrogateescape"))
        yield position
        start = end
