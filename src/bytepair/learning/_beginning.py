"""What learning begins with: the words of a corpus in symbols, and what the symbols are."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bytepair.engines.python import SymbolTable
from bytepair.errors import CorpusError
from bytepair.model import BYTE_TO_CHAR, MergeTable, TokenId, TokenizerSpec, WordCounts

_Symbols = NDArray[np.uint32] | NDArray[np.uint8]


@dataclass(frozen=True)
class Beginning:
    """Words, and the symbols they are written in.

    Attributes:
        symbols: the words' symbols one after the other.
        offsets: int64[n + 1] into `symbols`.
        counts: int64[n]: how often each word occurs.
        contents: bytes of each symbol there is; the end mark is b"".
        byte_ids: symbols of the 256 single bytes, if there are any.
        end_mark: the symbol of the end mark, if there is one.
        ends_word, continues_word: symbols that only stand where a word ends, or where none begins.
        given: what is merged before anything is learned, over symbols.
        ids: the id of each symbol; None: the same number.
    """

    symbols: _Symbols
    offsets: NDArray[np.int64]
    counts: NDArray[np.int64]
    contents: list[bytes]
    byte_ids: tuple[TokenId, ...] = ()
    end_mark: int | None = None
    ends_word: frozenset[int] = frozenset()
    continues_word: frozenset[int] = frozenset()
    given: MergeTable = field(default_factory=lambda: MergeTable.from_merges([]))
    ids: NDArray[np.uint32] | None = None


def in_bytes(counts: WordCounts) -> Beginning:
    """The 256 bytes, ids 0..255."""
    symbols = np.frombuffer(counts.data, np.uint8)
    return Beginning(symbols, counts.offsets, counts.counts, _single_bytes(), tuple(range(256)))


def in_chars(
    counts: WordCounts,
    *,
    byte_fallback: bool,
    end_of_word: bool,
    limit: int | None = None,
    wanted: str = "",
) -> Beginning:
    """256 fallback bytes if asked for, code points ascending, the end mark if any.

    Args:
        limit: only so many code points, those that occur most often; of equally frequent ones the
            lowest. Where others stand a word is divided: nothing is merged with them.
        wanted: characters that are there in any case; they are not part of the limit.

    Raises:
        CorpusError: a pre-token is not UTF-8.
    """
    codes = np.frombuffer(_text(counts).encode("utf-32-le"), np.uint32)
    offsets = _char_offsets(counts)
    fallback = _single_bytes() if byte_fallback else []
    wanted_codes = np.array(sorted(set(map(ord, wanted))), np.uint32)
    kept = _most_frequent(codes, np.repeat(counts.counts, np.diff(offsets)), limit)
    alphabet = np.union1d(kept, wanted_codes).astype(np.uint32)
    contents = fallback + [chr(code).encode() for code in alphabet]
    places = np.minimum(np.searchsorted(alphabet, codes), max(len(alphabet) - 1, 0))
    known = alphabet[places] == codes if len(alphabet) else np.zeros(len(codes), np.bool_)
    symbols = np.asarray(places + len(fallback), np.uint32)
    mark = None
    if end_of_word:
        mark = len(contents)
        symbols = np.insert(symbols, offsets[1:], np.uint32(mark))
        known = np.insert(known, offsets[1:], True)
        offsets = offsets + np.arange(len(offsets))
        contents.append(b"")
    words = _divided(symbols, offsets, counts.counts, known)
    byte_ids = tuple(range(len(fallback)))
    return Beginning(
        *words, contents, byte_ids, mark, frozenset() if mark is None else frozenset([mark])
    )


def from_tokenizer(spec: TokenizerSpec, counts: WordCounts) -> Beginning:
    """The tokens of a vocabulary, numbered in the order of their ids, and its merges.

    Words that are looked up whole are left out, and others are divided where they have characters
    without a token: nothing is merged with what stands for these.

    Raises:
        EncodeError: a character that has no token, and nothing stands for it.
    """
    table = SymbolTable(spec)
    symbols, offsets = table.words(counts)
    known = ~np.isin(symbols, _stand_ins(table))
    if spec.ignore_merges:
        known &= np.repeat(table.whole(counts, looks_up=True) < 0, np.diff(offsets))
    words = _divided(symbols, offsets, counts.counts, known)
    vocabulary = spec.vocabulary
    return Beginning(
        *words,
        [table.content(symbol) for symbol in range(len(table))],
        vocabulary.byte_ids,
        ends_word=_symbols_of(table, vocabulary.ends_word),
        continues_word=_symbols_of(table, vocabulary.continues_word),
        given=table.merges,
        ids=table.ids,
    )


def huggingface_order(beginning: Beginning) -> list[int]:
    """Rank of each symbol: Hugging Face sorts bytes by the characters that stand for them."""
    by_char = sorted(range(256), key=BYTE_TO_CHAR.__getitem__)
    bytes_in_order = [beginning.byte_ids[byte] for byte in by_char]
    others = set(range(len(beginning.contents))).difference(bytes_in_order)
    ranks = [0] * len(beginning.contents)
    for rank, symbol in enumerate([*bytes_in_order, *sorted(others)]):
        ranks[symbol] = rank
    return ranks


def _stand_ins(table: SymbolTable) -> NDArray[np.uint32]:
    """Symbols that stand for text which has no token of its own."""
    spec = table.spec
    fallback = () if spec.alphabet == "bytes" else spec.vocabulary.byte_ids
    ids = [*fallback, *(() if spec.unk_id is None else (spec.unk_id,))]
    return table.of(np.array(ids, np.uint32))


def _symbols_of(table: SymbolTable, ids: frozenset[TokenId]) -> frozenset[int]:
    return frozenset(table.of(np.array(sorted(ids), np.uint32)).tolist())


def _most_frequent(
    codes: NDArray[np.uint32], weights: NDArray[np.int64], limit: int | None
) -> NDArray[np.uint32]:
    alphabet, places = np.unique(codes, return_inverse=True)
    if limit is None or len(alphabet) <= limit:
        return alphabet
    total = np.zeros(len(alphabet), np.int64)
    np.add.at(total, places, weights)
    return alphabet[np.argsort(-total, kind="stable")[:limit]]


def _divided(
    symbols: NDArray[np.uint32],
    offsets: NDArray[np.int64],
    counts: NDArray[np.int64],
    known: NDArray[np.bool_],
) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64]]:
    """The words without the symbols that are not known, divided where these stood."""
    if np.all(known):
        return symbols, np.ascontiguousarray(offsets, np.int64), counts
    places = np.flatnonzero(known)
    word = np.repeat(np.arange(len(counts)), np.diff(offsets))[places]
    starts = np.ones(len(places), np.bool_)
    starts[1:] = (np.diff(places) > 1) | (np.diff(word) > 0)
    begins = np.flatnonzero(starts)
    return symbols[places], np.append(begins, len(places)).astype(np.int64), counts[word[begins]]


def _single_bytes() -> list[bytes]:
    return [bytes([byte]) for byte in range(256)]


def _char_offsets(counts: WordCounts) -> NDArray[np.int64]:
    """Word borders in characters: a character begins wherever a byte is no continuation byte."""
    data = np.frombuffer(counts.data, np.uint8)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum((data & 0xC0) != 0x80)])
    return np.asarray(starts[counts.offsets], np.int64)


def _text(counts: WordCounts) -> str:
    """The words' characters, one word after the other."""
    data = np.frombuffer(counts.data, np.uint8)
    # Halves of a character in two words could look whole where the words touch.
    split = np.flatnonzero((data[counts.offsets[:-1]] & 0xC0) == 0x80)
    try:
        text = counts.data.decode()
    except UnicodeDecodeError as error:
        raise CorpusError(_not_text(counts, error.start)) from error
    if split.size:
        raise CorpusError(_not_text(counts, int(counts.offsets[split[0]])))
    return text


def _not_text(counts: WordCounts, at: int) -> str:
    word = int(np.searchsorted(counts.offsets, at, side="right")) - 1
    position = int(counts.first[word]) + at - int(counts.offsets[word])
    return (
        f"the corpus is not UTF-8 at byte {position} (documents counted one after the other): "
        f"byte {counts.data[at]:#04x}. alphabet='chars' needs text; convert the file, or "
        "train with alphabet='bytes', which takes any bytes."
    )
