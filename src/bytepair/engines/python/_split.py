"""Cut a document into pre-tokens: the `regex` package over text, any byte string allowed."""

from collections.abc import Iterator

from bytepair.model import byte_positions
from bytepair.patterns import matches


class Splitter:
    r"""Pre-tokens by regex; what the pattern leaves uncovered becomes pieces of its own.

    A byte that is not part of valid UTF-8 counts as a lone surrogate (category Cs): negated sets
    match it; letters, numbers and white space do not.

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
        return byte_positions(text, list(_cuts(self._pattern, text)))


def _cuts(pattern: str, text: str) -> Iterator[int]:
    """Ends of matches and of the gaps between them, in characters; an empty match cuts too."""
    done = 0
    for match in matches(pattern, text):
        for place in match.span():
            if place > done:
                yield place
                done = place
    if done < len(text):
        yield len(text)
