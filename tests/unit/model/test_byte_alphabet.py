from tokenizers import pre_tokenizers

from bytepair.model import BYTE_TO_CHAR


def test_each_byte_is_spelt_as_hugging_face_spells_it() -> None:
    """Oracle: their own pre-tokenizer, for the bytes that stand alone in UTF-8."""
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    for byte in range(128):
        assert byte_level.pre_tokenize_str(chr(byte)) == [(BYTE_TO_CHAR[byte], (0, 1))]


def test_every_character_of_two_bytes_is_spelt_as_hugging_face_spells_it() -> None:
    """Bytes from 0x80 up occur only in longer characters."""
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    for code in range(0x80, 0x800):
        ((spelling, _),) = byte_level.pre_tokenize_str(chr(code))
        assert spelling == "".join(BYTE_TO_CHAR[byte] for byte in chr(code).encode())


def test_spellings_are_distinct_and_are_their_whole_alphabet() -> None:
    """Two bytes with one spelling could not be told apart in a saved file."""
    assert sorted(BYTE_TO_CHAR) == sorted(pre_tokenizers.ByteLevel.alphabet())
    assert len(set(BYTE_TO_CHAR)) == 256
