"""The steps a text goes through before merging and after decoding, as values without behaviour.

Their meaning is that of the components of Hugging Face's `tokenizers` of the same names; what runs
them is `bytepair.normalizers` and the engines.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Literal

from bytepair.model._types import TokenId

# ------------------------------------------------------------------ normalisers


@dataclass(frozen=True, slots=True)
class Replace:
    """Each occurrence of `pattern` (literal text, or a regex) becomes `content`."""

    pattern: str
    content: str
    is_regex: bool = False


@dataclass(frozen=True, slots=True)
class Prepend:
    """`text` is put before a text that is not empty."""

    text: str


@dataclass(frozen=True, slots=True)
class Strip:
    """White space is taken from the ends."""

    left: bool = True
    right: bool = True


@dataclass(frozen=True)
class CharMap:
    """SentencePiece's character map: at each place, the longest key that begins there is replaced.

    Attributes:
        rules: (key, replacement), each key once. What is put in is not looked at again.
    """

    rules: tuple[tuple[str, str], ...]

    @cached_property
    def replacement_by_key(self) -> Mapping[str, str]:
        """The rules, for look-ups."""
        return MappingProxyType(dict(self.rules))

    @cached_property
    def longest_by_first(self) -> Mapping[str, int]:
        """First character of a key -> how many characters the longest such key has."""
        longest: dict[str, int] = {}
        for key, _ in self.rules:
            longest[key[0]] = max(longest.get(key[0], 0), len(key))
        return MappingProxyType(longest)

    def __reduce__(self) -> tuple[object, ...]:  # cached look-ups are rebuilt, not pickled
        return CharMap, (self.rules,)


@dataclass(frozen=True, slots=True)
class Precompiled:
    """SentencePiece's character map, as Hugging Face's library applies it: to whole clusters.

    Attributes:
        charsmap: the compiled map, as the file has it.
    """

    charsmap: bytes = field(repr=False)


NormalizerStep = str | Replace | Prepend | Strip | CharMap | Precompiled
"""One normaliser: its name (see `bytepair.normalizers`), or a step with parameters."""

# ------------------------------------------------------------------ pre-tokenisers

Behavior = Literal["isolated", "removed", "merged_with_previous", "merged_with_next", "contiguous"]
"""What becomes of a match: a piece of its own, nothing, part of the piece before or behind it, or
one piece with the matches beside it."""


@dataclass(frozen=True, slots=True)
class Split:
    """Cut at the matches of a regex.

    Attributes:
        invert: swaps what is a match and what lies between.
        by_bytes: the regex sees each byte as the character of `BYTE_TO_CHAR` that spells it, and
            may cut inside a character (steps that follow ByteLevel, as in Falcon's file).
    """

    pattern: str
    behavior: Behavior = "isolated"
    invert: bool = False
    by_bytes: bool = False


@dataclass(frozen=True, slots=True)
class Metaspace:
    """Spaces become `replacement`, one is put in front, and pieces begin with it.

    Attributes:
        prepend: "always": before each piece that does not begin with it; "first": only before
            the piece that the text begins with; "never".
        split: False: spaces are replaced and nothing is cut.
    """

    replacement: str = "\u2581"
    prepend: Literal["always", "first", "never"] = "always"
    split: bool = True


@dataclass(frozen=True, slots=True)
class PrefixSpace:
    """A space is put before each piece that does not begin with one."""


PreTokenizerStep = Split | Metaspace | PrefixSpace
"""One pre-tokeniser; each one works on the pieces that the one before it left."""

# ------------------------------------------------------------------ post-processors


@dataclass(frozen=True, slots=True)
class TemplatePiece:
    """A part of a template: the ids of a text ("A", "B"), or fixed `ids` (of special tokens)."""

    text: Literal["A", "B"] | None = None
    ids: tuple[TokenId, ...] = ()
    type_id: int = 0


@dataclass(frozen=True, slots=True)
class PostProcessor:
    """What surrounds the ids of a text where special tokens are asked for, and how offsets read.

    Attributes:
        single, pair: the template for one text and for two; () for the plain texts.
        trim_offsets: offsets leave out the white space at the ends of a token.
        prefix_space: with `trim_offsets`, the space that was put before the text stays counted.
    """

    single: tuple[TemplatePiece, ...] = ()
    pair: tuple[TemplatePiece, ...] = ()
    trim_offsets: bool = False
    prefix_space: bool = False


# ------------------------------------------------------------------ decoders

# `Replace`, above, is also a step of decoders: there it changes each token by itself, added tokens
# included, except the byte tokens of byte fallback.


@dataclass(frozen=True, slots=True)
class StripText:
    """At most `start` times `content` is taken from a text's beginning, `stop` from its end."""

    content: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class StripFirst:
    """Every `content` in the first token is left out (Metaspace's decoder)."""

    content: str


@dataclass(frozen=True, slots=True)
class WordEnds:
    """Tokens that end a word are followed by a space, except the last one (BPEDecoder)."""


@dataclass(frozen=True, slots=True)
class WordStarts:
    """Tokens that do not continue a word are preceded by a space, except the first (WordPiece).

    Attributes:
        cleanup: spaces before punctuation and English contractions are taken out of each token.
        prefix: stands before the first token if that continues a word.
    """

    cleanup: bool = True
    prefix: str = ""


DecoderStep = Replace | StripText | StripFirst | WordEnds | WordStarts
"""What decoding does beyond putting the tokens' bytes one after the other, in order: steps on
tokens first, then `StripText`, which sees the whole text."""
