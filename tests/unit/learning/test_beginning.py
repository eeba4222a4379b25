import re
from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from bytepair.learning._beginning import huggingface_order, in_bytes, in_chars
from bytepair.model import BYTE_TO_CHAR, WordCounts

WORDS = st.lists(
    st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=5),
    min_size=1,
    max_size=5,
    unique=True,
)


def test_bytes_are_ranked_as_hugging_faces_trainer_numbers_them() -> None:
    """Oracle: the ids it gives to its byte alphabet before any merge."""
    tokenizer = Tokenizer(models.BPE())
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=256, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([], trainer)
    expected = [tokenizer.token_to_id(char) for char in BYTE_TO_CHAR]
    counts = WordCounts.from_mapping({"a": 1})
    assert huggingface_order(in_bytes(counts)) == expected


@given(st.lists(st.binary(min_size=1, max_size=5), min_size=1, max_size=5, unique=True))
def test_byte_symbols_are_the_bytes(words: list[bytes]) -> None:
    """Ids 0 to 255, whatever occurs."""
    counts = WordCounts.from_mapping(dict.fromkeys(words, 1))
    first = in_bytes(counts)
    assert [bytes([symbol]) for symbol in first.symbols] == [bytes([b]) for b in b"".join(words)]
    assert first.offsets.tolist() == counts.offsets.tolist()
    assert first.contents == [bytes([byte]) for byte in range(256)]
    assert first.end_mark is None


@given(WORDS, st.booleans(), st.booleans())
def test_character_symbols_spell_the_words(words: list[str], fallback: bool, mark: bool) -> None:
    """One symbol a character, of any number of bytes, and the mark behind each word."""
    words = [word.encode("utf-8", "replace").decode() for word in words]
    counts = WordCounts.from_mapping(dict.fromkeys(words, 1))
    first = in_chars(counts, byte_fallback=fallback, end_of_word=mark)
    distinct = list(dict.fromkeys(words))
    for word, (start, end) in zip(distinct, pairwise(first.offsets), strict=True):
        spelt = [first.contents[symbol] for symbol in first.symbols[start:end]]
        assert spelt == [*(char.encode() for char in word), *([b""] if mark else [])]
    characters = sorted({char for word in words for char in word})
    assert first.contents[256 * fallback :][: len(characters)] == [c.encode() for c in characters]
    assert first.symbols.dtype == np.uint32


@given(WORDS, st.integers(1, 4), st.booleans())
def test_characters_beyond_the_limit_divide_words(words: list[str], limit: int, mark: bool) -> None:
    """The most frequent stay, of equals the lowest; what a word is divided into keeps its count."""
    words = [word.encode("utf-8", "replace").decode() for word in words]
    table = {word: number + 1 for number, word in enumerate(dict.fromkeys(words))}
    counts = WordCounts.from_mapping(table)
    first = in_chars(counts, byte_fallback=True, end_of_word=mark, limit=limit)
    total = Counter[str]()
    for word, count in table.items():
        total.update({char: count * n for char, n in Counter(word).items()})
    kept = sorted(sorted(total, key=lambda char: (-total[char], char))[:limit])
    assert first.contents[256:] == [*(char.encode() for char in kept), *([b""] if mark else [])]
    expected = []
    for word, count in table.items():
        for part in re.split(f"[^{re.escape(''.join(kept))}\0]", word + "\0" * mark):
            ids = [256 + kept.index(char) if char != "\0" else 256 + len(kept) for char in part]
            expected += [(ids, count)] if ids else []
    rows = [first.symbols[start:end].tolist() for start, end in pairwise(first.offsets)]
    assert [*zip(rows, first.counts.tolist(), strict=True)] == expected
