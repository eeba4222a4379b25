"""Both engines give what whole tokenizers of Hugging Face give: ids, places, words."""

from itertools import pairwise
from typing import Any, NamedTuple

import hypothesis.strategies as st
import pytest
import tokenizers
from hypothesis import assume, given
from hypothesis.strategies import DrawFn
from tokenizers import Regex, normalizers, pre_tokenizers

import bytepair
from bytepair.engines import NAMES, Spans, select
from bytepair.model import (
    AddedToken,
    Metaspace,
    PrefixSpace,
    Prepend,
    Replace,
    Split,
    SplitRules,
    Strip,
    TokenizerSpec,
)
from bytepair.normalizers import normalize
from models import Toy, toys

ALPHABET = "aAbé \u0301▁1"
TEXTS = st.text(ALPHABET + "x\n", max_size=14)


class Component(NamedTuple):
    """A step, and what Hugging Face has for it."""

    ours: Any
    theirs: Any


def named(ours: str, theirs: str) -> Component:
    """A normaliser without parameters."""
    return Component(ours, getattr(normalizers, theirs)())


def replacing(pattern: str, content: str) -> Component:
    """A regex and what takes its place."""
    return Component(
        Replace(pattern, content, is_regex=True), normalizers.Replace(Regex(pattern), content)
    )


def split(pattern: str, behavior: Any) -> Component:
    """A cut."""
    return Component(Split(pattern, behavior), pre_tokenizers.Split(Regex(pattern), behavior))


NORMALIZERS = [
    *(named("nfc", "NFC"), named("nfd", "NFD"), named("nfkc", "NFKC")),
    *(named("lowercase", "Lowercase"), named("strip-accents", "StripAccents")),
    *(replacing(" ", "▁"), replacing("a", "bb"), replacing("[1x]", ""), replacing("b+", "A")),
    Component(Prepend("▁"), normalizers.Prepend("▁")),
    Component(Strip(), normalizers.Strip()),
]
CUTS = [
    *(split(r"\s+", "removed"), split("[Aa]", "isolated"), split(r"\d|é", "merged_with_previous")),
    Component(Metaspace(), pre_tokenizers.Metaspace()),
    Component(Metaspace(prepend="first"), pre_tokenizers.Metaspace(prepend_scheme="first")),
    Component(
        Metaspace(prepend="never", split=False),
        pre_tokenizers.Metaspace(prepend_scheme="never", split=False),
    ),
]


each_engine = pytest.mark.parametrize("engine", NAMES)
FLAGS = ("lstrip", "rstrip", "single_word", "normalized")
added_tokens = st.lists(
    st.tuples(
        st.text("aA é<", min_size=1, max_size=3),
        st.fixed_dictionaries({name: st.booleans() for name in FLAGS}),
    ),
    max_size=3,
    unique_by=lambda token: token[0],
)


class Pair(NamedTuple):
    """One tokenizer, twice."""

    ours: TokenizerSpec
    theirs: tokenizers.Tokenizer


@st.composite
def pairs(draw: DrawFn) -> Pair:
    """Normalisers, cuts, a model and added tokens, put together at random."""
    toy: Toy = draw(toys(ALPHABET, may_fail=False))
    theirs = toy.hugging_face()
    changes = draw(st.lists(st.sampled_from(NORMALIZERS), max_size=3))
    cuts = draw(st.lists(st.sampled_from(CUTS), max_size=2))
    if toy.by_bytes:
        prefix = draw(st.booleans())
        spelling = pre_tokenizers.ByteLevel(add_prefix_space=prefix, use_regex=False)
        cuts.append(Component(PrefixSpace() if prefix else None, spelling))
    theirs.normalizer = normalizers.Sequence([change.theirs for change in changes])
    theirs.pre_tokenizer = pre_tokenizers.Sequence([cut.theirs for cut in cuts])
    tokens = draw(added_tokens)
    theirs.add_special_tokens([tokenizers.AddedToken(text, **flags) for text, flags in tokens])
    added = [AddedToken(text, theirs.token_to_id(text), **flags) for text, flags in tokens]
    normalizer = tuple(change.ours for change in changes)
    steps = tuple(cut.ours for cut in cuts if cut.ours)
    # They find one that normalises to nothing everywhere, and of two that normalise alike any.
    normal = {normalize(t.content.encode(), normalizer) for t in added if t.normalized}
    assume(b"" not in normal and len(normal) == sum(t.normalized for t in added))
    return Pair(toy.spec(SplitRules(None, normalizer, (), steps), added), theirs)


def spans_of(name: str, spec: TokenizerSpec, text: str) -> Spans:
    """What an engine makes of a text."""
    engine = select(name)
    cutter = engine.cutter(spec.added_tokens, (), spec.rules.normalizer)
    return engine.encoder(spec).encode_spans(text, cutter)


def their_encoding(theirs: tokenizers.Tokenizer, text: str) -> tokenizers.Encoding:
    """What Hugging Face makes of it, unless it gives up."""
    try:
        return theirs.encode(text)
    except BaseException as panic:  # Rust's is no Exception
        assume(type(panic).__name__ != "PanicException")
        raise


@each_engine
@given(pair=pairs(), text=TEXTS)
def test_ids_are_those_of_hugging_face(engine: str, pair: Pair, text: str) -> None:
    """Every stage, in any combination, by every way in."""
    expected = their_encoding(pair.theirs, text).ids
    assert spans_of(engine, pair.ours, text).ids.tolist() == expected
    tokenizer = bytepair.Tokenizer(pair.ours, engine=engine)
    everything: Any = {"allowed_special": "all"}
    assert tokenizer.encode(text, **everything) == expected
    assert tokenizer.encode_to_numpy(text.encode(), **everything).tolist() == expected
    assert tokenizer.encode_batch(["x", text], **everything)[1] == expected
    assert tokenizer.count(text, **everything) == len(expected)


@each_engine
@given(pair=pairs(), text=TEXTS, places=st.lists(st.integers(0, 14), max_size=4))
def test_text_in_parts_gives_the_ids_of_the_whole(
    engine: str, pair: Pair, text: str, places: list[int]
) -> None:
    """Normalisers and prefixes see to what has come before, added tokens to what may come."""
    tokenizer = bytepair.Tokenizer(pair.ours, engine=engine)
    stream = tokenizer.stream_encoder(allowed_special="all")
    ids = [i for part in parts_of(text, places) for i in stream.push(part)]
    assert ids + stream.finish() == tokenizer.encode(text, allowed_special="all")


@each_engine
@given(pair=pairs(), text=TEXTS, places=st.lists(st.integers(0, 14), max_size=4))
def test_trusted_parts_give_the_ids_of_the_whole(
    engine: str, pair: Pair, text: str, places: list[int]
) -> None:
    """Special tokens that show only once the text is normalised are found in them, too."""
    tokenizer = bytepair.Tokenizer(pair.ours, engine=engine)
    for is_trusted, allowed in ((True, "all"), (False, set())):
        segments = [(part, is_trusted) for part in parts_of(text, places)]
        expected = tokenizer.encode(text, allowed_special=allowed, disallowed_special=())
        assert tokenizer.encode_segments(segments) == expected


def parts_of(text: str, places: list[int]) -> list[str]:
    """The text, divided at places."""
    borders = sorted({0, len(text), *(min(place, len(text)) for place in places)})
    return [text[start:end] for start, end in pairwise(borders)]


def in_characters(text: str, spans: Spans) -> list[tuple[int, int]]:
    """The characters that each token has a part of; (n, n) for what stands for nothing."""
    char_of = [n for n, char in enumerate(text) for _ in char.encode()] + [len(text)]
    ends = zip(spans.starts.tolist(), spans.ends.tolist(), strict=True)
    return [
        (char_of[start], char_of[end - 1] + 1 if start < end else char_of[start])
        for start, end in ends
    ]


@each_engine
@given(pair=pairs(), text=TEXTS)
def test_places_hold_what_hugging_face_points_at(engine: str, pair: Pair, text: str) -> None:
    """Where several characters became one it names one of them, here the place holds all.

    What was put in stands for nothing; it says for what is behind or before.
    """
    theirs = their_encoding(pair.theirs, text)
    places = in_characters(text, spans_of(engine, pair.ours, text))
    tokenizer = bytepair.Tokenizer(pair.ours, engine=engine)
    assert tokenizer.encode_with_offsets(text, allowed_special="all")[1] == places
    for place, their_place in zip(places, theirs.offsets, strict=True):
        is_inside = place[0] <= their_place[0] and their_place[1] <= place[1]
        assert is_inside or place[0] == place[1]


@each_engine
@given(pair=pairs(), text=TEXTS)
def test_words_are_those_of_hugging_face(engine: str, pair: Pair, text: str) -> None:
    """Theirs count added tokens too, which here have no number."""
    theirs = their_encoding(pair.theirs, text)
    words = spans_of(engine, pair.ours, text).words.tolist()
    n_added = 0
    for word, their_word in zip(words, theirs.word_ids, strict=True):
        if word < 0:
            n_added += 1
        else:
            assert word == their_word - n_added
