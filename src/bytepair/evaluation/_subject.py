"""`Subject`: whatever turns texts into ids and can be measured, of this library or another."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bytepair.model import Split, byte_positions
from bytepair.tokenizer import Tokenizer


@dataclass(frozen=True, eq=False)
class Encoded:
    """Texts as a subject encodes them.

    Attributes:
        ids: uint32[n], of all texts, one after the other.
        offsets: int64[texts + 1]; text i became `ids[offsets[i]:offsets[i + 1]]`.
        ends: int64[n]: where each token ends, in bytes of all texts laid end to end. None: what
            the tokens stand for, laid end to end, are the texts.
    """

    ids: NDArray[np.uint32]
    offsets: NDArray[np.int64]
    ends: NDArray[np.int64] | None = None


class Subject(Protocol):
    """What is measured.

    Attributes:
        name: as tables show it.
        kind: how it works and whose it is ("BPE", "Unigram (sentencepiece)").
        vocab_size: all its tokens.
        unknown_id: of the token that stands for what it has no token for, or None.
    """

    name: str
    kind: str
    vocab_size: int
    unknown_id: int | None

    def encode(self, texts: Sequence[bytes]) -> Encoded:
        """Encode texts as a model is given them; special tokens in them are text."""

    def contents(self) -> dict[int, bytes]:
        """The bytes that each id stands for amid a text."""


class OfTokenizer:
    """A tokenizer of this library as a subject.

    Args:
        threads: None: one a core.
    """

    def __init__(
        self, tokenizer: Tokenizer, name: str | None = None, threads: int | None = None
    ) -> None:
        self.tokenizer = tokenizer
        self.name = tokenizer.name if name is None else name
        self.kind = "BPE"
        self.vocab_size = tokenizer.vocab_size
        self.unknown_id = tokenizer.spec.unk_id
        self._threads = threads

    def encode(self, texts: Sequence[bytes]) -> Encoded:
        """At the speed of the encoder, where tokens are the text's own bytes; else step by step."""
        ids, offsets = self.tokenizer.encode_batch_to_numpy(
            texts, threads=self._threads, disallowed_special=()
        )
        if self._is_plain:
            return Encoded(ids, offsets)
        return Encoded(ids, offsets, self._ends_by_offsets(texts))

    def contents(self) -> dict[int, bytes]:
        """The bytes that each id stands for amid a text."""
        return self._contents

    @cached_property
    def _contents(self) -> dict[int, bytes]:
        spec = self.tokenizer.spec
        ids = sorted({*spec.vocabulary.tokens, *(token.id for token in spec.added_tokens)})
        return dict(zip(ids, self.tokenizer.decode_tokens_bytes(ids), strict=True))

    @cached_property
    def _is_plain(self) -> bool:
        """True if tokens are the text's own bytes, whatever the text is."""
        spec = self.tokenizer.spec
        rules = spec.rules
        cuts_only = all(isinstance(s, Split) and s.behavior != "removed" for s in rules.steps)
        takes_spaces = any(t.lstrip or t.rstrip or t.normalized for t in spec.added_tokens)
        is_marked = spec.end_of_word is not None or spec.continuing_prefix is not None
        has_all = spec.alphabet == "bytes" and len(spec.vocabulary.byte_ids) == 256
        rewrites = bool(rules.normalizer or spec.decoder) or not cuts_only
        return has_all and not (is_marked or takes_spaces or rewrites)

    def _ends_by_offsets(self, texts: Sequence[bytes]) -> NDArray[np.int64]:
        ends: list[int] = []
        begin = 0
        for text in texts:
            offsets = self.tokenizer.encode_with_offsets(text, disallowed_special=())[1]
            chars = text.decode("utf-8", "surrogateescape")
            ends += [begin + place for place in byte_positions(chars, [end for _, end in offsets])]
            begin += len(text)
        return np.array(ends, np.int64)
