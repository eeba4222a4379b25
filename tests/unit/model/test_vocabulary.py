import pickle

import pytest

from bytepair.model import Vocabulary


def test_id_by_bytes_prefers_the_character_to_its_fallback_byte() -> None:
    """With byte fallback the byte 0x41 and the character "A" are two tokens of the same bytes."""
    vocabulary = Vocabulary({65: b"A", 66: b"B", 256: b"A"}, byte_ids=(65, 66))
    assert vocabulary.id_by_bytes == {b"A": 256, b"B": 66}


@pytest.mark.parametrize("order", [(65, 256), (256, 65)], ids=["byte-first", "character-first"])
def test_id_by_bytes_does_not_depend_on_the_order_of_ids(order: tuple[int, int]) -> None:
    """A file may list tokens in any order."""
    vocabulary = Vocabulary(dict.fromkeys(order, b"A"), byte_ids=(65,))
    assert vocabulary.id_by_bytes == {b"A": 256}


def test_id_by_bytes_leaves_out_what_stands_only_at_the_end_of_a_word() -> None:
    """`low</w>` decodes to "low" as `low` does, but text alone never names it."""
    tokens = {0: b"low", 1: b"low", 2: b""}
    vocabulary = Vocabulary(tokens, end_of_word_id=2, ends_word=frozenset({1, 2}))
    assert vocabulary.id_by_bytes == {b"low": 0}


def test_vocabulary_is_a_collection_of_ids() -> None:
    """Ids may have gaps, so the largest is not the number of them."""
    vocabulary = Vocabulary({3: b"a", 9: b"b"})
    assert (len(vocabulary), list(vocabulary), vocabulary.max_id) == (2, [3, 9], 9)
    assert Vocabulary({}).max_id == -1


def test_pickled_vocabulary_does_not_hold_its_look_ups() -> None:
    """Otherwise the same vocabulary would pickle differently before and after its first use."""
    vocabulary = Vocabulary({3: b"a"}, (3,), None, frozenset())
    before = pickle.dumps(vocabulary)
    assert vocabulary.id_by_bytes == {b"a": 3}
    assert vocabulary.max_id == 3
    assert pickle.dumps(vocabulary) == before
    assert pickle.loads(before) == vocabulary
