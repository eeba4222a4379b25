from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair.errors import (
    ArgumentError,
    BytepairWarning,
    CorpusError,
    EngineError,
    InputTypeError,
)
from bytepair.learning import MergeLearner
from bytepair.model import TIES, AddedToken, Progress, SplitRules, TokenizerSpec, WordCounts

TEXTBOOK = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
TABLE = st.dictionaries(st.text("ab c", min_size=1, max_size=6), st.integers(1, 4), min_size=1)


def counted(table: Mapping[Any, int], *special_tokens: str) -> WordCounts:
    """A corpus, counted."""
    return WordCounts.from_mapping(table, SplitRules(special_tokens=special_tokens))


def learned(spec: TokenizerSpec) -> list[bytes]:
    """The bytes of the merged tokens, in learned order."""
    return [spec.vocabulary.tokens[joined] for joined in spec.merges.joined.tolist()]


@pytest.fixture
def learn(engine: str) -> Any:
    """Learns from a table; the number of merges is given, not the size."""

    def learn(table: Mapping[Any, int], n_merges: int, **options: Any) -> TokenizerSpec:
        learner = MergeLearner(vocab_size=256 + n_merges, engine=engine, **options)
        return learner.learn(counted(table))

    return learn


def test_textbook_corpus_gives_the_textbook_merges(engine: str) -> None:
    """Sennrich et al. 2016: es, est, est and the end mark, lo, low, ne."""
    learner = MergeLearner(
        vocab_size=11 + 6,  # d e i l n o r s t w and the mark, then six merges
        alphabet="chars",
        end_of_word="</w>",
        byte_fallback=False,
        ties="first",
        engine=engine,
    )
    spec = learner.learn(counted(TEXTBOOK))
    assert learned(spec) == [b"es", b"est", b"est", b"lo", b"low", b"ne"]
    mark = spec.vocabulary.end_of_word_id
    assert (int(spec.merges.left[2]), int(spec.merges.right[2])) == (12, mark)
    assert spec.vocabulary.ends_word == {mark, 13}
    assert spec.training is not None
    assert spec.training.merge_counts == (9, 9, 9, 7, 7, 6)


@pytest.mark.parametrize(
    ("ties", "first"),
    [("lowest", b" a"), ("huggingface", b"ab"), ("first", b"mn"), ("bytes", b"yz")],
)
def test_each_policy_breaks_a_tie_in_its_way(learn: Any, ties: str, first: bytes) -> None:
    """Four pairs, twice each: smallest ids, smallest printable stand-ins (where a space comes
    after the letters), first in the corpus, greatest bytes.
    """
    spec = learn({"mn": 2, "ab": 2, " a": 2, "yz": 2}, 1, ties=ties)
    assert learned(spec) == [first]


@pytest.mark.parametrize("ties", ["lowest", "huggingface"])
def test_characters_keep_their_order_in_both_worlds(engine: str, ties: Any) -> None:
    """Hugging Face sorts what stands for a byte; a character stands for itself."""
    learner = MergeLearner(vocab_size=256 + 6 + 1, alphabet="chars", ties=ties, engine=engine)
    assert learned(learner.learn(counted({"yz": 2, "ab": 2, " é": 2, "é ": 1}))) == [" é".encode()]


@pytest.mark.parametrize("ties", TIES)
def test_frequency_comes_before_any_policy(learn: Any, ties: str) -> None:
    """A policy is asked only between equals; counts beyond 32 bits do not wrap."""
    spec = learn({"the": 3_000_000_000, "xy": 10}, 3, ties=ties)
    assert sorted(learned(spec)[:2], key=len)[1] == b"the"
    assert learned(spec)[2] == b"xy"
    assert spec.training.merge_counts == (3_000_000_000, 3_000_000_000, 10)


@pytest.mark.parametrize("ties", ["lowest", "huggingface", "bytes"])
@given(table=TABLE, data=st.data())
def test_order_of_the_words_does_not_matter(
    engine: str, ties: Any, table: dict[str, int], data: st.DataObject
) -> None:
    """Files may come in any order; only `first` looks at it."""
    shuffled = dict(data.draw(st.permutations(list(table.items()))))
    learner = MergeLearner(vocab_size=260, min_frequency=1, ties=ties, engine=engine)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MergeLearner, "_tell_of_fewer", lambda *_: None)
        one, other = learner.learn(counted(table)), learner.learn(counted(shuffled))
    assert one.merges == other.merges


def test_byte_ids_come_first_merges_next_special_tokens_last(engine: str) -> None:
    """The layout that saved models rely on."""
    learner = MergeLearner(vocab_size=260, engine=engine)
    spec = learner.learn(counted({"abc": 3}, "<b>", "<a>"))
    assert spec.vocabulary.byte_ids == tuple(range(256))
    assert [spec.vocabulary.tokens[i] for i in (0, 97, 255)] == [b"\0", b"a", b"\xff"]
    assert list(spec.merges) == [(97, 98, 256, 0), (256, 99, 257, 1)]
    assert spec.added_tokens == (AddedToken("<b>", 258), AddedToken("<a>", 259))
    assert len(spec.vocabulary) + len(spec.added_tokens) == 260


@pytest.mark.parametrize(
    ("fallback", "mark", "expected"),
    [
        (False, None, [b"a", "é".encode(), "漢".encode()]),
        (False, "</w>", [b"a", "é".encode(), "漢".encode(), b""]),
        (True, None, [*(bytes([b]) for b in range(256)), b"a", "é".encode(), "漢".encode()]),
        (True, "_", [*(bytes([b]) for b in range(256)), b"a", "é".encode(), "漢".encode(), b""]),
    ],
    ids=["plain", "mark", "fallback", "fallback-and-mark"],
)
def test_character_ids_ascend_between_fallback_bytes_and_the_mark(
    engine: str, fallback: bool, mark: str | None, expected: list[bytes]
) -> None:
    """Whatever the order in which the characters occur."""
    learner = MergeLearner(
        vocab_size=len(expected) + 1,
        alphabet="chars",
        byte_fallback=fallback,
        end_of_word=mark,
        min_frequency=9,
        engine=engine,
    )
    with pytest.warns(BytepairWarning):
        spec = learner.learn(counted({"漢a": 1, "é": 2}))
    assert list(spec.vocabulary.tokens.values()) == expected
    assert list(spec.vocabulary.tokens) == list(range(len(expected)))
    assert spec.vocabulary.byte_ids == (tuple(range(256)) if fallback else ())
    assert spec.vocabulary.end_of_word_id == (len(expected) - 1 if mark else None)
    assert (spec.alphabet, spec.end_of_word) == ("chars", mark)


@pytest.mark.parametrize("n_merges", [0, 1, 2, 3])
def test_vocabulary_has_exactly_the_size_asked_for(engine: str, n_merges: int) -> None:
    """Byte, merges and special tokens together, down to none to learn."""
    learner = MergeLearner(vocab_size=257 + n_merges, engine=engine)
    spec = learner.learn(counted({"abcd": 2}, "<a>"))
    assert len(spec.vocabulary) + 1 == 257 + n_merges
    assert len(spec.merges) == n_merges


@pytest.mark.parametrize(
    ("options", "table", "minimum"),
    [
        ({"vocab_size": 257}, {"ab": 1}, 258),
        ({"vocab_size": 1}, {"ab": 1}, 258),
        ({"vocab_size": 260, "alphabet": "chars"}, {"abc": 1}, 256 + 3 + 2),
        ({"vocab_size": 4, "alphabet": "chars", "byte_fallback": False}, {"abc": 1}, 3 + 2),
        (
            {"vocab_size": 5, "alphabet": "chars", "byte_fallback": False, "end_of_word": "_"},
            {"abc": 1},
            3 + 1 + 2,
        ),
    ],
    ids=["bytes", "one", "fallback", "chars", "mark"],
)
def test_size_below_the_alphabet_states_the_minimum(
    options: Any, table: dict[str, int], minimum: int
) -> None:
    """Others return more than was asked for, or panic."""
    with pytest.raises(
        ArgumentError, match=f"2 for special tokens are wanted, so at least {minimum} are needed"
    ):
        MergeLearner(**options).learn(counted(table, "<a>", "<b>"))


def test_lack_of_room_can_be_asked_before_counting() -> None:
    """The answer should not take an hour of reading; characters are known only after it."""
    with pytest.raises(ArgumentError, match="so at least 259 are needed"):
        MergeLearner(vocab_size=258).require_room(3)
    MergeLearner(vocab_size=259).require_room(3)
    MergeLearner(vocab_size=10, alphabet="chars").require_room(3)


@pytest.mark.parametrize(
    ("options", "found", "reason"),
    [
        ({}, 2, "no other pair occurs 2 times"),
        ({"min_frequency": 4}, 0, "no other pair occurs 4 times"),
        ({"max_token_length": 2}, 1, "no other pair within max_token_length occurs 2 times"),
    ],
    ids=["corpus-used-up", "too-rare", "too-long"],
)
def test_fewer_merges_than_asked_for_is_a_warning_with_both_numbers(
    learn: Any, options: Any, found: int, reason: str
) -> None:
    """The smaller vocabulary is right; not to say so would surprise whoever sized an embedding."""
    message = rf"only {found} of 9 merges .* has {256 + found} tokens, not 265: {reason}"
    with pytest.warns(BytepairWarning, match=message):
        spec = learn({"abc": 3}, 9, **options)
    assert len(spec.vocabulary) == 256 + found
    assert spec.training.stopped == "min_frequency"


@pytest.mark.parametrize("alphabet", ["bytes", "chars"])
def test_empty_corpus_is_refused(alphabet: Any) -> None:
    """Wrong paths or a wrong field are more likely than the wish for 256 tokens."""
    with pytest.raises(CorpusError, match="the corpus is empty: its 1 documents hold no text"):
        MergeLearner(alphabet=alphabet).learn(counted({}))


@pytest.mark.parametrize("value", [0, -1, True, 300.0, "300", None])
@pytest.mark.parametrize("option", ["vocab_size", "min_frequency", "max_token_length"])
def test_number_that_cannot_be_is_refused_by_name(option: str, value: Any) -> None:
    """Zero, a fraction and a boolean are each somebody's mistake."""
    if (option, value) == ("max_token_length", None):
        assert MergeLearner(max_token_length=None).max_token_length is None
        return
    with pytest.raises(ArgumentError, match=f"^{option} must be a whole number of 1 or more, got"):
        MergeLearner(**{option: value})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "random"}, "ties must be one of lowest, huggingface, first, bytes, got 'random'"),
        ({"ties": None}, "ties must be one of"),
        ({"alphabet": "words"}, "alphabet must be one of bytes, chars, got 'words'"),
        ({"end_of_word": "_"}, "end_of_word='_' needs alphabet='chars'"),
        (
            {"end_of_word": "", "alphabet": "chars"},
            "end_of_word must be a text like '</w>', got ''",
        ),
        ({"end_of_word": True, "alphabet": "chars"}, "end_of_word must be a text"),
        ({"engine": "rust"}, "engine must be one of native, python, got 'rust'"),
    ],
    ids=str,
)
def test_choice_that_does_not_exist_is_refused(options: Any, message: str) -> None:
    """At once, with the choices there are."""
    with pytest.raises(ArgumentError, match=message):
        MergeLearner(**options)


def test_missing_engine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked for by name, it must not be replaced by a slower one."""
    monkeypatch.setattr("bytepair.engines._select._native", lambda: None)
    with pytest.raises(EngineError, match="BYTEPAIR_ENGINE=python"):
        MergeLearner(engine="native")


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(1, []), (2, [b"ab", b"cd"]), (3, [b"ab", b"cd"]), (4, [b"ab", b"cd", b"abcd"])],
)
@pytest.mark.filterwarnings("ignore:only . of . merges")
def test_no_token_is_longer_than_the_limit(learn: Any, limit: int, expected: list[bytes]) -> None:
    """A limit of 4 allows 4: Hugging Face's trainer never learns the last byte."""
    assert learned(learn({"abcd": 3}, 3, max_token_length=limit)) == expected


@pytest.mark.filterwarnings("ignore:only . of . merges")
def test_limit_counts_characters_and_not_the_end_mark(engine: str) -> None:
    """Two characters of six bytes, and the mark, are within a limit of two."""
    learner = MergeLearner(
        vocab_size=9,
        max_token_length=2,
        alphabet="chars",
        byte_fallback=False,
        end_of_word="_",
        engine=engine,
    )
    spec = learner.learn(counted({"漢字": 5, "漢字a": 2}))
    assert learned(spec) == ["漢字".encode(), "漢字".encode(), b"a"]


@pytest.mark.filterwarnings("ignore:only . of . merges")
def test_pairs_below_the_minimum_are_not_joined(learn: Any) -> None:
    """Exactly as often is often enough."""
    assert learned(learn({"ab": 3, "cd": 2}, 2, min_frequency=3)) == [b"ab"]


@pytest.mark.parametrize(
    ("table", "position", "byte"),
    [
        ({"ab": 1, b"c\xff": 1}, 3, "0xff"),
        ({b"\x80": 1}, 0, "0x80"),
        ({"é": 1, b"a\xc3": 1}, 3, "0xc3"),
        ({b"x\xc3": 1, b"\xa9": 1}, 2, "0xa9"),
    ],
    ids=["second-word", "first-byte", "cut-short", "halves-in-two-words"],
)
def test_characters_need_text_and_the_bad_byte_is_named(
    table: dict[Any, int], position: int, byte: str
) -> None:
    """With its place in the corpus, so that it can be found. Two words must not make it whole."""
    with pytest.raises(CorpusError, match=rf"not UTF-8 at byte {position} .*: byte {byte}\. alph"):
        MergeLearner(vocab_size=300, alphabet="chars").learn(counted(table))


def test_position_of_the_bad_byte_is_that_in_the_corpus() -> None:
    """Words are kept once: where they stand in memory is not where they stood in the file."""
    counts = WordCounts(
        b"ab\xff", np.array([0, 2, 3]), np.array([9, 1]), np.array([0, 18]), n_bytes=19
    )
    with pytest.raises(CorpusError, match="not UTF-8 at byte 18 "):
        MergeLearner(vocab_size=300, alphabet="chars").learn(counts)


def test_training_record_holds_options_corpus_and_counts(engine: str) -> None:
    """It is saved beside the tokenizer: what was done must be readable from it."""
    learner = MergeLearner(vocab_size=np.int64(258), max_token_length=9, engine=engine)
    spec = learner.learn(counted({"abc": 3, "ab": 2}), name="mine")
    record = spec.training
    assert spec.name == "mine"
    assert record is not None
    assert record.options == {
        "vocab_size": 258,
        "min_frequency": 2,
        "max_token_length": 9,
        "length_unit": "bytes",
        "ties": "lowest",
        "alphabet": "bytes",
        "end_of_word": None,
        "byte_fallback": False,
        "limit_alphabet": None,
    }
    assert (record.corpus_bytes, record.corpus_documents) == (13, 1)
    assert (record.pretokens, record.distinct_pretokens) == (5, 2)
    assert (record.merge_counts, record.stopped) == ((5, 3), "vocab_size")
    assert {type(value) for value in record.options.values()} <= {int, str, bool, type(None)}


def test_what_is_no_count_table_is_refused() -> None:
    """A dict of counts is near at hand; the message says how to make one of it."""
    with pytest.raises(InputTypeError, match=r"got dict\. .*WordCounts\.from_mapping"):
        MergeLearner().learn({"low": 5})  # type: ignore[arg-type]


def test_progress_counts_merges_and_shows_the_newest(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Often enough to be seen, and complete at the end."""
    monkeypatch.setattr("bytepair.model._progress._INTERVAL_S", 0)
    seen: list[Progress] = []
    table = {one + other: 2 for one in "abcdefgh" for other in "ijklmnopq"}
    MergeLearner(vocab_size=256 + 72, engine=engine).learn(counted(table), progress=seen.append)
    done = [moment.done for moment in seen]
    assert done == sorted(set(done))
    assert len(done) > 1
    assert seen[-1] == Progress("learn", 72, 72, "merges", "hq")


def test_progress_shows_tokens_that_are_not_text(engine: str) -> None:
    """Half a character is nothing a terminal could print."""
    seen: list[Progress] = []
    MergeLearner(vocab_size=257, engine=engine).learn(
        counted({b"\xff\xc3": 2}), progress=seen.append
    )
    assert seen[-1].detail == r"\xff\xc3"


@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt])
def test_error_of_the_progress_callback_ends_the_job(
    engine: str, kind: type[BaseException]
) -> None:
    """Ctrl-C in a terminal arrives there."""
    error = kind("mine")

    def stop(moment: Progress) -> None:
        raise error

    with pytest.raises(kind) as caught:
        MergeLearner(vocab_size=257, engine=engine).learn(counted({"ab": 2}), progress=stop)
    assert caught.value is error
