"""The twin's cutter by example; tests/parity/test_cut.py holds it against Hugging Face."""

from typing import Any

import pytest

from bytepair.engines.python import Cutter
from bytepair.errors import SpecialTokenError
from bytepair.model import AddedToken, Replace


def one(content: str, **flags: Any) -> Cutter:
    """A cutter of one token with the id 1."""
    return Cutter([AddedToken(content, 1, **flags)])


PREFIXES = Cutter([AddedToken("<a", 1), AddedToken("<a>", 2), AddedToken(">b", 3)])
GROUPS = Cutter([AddedToken("ab", 1), AddedToken("b", 2, normalized=True)])
ONE_SPACE = Cutter([AddedToken("<m>", 1, rstrip=True), AddedToken("\n", 2, lstrip=True)])


@pytest.mark.parametrize(
    ("cutter", "text", "expected"),
    [
        (one("<m>"), "a<m>b<m>", [(1, 4, 1), (5, 8, 1)]),
        (one("<m>", lstrip=True), "a \u3000\n<m> b", [(1, 9, 1)]),
        (one("<m>", rstrip=True), "a <m> \t b", [(2, 8, 1)]),
        (one("<m>", lstrip=True, rstrip=True), " <m>  <m> ", [(0, 6, 1), (6, 10, 1)]),
        (one("cat", single_word=True), "cat cats cat_ écat (cat)", [(0, 3, 1), (21, 24, 1)]),
        (one("cat", single_word=True), "catcat cat\u0301 cat\u200d 中cat", []),
        (one("aa", single_word=True), "aaa aa", [(4, 6, 1)]),
        (PREFIXES, "<a>b<a", [(0, 3, 2), (4, 6, 1)]),
        (GROUPS, "babb", [(0, 1, 2), (1, 3, 1), (3, 4, 2)]),
        (ONE_SPACE, "<m> \n\n", [(0, 6, 1)]),
        (Cutter([]), "text", []),
    ],
)
def test_token_is_found_as_its_flags_say(
    cutter: Cutter, text: str, expected: list[tuple[int, int, int]]
) -> None:
    """Each worked by hand."""
    assert cutter.cut(text.encode()) == expected


def test_normalized_token_is_looked_for_in_normalised_text() -> None:
    """Its own content is normalised too; what is not normalised is found before."""
    tokens = [AddedToken("A", 1, normalized=True), AddedToken("A", 2)]
    cutter = Cutter(tokens[:1], (), ["lowercase"])
    assert (cutter.cut(b"aA"), cutter.in_normalized(b"aA")) == ([], [(0, 1, 1)])
    cutter = Cutter(tokens[1:], (), ["lowercase"])
    assert (cutter.cut(b"aA"), cutter.in_normalized(b"aA")) == ([(1, 2, 2)], [])


def test_verbatim_token_is_looked_for_as_it_stands_in_normalised_text() -> None:
    """Its own content is not normalised."""
    tokens = [AddedToken("B", 1, normalized=True, verbatim=True)]
    assert Cutter(tokens, (), ["lowercase"]).in_normalized(b"abB") == [(2, 3, 1)]


def test_token_that_normalises_to_nothing_is_never_found() -> None:
    """It would be everywhere."""
    cutter = Cutter([AddedToken("!", 1, normalized=True)], (), [Replace("!", "")])
    assert cutter.in_normalized(b"a!b") == []


def test_first_forbidden_token_is_named() -> None:
    """The leftmost, not the first of the list."""
    cutter = Cutter([], ["<b>", "<a>", ""])
    assert cutter.find_forbidden("é<a><b>".encode()) == (2, "<a>")
    assert cutter.find_forbidden(b"<a <b") is None
    with pytest.raises(
        SpecialTokenError, match=r"^text 3 contains the special token '<a>' at byte 2"
    ):
        cutter.refuse_forbidden("é<a><b>".encode(), "text 3")


@pytest.mark.parametrize(
    ("cutter", "data", "held"),
    [
        (one("<mask>"), b"a<mas", 4),
        (one("<mask>"), b"a<mask>", 0),
        (one("<mask>"), b"a<max", 0),
        (one("<mask>"), b"a \xe3", 0),
        (one("<mask>", lstrip=True), b"a \n", 2),
        (one("<mask>", lstrip=True), b"a \xe3\x80", 3),
        (one("<mask>", lstrip=True), b"a <m", 3),
        (one("<mask>", rstrip=True), b"a<mask> ", 7),
        (one("<mask>", rstrip=True), b"a<mask> b", 0),
        (one("cat", single_word=True), b"a cat", 3),
        (one("cat", single_word=True), b"acat", 0),
        (Cutter([]), b"a ", 0),
    ],
)
def test_held_back_is_what_may_belong_to_a_token(cutter: Cutter, data: bytes, held: int) -> None:
    """As little as can be: a stream waits for it."""
    assert cutter.held_back(data) == held


def test_many_tokens_cost_no_more_than_few() -> None:
    """A file may have a million; each place of a text is looked at once."""
    cutter = Cutter([AddedToken(f"<{n}>", n) for n in range(50_000)])
    assert cutter.cut(b"<" * 50_000 + b"<49999>") == [(50_000, 50_007, 49_999)]
