"""Cut a stretch of text into pre-tokens, one step after the other."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bytepair.engines.python._split import Splitter
from bytepair.model import (
    BYTE_TO_CHAR,
    Behavior,
    Metaspace,
    PrefixSpace,
    SplitRules,
    byte_positions,
)
from bytepair.model import Split as SplitStep
from bytepair.normalizers import Aligned
from bytepair.patterns import matches


class Span(NamedTuple):
    """A part of a text: matched by a pattern, or between two matches."""

    start: int
    end: int
    is_match: bool


def pre_tokens(rules: SplitRules, stretch: Aligned) -> Iterator[Aligned]:
    """The pre-tokens of a stretch, in order; none is empty."""
    if not rules.steps:
        yield from _by_pattern(Splitter(rules.pattern), stretch)
        return
    pieces: Iterable[Aligned] = [stretch]
    for step in rules.steps:
        match step:
            case SplitStep():
                pieces = [part for piece in pieces for part in _split(step, piece)]
            case Metaspace():
                pieces = [part for piece in pieces for part in _metaspace(step, piece)]
            case PrefixSpace():
                pieces = [_prefixed(" ", piece) for piece in pieces]
        pieces = [piece for piece in pieces if piece.data]
    yield from pieces


def _by_pattern(splitter: Splitter, stretch: Aligned) -> Iterator[Aligned]:
    start = 0
    for end in splitter.split(stretch.data):
        yield stretch.part(start, end)
        start = end


def _split(step: SplitStep, piece: Aligned) -> Iterator[Aligned]:
    text = _seen(step, piece.data)
    spans = list(_matches_and_gaps(step.pattern, text))
    if step.invert:
        spans = [Span(start, end, not is_match) for start, end, is_match in spans]
    spans = joined(spans, step.behavior)
    borders = [place for span in spans for place in span[:2]]
    if not step.by_bytes:
        borders = byte_positions(text, borders)
    for start, end in zip(borders[::2], borders[1::2], strict=True):
        yield piece.part(start, end)


def _seen(step: SplitStep, data: bytes) -> str:
    """What the regex sees: characters, or one that spells it for each byte."""
    if step.by_bytes:
        return "".join([BYTE_TO_CHAR[byte] for byte in data])
    return data.decode("utf-8", "surrogateescape")


def _matches_and_gaps(pattern: str, text: str) -> Iterator[Span]:
    end = 0
    for match in matches(pattern, text):
        if match.start() > end:
            yield Span(end, match.start(), False)
        yield Span(match.start(), match.end(), True)
        end = match.end()
    if end < len(text):
        yield Span(end, len(text), False)


def joined(spans: list[Span], behavior: Behavior) -> list[Span]:
    """What becomes of matches and of what lies between them.

    >>> dash = [Span(0, 1, False), Span(1, 2, True), Span(2, 3, True), Span(3, 4, False)]
    >>> [span[:2] for span in joined(dash, "merged_with_previous")]
    [(0, 2), (2, 3), (3, 4)]
    """
    if behavior == "isolated":
        return spans
    if behavior == "removed":
        return [span for span in spans if not span.is_match]
    if behavior == "merged_with_next":
        return _with_neighbours(spans[::-1], behavior)[::-1]
    return _with_neighbours(spans, behavior)


def _with_neighbours(spans: list[Span], behavior: Behavior) -> list[Span]:
    result: list[Span] = []
    follows_match = False
    for span in spans:
        joins = span.is_match and not follows_match
        if behavior == "contiguous":
            joins = span.is_match == follows_match
        if joins and result:
            last = result[-1]
            span_of_both = min(last.start, span.start), max(last.end, span.end)
            result[-1] = Span(*span_of_both, last.is_match)
        else:
            result.append(span)
        follows_match = span.is_match
    return result


def _metaspace(step: Metaspace, piece: Aligned) -> Iterator[Aligned]:
    text = piece.data.decode("utf-8", "surrogateescape")
    spaces = (place for place, char in enumerate(text) if char == " ")
    piece = piece.edited((place, place + 1, step.replacement) for place in spaces)
    if step.prepend == "always" or (step.prepend == "first" and piece.begins_text()):
        piece = _prefixed(step.replacement, piece)
    if not step.split:
        yield piece
    else:
        pattern = re.escape(step.replacement)
        yield from _split(SplitStep(pattern, "merged_with_next"), piece)


def _prefixed(prefix: str, piece: Aligned) -> Aligned:
    if piece.data.startswith(prefix.encode()):
        return piece
    return piece.edited([(0, 0, prefix)])
