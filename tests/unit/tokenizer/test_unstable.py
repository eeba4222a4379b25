import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from bytepair.errors import EncodeError
from bytepair.tokenizer import Tokenizer, _unstable

EOT = "<|endoftext|>"
PIECES = [
    "the",
    " dog",
    "dog",
    " ",
    "  ",
    "\n",
    "\t",
    "q",
    "qu",
    " quick",
    "é",
    "日",
    "12",
    "1",
    "'",
    "'s",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=5).map("".join)


def expected(encoding: tiktoken.Encoding, text: str) -> tuple[list[int], list[list[int]]]:
    """The answer of tiktoken, its completions sorted."""
    stable, completions = encoding.encode_with_unstable(text, allowed_special="all")
    return stable, sorted(completions)


@given(text=TEXTS)
def test_stable_ids_and_completions_are_tiktokens(
    tok: Tokenizer, encoding: tiktoken.Encoding, text: str
) -> None:
    """The whole set, for texts that end in the middle of anything."""
    assert tok.encode_with_unstable(text, allowed_special="all") == expected(encoding, text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        EOT,
        f"the{EOT}",
        f"{EOT} ",
        f"{EOT}  d",
        "a \n ",
        "é",
        "日本",
        "q" * 99,
        "qu" * 3_000,
        " " * 2_000,
    ],
)
def test_ends_of_another_kind(tok: Tokenizer, encoding: tiktoken.Encoding, text: str) -> None:
    """A special token is stable; white space is not."""
    assert tok.encode_with_unstable(text, allowed_special="all") == expected(encoding, text)


@given(text=TEXTS, more=TEXTS)
def test_stable_ids_begin_every_longer_text(tok: Tokenizer, text: str, more: str) -> None:
    """What the name promises."""
    stable, _ = tok.encode_with_unstable(text)
    assert tok.encode(text + more)[: len(stable)] == stable


@pytest.mark.parametrize("limit", ["_MOST_BYTES", "_MOST_IDS"])
def test_completions_of_a_word_without_end_are_refused(
    tok: Tokenizer, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    """Each holds all of its ids: for some megabytes of a letter they would fill the memory."""
    tok.encode_with_unstable("t" * 2_000)
    monkeypatch.setattr(_unstable, limit, 1_000)
    with pytest.raises(EncodeError, match=r"has 2,000 bytes and up to \d+ completions: .* Cut the"):
        tok.encode_with_unstable("t" * 2_000)
