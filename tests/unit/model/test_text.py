from hypothesis import given
from hypothesis import strategies as st

from bytepair.model import to_utf8

SURROGATES = st.characters(min_codepoint=0xD800, max_codepoint=0xDFFF, categories=["Cs"])


def repaired(text: str) -> str:
    """The rule, one character at a time: a high then a low join, any other becomes U+FFFD."""
    result, index = "", 0
    while index < len(text):
        high = ord(text[index])
        low = ord(text[index + 1]) if index + 1 < len(text) else 0
        if 0xD800 <= high < 0xDC00 and 0xDC00 <= low < 0xE000:
            result += chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
            index += 1
        else:
            result += "\ufffd" if 0xD800 <= high < 0xE000 else text[index]
        index += 1
    return result


@given(st.text(st.one_of(st.characters(), SURROGATES)))
def test_to_utf8_joins_pairs_and_replaces_lone_surrogates(text: str) -> None:
    """Text scraped from JSON and PDFs holds halves of characters; no entry point may fail on it."""
    assert to_utf8(text) == repaired(text).encode()


def test_to_utf8_keeps_byte_order_mark_and_nul() -> None:
    """The repair goes through UTF-16, where U+FEFF could be taken for a mark and dropped."""
    assert to_utf8("\ufeff\0a\ud800") == b"\xef\xbb\xbf\0a\xef\xbf\xbd"
