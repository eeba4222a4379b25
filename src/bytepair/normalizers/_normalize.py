"""The normalisers, on text and on bytes that may not be text.

Canonical and compatibility forms: Unicode Standard Annex 15, by the standard library, whose
Unicode version is that of the Python that runs. `lowercase` and `collapse-whitespace` act
character by character, as the normalisers of the same meaning do in Hugging Face tokenizers.
"""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import regex

from bytepair.errors import ArgumentError

_SPACES = regex.compile(r"\s+")


def _lowercase(text: str) -> str:
    # Character by character: str.lower() would turn a final capital sigma by its neighbours.
    return text.lower() if text.isascii() else "".join(map(str.lower, text))


_FUNCTIONS: Mapping[str, Callable[[str], str]] = {
    "nfc": partial(unicodedata.normalize, "NFC"),
    "nfkc": partial(unicodedata.normalize, "NFKC"),
    "lowercase": _lowercase,
    "collapse-whitespace": partial(_SPACES.sub, " "),
}

NAMES = tuple(_FUNCTIONS)


def resolve(normalizer: str | Sequence[str] | None) -> tuple[str, ...]:
    """One name, several, or None, as a tuple of known names.

    Raises:
        ArgumentError: a name that is not known, or what is no name at all.

    >>> resolve("nfc"), resolve(["nfkc", "lowercase"]), resolve(None)
    (('nfc',), ('nfkc', 'lowercase'), ())
    """
    if normalizer is not None and not isinstance(normalizer, Sequence):
        raise ArgumentError(
            f"normalizer must be None, a name or a list of names, got {normalizer!r:.60}."
        )
    names = (normalizer,) if isinstance(normalizer, str) else tuple(normalizer or ())
    for name in names:
        if name not in NAMES:
            raise ArgumentError(f"normalizer {name!r} is not known (known: {', '.join(NAMES)}).")
    return names


def normalize(data: bytes, names: Sequence[str]) -> bytes:
    """Apply the normalisers in order. Bytes that are not UTF-8 stay as they are.

    >>> normalize("ＡＢ  c".encode(), ["nfkc", "lowercase", "collapse-whitespace"])
    b'ab c'
    """
    if not names:
        return data
    text = data.decode("utf-8", "surrogateescape")
    for name in names:
        text = _FUNCTIONS[name](text)
    return text.encode("utf-8", "surrogateescape")
