"""The "decoder" of a `tokenizer.json`: how tokens become text again.

Hugging Face hands a list of spelt tokens from one decoder to the next. Here a token has its bytes
from the start, so ByteLevel, ByteFallback and Fuse say nothing new: they only must stand where
they change nothing else.
"""

from collections.abc import Collection, Iterator, Sequence

from bytepair.errors import ExportError
from bytepair.formats._hf_patterns import portable_or_refuse, read_source
from bytepair.formats._hf_pretokenizer import (
    byte_level_json,
    leaves,
    read_char,
    read_prepend_scheme,
    read_replacement,
)
from bytepair.formats._json import Object, Section
from bytepair.formats._vocab import FALLBACK_SPELLINGS, Spelling
from bytepair.model import DecoderStep, Replace, StripFirst, StripText, WordEnds, WordStarts
from bytepair.patterns import regex_of

_LARGEST = 2**31 - 1  # characters that a Strip may take
_ON_TOKENS = ("Replace", "Metaspace", "WordPiece", "BPEDecoder")
_KNOWN = ("ByteLevel", "ByteFallback", "Fuse", "Strip", *_ON_TOKENS)


def read_decoder(
    root: Section, spelling: Spelling, tokens: Collection[str]
) -> tuple[DecoderStep, ...]:
    """What decoding does; `tokens` are those of the file.

    A file without a decoder is decoded as fits its kind of tokens.

    Raises:
        FormatError: a component that is not known, or one that does not go with the tokens or with
            what stands before it.
    """
    section = root.optional_section("decoder")
    if section is None:
        return _by_default(root, spelling)
    chain = _Chain(section, spelling, tokens)
    for leaf in leaves(section, "decoders", _KNOWN):
        chain.add(leaf)
    return chain.result()


def _by_default(root: Section, spelling: Spelling) -> tuple[DecoderStep, ...]:
    if spelling.has_fallback:
        raise root.error(
            "decoder is missing: byte fallback needs a ByteFallback decoder, or bytes would be "
            "decoded as their spelling, such as '<0x0A>'"
        )
    if spelling.suffix and (spelling.is_byte_level or not spelling.prefix):
        return (WordEnds(),)
    if spelling.is_byte_level:
        return ()
    return (WordStarts(cleanup=False, prefix=spelling.prefix),)


class _Chain:
    """Reads decoders one after the other."""

    def __init__(self, section: Section, spelling: Spelling, tokens: Collection[str]) -> None:
        self.section = section
        self.spelling = spelling
        self.tokens = tokens
        self.kinds: list[str] = []
        self.steps: list[DecoderStep] = []

    def add(self, leaf: Section) -> None:
        """The next decoder."""
        kind = leaf.get("type", str)
        self._check_place(leaf, kind)
        self.kinds.append(kind)
        match kind:
            case "ByteLevel":
                leaf.ignore("add_prefix_space", "trim_offsets", "use_regex")
            case "Strip":
                numbers = _count(leaf, "start"), _count(leaf, "stop")
                self.steps.append(StripText(read_char(leaf, "content"), *numbers))
            case "Replace":
                self._add_replace(leaf, Replace(*_source(leaf)))
            case "Metaspace":
                self._add_metaspace(leaf)
            case "WordPiece":
                self._add_word_piece(leaf)
            case "BPEDecoder":
                self._add_word_ends(leaf)

    def result(self) -> tuple[DecoderStep, ...]:
        """The steps, once nothing is missing."""
        spelling, is_text = self.spelling, not self.spelling.is_byte_level
        needed = {
            "ByteLevel": spelling.is_byte_level,
            "ByteFallback": spelling.has_fallback,
            "BPEDecoder": is_text and spelling.suffix and not spelling.prefix,
            "WordPiece": is_text and spelling.prefix,
        }
        for kind, is_needed in needed.items():
            if is_needed and kind not in self.kinds:
                raise self.section.error(
                    f"{self.section.where} has no {kind}, which these tokens need"
                )
        # ByteLevel alone would show the suffix: CLIP's own code makes a space of it.
        ends = [WordEnds()] if spelling.is_byte_level and spelling.suffix else []
        return (*ends, *self.steps)

    def _check_place(self, leaf: Section, kind: str) -> None:
        on_text = {"ByteLevel", "Fuse"}.intersection(self.kinds)
        if kind == "ByteLevel":
            is_right = self.spelling.is_byte_level and not self.kinds
        elif kind == "Strip":
            is_right = bool(on_text)
        elif kind == "ByteFallback":
            is_right = not on_text and (self.spelling.has_fallback or not self._spells_bytes())
        elif kind == "Fuse":
            is_right = True
        else:
            is_right = not on_text and "ByteFallback" not in self.kinds
        if not is_right:
            behind = f", or not behind {' and '.join(self.kinds)}" if self.kinds else ""
            raise leaf.error(
                f"{leaf.where}: the decoder {kind} does not go with these tokens{behind}"
            )

    def _spells_bytes(self) -> bool:
        return any(spelling in self.tokens for spelling in FALLBACK_SPELLINGS)

    def _add_replace(self, leaf: Section, step: Replace) -> None:
        pattern = regex_of(step.pattern) if step.is_regex else None
        for spelling in FALLBACK_SPELLINGS if self.spelling.has_fallback else ():
            if step.pattern in spelling if pattern is None else pattern.search(spelling):
                raise leaf.error(f"{leaf.where} would change {spelling!r}, which is not supported")
        self.steps.append(step)

    def _add_metaspace(self, leaf: Section) -> None:
        leaf.ignore("split")
        replacement = read_replacement(leaf)
        if read_prepend_scheme(leaf) != "never":
            self.steps.append(StripFirst(replacement))
        self._add_replace(leaf, Replace(replacement, " "))

    def _add_word_piece(self, leaf: Section) -> None:
        prefix = leaf.get("prefix", str)
        if not prefix or (prefix != self.spelling.prefix and self._begins_with(prefix)):
            raise leaf.error(
                f"{leaf.path('prefix')} {prefix[:60]!r} is not the prefix of the model's tokens"
            )
        self._add_alone(leaf, WordStarts(leaf.get("cleanup", bool), prefix))

    def _begins_with(self, prefix: str) -> bool:
        return bool(self.spelling.prefix) or any(t.startswith(prefix) for t in self.tokens)

    def _add_word_ends(self, leaf: Section) -> None:
        if (suffix := leaf.get("suffix", str)) != self.spelling.suffix:
            raise leaf.error(
                f"{leaf.path('suffix')} {suffix[:60]!r} is not the suffix of the model's tokens"
            )
        self._add_alone(leaf, WordEnds())

    def _add_alone(self, leaf: Section, step: DecoderStep) -> None:
        if self.steps or self.spelling.has_fallback:
            raise leaf.error(
                f"{leaf.where}: {self.kinds[-1]} does not go with byte fallback or other decoders"
            )
        self.steps.append(step)


def _count(leaf: Section, key: str) -> int:
    number = leaf.get(key, int)
    if not 0 <= number <= _LARGEST:
        raise leaf.error(f"{leaf.path(key)} must be from 0 to {_LARGEST}, got {str(number)[:60]}")
    return number


def _source(leaf: Section) -> tuple[str, str, bool]:
    source = read_source(leaf)
    return source.text, leaf.get("content", str), source.is_regex


def decoder_json(steps: Sequence[DecoderStep], spelling: Spelling) -> Object | None:
    """The component for these steps.

    Raises:
        ExportError: steps that Hugging Face does not have in this order.
    """
    if not spelling.is_byte_level and list(steps) == [WordStarts(cleanup=False)]:
        return None
    components = list(_components(list(steps), spelling))
    if len(components) > 1:
        return {"type": "Sequence", "decoders": components}
    return components[0]


def _components(steps: list[DecoderStep], spelling: Spelling) -> Iterator[Object]:
    if spelling.is_byte_level:
        if spelling.suffix and steps[:1] == [WordEnds()]:
            del steps[0]
        yield byte_level_json(add_prefix_space=True, use_regex=True)  # as Hugging Face writes it
    else:
        yield from _on_tokens(steps, spelling)
    for step in steps:
        if not isinstance(step, StripText):
            raise ExportError(f"a tokenizer.json cannot express the decoder {step} at its place")
        yield {"type": "Strip", "content": step.content, "start": step.start, "stop": step.stop}


def _on_tokens(steps: list[DecoderStep], spelling: Spelling) -> Iterator[Object]:
    """The components for the first of `steps`, which are taken out, and what joins the tokens."""
    is_changed = False
    while steps and (component := _on_token(steps, spelling)):
        is_changed = True
        yield component
    if spelling.has_fallback:
        yield {"type": "ByteFallback"}
    if spelling.has_fallback or steps or not is_changed:
        yield {"type": "Fuse"}


def _on_token(steps: list[DecoderStep], spelling: Spelling) -> Object | None:
    match steps:
        case [StripFirst(content), Replace(pattern, " ", False), *_] if content == pattern:
            del steps[:2]
            kind: Object = {"type": "Metaspace", "replacement": content}
            return kind | {"prepend_scheme": "always", "split": True}
        case [Replace(pattern, content, is_regex), *_]:
            del steps[0]
            source = {"Regex": portable_or_refuse(pattern)} if is_regex else {"String": pattern}
            return {"type": "Replace", "pattern": source, "content": content}
        case [WordStarts(cleanup, prefix)]:
            del steps[0]
            return {"type": "WordPiece", "prefix": prefix, "cleanup": cleanup}
        case [WordEnds()] if spelling.suffix:
            del steps[0]
            return {"type": "BPEDecoder", "suffix": spelling.suffix}
    return None
