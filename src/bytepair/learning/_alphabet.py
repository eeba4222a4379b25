"""The first symbols: what pre-tokens are made of before any merge."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bytepair.errors import CorpusError
from bytepair.model import BYTE_TO_CHAR, MergeBatch, TokenId, WordCounts


@dataclass(frozen=True)
class FirstSymbols:
    """An alphabet, and the words of a corpus written in it.

    Attributes:
        symbols: the words' symbols one after the other.
        offsets: int64[n + 1] into `symbols`.
        contents: bytes of each symbol; the end mark is b"".
        byte_ids: ids of the 256 single bytes, if there are any.
        has_end_mark: the last symbol is the end mark.
    """

    symbols: NDArray[np.uint32] | NDArray[np.uint8]
    offsets: NDArray[np.int64]
    contents: list[bytes]
    byte_ids: tuple[TokenId, ...] = ()
    has_end_mark: bool = False

    @property
    def end_of_word_id(self) -> TokenId | None:
        """Id of the end mark, if there is one."""
        return len(self.contents) - 1 if self.has_end_mark else None

    def lengths(self, merges: MergeBatch) -> NDArray[np.uint32]:
        """Of each symbol of the alphabet and of what merges made: how many of them it is, the end
        mark not counted.
        """
        lengths = [1 if content else 0 for content in self.contents]
        for left, right in zip(merges.left.tolist(), merges.right.tolist(), strict=True):
            lengths.append(lengths[left] + lengths[right])
        return np.array(lengths, np.uint32)


def byte_symbols(counts: WordCounts) -> FirstSymbols:
    """The 256 bytes, ids 0..255."""
    symbols = np.frombuffer(counts.data, np.uint8)
    return FirstSymbols(symbols, counts.offsets, _single_bytes(), tuple(range(256)))


def char_symbols(counts: WordCounts, *, byte_fallback: bool, end_of_word: bool) -> FirstSymbols:
    """256 fallback bytes if asked for, the corpus's code points ascending, the end mark if any.

    Raises:
        CorpusError: a pre-token is not UTF-8.
    """
    text = _text(counts)
    codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    fallback = _single_bytes() if byte_fallback else []
    alphabet, positions = np.unique(codes, return_inverse=True)
    contents = fallback + [chr(code).encode() for code in alphabet]
    offsets = _char_offsets(counts)
    symbols = np.asarray(positions + len(fallback), np.uint32)
    if end_of_word:
        symbols = np.insert(symbols, offsets[1:], np.uint32(len(contents)))
        offsets = offsets + np.arange(len(offsets))
        contents.append(b"")
    return FirstSymbols(symbols, offsets, contents, tuple(range(len(fallback))), end_of_word)


def huggingface_byte_order() -> list[int]:
    """Rank of each byte: Hugging Face sorts bytes by the characters that stand for them."""
    by_char = sorted(range(256), key=BYTE_TO_CHAR.__getitem__)
    return [by_char.index(byte) for byte in range(256)]


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
