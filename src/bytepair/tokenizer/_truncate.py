"""`Truncation`: the beginning of a text that so many tokens hold, and what is left."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Truncation:
    """A text that was cut between two characters.

    Attributes:
        text: the beginning.
        rest: what was cut off; both together are the text.
        n_tokens: tokens of the beginning by itself.
    """

    text: str
    rest: str
    n_tokens: int

    @property
    def is_truncated(self) -> bool:
        """True if anything was cut off."""
        return bool(self.rest)


def truncated(
    text: str, starts: list[int], max_tokens: int, count: Callable[[str], int]
) -> Truncation:
    """Cut where the first token begins that is too many.

    The beginning can have other tokens by itself where it ends amid a pre-token, and sometimes
    more of them: then it is made shorter, token by token.

    Args:
        starts: the character in which each token of the text begins.
        count: tokens of a text.
    """
    for n in range(min(max_tokens, len(starts)), -1, -1):
        end = starts[n] if n < len(starts) else len(text)
        n_tokens = count(text[:end])
        if n_tokens <= max_tokens:
            return Truncation(text[:end], text[end:], n_tokens)
    return Truncation("", text, 0)
