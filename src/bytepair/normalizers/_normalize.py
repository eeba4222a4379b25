"""The normalisers, on text and on bytes that may not be text.

Canonical and compatibility forms: Unicode Standard Annex 15, by the standard library, whose
Unicode version is that of the Python that runs. `lowercase` and `collapse-whitespace` act
character by character, as the normalisers of the same meaning do in Hugging Face tokenizers.
"""

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

import regex

from bytepair.errors import ArgumentError
from bytepair.model import NormalizerStep, Prepend, Replace, Strip
from bytepair.normalizers._aligned import Aligned, Edit

_Form = Literal["NFC", "NFD", "NFKC", "NFKD"]


class _Rewrite(NamedTuple):
    """Each match of a regex becomes the content, or what that makes of it."""

    pattern: "regex.Pattern[str]"
    content: str | Callable[[str], str]

    def edits(self, text: str) -> Iterator[Edit]:
        for match in self.pattern.finditer(text):
            content = self.content if isinstance(self.content, str) else self.content(match[0])
            if content != match[0]:
                yield match.start(), match.end(), content


def _form(form: _Form) -> _Rewrite:
    return _Rewrite(regex.compile("(?s).+"), partial(unicodedata.normalize, form))


_NAMED: Mapping[str, _Rewrite] = {
    "nfc": _form("NFC"),
    "nfd": _form("NFD"),
    "nfkc": _form("NFKC"),
    "nfkd": _form("NFKD"),
    "lowercase": _Rewrite(regex.compile(r"(?s)."), str.lower),
    "strip-accents": _Rewrite(regex.compile(r"\p{M}"), ""),
    "collapse-whitespace": _Rewrite(regex.compile(r"\s+"), " "),
}

NAMES = tuple(_NAMED)


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


def normalize(data: bytes, steps: Sequence[NormalizerStep]) -> bytes:
    """Apply the normalisers in order. Bytes that are not UTF-8 stay as they are.

    >>> normalize("ＡＢ  c".encode(), ["nfkc", "lowercase", "collapse-whitespace"])
    b'ab c'
    """
    return normalize_aligned(data, steps).data if steps else data


def normalize_aligned(data: bytes, steps: Sequence[NormalizerStep], start: int = 0) -> Aligned:
    """As `normalize`, with the place in the original of every byte; `data` begins at `start`.

    >>> text = normalize_aligned("ﬁn".encode(), ["nfkc"])
    >>> text.data, text.starts.tolist(), text.ends.tolist()
    (b'fin', [0, 0, 3], [3, 3, 4])
    """
    text = Aligned.of(data, start)
    for step in steps:
        text = text.edited(_edits(step, text.data.decode("utf-8", "surrogateescape")))
    return text


def _edits(step: NormalizerStep, text: str) -> Iterator[Edit]:
    match step:
        case str():
            yield from _NAMED[step].edits(text)
        case Replace(pattern, content, is_regex):
            source = pattern if is_regex else regex.escape(pattern)
            yield from _Rewrite(regex.compile(source), content).edits(text)
        case Prepend(prefix):
            if text:
                yield 0, 0, prefix
        case Strip(left, right):
            n_left = len(text) - len(text.lstrip()) if left else 0
            n_right = len(text) - len(text.rstrip()) if right else 0
            if n_left:
                yield 0, n_left, ""
            if n_right and n_left < len(text):
                yield len(text) - n_right, len(text), ""
