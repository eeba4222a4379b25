"""The oracle is Hugging Face's decoders, given the tokens as a file spells them."""

import copy
import pickle
from collections.abc import Sequence
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import example, given
from tokenizers import Regex, decoders

from bytepair.model import (
    AddedToken,
    DecoderStep,
    MergeTable,
    Replace,
    StripFirst,
    StripText,
    TokenizerSpec,
    Vocabulary,
    WordEnds,
    WordStarts,
)
from bytepair.tokenizer._decode import Decoding
from bytepair.tokenizer._decoder_steps import SpecDecoder, decoding_table

NO_MERGES = MergeTable.from_merges([])
# Of words and signs, with marks that the decoders take for spaces, and what they might mistake.
PIECES = [
    "lo",
    "w",
    "\u2581",
    "\u2581\u2581",
    "\u2581lo",
    "a\u2581b",
    "é",
    " ",
    "  x",
    ".",
    "?",
    "n't",
]
PIECES += [" do not", "'s", " ' ", "日", "#", "x ,y"]
SPECIALS = ["<s>", "</s>", "\u2581<pad>"]


def vocabulary(tokens: Sequence[str], **more: Any) -> Vocabulary:
    """One id a token, from 0."""
    return Vocabulary({number: token.encode() for number, token in enumerate(tokens)}, **more)


def decoding(
    engine: str, tokens: Vocabulary, *steps: DecoderStep, specials: Sequence[str] = SPECIALS
) -> Decoding:
    """A tokenizer's decoding half; special tokens have the ids from 1000 on."""
    added = tuple(AddedToken(content, 1000 + n) for n, content in enumerate(specials))
    spec = TokenizerSpec(
        tokens, NO_MERGES, added_tokens=added, alphabet="chars", decoder=tuple(steps)
    )
    return Decoding(spec, engine)


ids = st.lists(
    st.integers(0, len(PIECES) - 1) | st.integers(1000, 1000 + len(SPECIALS) - 1), max_size=6
)


def spelled(row: Sequence[int], pieces: Sequence[str] = PIECES) -> list[str]:
    """What a file calls these ids."""
    return [SPECIALS[token - 1000] if token >= 1000 else pieces[token] for token in row]


@given(row=ids)
@example(row=[2])
@example(row=[5, 5])
@example(row=[1000, 4])
def test_metaspace(engine: str, row: list[int]) -> None:
    """Every mark in the first token is dropped, each other one a space; also in special tokens."""
    ours = decoding(engine, vocabulary(PIECES), StripFirst("\u2581"), Replace("\u2581", " "))
    theirs = decoders.Metaspace(prepend_scheme="always")
    assert ours.decode(row) == theirs.decode(spelled(row))
    kept = [token for token in row if token < 1000]
    assert ours.decode(row, skip_special_tokens=True) == theirs.decode(spelled(kept))


@given(row=ids)
@example(row=[7, 0])
def test_replace_and_strip(engine: str, row: list[int]) -> None:
    """Llama 2: each mark is a space, and the first space of the text is left out."""
    ours = decoding(engine, vocabulary(PIECES), Replace("\u2581", " "), StripText(" ", 1, 0))
    theirs = decoders.Sequence(
        [decoders.Replace("\u2581", " "), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    assert ours.decode(row) == theirs.decode(spelled(row))


@given(row=ids)
def test_replace_by_a_regex(engine: str, row: list[int]) -> None:
    """Each token by itself; what is put in is no template."""
    ours = decoding(engine, vocabulary(PIECES), Replace("[a-z]+|\u2581", r"\0-", is_regex=True))
    theirs = decoders.Replace(Regex("[a-z]+|\u2581"), r"\0-")
    assert ours.decode(row) == theirs.decode(spelled(row))


@given(row=ids)
@example(row=[0])
@example(row=[1, 1000])
def test_word_ends(engine: str, row: list[int]) -> None:
    """A space behind each end of a word, but not at the end of the text."""
    ends = {0, 3, 6, 9}
    pieces = [piece + "</w>" * (number in ends) for number, piece in enumerate(PIECES)]
    ours = decoding(engine, vocabulary(PIECES, ends_word=frozenset(ends)), WordEnds())
    theirs = decoders.BPEDecoder(suffix="</w>")
    assert ours.decode(row) == theirs.decode(spelled(row, pieces))


@given(row=ids)
@example(row=[1])
@example(row=[1, 1])
@pytest.mark.parametrize("cleanup", [True, False])
def test_word_starts(engine: str, cleanup: bool, row: list[int]) -> None:
    """A space before each word but the first, and no space before punctuation."""
    continues = {1, 6, 15}
    pieces = ["##" * (number in continues) + piece for number, piece in enumerate(PIECES)]
    ours = decoding(
        engine,
        vocabulary(PIECES, continues_word=frozenset(continues)),
        WordStarts(cleanup, prefix="##"),
    )
    theirs = decoders.WordPiece(prefix="##", cleanup=cleanup)
    assert ours.decode(row) == theirs.decode(spelled(row, pieces))


@given(row=ids)
def test_no_decoder_puts_spaces_between(engine: str, row: list[int]) -> None:
    """What Hugging Face does with a file that names none."""
    ours = decoding(engine, vocabulary(PIECES), WordStarts(cleanup=False))
    assert ours.decode(row) == " ".join(spelled(row))


@pytest.mark.parametrize(
    ("content", "start", "stop", "text", "expected"),
    [
        (" ", 1, 0, "  a ", " a "),
        (" ", 0, 1, " a  ", " a "),
        (" ", 5, 5, "  a  ", "a"),
        (" ", 1, 1, "   ", " "),
        (" ", 9, 9, "   ", ""),
        ("é", 1, 1, "ééaé", "éa"),
        (" ", 1, 1, "a", "a"),
        (" ", 1, 1, "", ""),
        ("", 1, 1, "a", "a"),
    ],
)
def test_strips(engine: str, content: str, start: int, stop: int, text: str, expected: str) -> None:
    """At most so often; the end has what the beginning left."""
    ours = decoding(engine, vocabulary(sorted(set(text))), StripText(content, start, stop))
    row = [sorted(set(text)).index(char) for char in text]
    assert ours.decode(row) == expected
    assert ours.decode_bytes(row) == expected.encode()
    assert ours.decode_with_offsets(row)[0] == expected


def byte_fallback(engine: str) -> Decoding:
    """Bytes have the ids 0 to 255, then come a mark, a letter and a text that looks like a byte."""
    tokens = {byte: bytes([byte]) for byte in range(256)}
    tokens |= {256: "\u2581".encode(), 257: b"a", 258: b"<0x41>"}
    return decoding(
        engine, Vocabulary(tokens, tuple(range(256))), Replace("\u2581", " "), Replace("A", "x")
    )


@given(text=st.text(max_size=5), row=st.lists(st.sampled_from([256, 257, 258]), max_size=3))
def test_bytes_of_byte_fallback_are_joined(engine: str, text: str, row: list[int]) -> None:
    """They are bytes whatever the other steps do; text that looks like their names is not."""
    spelled_row = ["\u2581", "a", "<0x41>"]
    expected = "".join(spelled_row[token - 256] for token in row).replace("\u2581", " ")
    assert byte_fallback(engine).decode([*text.encode(), *row]) == text + expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xea\xb9\xb0", "깰"),
        (b"\xea\xb9", "\ufffd\ufffd"),
        (b"\xf0\x9f\x98", "\ufffd\ufffd\ufffd"),
        (b"\x80\xff", "\ufffd\ufffd"),
        (b"\xc3", "\ufffd"),
    ],
)
def test_bad_bytes_of_byte_fallback_are_replaced_one_by_one(
    engine: str, data: bytes, expected: str
) -> None:
    """Each stands for a token. Hugging Face does the same, and replaces good bytes beside them."""
    names = [f"<0x{byte:02X}>" for byte in data]
    assert decoders.ByteFallback().decode(names) == expected
    assert byte_fallback(engine).decode(list(data)) == expected
    assert byte_fallback(engine).decode([257, *data, 257]) == f"a{expected}a"
    assert byte_fallback(engine).decode(list(data), "ignore") == data.decode(errors="ignore")


def test_good_bytes_beside_bad_ones_are_kept(engine: str) -> None:
    """Hugging Face would lose the "A"."""
    assert byte_fallback(engine).decode([0x41, 0xFF, 0x42]) == "A\ufffdB"


@given(row=ids)
def test_parts_tell_what_stands_amid_a_text(engine: str, row: list[int]) -> None:
    """A single token is not stripped as if it were a text."""
    tokens = vocabulary(PIECES, ends_word=frozenset([0, 3]))
    ours = decoding(engine, tokens, StripFirst("\u2581"), Replace("\u2581", " "), WordEnds())
    parts = [
        (spelling.replace("\u2581", " ") + " " * (token in (0, 3))).encode()
        for token, spelling in zip(row, spelled(row), strict=True)
    ]
    assert ours.decode_tokens_bytes(row) == parts
    assert [ours.decode_single_token_bytes(token) for token in row] == parts


def test_offsets_count_what_is_left_of_the_text(engine: str) -> None:
    """What was stripped has no place; a token of which nothing is left begins where it would."""
    tokens = vocabulary([" ", "é", "x "])
    ours = decoding(engine, tokens, StripText(" ", 2, 1))
    assert ours.decode_with_offsets([0, 0, 1, 2]) == ("éx", [0, 0, 0, 1])
    assert ours.decode_with_offsets([0, 1, 0]) == ("é", [0, 0, 1])
    assert ours.decode_with_offsets([0, 0, 0]) == ("", [0, 0, 0])


def test_without_steps_nothing_depends_on_the_place() -> None:
    """So that a stream need not look at its tokens one by one."""
    contents, rules = decoding_table(TokenizerSpec(vocabulary(["a"]), NO_MERGES))
    assert contents == {0: b"a"}
    assert rules.is_plain


def test_a_decoder_is_pickled_as_its_spec(engine: str) -> None:
    """The core has no other form that could be written down; copies share it."""
    source = SpecDecoder(TokenizerSpec(vocabulary(["a", "b"]), NO_MERGES), engine)
    again = pickle.loads(pickle.dumps(source))
    assert again.decoder.decode([1, 0]) == b"ba"
    assert copy.copy(source) is copy.deepcopy(source) is source
