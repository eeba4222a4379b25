"""The twin's encoder by example; tests/parity holds it against Hugging Face."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models

from bytepair.engines.python import ENGINE, Encoder, join_symbols
from bytepair.engines.python._join import splitmix64
from bytepair.errors import EncodeError, SpecialTokenError
from bytepair.model import (
    AddedToken,
    MergeTable,
    Metaspace,
    Prepend,
    SplitRules,
    TokenizerSpec,
    Vocabulary,
)

VOCAB = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abc": 5, "▁": 6}
MERGES = [(0, 1, 3), (1, 2, 4), (3, 2, 5)]
TOKENS = Vocabulary({number: text.encode() for text, number in VOCAB.items()})
SPEC = TokenizerSpec(TOKENS, MergeTable.from_merges(MERGES), alphabet="chars")
NONE = ENGINE.cutter([])
ADDED = ENGINE.cutter([AddedToken("<m>", 9, lstrip=True)], ["<no>"])
OUTCOMES = [(5,), (3, 2), (0, 4), (0, 1, 2)]


def encoder(rules: SplitRules) -> Encoder:
    """Of this vocabulary, with other rules."""
    return ENGINE.encoder(TokenizerSpec(TOKENS, SPEC.merges, rules, alphabet="chars"))


def test_spans_say_where_every_id_comes_from() -> None:
    """Bytes of the text as it was given, added tokens and words told apart."""
    rules = SplitRules(None, (Prepend("a"),), (), (Metaspace(prepend="never"),))
    spans = encoder(rules).encode_spans("bc ab <m>c", ADDED)
    assert spans.ids.tolist() == [5, 6, 3, 9, 0, 2]
    assert list(zip(spans.starts, spans.ends, strict=True)) == [
        *((0, 2), (2, 3), (3, 5)),  # the prefix was joined with what is behind it
        *((5, 9), (9, 9), (9, 10)),  # and here it stands for nothing
    ]
    assert spans.words.tolist() == [0, 1, 1, -1, 2, 2]
    assert spans.added.tolist() == [False, False, False, True, False, False]


def test_end_mark_stands_for_nothing_at_the_end_of_its_word() -> None:
    """Until it is joined: then the token stands for what is before it."""
    vocabulary = Vocabulary({0: b"a", 1: b"b", 2: b"", 3: b"b"}, (), 2, frozenset({2, 3}))
    merges = MergeTable.from_merges([(1, 2, 3)])
    spec = TokenizerSpec(vocabulary, merges, SplitRules("a+|b"), (), "chars", "</w>")
    spans = ENGINE.encoder(spec).encode_spans("aab", NONE)
    assert spans.ids.tolist() == [0, 0, 2, 3]
    assert spans.starts.tolist() == [0, 1, 2, 2]
    assert spans.ends.tolist() == [1, 2, 2, 3]


def test_every_way_gives_the_same_ids() -> None:
    """One text, as an array, counted, in a batch."""
    twin = ENGINE.encoder(SPEC)
    texts = ["abc", b"ab", "", "<m>"]
    rows = [[5], [3], [], [9]]
    assert [twin.encode(text, ADDED) for text in texts] == rows
    assert [twin.encode_to_numpy(text, ADDED).tolist() for text in texts] == rows
    assert [twin.count(text, ADDED) for text in texts] == [1, 1, 0, 1]
    ids, offsets = twin.encode_batch(texts, ADDED, 2)
    assert (ids.tolist(), offsets.tolist()) == ([5, 3, 9], [0, 1, 2, 2, 3])
    assert twin.count_batch(texts, ADDED, 2).tolist() == [1, 1, 0, 1]
    assert twin.encode_part(b"abc", False, True, NONE) == ([], 0)
    assert twin.encode_part(b"abc", True, True, NONE) == ([5], 3)


@pytest.mark.parametrize("is_first", [True, False])
def test_part_of_a_stream_knows_whether_the_text_begins_with_it(is_first: bool) -> None:
    """Only there is the prefix put."""
    twin = encoder(SplitRules(steps=(Metaspace(prepend="first"),)))
    assert twin.encode_part(b"a", True, is_first, NONE) == ([6, 0] if is_first else [0], 1)


def test_forbidden_token_is_refused_with_its_place() -> None:
    """A batch says which text holds it."""
    twin = ENGINE.encoder(SPEC)
    with pytest.raises(SpecialTokenError, match=r"^the text contains .* '<no>' at byte 1"):
        twin.encode("a<no>", ADDED)
    with pytest.raises(SpecialTokenError, match=r"^text 1 contains .* '<no>' at byte 1"):
        twin.encode_batch(["a", "a<no>"], ADDED, 1)


def test_character_without_token_is_an_error() -> None:
    """Bytes that are no character, too."""
    with pytest.raises(EncodeError, match=r"no token for 'é' \(bytes c3 a9\)"):
        ENGINE.encoder(SPEC).encode("abé", NONE)
    with pytest.raises(EncodeError, match=r"\(bytes ff\)"):
        ENGINE.encoder(SPEC).encode(b"a\xff", NONE)


def test_surrogates_are_repaired() -> None:
    """A pair is its code point, a lone one U+FFFD."""
    vocabulary = Vocabulary({0: "\U0001f600".encode(), 1: "\ufffd".encode()})
    spec = TokenizerSpec(vocabulary, MergeTable.from_merges([]), alphabet="chars")
    assert ENGINE.encoder(spec).encode("\ud83d\ude00\ud83d", NONE) == [0, 1]


@pytest.mark.parametrize(
    ("content", "separator", "rows"),
    [
        (b"ab--c", b"--", [[3], [2]]),
        (b"ab--", b"--", [[3]]),
        (b"--ab", b"--", [[], [3]]),
        (b"ab", b"", [[3]]),
        (b"", b"--", [[]]),
        (b"", b"", [[]]),
        (b"--", b"--", [[]]),
    ],
)
def test_files_are_cut_into_documents(
    tmp_path: Path, content: bytes, separator: bytes, rows: list[list[int]]
) -> None:
    """The separator lies between them; one at the end begins no other."""
    for name in ("x", "y"):
        (tmp_path / name).write_bytes(content)
    paths = [str(tmp_path / name) for name in ("x", "y")]
    ids, offsets = ENGINE.encoder(SPEC).encode_files(paths, separator, NONE, 2)
    borders = offsets.tolist()
    found = [ids[a:b].tolist() for a, b in pairwise(borders)]
    assert found == rows * 2


def test_missing_file_is_an_error(tmp_path: Path) -> None:
    """Named as the system names it."""
    with pytest.raises(FileNotFoundError, match="absent"):
        ENGINE.encoder(SPEC).encode_files([str(tmp_path / "absent")], b"", NONE, 1)


# ---------------------------------------------------------------------- dropout


def test_random_numbers_are_those_of_splitmix64() -> None:
    """Published values, so that another engine can give the same ids."""
    draw = splitmix64(0)
    assert [next(draw) for _ in range(3)] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]


@pytest.mark.parametrize("engine", ["ours", "hugging face"])
def test_each_merge_is_left_out_by_its_chance(engine: str) -> None:
    """By hand: of "abc", with a chance of one half, each of the four outcomes is as probable.

    What was left out may come again once something else was joined, as the queue of Hugging Face
    has it; they share this distribution and no random numbers.
    """
    if engine == "ours":
        twin = ENGINE.encoder(SPEC)
        rows = [twin.encode_dropout("abc", NONE, 0.5, seed) for seed in range(4000)]
    else:
        merges = [("a", "b"), ("b", "c"), ("ab", "c")]
        theirs = Tokenizer(models.BPE(VOCAB, merges, dropout=0.5))
        rows = [theirs.encode("abc").ids for _ in range(4000)]
    counts = Counter(map(tuple, rows))
    assert set(counts) == set(OUTCOMES)
    assert all(850 < count < 1150 for count in counts.values())


def test_same_seed_gives_the_same_ids() -> None:
    """For a whole text; another seed gives others."""
    twin = ENGINE.encoder(SPEC)
    rows = [twin.encode_dropout("abc" * 20, NONE, 0.3, seed) for seed in (7, 7, 8)]
    assert rows[0] == rows[1] != rows[2]


@pytest.mark.parametrize(("dropout", "expected"), [(0.0, [5, 5]), (1.0, [0, 1, 2, 0, 1, 2])])
def test_no_dropout_and_nothing_else(dropout: float, expected: list[int]) -> None:
    """At the ends of the range nothing is left to chance."""
    assert ENGINE.encoder(SPEC).encode_dropout("abcabc", NONE, dropout, 3) == expected


def test_merge_left_out_comes_again_after_another() -> None:
    """The first site is put aside, the second joined, and then the first has its turn again."""
    answers = iter([True, False, False])
    joined = join_symbols([0, 1, 2, 0, 1], {(0, 1): (0, 3)}, lambda: next(answers))
    assert joined == [(0, 3), (2, 2), (3, 3)]
