"""Chat traffic: text in parts, of which only some may hold control tokens, and a cache of them."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from threading import Lock
from typing import NamedTuple

from bytepair.engines import Cutter
from bytepair.errors import InputTypeError
from bytepair.model import TokenId, at_least_one
from bytepair.tokenizer._input import text_bytes
from bytepair.tokenizer._stretches import Stretches

_ENTRY_BYTES = 200  # of Python objects around a stretch and its ids, roughly
_ID_BYTES = 8  # a place in a tuple; the integers are mostly shared


class Segment(NamedTuple):
    """A part of a text; only in a trusted one are special tokens looked for."""

    text: str | bytes
    trusted: bool = False


class SegmentCache:
    """Remembers the ids of stretches between added tokens, the least recently used go first.

    A prefix that many prompts share (a system prompt, earlier turns) is then encoded once. One
    cache belongs to one tokenizer; threads may share it.

    Args:
        max_bytes: of memory, roughly. A stretch that alone needs more is not kept.

    Raises:
        ArgumentError: `max_bytes` is not a whole number of 1 or more.
    """

    def __init__(self, max_bytes: int = 64 * 1024 * 1024) -> None:
        self.max_bytes = at_least_one("max_bytes", max_bytes)
        self.n_bytes = 0
        self.hits = 0
        self.misses = 0
        self._lock = Lock()
        self._ids: OrderedDict[tuple[bytes, bool], tuple[TokenId, ...]] = OrderedDict()

    def __repr__(self) -> str:
        return (
            f"<SegmentCache: {len(self._ids):,} stretches, {self.n_bytes:,} of "
            f"{self.max_bytes:,} bytes>"
        )

    def encode(self, encoder: Stretches, stretch: bytes, *, is_first: bool) -> Sequence[TokenId]:
        """The ids of a stretch without added tokens."""
        key = stretch, is_first
        with self._lock:
            found = self._ids.get(key)
            if found is not None:
                self.hits += 1
                self._ids.move_to_end(key)
                return found
            self.misses += 1
        ids = tuple(encoder.ids(stretch, is_first=is_first))
        self._keep(key, ids)
        return ids

    def _keep(self, key: tuple[bytes, bool], ids: tuple[TokenId, ...]) -> None:
        with self._lock:
            if key in self._ids or _size(key, ids) > self.max_bytes:
                return
            self._ids[key] = ids
            self.n_bytes += _size(key, ids)
            while self.n_bytes > self.max_bytes:
                old_key, old_ids = self._ids.popitem(last=False)
                self.n_bytes -= _size(old_key, old_ids)


def _size(key: tuple[bytes, bool], ids: tuple[TokenId, ...]) -> int:
    return len(key[0]) + len(ids) * _ID_BYTES + _ENTRY_BYTES


def encode_segments(
    segments: Iterable[Segment | tuple[str | bytes, bool]],
    encoder: Stretches,
    with_special: Stretches | None,
    trusted: Cutter,
    untrusted: Cutter,
    cache: SegmentCache | None,
) -> list[TokenId]:
    """Ids of the parts' texts laid end to end.

    A token that `trusted` finds counts where it lies in trusted parts (perhaps several side by
    side), one that `untrusted` finds in the others alike. What lies between is encoded as one
    stretch, whatever parts it comes from: pre-tokens may cross the borders of parts.

    Args:
        with_special: finds special tokens in normalised text, if the tokenizer has such. The
            trusted text that holds one is a stretch of its own: once it is normalised, nothing
            tells which part a token comes from.
    """
    if not isinstance(cache, SegmentCache | None):
        raise InputTypeError(f"cache: expected a SegmentCache, got {type(cache).__name__}.")
    ids: list[TokenId] = []
    stretch: list[bytes] = []
    is_first = True
    for part, is_trusted in _parts(segments, trusted, untrusted):
        if isinstance(part, bytes):
            starts = is_first and not any(stretch)
            own = _own_ids(part, encoder, with_special if is_trusted else None, is_first=starts)
            if own is None:
                stretch.append(part)
                continue
        else:
            own = [part]
        ids += _stretch_ids(encoder, b"".join(stretch), cache, is_first=is_first)
        ids += own
        stretch, is_first = [], False
    ids += _stretch_ids(encoder, b"".join(stretch), cache, is_first=is_first)
    return ids


def _own_ids(
    part: bytes, encoder: Stretches, with_special: Stretches | None, *, is_first: bool
) -> list[TokenId] | None:
    """The ids of a part by itself, if it holds special tokens once it is normalised."""
    if with_special is None:
        return None
    ids = with_special.ids(part, is_first=is_first)
    return ids if ids != encoder.ids(part, is_first=is_first) else None


def _stretch_ids(
    encoder: Stretches, stretch: bytes, cache: SegmentCache | None, *, is_first: bool
) -> Sequence[TokenId]:
    if not stretch:
        return ()
    if cache is None:
        return encoder.ids(stretch, is_first=is_first)
    return cache.encode(encoder, stretch, is_first=is_first)


def _parts(
    segments: Iterable[Segment | tuple[str | bytes, bool]], trusted: Cutter, untrusted: Cutter
) -> Iterator[tuple[bytes | TokenId, bool]]:
    """(ordinary bytes, or an added token between them; is it trusted?), in order."""
    for text, is_trusted in _runs(segments):
        end = 0
        for start, stop, token in (trusted if is_trusted else untrusted).cut(text):
            yield text[end:start], is_trusted
            yield token, is_trusted
            end = stop
        yield text[end:], is_trusted


def _runs(
    segments: Iterable[Segment | tuple[str | bytes, bool]],
) -> Iterator[tuple[bytes, bool]]:
    """Neighbours that are equally trusted as one text."""
    for is_trusted, run in groupby(_checked(segments), lambda part: part[1]):
        yield b"".join(text for text, _ in run), is_trusted


def _checked(
    segments: Iterable[Segment | tuple[str | bytes, bool]],
) -> Iterator[tuple[bytes, bool]]:
    """The parts; a role or anything else that is merely true trusts nobody."""
    if not isinstance(segments, Iterable):
        raise InputTypeError(
            f"expected segments, (text, trusted) each, got {type(segments).__name__}."
        )
    for number, part in enumerate(segments):
        is_pair = isinstance(part, tuple | list) and len(part) == 2
        if not is_pair or not isinstance(part[1], bool):
            raise InputTypeError(
                f"segment {number}: expected (text, trusted) with True or False, got {part!r:.60}."
            )
        yield text_bytes(part[0], f"segment {number}: "), part[1]
