"""A tokenizer's decoder steps, worked into what each of its tokens decodes to."""

from collections.abc import Callable

from bytepair.engines import Decoder, DecodingRules, select
from bytepair.model import (
    DecoderStep,
    Replace,
    StripFirst,
    StripText,
    TokenId,
    TokenizerSpec,
    Tokens,
    Vocabulary,
    WordEnds,
    WordStarts,
)
from bytepair.normalizers import normalize

# What Hugging Face's WordPiece decoder changes in each token, in this order.
_CLEANUP = (
    *((b" " + mark, mark) for mark in (b".", b"?", b"!", b",")),
    (b" ' ", b"'"),
    *((b" " + end, end) for end in (b"n't", b"'m")),
    (b" do not", b" don't"),
    *((b" " + end, end) for end in (b"'s", b"'ve", b"'re")),
)


class SpecDecoder:
    """The decoder of a spec. Immutable; pickled as what it was made from."""

    def __init__(self, spec: TokenizerSpec, engine: str | None = None) -> None:
        self._made_from = spec, engine
        contents, self.rules = decoding_table(spec)
        self.decoder: Decoder = select(engine).decoder(contents, self.rules)

    def __reduce__(self) -> tuple[object, ...]:
        return SpecDecoder, self._made_from

    def __copy__(self) -> "SpecDecoder":
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> "SpecDecoder":
        return self


def decoding_table(spec: TokenizerSpec) -> tuple[Tokens, DecodingRules]:
    """What each id decodes to amid a text, and what depends on its place there.

    >>> from bytepair.model import MergeTable, Vocabulary
    >>> vocabulary = Vocabulary({0: b"lo", 1: b"w"}, ends_word=frozenset([1]))
    >>> spec = TokenizerSpec(vocabulary, MergeTable.from_merges([]), decoder=(WordEnds(),))
    >>> contents, rules = decoding_table(spec)
    >>> contents, rules.last
    ({0: b'lo', 1: b'w '}, {1: b'w'})
    """
    contents = _forms(spec, is_first=False, is_last=False)
    return contents, DecodingRules(
        special=frozenset(token.id for token in spec.added_tokens if token.special),
        first=_edge(spec, contents, is_first=True, is_last=False),
        last=_edge(spec, contents, is_first=False, is_last=True),
        only=_edge(spec, contents, is_first=True, is_last=True),
        strips=tuple(s for s in spec.decoder if isinstance(s, StripText) and s.content),
        byte_fallback=bool(_fallback(spec)),
    )


def _edge(
    spec: TokenizerSpec, contents: Tokens, *, is_first: bool, is_last: bool
) -> dict[TokenId, bytes]:
    """What ids decode to at a place, where that differs from `contents`."""
    if not any(isinstance(step, (StripFirst, WordEnds, WordStarts)) for step in spec.decoder):
        return {}
    forms = _forms(spec, is_first=is_first, is_last=is_last)
    pairs = zip(forms.items(), contents.values(), strict=True)
    return {token: data for (token, data), usual in pairs if data != usual}


def _forms(spec: TokenizerSpec, *, is_first: bool, is_last: bool) -> Tokens:
    """What each id decodes to at a place."""
    added = {token.id: token.content.encode() for token in spec.added_tokens}
    forms = spec.vocabulary.flat.replaced(added)
    steps = [step for step in spec.decoder if not isinstance(step, StripText)]
    left_alone = _fallback(spec) if steps else frozenset()
    for step in steps:
        if isinstance(step, Replace) and not step.is_regex and step.pattern:
            forms = forms.with_text(step.pattern.encode(), step.content.encode(), left_alone)
            continue
        change = _change(step, spec.vocabulary, is_first=is_first, is_last=is_last)
        if change is not None:
            forms = Tokens.of(
                {t: data if t in left_alone else change(t, data) for t, data in forms.items()}
            )
    return forms


def _fallback(spec: TokenizerSpec) -> frozenset[TokenId]:
    """The tokens that stand for bytes of characters without a token."""
    return frozenset(spec.vocabulary.byte_ids if spec.alphabet == "chars" else ())


def _change(
    step: DecoderStep, vocabulary: Vocabulary, *, is_first: bool, is_last: bool
) -> Callable[[TokenId, bytes], bytes] | None:
    """What a step does to a token at a place; None: nothing."""
    match step:
        case Replace():
            return _replacement(step)
        case StripFirst(content) if is_first:
            return lambda _, data: data.replace(content.encode(), b"")
        case WordEnds() if not is_last:
            ends = vocabulary.ends_word | {vocabulary.end_of_word_id}
            return lambda token, data: data + b" " if token in ends else data
        case WordStarts():
            return _word_start(step, vocabulary.continues_word, is_first=is_first)
    return None


def _replacement(step: Replace) -> Callable[[TokenId, bytes], bytes]:
    if step.pattern and not step.is_regex:
        old, new = step.pattern.encode(), step.content.encode()
        return lambda _, data: data.replace(old, new)
    return lambda _, data: normalize(data, (step,))


def _word_start(
    step: WordStarts, continues_word: frozenset[TokenId], *, is_first: bool
) -> Callable[[TokenId, bytes], bytes]:
    of_start, of_rest = (b"", step.prefix.encode()) if is_first else (b" ", b"")

    def join(token: TokenId, data: bytes) -> bytes:
        data = (of_rest if token in continues_word else of_start) + data
        for old, new in _CLEANUP if step.cleanup else ():
            data = data.replace(old, new)
        return data

    return join
