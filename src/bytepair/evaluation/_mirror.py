"""What a vocabulary is made of: a mirror of the text that it was learned from."""

import unicodedata
from collections import Counter
from collections.abc import Iterable

_SCRIPTS = {"CJK": "Chinese characters", "IDEOGRAPHIC": "Chinese characters"}


def kinds_of_tokens(tokens: Iterable[bytes]) -> list[tuple[str, int]]:
    r"""How many tokens there are of each kind, the most first.

    Words and their beginnings have a space in front; other letters are told apart by script.

    >>> kinds_of_tokens([b" the", b"ing", b"12", b"\n", "мир".encode(), b"\xe2\x80", b" ="])
    ... # doctest: +NORMALIZE_WHITESPACE
    [('words, after a space', 1), ('Latin within words', 1), ('digits', 1), ('white space', 1),
     ('Cyrillic within words', 1), ('no whole characters', 1), ('signs', 1)]
    """
    return Counter(map(_kind, tokens)).most_common()


def _kind(token: bytes) -> str:
    try:
        text = token.decode()
    except UnicodeDecodeError:
        return "no whole characters"
    letter = next(filter(str.isalpha, text), "")
    if not letter:
        if not text.strip():
            return "white space"
        return "digits" if any(map(str.isdigit, text)) else "signs"
    script = _script(letter)
    if script in _SCRIPTS:
        return _SCRIPTS[script]
    if script == "LATIN":
        return "words, after a space" if text.startswith(" ") else "Latin within words"
    return (
        f"{script.capitalize()} after a space"
        if text.startswith(" ")
        else (f"{script.capitalize()} within words")
    )


def _script(letter: str) -> str:
    """By the first word of its name: Unicode's names begin with the script."""
    return unicodedata.name(letter, "OTHER").partition(" ")[0].partition("-")[0]
