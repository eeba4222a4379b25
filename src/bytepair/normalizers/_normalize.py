"""The normalisers, on text and on bytes that may not be text."""

from collections.abc import Iterator, Sequence

from bytepair.errors import ArgumentError
from bytepair.model import CharMap, NormalizerStep, Prepend, Replace, Strip, byte_positions
from bytepair.normalizers._aligned import Aligned, Edit
from bytepair.normalizers._named import USERS, Rewriting, named
from bytepair.normalizers._rewrite import MapCharacters, ReplaceMatches, prepend, strip

NAMES = tuple(USERS)


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
    if not steps:
        return data
    text = data.decode("utf-8", "surrogateescape")
    for rewriting in _rewritings(steps):
        text = rewriting.apply(text)
    return text.encode("utf-8", "surrogateescape")


def normalize_aligned(data: bytes, steps: Sequence[NormalizerStep]) -> Aligned:
    """As `normalize`, with the place in the original of every byte.

    >>> text = normalize_aligned("ﬁn".encode(), ["nfkc"])
    >>> text.data, text.starts.tolist(), text.ends.tolist()
    (b'fin', [0, 0, 3], [3, 3, 4])
    """
    return normalized(Aligned.of(data), steps)


def normalized(text: Aligned, steps: Sequence[NormalizerStep]) -> Aligned:
    """The same for a part of an original text."""
    for rewriting in _rewritings(steps):
        before, chars = text, text.data.decode("utf-8", "surrogateescape")
        edits = list(rewriting.edits(chars))
        text = before.edited(edits)
        if isinstance(rewriting, ReplaceMatches) and _shifts(before, chars, edits):
            text = text._replace(is_shifted=True)
    return text


def _shifts(text: Aligned, chars: str, edits: Sequence[Edit]) -> bool:
    """True if something takes the place of the first character and of one from further on."""
    first = next((edit for edit in edits[:2] if edit[0] == 0 and edit[1] > 1 and edit[2]), None)
    if first is None:
        return False
    last = byte_positions(chars, [first[1] - 1])[0]
    return bool(text.starts[last] > text.starts[0])


def _rewritings(
    steps: Sequence[NormalizerStep],
) -> Iterator[Rewriting | ReplaceMatches | MapCharacters]:
    for step in steps:
        match step:
            case str():
                yield from named(step)
            case Replace():
                yield ReplaceMatches(step)
            case Prepend(text):
                yield prepend(text)
            case Strip():
                yield strip(step)
            case CharMap():
                yield MapCharacters(step)
