"""`Tokenizer`: encode, decode, count, inspect."""

import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, SupportsInt

from bytepair import formats
from bytepair.errors import InputTypeError, UnknownTokenError
from bytepair.model import MergeTable, TokenId, TokenizerSpec, at_least_one
from bytepair.tokenizer._cutters import Allowed
from bytepair.tokenizer._encode import Encoding
from bytepair.tokenizer._input import (
    TokenIds,
    checked_ids,
    checked_text,
    each_row,
    text_bytes,
    thread_count,
)
from bytepair.tokenizer._inspection import Inspection, Piece


class Tokenizer(Encoding):
    """Text or bytes ↔ token ids. Immutable: share it between threads, pickle it, fork with it.

    The methods of tiktoken's `Encoding` are here under their names with their meaning. Special
    tokens in the text are an error unless a call allows them; added tokens that are not special
    are always matched, except by `encode_ordinary`. `bytes` are accepted wherever text is; a lone
    surrogate in a `str` becomes U+FFFD, a surrogate pair its code point.

    Make one with `bytepair.train`, `bytepair.load` or from a `TokenizerSpec`. `cache_bytes` limits
    each of the caches of words seen that the native engine keeps, one a thread at work.

    >>> import bytepair
    >>> tok = bytepair.train(["low lower lowest"] * 9, vocab_size=264, special_tokens=["<end>"])
    >>> tok.encode("low lowest<end>", allowed_special="all")
    [257, 262, 263]
    >>> tok.decode([257, 262])
    'low lowest'
    """

    def __init__(
        self, spec: TokenizerSpec, *, engine: str | None = None, cache_bytes: int | None = None
    ) -> None:
        if not isinstance(spec, TokenizerSpec):
            raise InputTypeError(
                f"expected a TokenizerSpec, got {type(spec).__name__}. Use bytepair.train(...) or "
                "bytepair.load(path)."
            )
        if cache_bytes is not None:
            cache_bytes = at_least_one("cache_bytes", cache_bytes)
        super().__init__(spec, engine, cache_bytes)
        self._options = engine, cache_bytes
        self._special = {t.content: t.id for t in spec.added_tokens if t.special}
        self._bytes_by_id = dict(spec.vocabulary.tokens)
        self._bytes_by_id.update((t.id, t.content.encode()) for t in spec.added_tokens)
        self._decoder = self._engine.decoder(self._bytes_by_id)

    def encode_single_token(self, text_or_bytes: str | bytes) -> TokenId:
        """The id of the token that is exactly this text; special tokens included.

        Raises:
            UnknownTokenError: no token is.
        """
        data = text_bytes(text_or_bytes)
        found = self._id_by_bytes.get(data)
        if found is None:
            raise UnknownTokenError(
                f"no token is exactly {data!r:.60}. encode() gives the tokens it is made of."
            )
        return found

    def inspect(self, text: str | bytes, *, allowed_special: Allowed = "all") -> Inspection:
        """The tokens of a text with their bytes and places."""
        spans = self._encoder.encode_spans(
            checked_text(text), self._cutters.of(allowed_special, ())
        )
        pieces: list[Piece] = []
        start = 0
        for token, is_added in zip(spans.ids.tolist(), spans.added.tolist(), strict=True):
            content = self._bytes_by_id[token]
            end = start + len(content)
            pieces.append(Piece(token, content, start, end, is_added))
            start = end
        return Inspection(tuple(pieces))

    # ------------------------------------------------------------------ ids → text

    def decode(self, tokens: TokenIds, errors: str = "replace") -> str:
        """Text of the ids; special tokens are kept.

        Args:
            errors: what happens to bytes that are not UTF-8, as for `bytes.decode`. "ignore" also
                leaves out ids the vocabulary does not have.

        Raises:
            UnknownTokenError: an id is not in the vocabulary.
            UnicodeDecodeError: with errors="strict", the bytes are not UTF-8.
        """
        data = self._decoder.decode(checked_ids(tokens), skip_unknown=errors == "ignore")
        return data.decode("utf-8", errors)

    def decode_bytes(self, tokens: TokenIds) -> bytes:
        """The exact bytes of the ids."""
        return self._decoder.decode(checked_ids(tokens))

    def decode_batch(
        self,
        batch: Iterable[TokenIds],
        *,
        errors: str = "replace",
        num_threads: int | None = None,
    ) -> list[str]:
        """`decode` for many sequences of ids.

        `num_threads` is taken as tiktoken takes it and makes no difference: decoding stays in the
        calling thread.

        Raises:
            InputTypeError, UnknownTokenError: as `decode`; the message names the row.
        """
        thread_count(None, num_threads)
        return each_row(lambda tokens: self.decode(tokens, errors), batch)

    def decode_bytes_batch(
        self, batch: Iterable[TokenIds], *, num_threads: int | None = None
    ) -> list[bytes]:
        """`decode_bytes` for many sequences of ids; `num_threads` as in `decode_batch`."""
        thread_count(None, num_threads)
        return each_row(self.decode_bytes, batch)

    def decode_tokens_bytes(self, tokens: TokenIds) -> list[bytes]:
        """The bytes of each id."""
        ids = checked_ids(tokens)
        self._decoder.decode(ids)  # raises for the first id that is unknown, with its position
        return [self._bytes_by_id[token] for token in ids]

    def decode_single_token_bytes(self, token: SupportsInt) -> bytes:
        """The bytes of one id; special tokens included."""
        return self.decode_bytes([token])

    def decode_with_offsets(self, tokens: TokenIds) -> tuple[str, list[int]]:
        """(text, for each id the index of the character in which its bytes begin).

        Raises:
            UnicodeDecodeError: the ids do not decode to valid UTF-8.

        >>> import bytepair
        >>> bytepair.train(["aé"], vocab_size=256, special_tokens=[]).decode_with_offsets(
        ...     [0x61, 0xC3, 0xA9])
        ('aé', [0, 1, 1])
        """
        parts = self.decode_tokens_bytes(tokens)
        offsets = []
        n_chars = 0
        for part in parts:
            inside = bool(part) and 0x80 <= part[0] < 0xC0  # goes on with the character before
            offsets.append(max(0, n_chars - inside))
            n_chars += sum(not 0x80 <= byte < 0xC0 for byte in part)
        return b"".join(parts).decode("utf-8", "strict"), offsets

    # ------------------------------------------------------------------ what it is

    @property
    def name(self) -> str:
        """What people call it."""
        return self.spec.name

    @property
    def pattern(self) -> str | None:
        """The pre-token regex; None: merges may go over a whole document."""
        return self.spec.rules.pattern

    @property
    def merges(self) -> MergeTable:
        """Which neighbours join, in the order of their rank."""
        return self.spec.merges

    @property
    def special_tokens(self) -> dict[str, TokenId]:
        """Content → id of the special tokens."""
        return dict(self._special)

    @property
    def special_tokens_set(self) -> set[str]:
        """The special tokens' contents."""
        return set(self._special)

    @property
    def vocab_size(self) -> int:
        """Number of tokens, special ones included. Ids may have gaps: see `n_vocab`."""
        return len(self._bytes_by_id)

    @property
    def max_token_value(self) -> TokenId:
        """The largest id."""
        return max(self._bytes_by_id)

    @property
    def n_vocab(self) -> int:
        """Largest id + 1: rows an embedding needs."""
        return self.max_token_value + 1

    @property
    def eot_token(self) -> TokenId:
        """Id of `<|endoftext|>`.

        Raises:
            UnknownTokenError: there is no such special token.
        """
        if "<|endoftext|>" not in self._special:
            raise UnknownTokenError("this tokenizer has no special token '<|endoftext|>'.")
        return self._special["<|endoftext|>"]

    def is_special_token(self, token: TokenId) -> bool:
        """True for the id of a special token."""
        return token in self._special.values()

    def token_byte_values(self) -> list[bytes]:
        """The bytes of all ordinary tokens, sorted."""
        return sorted(self.spec.vocabulary.tokens.values())

    def save(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,  # noqa: A002  # the public name
    ) -> list[Path]:
        """Write the tokenizer; returns the files written. Each is replaced whole or not at all.

        Args:
            path: a folder or `*.json` (Hugging Face), or `*.tiktoken`.
            format: "huggingface" or "tiktoken"; None: by the path.

        Raises:
            ExportError: the format cannot express this tokenizer exactly; says why.
            SaveError: the files could not be written; nothing was changed.
        """
        return formats.write(self.spec, path, format)

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name!r}: {self.vocab_size:,} tokens>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.spec, *self._options)

    def __copy__(self) -> "Tokenizer":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Tokenizer":
        return self  # immutable

    # ------------------------------------------------------------------ within

    @cached_property
    def _id_by_bytes(self) -> dict[bytes, TokenId]:
        added = {token.content.encode(): token.id for token in self.spec.added_tokens}
        return {**self.spec.vocabulary.id_by_bytes, **added}


def _rebuild(spec: TokenizerSpec, engine: str | None, cache_bytes: int | None) -> Tokenizer:
    return Tokenizer(spec, engine=engine, cache_bytes=cache_bytes)


def load(
    path: str | os.PathLike[str],
    *,
    pattern: str | None = None,
    special_tokens: dict[str, TokenId] | None = None,
    engine: str | None = None,
    cache_bytes: int | None = None,
) -> Tokenizer:
    """Read a tokenizer of any kind that the guide "Load" lists, or a folder that holds one.

    Args:
        pattern: name or regex, for files that do not say how text is cut (`.tiktoken`).
        special_tokens: content → id, likewise.
        engine: "native" or "python"; None: the one `bytepair.engine()` names.
        cache_bytes: limit of each cache of words seen; None: the engine's default.

    Raises:
        FormatError: missing, damaged, or something this version does not support; says what.
        MissingExtraError: SentencePiece's and GGUF's files need `bytepair[formats]`.
    """
    spec = formats.read(path, pattern=pattern, special_tokens=special_tokens)
    return Tokenizer(spec, engine=engine, cache_bytes=cache_bytes)
