"""Tokens that must exist, and tokens and pairs that must not."""

from collections.abc import Iterable
from dataclasses import dataclass

from bytepair.errors import ArgumentError, InputTypeError
from bytepair.learning._symbols import shown, spelled

_Token = str | bytes


@dataclass(frozen=True)
class Wishes:
    """What a vocabulary is to hold and not to hold; tokens as `Symbols` spells them.

    Attributes:
        seeds: in order, none twice.
        blocked, blocked_pairs: never made, never merged.
    """

    seeds: tuple[bytes, ...] = ()
    blocked: frozenset[bytes] = frozenset()
    blocked_pairs: frozenset[tuple[bytes, bytes]] = frozenset()

    @classmethod
    def of(
        cls,
        seed_tokens: Iterable[_Token],
        blocked_tokens: Iterable[_Token],
        blocked_pairs: Iterable[tuple[_Token, _Token]],
        end_of_word: str | None,
    ) -> "Wishes":
        """From what a user gives.

        Raises:
            ArgumentError: an empty token, one that is both wanted and blocked, no pair.
            InputTypeError: a token that is neither str nor bytes.
        """
        seeds = _tokens("seed_tokens", seed_tokens, end_of_word)
        blocked = frozenset(_tokens("blocked_tokens", blocked_tokens, end_of_word))
        pairs: set[tuple[bytes, bytes]] = set()
        for pair in blocked_pairs:
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise ArgumentError(f"blocked_pairs: expected (left, right), got {pair!r:.60}.")
            left, right = _tokens("blocked_pairs", pair, end_of_word, unique=False)
            pairs.add((left, right))
        if both := [seed for seed in seeds if seed in blocked]:
            raise ArgumentError(f"seed_tokens and blocked_tokens both have {shown(both)}.")
        return cls(seeds, blocked, frozenset(pairs))

    @property
    def plain(self) -> dict[str, object]:
        """For a record: what is wished, in values that JSON can express."""
        pairs = [[_text(left), _text(right)] for left, right in sorted(self.blocked_pairs)]
        wishes: dict[str, list[object]] = {
            "seed_tokens": [*map(_text, self.seeds)],
            "blocked_tokens": [*map(_text, sorted(self.blocked))],
            "blocked_pairs": [*pairs],
        }
        return {name: value for name, value in wishes.items() if value}


def _tokens(
    name: str, tokens: Iterable[_Token], end_of_word: str | None, *, unique: bool = True
) -> tuple[bytes, ...]:
    if isinstance(tokens, str | bytes):
        raise ArgumentError(f"{name} must be several tokens, got the one {tokens!r:.60}.")
    spellings = []
    for token in tokens:
        if not isinstance(token, str | bytes):
            raise InputTypeError(f"{name}: expected str or bytes, got {token!r:.60}.")
        if not token:
            raise ArgumentError(f"{name}: a token cannot be empty.")
        spellings.append(spelled(token, end_of_word))
    return tuple(dict.fromkeys(spellings)) if unique else tuple(spellings)


def _text(spelling: bytes) -> str:
    return spelling.decode("utf-8", "backslashreplace")
