"""Added tokens in text: where they are, which are allowed, and the error for those that are not."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Literal

import regex

from bytepair.errors import InputTypeError, SpecialTokenError
from bytepair.model import TokenId, to_utf8

Allowed = Literal["all"] | AbstractSet[str]
Disallowed = Literal["all"] | Collection[str]


@lru_cache(maxsize=128)
def matcher(contents: frozenset[str]) -> "regex.Pattern[bytes] | None":
    """Finds the leftmost of these tokens, the longest where several start."""
    if not contents:
        return None
    longest_first = sorted(map(to_utf8, contents), key=lambda c: (-len(c), c))
    return regex.compile(b"|".join(map(regex.escape, longest_first)))


class SpecialRules:
    """Which added tokens a call matches; one object a tokenizer, no state between calls.

    Args:
        special: content -> id of the special tokens.
        always: content -> id of added tokens that are not special: matched whatever is allowed.
    """

    def __init__(self, special: Mapping[str, TokenId], always: Mapping[str, TokenId]) -> None:
        self._special = frozenset(special)
        self._always = frozenset(always)
        self._all = self._special | self._always
        self._id_by_bytes = {c.encode(): i for c, i in {**always, **special}.items()}

    def contents_to_match(self, allowed: Allowed) -> frozenset[str]:
        """The added tokens to be matched in a text."""
        special = self._allowed(allowed)
        if special is self._special:
            return self._all
        return self._always | special if special else self._always

    def forbidden(self, allowed: Allowed, disallowed: Disallowed) -> frozenset[str]:
        """What must not be in a text. A token that is disallowed by name is, even if allowed."""
        if isinstance(disallowed, str):
            if disallowed != "all":
                raise InputTypeError(_not_a_set("disallowed_special", disallowed))
            special = self._allowed(allowed)
            return self._special - special if special else self._special
        return _set_of("disallowed_special", disallowed)

    def refuse(self, data: bytes, forbidden: frozenset[str], where: str = "the text") -> None:
        """Look for tokens that must not be in the text.

        Raises:
            SpecialTokenError: there is one.
        """
        searched = matcher(forbidden)
        found = searched.search(data) if searched else None
        if found:
            raise SpecialTokenError(_refusal(found[0].decode(), found.start(), where))

    def cut(self, data: bytes, contents: frozenset[str]) -> Iterator[tuple[bytes, TokenId | None]]:
        """(bytes, None) for ordinary stretches, (content, id) for added tokens, in order."""
        searched = matcher(contents)
        start = 0
        for match in searched.finditer(data) if searched else ():
            if match.start() > start:
                yield data[start : match.start()], None
            yield match[0], self._id_by_bytes[match[0]]
            start = match.end()
        if start < len(data):
            yield data[start:], None

    def _allowed(self, allowed: Allowed) -> frozenset[str]:
        if isinstance(allowed, str):
            if allowed != "all":
                raise InputTypeError(_not_a_set("allowed_special", allowed))
            return self._special
        return self._special & _set_of("allowed_special", allowed)


def _set_of(option: str, tokens: Iterable[str]) -> frozenset[str]:
    if not isinstance(tokens, Iterable):
        raise InputTypeError(_not_a_set(option, tokens))
    contents = tokens if isinstance(tokens, frozenset) else list(tokens)
    for content in contents:
        if not isinstance(content, str):
            raise InputTypeError(_not_a_set(option, content))
    return frozenset(contents)


def _not_a_set(option: str, value: object) -> str:
    return f"{option} must be 'all' or a set of strings (perhaps empty), got {value!r:.60}."


def _refusal(token: str, position: int, where: str) -> str:
    return (
        f"{where} contains the special token {token!r} at byte {position}, which is not allowed. "
        f"To encode it as the special token, pass allowed_special={{{token!r}}} and do not name it "
        "in disallowed_special; to encode it as ordinary text, pass disallowed_special=() or call "
        "encode_ordinary."
    )
