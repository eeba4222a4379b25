from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair.corpus import Preprocessor
from bytepair.errors import ArgumentError, CorpusError, InputTypeError, PatternError
from bytepair.model import Chunk, SplitRules, TextFile


def documents(chunks: Iterable[Chunk]) -> list[bytes]:
    """Chunks of each document joined again."""
    joined = [b""]
    for chunk in chunks:
        joined[-1] += chunk.data
        if chunk.is_last:
            joined.append(b"")
    assert joined.pop() == b"", "the last chunk did not end its document"
    return joined


@pytest.fixture
def read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes the reader give one document in the chunks listed."""

    def prepare(pieces: list[bytes]) -> None:
        last = len(pieces) - 1
        chunks = [Chunk(piece, place == last) for place, piece in enumerate(pieces)]
        name = "bytepair.corpus._preprocessor.read_chunks"
        monkeypatch.setattr(name, lambda *_, **__: iter(chunks))

    return prepare


def test_rules_hold_the_regex_and_the_tokens_in_order() -> None:
    """What the other stages and the saved file need; never the name of a pattern."""
    prepare = Preprocessor(pattern="whitespace", normalizer="nfc", special_tokens=["<b>", "<a>"])
    assert prepare.rules == SplitRules(r"\S+|\s+", ("nfc",), ("<b>", "<a>"))


def test_one_special_token_may_be_given_as_a_string() -> None:
    """Taken as a sequence it would be eleven special tokens of one letter."""
    assert Preprocessor(special_tokens="<|endoftext|>").rules.special_tokens == ("<|endoftext|>",)


@pytest.mark.parametrize(
    "tokens",
    [None, {"<a>"}, {"<a>": 1}, iter(["<a>"]), 5],
    ids=lambda tokens: type(tokens).__name__,
)
def test_special_tokens_without_an_order_are_refused(tokens: Any) -> None:
    """Ids follow the order; that of a set changes from run to run, and a dict's ids were lost."""
    with pytest.raises(ArgumentError, match="special_tokens must be a list, in the order of the"):
        Preprocessor(special_tokens=tokens)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"special_tokens": ["<a>", "<a>"]}, ArgumentError),
        ({"special_tokens": [""]}, ArgumentError),
        ({"normalizer": "nfx"}, ArgumentError),
        ({"separator": ""}, ArgumentError),
        ({"separator": b""}, ArgumentError),
        ({"separator": 5}, ArgumentError),
        ({"pattern": "("}, PatternError),
        ({"pattern": "gtp2"}, PatternError),
        ({"pattern": "a*"}, PatternError),
    ],
    ids=str,
)
def test_option_that_cannot_work_is_refused_before_anything_is_read(
    options: dict[str, Any], error: type[Exception]
) -> None:
    """Not after an hour of reading."""
    with pytest.raises(error):
        Preprocessor(**options)


def test_without_options_documents_come_as_they_are() -> None:
    """Line ends, NUL and bytes that are not text included."""
    items = ["a\r\nb", b"\xff\0", "", "é"]
    chunks = Preprocessor().chunks(items)
    assert documents(chunks) == [b"a\r\nb", b"\xff\0", b"", b"\xc3\xa9"]


def test_reading_is_lazy() -> None:
    """A corpus is larger than memory; the generator is asked for what is needed."""

    def endless() -> Iterator[str]:
        while True:
            yield "a|b"

    chunks = Preprocessor(separator="|", normalizer="nfc").chunks(endless())
    assert [next(chunks).data for _ in range(5)] == [b"a", b"b", b"a", b"b", b"a"]


@given(
    document=st.text(st.sampled_from("ab-"), max_size=30).map(str.encode),
    cuts=st.lists(st.integers(0, 30), max_size=6),
    separator=st.sampled_from([b"-", b"--", b"-a-", b"aab"]),
)
def test_separator_is_found_across_any_chunk_borders(
    document: bytes, cuts: list[int], separator: bytes
) -> None:
    """Oracle: bytes.split of the whole document."""
    borders = [0, *sorted(cuts), len(document)]
    pieces = [document[a:b] for a, b in pairwise(borders)]
    chunks = [Chunk(piece, place == len(pieces) - 1) for place, piece in enumerate(pieces)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bytepair.corpus._preprocessor.read_chunks", lambda *_, **__: iter(chunks))
        found = documents(Preprocessor(separator=separator).chunks([]))
    expected = document.split(separator)
    assert found == (expected[:-1] if len(expected) > 1 and not expected[-1] else expected)


def test_separator_does_not_reach_across_documents() -> None:
    """Half a separator at the end of one file and half at the start of the next are text."""
    assert documents(Preprocessor(separator="--").chunks(["a-", "-b"])) == [b"a-", b"-b"]


def test_long_text_between_separators_is_passed_on_as_it_comes(read_in_pieces: Any) -> None:
    """Only what could be the beginning of a separator is held back."""
    read_in_pieces([b"aaaa", b"bb-", b"-cc", b""])
    chunks = list(Preprocessor(separator=b"---").chunks([]))
    assert max(len(chunk.data) for chunk in chunks) <= 4 + 2
    assert documents(chunks) == [b"aaaabb--cc"]


@pytest.mark.parametrize("options", [{"separator": "--"}, {"normalizer": "nfc"}])
def test_files_are_left_for_the_counter_unless_they_need_work(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    """The counter knows neither separators nor normalisers."""
    file = tmp_path / "a.txt"
    file.write_bytes(b"text")
    assert list(Preprocessor().documents(file)) == [TextFile(file, 4)]
    assert list(Preprocessor().documents(["text"])) == [Chunk(b"text")]
    assert list(Preprocessor(**options).documents(file)) == [Chunk(b"text")]


def test_separator_in_files_gives_documents(tmp_path: Path) -> None:
    """`str` and `bytes` separators mean the same."""
    (tmp_path / "a.txt").write_bytes("ein Wort§zwei".encode())
    for separator in ("§", "§".encode()):
        chunks = Preprocessor(separator=separator).chunks(tmp_path)
        assert documents(chunks) == [b"ein Wort", b"zwei"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ABC<|E|>DEF", "abc<|E|>def"),
        ("<|E|>", "<|E|>"),
        ("<|e|>A", "<|e|>a"),
        ("X<|E|>BY<|E|>", "x<|E|>By<|E|>"),
        ("X<|E|><|E|>Y", "x<|E|><|E|>y"),
        ("", ""),
    ],
)
def test_special_tokens_survive_the_normaliser(text: str, expected: str) -> None:
    """Lowered, `<|E|>` would be learned as text. Of two that begin alike the longer one counts."""
    prepare = Preprocessor(normalizer="lowercase", special_tokens=["<|E|>", "<|E|>B"])
    assert documents(prepare.chunks([text])) == [expected.encode()]


def test_document_is_normalised_as_a_whole(read_in_pieces: Any) -> None:
    """A letter in one chunk and its accent in the next must still become one character."""
    read_in_pieces([b"caf", b"e", "\u0301".encode(), b"!"])
    chunks = list(Preprocessor(normalizer="nfc").chunks([]))
    assert chunks == [Chunk("café!".encode())]


def test_normaliser_works_on_each_document_of_a_separated_text(read_in_pieces: Any) -> None:
    """Cut first: an accent at the beginning of a document has no letter to join."""
    read_in_pieces([b"e", b"|", "\u0301|E".encode()])
    prepare = Preprocessor(normalizer=["nfc", "lowercase"], separator="|")
    assert documents(prepare.chunks([])) == [b"e", "\u0301".encode(), b"e"]


@pytest.mark.parametrize("normalizer", ["nfc", "lowercase"])
def test_bytes_that_are_not_text_pass_a_normaliser(normalizer: str) -> None:
    """Training on bytes never fails on an encoding."""
    assert documents(Preprocessor(normalizer=normalizer).chunks([b"\xffa\x80"])) == [b"\xffa\x80"]


@pytest.mark.parametrize("options", [{}, {"separator": "|"}, {"normalizer": "nfc"}], ids=str)
def test_bad_item_is_named_and_errors_of_the_caller_pass_unchanged(options: Any) -> None:
    """Swallowed, either would give a tokenizer of the first half of the corpus."""

    def broken() -> Iterator[Any]:
        yield "text"
        raise RuntimeError("mine")

    with pytest.raises(InputTypeError, match="item 1 is NoneType"):
        list(Preprocessor(**options).chunks(["text", None]))  # type: ignore[list-item]
    with pytest.raises(RuntimeError, match="mine"):
        list(Preprocessor(**options).chunks(broken()))


def test_field_of_records_is_passed_on(tmp_path: Path) -> None:
    """JSONL is read by the field the caller names, and a missing one is an error with its place."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"body": "A|B"}\n', encoding="utf-8")
    prepare = Preprocessor(separator="|", normalizer="lowercase")
    assert documents(prepare.chunks(path, text_field="body")) == [b"a", b"b"]
    with pytest.raises(CorpusError, match=r"a\.jsonl:1: no field 'text'"):
        list(prepare.chunks(path))
