r"""A property means the same set of code points here, in `tokenizers` and in `tiktoken`.

Every code point is tried, whatever Unicode version the libraries were built with: a pattern must
not cut differently where it is used than where it was trained.
"""

from functools import cache
from itertools import pairwise

import pytest
import tiktoken
from tokenizers import Regex, pre_tokenizers

from bytepair.engines import select
from bytepair.patterns import portable

NOTHING = "\uffff"  # never to be assigned: in no set, so it separates what is tried
# Planes 4 to 13 are empty, 15 and 16 for private use; a page of each is enough.
PAGES = [
    [chr(code) for code in range(start, start + 256) if code != ord(NOTHING)]
    for start in range(0, 0x110000, 256)
    if not 0xD800 <= start < 0xE000 and (start < 0x40000 or start >> 16 == 14 or not start & 0xFFFF)
]
CHARACTERS = "".join(char for page in PAGES for char in page)
# Where Oniguruma's own \w differs from that of Unicode Technical Standard 18.
ONIGURUMA_WORDS = set("²³¹¼½¾\u200c\u200d")

SETS = [
    *(r"\p{L}", r"\p{Lu}", r"\p{Ll}", r"\p{Lt}", r"\p{Lm}", r"\p{Lo}"),
    *(r"\p{N}", r"\p{M}", r"\p{P}", r"\p{S}", r"\p{Z}"),
    *(r"\p{Alphabetic}", r"\s", r"\d", r"(?i:s)", r"(?i:k)", r"(?i:i)"),
]


def ours(engine: str, pattern: str, apart: str = NOTHING) -> set[str]:
    """The characters that `pattern` cuts out from between `apart`, which it does not match."""
    splitter = select(engine).splitter(pattern)
    found = set()
    for page in PAGES:
        data = apart.join(["", *page, ""]).encode()
        ends = splitter.split(data)
        pieces = [data[start:end].decode() for start, end in pairwise([0, *ends])]
        found |= {piece for piece in pieces if len(piece) == 1}
    return found - {apart}


@cache
def of_hugging_face(pattern: str) -> set[str]:
    """The characters that Oniguruma matches."""
    split = pre_tokenizers.Split(Regex(pattern), "removed", invert=True)
    return set("".join(piece for piece, _ in split.pre_tokenize_str(CHARACTERS)))


@cache
def of_tiktoken(pattern: str) -> set[str]:
    """The characters that fancy-regex matches: tiktoken drops the others."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return set(bytes(encoding.encode_ordinary(CHARACTERS)).decode())


@pytest.mark.parametrize("pattern", SETS)
def test_a_set_holds_the_same_code_points_everywhere(pattern):
    """The twin runs `regex`, whose Unicode version may be another: it must not show."""
    expected = of_hugging_face(pattern)
    assert len(expected) > 1
    assert of_tiktoken(pattern) == expected
    assert ours("native", pattern) == expected
    assert ours("python", pattern) == expected


def test_a_word_character_is_what_it_is_to_tiktoken():
    r"""Of the two meanings of \w, the one that is written down (Technical Standard 18)."""
    assert ours("native", r"\w") == ours("python", r"\w") == of_tiktoken(r"\w")
    assert of_hugging_face(r"\w") ^ of_tiktoken(r"\w") == ONIGURUMA_WORDS


@pytest.mark.parametrize(
    ("pattern", "apart"),
    [(r"\w", NOTHING), (r"[-\w]", NOTHING), (r"\W", "a"), (r"\pM", NOTHING), (r"\S", " ")],
)
def test_a_portable_set_holds_the_same_code_points_everywhere(pattern, apart):
    r"""What goes into a file spells \w out, so that Oniguruma cuts as the other two do."""
    expected = of_hugging_face(portable(pattern))
    assert of_tiktoken(portable(pattern)) == expected
    assert ours("native", pattern, apart) == expected
