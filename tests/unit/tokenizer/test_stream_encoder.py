import copy
import itertools
import pickle
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair
from bytepair.errors import ArgumentError, InputTypeError, SpecialTokenError
from bytepair.model import AddedToken
from bytepair.tokenizer import Tokenizer

EOT, START = "<|endoftext|>", "<|im_start|>"
PIECES = [
    EOT,
    START,
    "<|",
    "|>",
    "endoftext",
    " the",
    "dog",
    "\n",
    "  ",
    "é",
    "日本",
    "123",
    "'s",
    "👍🏽",
]
TEXT = st.one_of(st.lists(st.sampled_from(PIECES)).map("".join), st.text())


def pushed(tok: Tokenizer, parts: list[Any], **options: Any) -> list[int]:
    """What a stream gives for the parts."""
    stream = tok.stream_encoder(**options)
    ids = [token for part in parts for token in stream.push(part)]
    return ids + stream.finish()


def cut(text: Any, places: list[int]) -> list[Any]:
    """The text in parts."""
    borders = sorted({0, len(text), *(place % (len(text) + 1) for place in places)})
    return [text[a:b] for a, b in itertools.pairwise(borders)]


@given(text=TEXT, places=st.lists(st.integers(0, 500), max_size=8))
@pytest.mark.parametrize("options", [{"allowed_special": "all"}, {"disallowed_special": ()}])
def test_a_stream_gives_the_ids_of_the_whole_text(
    tok: Tokenizer, text: str, places: list[int], options: dict[str, Any]
) -> None:
    """Wherever the text is cut: within a word, a special token, a character's bytes."""
    expected = tok.encode(text, **options)
    assert pushed(tok, cut(text, places), **options) == expected
    assert pushed(tok, cut(text.encode(), places), **options) == expected
    assert pushed(tok, list(text), **options) == expected


@given(data=st.binary(), places=st.lists(st.integers(0, 500), max_size=8))
def test_a_stream_takes_any_bytes(tok: Tokenizer, data: bytes, places: list[int]) -> None:
    """Also such as are no text."""
    assert pushed(tok, cut(data, places)) == tok.encode(data, disallowed_special=())


def test_a_pair_of_surrogates_may_come_in_two_parts(tok: Tokenizer) -> None:
    """As an editor sends them; half a pair becomes U+FFFD, as everywhere."""
    assert pushed(tok, ["a\ud83d", "", "\udc4d!"]) == tok.encode("a👍!")
    assert pushed(tok, ["a\ud83d"]) == tok.encode("a\ufffd")
    assert pushed(tok, ["a\ud83d", b"b"]) == tok.encode("a\ufffdb")


def test_ids_come_as_soon_as_they_are_certain(engine: str) -> None:
    """Hand-worked: a word may grow until something else follows it."""
    corpus = ["low lower lowest"] * 9
    tok = bytepair.train(corpus, vocab_size=264, special_tokens=["<end>"], engine=engine)
    stream = tok.stream_encoder(allowed_special="all")
    got = [stream.push(part) for part in ("low", " low", "est", "<", "end>", "x")]
    if engine == "native":  # the regex engine of the other cannot tell what is certain
        assert got == [[], [257], [], [], [262, 263], []]
    assert [token for ids in got for token in ids] + stream.finish() == [257, 262, 263, ord("x")]


def test_what_is_held_back_stays_small(tok: Tokenizer) -> None:
    """Memory is that of the last pre-token, not of the text."""
    stream = tok.stream_encoder()
    held = []
    for _ in range(1_000):
        stream.push("the quick brown fox ")
        held.append(len(stream._held))
    if tok._engine.name == "native":
        assert max(held) < 20


@pytest.mark.parametrize("size", [1, 64, 5_000])
@pytest.mark.parametrize("char", ["a", " ", "\n", "漢"])
def test_a_word_without_end_is_not_looked_through_with_every_piece(
    tok: Tokenizer, char: str, size: int
) -> None:
    """Else the cost of a run would grow with the square of its length."""
    stream, looked_at = tok.stream_encoder(), 0
    part = stream._encoder.part

    def counted(data: bytes, **options: bool) -> Any:
        nonlocal looked_at
        looked_at += len(data)
        return part(data, **options)

    stream._encoder.part = counted  # type: ignore[method-assign]
    text = char * 40_000
    ids = [token for at in range(0, len(text), size) for token in stream.push(text[at : at + size])]
    assert ids + stream.finish() == tok.encode(text)
    assert looked_at < 8 * len(text.encode()) + 1_100 * 1_100


def test_a_disallowed_token_is_refused_at_once_within_a_long_word(tok: Tokenizer) -> None:
    """Although nothing else is looked for meanwhile."""
    stream = tok.stream_encoder()
    assert stream.push("a" * 5_000) == stream.push("a<|endof") == []
    with pytest.raises(SpecialTokenError, match=r"'<\|endoftext\|>' at byte 5001"):
        stream.push("text|>")
    assert stream.push("x") == []
    assert stream.finish() == tok.encode("a" * 5_001 + "<|endofx")


def test_a_disallowed_token_is_refused_where_it_is_complete(tok: Tokenizer) -> None:
    """The position is that in the whole text; the stream can go on without that part."""
    stream = tok.stream_encoder()
    ids = stream.push("the dog <|endof")
    with pytest.raises(SpecialTokenError, match=r"'<\|endoftext\|>' at byte 8"):
        stream.push("text|> x")
    ids += stream.push("x|> y")
    assert ids + stream.finish() == tok.encode("the dog <|endofx|> y")


def test_a_finished_stream_takes_no_more(tok: Tokenizer) -> None:
    """A second text needs a second stream."""
    stream = tok.stream_encoder()
    assert stream.finish() == []
    for call in (lambda: stream.push("a"), stream.finish):
        with pytest.raises(ArgumentError, match="the stream is finished"):
            call()


def test_what_is_no_text_is_refused(tok: Tokenizer) -> None:
    """With its type."""
    with pytest.raises(InputTypeError, match="expected str or bytes, got int: 5"):
        tok.stream_encoder().push(5)  # type: ignore[arg-type]  # wrong on purpose


def test_what_may_become_a_forbidden_text_does_not_cut_a_token(spec: Any, engine: str) -> None:
    """The end of an added token may begin a disallowed text: the token is held back whole."""
    tok = Tokenizer(
        replace(spec, added_tokens=(AddedToken("a b", 600, special=False),)), engine=engine
    )
    parts = ["xa b", " x"]
    options = {"disallowed_special": {"b cd"}}
    assert pushed(tok, parts, **options) == tok.encode("xa b x", **options)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))]
)
@given(n_before=st.sampled_from([0, 2_000]), first=TEXT, rest=TEXT)
def test_a_stream_goes_on_elsewhere(
    tok: Tokenizer, copied: Any, n_before: int, first: str, rest: str
) -> None:
    """A data loader saves its state between two pieces; both go on, each by itself."""
    first = "a" * n_before + first
    stream = tok.stream_encoder(allowed_special={"<|endoftext|>"}, disallowed_special=())
    expected = tok.encode(first + rest, allowed_special={"<|endoftext|>"}, disallowed_special=())
    ids = stream.push(first)
    again = copied(stream)
    for one in (again, stream):
        assert ids + one.push(rest) + one.finish() == expected
