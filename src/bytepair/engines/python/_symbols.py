"""A pre-token's first symbols: its bytes or characters as ids, before anything is joined."""

from collections.abc import Iterable
from typing import NamedTuple

from bytepair.errors import EncodeError
from bytepair.model import TokenId, TokenizerSpec, Vocabulary


class Symbol(NamedTuple):
    """An id and how many bytes of the pre-token it stands for."""

    id: TokenId
    n_bytes: int


class FirstSymbols:
    """Looks up the parts of pre-tokens.

    A part is found under its bytes, and under whether a word begins before it and ends behind it,
    where the vocabulary tells such tokens apart.
    """

    def __init__(self, spec: TokenizerSpec) -> None:
        vocabulary = spec.vocabulary
        self._by_bytes = spec.alphabet == "bytes"
        self._end = [] if vocabulary.end_of_word_id is None else [vocabulary.end_of_word_id]
        self._ids = _ids(vocabulary, by_bytes=self._by_bytes)
        self._marks_begin = spec.continuing_prefix is not None
        self._marks_end = spec.end_of_word is not None and vocabulary.end_of_word_id is None
        self._fallback_ids = () if self._by_bytes else vocabulary.byte_ids
        self._unk_id = spec.unk_id
        self._fuses = spec.fuse_unk and not self._fallback_ids

    def of(self, word: bytes) -> list[Symbol]:
        """The symbols of `word`, which is not empty; together they stand for all of it.

        Raises:
            EncodeError: a character without a token, and there is neither byte fallback nor an
                unknown token.
        """
        symbols: list[Symbol] = []
        parts = self._parts(word)
        follows_unknown = False
        for place, part in enumerate(parts):
            continues = self._marks_begin and place > 0
            ends = self._marks_end and place == len(parts) - 1
            found = self._ids.get((part, continues, ends))
            if found is not None:
                symbols.append(Symbol(found, len(part)))
            elif follows_unknown and self._fuses:
                symbols[-1] = Symbol(symbols[-1].id, symbols[-1].n_bytes + len(part))
            else:
                symbols += self._unknown(part)
            follows_unknown = found is None
        return symbols + [Symbol(end, 0) for end in self._end]

    def ids(self) -> Iterable[TokenId]:
        """The ids of parts."""
        return self._ids.values()

    def _parts(self, word: bytes) -> list[bytes]:
        if self._by_bytes:
            return [word[place : place + 1] for place in range(len(word))]
        text = word.decode("utf-8", "surrogateescape")
        return [char.encode("utf-8", "surrogateescape") for char in text]

    def _unknown(self, part: bytes) -> list[Symbol]:
        if self._fallback_ids:
            return [Symbol(self._fallback_ids[byte], 1) for byte in part]
        if self._unk_id is None:
            raise EncodeError(unknown_character(part))
        return [Symbol(self._unk_id, len(part))]


def _ids(vocabulary: Vocabulary, *, by_bytes: bool) -> dict[tuple[bytes, bool, bool], TokenId]:
    """(bytes of one byte or character, continues a word?, ends a word?) -> id."""
    joined = frozenset() if vocabulary.end_of_word_id is None else vocabulary.ends_word
    left_out = joined if by_bytes else joined.union(vocabulary.byte_ids)
    return {
        (data, token in vocabulary.continues_word, token in vocabulary.ends_word): token
        for token, data in vocabulary.tokens.items()
        if token not in left_out and _is_part(data, by_bytes=by_bytes)
    }


def _is_part(data: bytes, *, by_bytes: bool) -> bool:
    return len(data if by_bytes else data.decode("utf-8", "replace")) == 1


def whole_words(spec: TokenizerSpec) -> dict[bytes, TokenId]:
    """The pre-tokens that become one id without being looked into; none unless `ignore_merges`.

    As in Hugging Face, a byte token of byte fallback is found by its spelling, "<0x41>", and not by
    the byte: what it stands for gets an end mark.
    """
    if not spec.ignore_merges:
        return {}
    fallback = () if spec.alphabet == "bytes" else spec.vocabulary.byte_ids
    spelt = {f"<0x{byte:02X}>".encode(): token for byte, token in enumerate(fallback)}
    left_out = set(fallback)
    whole = spec.vocabulary.id_by_bytes.items()
    return spelt | {data: token for data, token in whole if token not in left_out}


def character_ids(vocabulary: Vocabulary) -> dict[bytes, TokenId]:
    """UTF-8 of each single character that is a token of its own -> its id."""
    fallback = set(vocabulary.byte_ids)
    return {
        data: token
        for data, token in vocabulary.id_by_bytes.items()
        if token not in fallback and len(data.decode("utf-8", "replace")) == 1
    }


def unknown_character(data: bytes) -> str:
    """The message for a character outside the alphabet; both engines give it."""
    return (
        f"the vocabulary has no token for {data.decode('utf-8', 'backslashreplace')!r} "
        f"(bytes {data.hex(' ')}) and no byte fallback. Train with byte_fallback=True, or with "
        "alphabet='bytes', to encode any text."
    )
