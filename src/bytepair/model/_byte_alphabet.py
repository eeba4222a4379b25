"""The printable stand-ins by which byte-level tokenizer files spell the 256 bytes."""


def _stand_ins() -> tuple[str, ...]:
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(256) if byte not in printable]
    code_by_byte = {byte: 0x100 + place for place, byte in enumerate(others)}
    return tuple(chr(code_by_byte.get(byte, byte)) for byte in range(256))


BYTE_TO_CHAR: tuple[str, ...] = _stand_ins()
"""For each byte, the character that spells it in Hugging Face's byte-level files.

Printable bytes of Latin-1 spell themselves; the others, ascending, get U+0100, U+0101, ...
Source: the published encoder of GPT-2. Hugging Face's trainer breaks ties by these characters.

>>> BYTE_TO_CHAR[ord("a")], BYTE_TO_CHAR[0], BYTE_TO_CHAR[ord(" ")]
('a', 'Ā', 'Ġ')
"""
