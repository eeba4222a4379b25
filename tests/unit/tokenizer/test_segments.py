import re
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair
from bytepair.errors import ArgumentError, InputTypeError
from bytepair.model import AddedToken, MergeTable, SplitRules, TokenizerSpec, Vocabulary
from bytepair.tokenizer import Segment, SegmentCache, Tokenizer

EOT, START = "<|endoftext|>", "<|im_start|>"
TEXTS = st.lists(st.sampled_from([EOT, START, "the", " dog", "\n", "  ", "é", "<|", "|>"])).map(
    "".join
)
PARTS = st.lists(st.tuples(TEXTS, st.booleans()), max_size=6)


def stand_in(text: str) -> str:
    """The text with a character for each special token, which no other text has."""
    return text.replace(EOT, "\ue000").replace(START, "\ue001")


@given(parts=PARTS)
def test_only_trusted_parts_hold_special_tokens(
    tok: Tokenizer, parts: list[tuple[str, bool]]
) -> None:
    """Cut by hand at the special tokens of the trusted runs, each stretch encoded by itself."""
    runs: list[tuple[str, bool]] = []
    for text, trusted in parts:
        if runs and runs[-1][1] == trusted:
            runs[-1] = runs[-1][0] + text, trusted
        else:
            runs.append((text, trusted))
    whole = "".join(stand_in(text) if trusted else text for text, trusted in runs)
    expected: list[int] = []
    stretch = ""
    for char in whole + "\ue002":
        if char < "\ue000" or char > "\ue002":
            stretch += char
            continue
        expected += tok.encode_ordinary(stretch)
        expected += {"\ue000": [600], "\ue001": [610]}.get(char, [])
        stretch = ""
    assert tok.encode_segments(parts) == expected
    assert tok.encode_segments([Segment(*part) for part in parts], cache=SegmentCache()) == expected


@given(text=TEXTS, trusted=st.booleans())
def test_one_part_is_encoded_like_a_text(tok: Tokenizer, text: str, trusted: bool) -> None:
    """Trusted: with every special token; not trusted: with none."""
    allowed = "all" if trusted else set()
    expected = tok.encode(text, allowed_special=allowed, disallowed_special=())
    assert tok.encode_segments([(text, trusted)]) == expected


def test_pretokens_cross_the_borders_of_parts(tok: Tokenizer) -> None:
    """A word may begin in what the template says and end in what a user wrote."""
    assert tok.encode_segments([("the d", True), ("og", False)]) == tok.encode("the dog")


def test_a_special_token_put_together_from_two_hands_is_text(tok: Tokenizer) -> None:
    """Half from the template, half from the user."""
    parts = [("<|endof", True), ("text|>", False)]
    assert tok.encode_segments(parts) == tok.encode_ordinary(EOT)
    assert tok.encode_segments([("<|endof", True), ("text|>", True)]) == [600]


def test_a_shared_prefix_is_encoded_once(tok: Tokenizer) -> None:
    """Two prompts that begin alike: the second finds the beginning in the cache."""
    cache = SegmentCache()
    prefix = [(START, True), ("the quick brown fox", False), (EOT, True)]
    for last in ("one", "two"):
        parts = [*prefix, (last, False)]
        assert tok.encode_segments(parts, cache=cache) == tok.encode_segments(parts)
    assert (cache.hits, cache.misses) == (1, 3)


def test_the_cache_stays_within_its_bound(tok: Tokenizer) -> None:
    """The least recently used stretch goes first; one that is too large is never kept."""
    cache = SegmentCache(max_bytes=1_000)
    for number in range(50):
        tok.encode_segments(
            [("the dog " * 3, False), (EOT, True), (f"{number}", False)], cache=cache
        )
        assert cache.n_bytes <= 1_000
    assert cache.hits == 49
    tok.encode_segments([("x" * 2_000, False)], cache=cache)
    assert 0 < cache.n_bytes <= 1_000


def test_threads_share_a_cache(tok: Tokenizer) -> None:
    """Many at once, with evictions: the ids stay right."""
    cache = SegmentCache(max_bytes=2_000)
    texts = [f"the dog number {n % 7}" for n in range(60)]
    wrong: list[str] = []

    def work() -> None:
        wrong.extend(
            text
            for text in texts
            if tok.encode_segments([(text, False)], cache=cache) != tok.encode(text)
        )

    threads = [Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_bad_parts_are_refused(tok: Tokenizer) -> None:
    """With the number of the part."""
    with pytest.raises(InputTypeError, match="segment 1: expected str or bytes, got NoneType"):
        tok.encode_segments([("a", True), (None, True)])  # type: ignore[list-item]  # wrong on purpose
    with pytest.raises(ArgumentError, match="max_bytes must be a whole number of 1 or more"):
        SegmentCache(max_bytes=0)


@pytest.mark.parametrize(
    ("segments", "says"),
    [
        (
            [("<end>", "user")],
            "segment 0: expected (text, trusted) with True or False, got ('<end>",
        ),
        ([("a", True), ("a", 1)], "segment 1: expected"),
        ([("a", True, 3)], "segment 0: expected"),
        (["ab"], "segment 0: expected"),
        ([{"role": "user", "content": "a"}], "segment 0: expected"),
        ("ab", "segment 0: expected"),
        (3, "expected segments, (text, trusted) each, got int"),
    ],
)
def test_only_true_means_trusted(tok: Tokenizer, segments: Any, says: str) -> None:
    """A role is as true as any other text, and must not open the way to control tokens."""
    with pytest.raises(InputTypeError, match=re.escape(says)):
        tok.encode_segments(segments)


def test_a_cache_of_another_kind_is_refused(tok: Tokenizer) -> None:
    """Not found out somewhere within."""
    with pytest.raises(InputTypeError, match="cache: expected a SegmentCache, got dict"):
        tok.encode_segments([("a", True)], cache={})  # type: ignore[arg-type]  # wrong on purpose


def test_the_names_are_public() -> None:
    """Users make them."""
    assert bytepair.Segment is Segment
    assert bytepair.SegmentCache is SegmentCache


@pytest.mark.parametrize("cache", [None, SegmentCache()])
def test_special_tokens_of_normalised_text_come_from_trusted_parts_only(
    engine: str, cache: SegmentCache | None
) -> None:
    """Older files have such; here "<X>" becomes "<x>" before it is looked for."""
    tokens = {byte: bytes([byte]) for byte in range(128)}
    spec = TokenizerSpec(
        Vocabulary(tokens),
        MergeTable.from_merges([]),
        SplitRules(normalizer=("lowercase",)),
        (AddedToken("<X>", 300, normalized=True), AddedToken("<e>", 301)),
    )
    tok = Tokenizer(spec, engine=engine)
    plain = list(b"<x>")
    assert tok.encode_segments([("A<x>", True)], cache=cache) == [97, 300]
    assert tok.encode_segments([("A<X>", False)], cache=cache) == [97, *plain]
    parts = [("<X>a", True), ("b<X>", False), ("c<e>", True), ("<X>", True), ("d<e>", False)]
    ids = [300, 97, 98, *plain, 99, 301, 300, 100, *b"<e>"]
    assert tok.encode_segments(parts, cache=cache) == ids
    assert tok.encode_segments([("<X", True), (">", False)], cache=cache) == plain


def test_a_cache_is_shown_by_what_it_holds(tok: Tokenizer) -> None:
    """Not by its address."""
    cache = SegmentCache(1_000_000)
    assert repr(cache) == "<SegmentCache: 0 stretches, 0 of 1,000,000 bytes>"
    tok.encode_segments([("the dog", False)], cache=cache)
    assert repr(cache) == f"<SegmentCache: 1 stretches, {cache.n_bytes} of 1,000,000 bytes>"
