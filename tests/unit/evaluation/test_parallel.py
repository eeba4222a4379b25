import pytest

from bytepair.errors import ArgumentError
from bytepair.evaluation import ParallelText, parallel_texts, parity


def test_texts_are_parallel():
    """Twenty languages, as many sentences each, none empty, none twice."""
    texts = parallel_texts()
    assert len({text.code for text in texts}) == len(texts) == 20
    assert {len(text.sentences) for text in texts} == {12}
    assert all(len(set(text.sentences)) == 12 for text in texts)
    assert all(sentence.strip() for text in texts for sentence in text.sentences)


def test_parity_is_the_ratio_of_tokens(by_hand):
    """`low low` is three tokens, `lower l low` six; `l` one."""
    texts = [
        ParallelText("en", "English", ("low low",)),
        ParallelText("xx", "Other", ("lower l", "low")),
        ParallelText("yy", "Short", ("l",)),
    ]
    assert parity(by_hand, texts) == {"English": 1, "Other": 5 / 3, "Short": 1 / 3}
    assert parity(by_hand, texts, reference="xx")["English"] == 3 / 5


def test_reference_must_be_there(by_hand):
    """The message names those that are."""
    with pytest.raises(ArgumentError, match="'de'; there are: en"):
        parity(by_hand, [ParallelText("en", "English", ("low",))], reference="de")
