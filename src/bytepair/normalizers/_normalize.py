"""The normalisers, on text and on bytes that may not be text."""

from collections.abc import Iterable, Iterator, Sequence

from bytepair.errors import ArgumentError, EncodeError
from bytepair.model import (
    CharMap,
    NormalizerStep,
    Precompiled,
    Prepend,
    Replace,
    Strip,
    byte_positions,
)
from bytepair.normalizers._aligned import Aligned, Edit
from bytepair.normalizers._clusters import MapClusters, of_step
from bytepair.normalizers._named import USERS, Rewriting, named
from bytepair.normalizers._rewrite import MapCharacters, ReplaceMatches, edited, prepend, strip

NAMES = tuple(USERS)

_MOST_GROWTH = 256  # beyond what all normal forms together can make of a text
_FREE_BYTES = 16


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


def overgrown(limit: int) -> EncodeError:
    """The error for a text that becomes more than `limit` bytes; both engines give it."""
    return EncodeError(
        f"the tokenizer's normaliser makes more than {limit} bytes of a text, over "
        f"{_MOST_GROWTH} times its length. Is the tokenizer's file damaged, or made to do harm?"
    )


def normalize(data: bytes, steps: Sequence[NormalizerStep], limit: int | None = None) -> bytes:
    """Apply the normalisers in order. Bytes that are not UTF-8 stay as they are.

    Args:
        limit: most bytes that they may become; None: in proportion to `data`.

    Raises:
        EncodeError: they become more.

    >>> normalize("ＡＢ  c".encode(), ["nfkc", "lowercase", "collapse-whitespace"])
    b'ab c'
    """
    if not steps:
        return data
    limit = _limit(data) if limit is None else limit
    text = data.decode("utf-8", "surrogateescape")
    for rewriting in _rewritings(steps):
        if isinstance(rewriting, ReplaceMatches | MapCharacters | MapClusters):
            text = edited(text, _bounded(rewriting.edits(text), limit))
        else:
            text = rewriting.apply(text)
        if len(text) * 4 > limit and len(text.encode("utf-8", "surrogateescape")) > limit:
            raise overgrown(limit)
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
    limit = _limit(text.data)
    for rewriting in _rewritings(steps):
        before, chars = text, text.data.decode("utf-8", "surrogateescape")
        edits = list(_bounded(rewriting.edits(chars), limit))
        text = before.edited(edits)
        if len(text.data) > limit:
            raise overgrown(limit)
        if isinstance(rewriting, ReplaceMatches) and _shifts(before, chars, edits):
            text = text._replace(is_shifted=True)
    return text


def _limit(data: bytes) -> int:
    return _MOST_GROWTH * (len(data) + _FREE_BYTES)


def _bounded(edits: Iterable[Edit], limit: int) -> Iterator[Edit]:
    """The edits, as long as they put in no more than `limit` characters."""
    n_chars = 0
    for edit in edits:
        n_chars += len(edit[2])
        if n_chars > limit:
            raise overgrown(limit)
        yield edit


def _shifts(text: Aligned, chars: str, edits: Sequence[Edit]) -> bool:
    """True if something takes the place of the first character and of one from further on."""
    first = next((edit for edit in edits[:2] if edit[0] == 0 and edit[1] > 1 and edit[2]), None)
    if first is None:
        return False
    last = byte_positions(chars, [first[1] - 1])[0]
    return bool(text.starts[last] > text.starts[0])


def _rewritings(
    steps: Sequence[NormalizerStep],
) -> Iterator[Rewriting | ReplaceMatches | MapCharacters | MapClusters]:
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
            case Precompiled():
                yield of_step(step)
