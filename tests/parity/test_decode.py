"""Both engines turn ids into the bytes they stand for, and say which id stands for none."""

import hypothesis.strategies as st
import numpy as np
import pytest
import tiktoken
from hypothesis import example, given

import bytepair
from bytepair import Tokenizer
from bytepair.engines import NAMES, DecodingRules, select
from bytepair.errors import UnknownTokenError
from bytepair.model import AddedToken, StripText, TokenizerSpec, Vocabulary
from inputs import fewer, medley

# Ids with gaps, close and far; contents that are empty, whole characters, and parts of one.
CONTENTS = {0: b"a", 1: b"", 3: "é".encode(), 4: b"\xf0\x9f", 5: b"\x98\x80", 300: b"\xff"}
CONTENTS |= {70_000: b"far", 2**31: b"farther", 2**32 - 2: b"last"}
UNKNOWN = [2, 6, 299, 301, 69_999, 2**31 + 1, 2**32 - 1, -1, -(2**31), 2**40, 2**64 + 3, -(2**70)]

known_ids = st.lists(st.sampled_from(sorted(CONTENTS)), max_size=20)
engines = pytest.mark.parametrize("engine", NAMES)


@pytest.fixture(scope="module")
def spec() -> TokenizerSpec:
    return bytepair.train(medley(), vocab_size=1200, pattern="cl100k").spec


@pytest.fixture(scope="module")
def ours(spec) -> list[Tokenizer]:
    return [Tokenizer(spec, engine=engine) for engine in NAMES]


@pytest.fixture(scope="module")
def theirs(spec) -> tiktoken.Encoding:
    ranks = {content: token for token, content in spec.vocabulary.tokens.items()}
    specials = {token.content: token.id for token in spec.added_tokens}
    return tiktoken.Encoding(
        "", pat_str=spec.rules.pattern, mergeable_ranks=ranks, special_tokens=specials
    )


@given(ids=known_ids)
def test_bytes_are_those_of_the_ids_joined(ids):
    """Whether an id is in the core's table or beyond it."""
    expected = b"".join(CONTENTS[token] for token in ids)
    for engine in NAMES:
        assert select(engine).decoder(CONTENTS).decode(ids) == expected


@given(before=known_ids, unknown=st.sampled_from(UNKNOWN), after=known_ids)
def test_an_unknown_id_is_named_with_its_place(before, unknown, after):
    """The first of them, in the same words by both engines; on request they are left out."""
    ids = [*before, unknown, *after, 2**50]
    expected = b"".join(CONTENTS[token] for token in [*before, *after])
    for engine in NAMES:
        decoder = select(engine).decoder(CONTENTS)
        with pytest.raises(UnknownTokenError) as caught:
            decoder.decode(ids)
        assert str(caught.value).startswith(
            f"token id {unknown} at position {len(before)} is not in the vocabulary "
            f"(largest id: {2**32 - 2})."
        )
        assert decoder.decode(ids, skip_unknown=True) == expected


places = st.dictionaries(st.sampled_from(sorted(CONTENTS)), st.sampled_from([b"", b"<", b"a "]))
rules = st.builds(
    DecodingRules,
    special=st.frozensets(st.sampled_from([0, 3, 300, 70_000, 2**31])),
    first=places,
    last=places,
    only=places,
    strips=st.lists(
        st.builds(
            StripText,
            st.sampled_from(["a", "aa", "é", "<a", ""]),
            st.integers(0, 3),
            st.integers(0, 3),
        ),
        max_size=2,
    ).map(tuple),
    byte_fallback=st.booleans(),
)
ERRORS = ["replace", "ignore", "backslashreplace", "surrogateescape"]


@given(
    rules=rules | st.just(DecodingRules()),
    rows=st.lists(st.lists(st.sampled_from([*CONTENTS, *UNKNOWN]), max_size=8), max_size=4),
    errors=st.sampled_from(ERRORS),
    skip_special=st.booleans(),
)
def test_engines_decode_alike_whatever_the_rules(rules, rows, errors, skip_special):
    """What stands first, last or alone, what is stripped, what is left out."""
    one, other = (select(engine).decoder(CONTENTS, rules) for engine in NAMES)
    calls = [
        lambda d: d.decode_batch(rows, None, True, skip_special),
        lambda d: d.decode_text_batch(rows, None, errors, skip_special),
        lambda d: d.decode_text_batch(rows, None, "strict", skip_special),
    ]
    for row in rows:
        calls += [
            lambda d, row=row: d.decode(row, False, skip_special),
            lambda d, row=row: d.decode_text(row, errors, skip_special),
            lambda d, row=row: d.decode_tokens(row, True, skip_special),
            lambda d, row=row: d.decode_with_offsets(row),
        ]
    for call in calls:
        assert outcome(call, one) == outcome(call, other)


def outcome(call, decoder):
    """What a call returns, or the error as a text."""
    try:
        return call(decoder)
    except (UnknownTokenError, UnicodeDecodeError) as error:
        return f"{type(error).__name__}: {error}"


@given(rows=st.lists(known_ids, max_size=6), rules=rules)
@pytest.mark.parametrize("engine", NAMES)
def test_rows_of_one_array_decode_as_rows_of_their_own(engine, rows, rules):
    """The form in which a batch is encoded."""
    decoder = select(engine).decoder(CONTENTS, rules)
    flat = np.array([token for row in rows for token in row], np.uint32)
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    assert decoder.decode_batch(flat, offsets) == [decoder.decode(row) for row in rows]
    assert decoder.decode_text_batch(flat, offsets) == [decoder.decode_text(row) for row in rows]


@pytest.mark.parametrize("n", [16_384, 16_385, 300_000])
@pytest.mark.parametrize("errors", ["strict", *ERRORS])
def test_a_long_text_decodes_as_its_bytes_do(n, errors):
    """The core joins a long one without the GIL; errors are told as Python tells them."""
    ids = np.random.default_rng(n).choice([0, 3, 4, 5, 5, 300, 70_000], n)
    data = b"".join([CONTENTS[token] for token in ids.tolist()])
    decoder = select("native").decoder(CONTENTS)
    assert decoder.decode(ids) == data
    assert outcome(lambda d: d.decode_text(ids, errors), decoder) == outcome(
        lambda d: d.decode("utf-8", errors), data
    )


@pytest.mark.parametrize("errors", ["replace", "ignore"])
def test_an_unknown_id_deep_in_a_long_text_is_found(errors):
    """At its place, and only if it is asked for."""
    ids = [0] * 100_000 + [2] + [3] * 10
    decoder = select("native").decoder(CONTENTS)
    if errors == "ignore":
        assert decoder.decode_text(ids, errors) == "a" * 100_000 + "é" * 10
    else:
        with pytest.raises(UnknownTokenError, match="token id 2 at position 100000 is not"):
            decoder.decode_text(ids, errors)


@given(data=st.data())
def test_ids_decode_as_in_tiktoken(ours, theirs, data):
    """Any ids in any order, so that most are not text; the special token is kept."""
    ids = data.draw(st.lists(st.integers(0, theirs.max_token_value), max_size=12))
    for one in ours:
        assert one.decode_bytes(ids) == theirs.decode_bytes(ids)
        assert one.decode(ids) == theirs.decode(ids)
        assert one.decode(ids, errors="ignore") == theirs.decode(ids, errors="ignore")
        assert one.decode_tokens_bytes(ids) == theirs.decode_tokens_bytes(ids)
        assert one.decode_batch([ids, [], ids]) == theirs.decode_batch([ids, [], ids])


@given(text=st.text(max_size=12))
@example(text="👩‍💻 naïve<|endoftext|>日本")
@fewer(2)
def test_offsets_are_those_of_tiktoken(ours, theirs, text):
    """A token that begins within a character belongs to where that character begins."""
    for one in ours:
        ids = one.encode(text, allowed_special="all")
        assert one.decode_with_offsets(ids) == theirs.decode_with_offsets(ids)


@engines
@pytest.mark.parametrize("dtype", ["uint16", "int32", "uint32", "int64", "uint64"])
def test_arrays_decode_as_lists_do(engine, dtype, spec):
    """What `encode_to_numpy` and memory-mapped files give, and a slice with steps."""
    tokenizer = Tokenizer(spec, engine=engine)
    ids = tokenizer.encode("the naïve 日本語 ")
    array = np.repeat(np.array(ids, dtype), 2)[::2]
    assert tokenizer.decode(array) == "the naïve 日本語 "
    assert tokenizer.decode(list(array)) == "the naïve 日本語 "
    assert tokenizer.decode_batch([array, array[:0]]) == ["the naïve 日本語 ", ""]
    assert tokenizer.decode_bytes(np.array([], dtype)) == b""


@engines
@pytest.mark.parametrize("unknown", [np.int64(-1), np.uint64(2**63), np.int32(1200)])
def test_an_unknown_id_in_an_array_is_named_with_its_place(engine, unknown, spec):
    """Also one that fits into no signed integer."""
    tokenizer = Tokenizer(spec, engine=engine)
    ids = np.array([97, 98, unknown], unknown.dtype)
    with pytest.raises(UnknownTokenError, match=f"token id {unknown} at position 2 "):
        tokenizer.decode(ids)
    assert tokenizer.decode(ids, errors="ignore") == "ab"


@engines
def test_a_gap_before_a_special_token_is_unknown(engine):
    """As in cl100k, whose special tokens have gaps between them."""
    tokens = {byte: bytes([byte]) for byte in range(256)}
    vocabulary = Vocabulary(tokens, tuple(range(256)))
    spec = TokenizerSpec(vocabulary, EMPTY, added_tokens=(AddedToken("<é>", 300),))
    tokenizer = Tokenizer(spec, engine=engine)
    assert tokenizer.decode([97, 300]) == "a<é>"
    for unknown in (256, 299, 301):
        with pytest.raises(UnknownTokenError, match=rf"{unknown} at position 1 .*largest id: 300"):
            tokenizer.decode([97, unknown])


EMPTY = bytepair.MergeTable.from_merges([])
