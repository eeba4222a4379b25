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
from bytepair.patterns import for_oniguruma, portable

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
    *(r"\p{N}", r"\p{M}", r"\p{P}", r"\p{S}", r"\p{Z}", r"\p{Nd}", r"\p{Cf}", r"\p{LC}"),
    *(r"\p{Alphabetic}", r"\p{Lowercase}", r"\p{Emoji}", r"\p{White_Space}", r"\s", r"\d"),
    *(r"\p{Han}", r"\p{Hira}", r"\p{latin}", r"\p{Greek}", r"\p{Arabic}", r"\p{Zinh}"),
    *(r"[\p{L}&&[^\p{Han}]]", r"[^\W\p{M}\d_²³¹¼½¾\x{200C}\x{200D}]"),
    *(r"(?i:s)", r"(?i:k)", r"(?i:i)", r"(?i:[à-ÿ&&[^ß]])", r"(?i:[α-ωა-ჺǄ])"),
]
SETS_OF_THE_TWIN = [r"\p{L}", r"\p{Lt}", r"\p{N}", r"\p{M}", r"\s", r"(?i:k)", r"\p{Hira}"]
# What Hugging Face reads in another way than tiktoken; a file of its is translated.
TRANSLATED = [
    *(r"\w", r"\W", r"[\w]", r"[^\w]", r"[\W\p{L}]", r"\h", r"\N", r"(?i:\P{Lu})", r"(?i:\p{Ll})"),
    *(f"[[:{name}:]]" for name in ("alpha", "punct", "space", "graph", "print", "word", "ascii")),
    *(r"[^[:alpha:]]", r"[[:^punct:]&&\p{L}]", r"(?i:[a-z&&[^K]])", r"(?i:[^\P{Lu}])"),
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
    """The characters that Oniguruma matches; in runs, which are fewer."""
    split = pre_tokenizers.Split(Regex(f"(?:{pattern})+"), "removed", invert=True)
    return set("".join(piece for piece, _ in split.pre_tokenize_str(CHARACTERS)))


@cache
def of_tiktoken(pattern: str) -> set[str]:
    """The characters that fancy-regex matches: tiktoken drops the others."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return set(bytes(encoding.encode_ordinary(CHARACTERS)).decode())


@pytest.mark.parametrize("pattern", SETS)
def test_a_set_holds_the_same_code_points_everywhere(pattern):
    """So a tokenizer gives the same ids wherever its file is loaded."""
    expected = of_hugging_face(pattern)
    assert len(expected) > 1
    assert of_tiktoken(pattern) == expected
    assert ours("native", pattern) == expected


@pytest.mark.parametrize("pattern", SETS_OF_THE_TWIN)
def test_a_set_of_the_twin_holds_the_same_code_points(pattern):
    """It runs `regex`, whose Unicode version may be another: it must not show."""
    assert ours("python", pattern) == ours("native", pattern)


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


@pytest.mark.parametrize("pattern", TRANSLATED)
def test_a_set_in_a_file_of_hugging_face_holds_what_it_holds_there(pattern):
    """Whatever Oniguruma makes of the signs, also inside a class."""
    translated = for_oniguruma(pattern)
    assert of_hugging_face(translated) == of_hugging_face(pattern)
    apart = next(char for char in "a \n€1A" if char not in of_hugging_face(pattern))
    assert ours("native", translated, apart) == of_hugging_face(pattern)
