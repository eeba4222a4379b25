"""`Vocabulary`: what each token id stands for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from bytepair.model._tokens import Tokens
from bytepair.model._types import TokenId


@dataclass(frozen=True)
class Vocabulary:
    """Ordinary tokens (special tokens are kept apart): id -> the bytes the id stands for.

    These are the bytes in the text that is merged, after normalisers and pre-tokenisers; a
    tokenizer's decoder may turn them into others ("\u2581the" into " the").

    Attributes:
        tokens: ids ascending; ids may have gaps. Kept as `Tokens`, whatever mapping is given.
        byte_ids: the 256 ids of the single bytes 0..255, in order; empty if the alphabet is
            characters without byte fallback. With characters *and* byte fallback the byte token
            0x41 and the character "A" are different tokens with the same bytes.
        end_of_word_id: the token of the end mark, which decodes to nothing, or None.
        ends_word: tokens whose last part is the end mark. Without an `end_of_word_id` the mark
            is no symbol: a pre-token's last character is looked up among these (CLIP).
        continues_word: tokens that only stand where no word begins (spelled "##ing" in the files
            of tokenizers with a continuing-subword prefix).
    """

    tokens: Mapping[TokenId, bytes]
    byte_ids: tuple[TokenId, ...] = ()
    end_of_word_id: TokenId | None = None
    ends_word: frozenset[TokenId] = field(default_factory=frozenset)
    continues_word: frozenset[TokenId] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", Tokens.of(self.tokens))  # of a frozen value

    @property
    def flat(self) -> Tokens:
        """`tokens` as what it is."""
        return Tokens.of(self.tokens)

    @cached_property
    def id_by_bytes(self) -> Mapping[bytes, TokenId]:
        """Token bytes -> id; a character wins over its byte-fallback twin."""
        fallback = set(self.byte_ids)
        skipped = self.ends_word | self.continues_word
        mapping = {b: i for i, b in self.tokens.items() if i in fallback and i not in skipped}
        mapping.update(
            (b, i) for i, b in self.tokens.items() if i not in fallback and i not in skipped
        )
        return MappingProxyType(mapping)

    @cached_property
    def max_id(self) -> TokenId:
        """The largest id, or -1 if there is no token."""
        ids = self.flat.ids
        return int(ids[-1]) if len(ids) else -1

    def __len__(self) -> int:
        return len(self.tokens)

    def __iter__(self) -> Iterator[TokenId]:
        return iter(self.tokens)

    def __reduce__(self) -> tuple[object, ...]:  # cached look-ups are rebuilt, not pickled
        return (
            Vocabulary,
            (
                self.tokens,
                self.byte_ids,
                self.end_of_word_id,
                self.ends_word,
                self.continues_word,
            ),
        )
