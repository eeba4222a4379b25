from typing import Any

import pytest
import tiktoken
from tokenizers import Regex, pre_tokenizers

from bytepair.errors import PatternError
from bytepair.patterns import automaton, for_oniguruma, portable, regex_of

SAMPLE = "aé\x85\v\f\t\x1c ÀÉ9_-²Ⅷ٣ſK pL xe9\u200d\u200c\u0301z‿ß\n"
PORTABLE = [
    r"\w+|\W",
    r"[\w-]+|\s",
    r"\pL+|\PL",
    r"\p{L}+|\P{L}",
    r"\xe9|\x61|[\x80-\x{ff}]",
    r"\u00e9|\x{c0}|.",
    r"[^\d]+|\d",
    r"\S+|\s",
    r"(?i:'s|k)|[\s\S]",
    r"\v|\f|\t|\.|\-",
    r"a{2}+a?|\W+$|[\W_]",
    r"[[:alpha:]]+|[a-z&&[^k]]|\R",
    r"(?i:ss|FI|ß)|(?i:[^\P{Lu}s])",
    r"(?>a|é)++|\b\w|[\s\S]",
    r"\<|\>|_",
    r"\p{Script=Latin}+|\p{IsGreek}|\p{^L}",
]
TEXTS = [
    "",
    SAMPLE,
    "aB²_-x\u200d\u0301 \r\n\t12ag\x1b\x07 ΣplpL\n",
    "aaaaa a\n\na b \n",
    "\nаБ ²x\x85\u2028\u3000€+ 12345x",
]
# Signs that Oniguruma reads in another way than Rust.
ONIGURUMA = [
    r"\w+",
    r"\W",
    r"[\w-]+",
    r"a$",
    r"\s+$",
    r"^.",
    r"^\s|\s$",
    r"\S\Z",
    r"\s\z",
    r"\A\S+|\S",
    r"\h+",
    r"[^\h]",
    r"\b.",
    r"\B.",
    r"\R",
    r"\N+",
    r"\O",
    r"\pL",
    r"a{2}+",
    r"\d{1,2}+x?",
    r"xa{2}?|a{1}?b|a{1,2}?a",
    r"(?i:\p{Lu})",
    r"(?i:[[:xdigit:]ǅ])+",
    r"[^\w\s]+",
    r"[^\W_]+",
    r"(?i:\P{Lu})",
    r"(?i:[^\P{Lu}])",
    r"(?i:[a-z&&[^K]])",
    r"(?m:.)+",
    r"(?i)pl",
    r"[[:word:]]+",
    r"[[:^punct:]]",
    r"[[:graph:][:blank:]]",
    r"\p{Greek}|\p{Letter}",
    r"\e|\a",
]


@pytest.mark.parametrize("pattern", PORTABLE)
def test_portable_pattern_cuts_alike_in_hugging_face(cut: Any, pattern: str) -> None:
    r"""Oniguruma takes \pL for the letters "pL" and refuses \xe9; \w has another meaning there."""
    tables = automaton(pattern)
    assert tables is not None
    theirs = pre_tokenizers.Split(Regex(portable(pattern)), "isolated")
    # What no match covers is one piece there and single characters in the walk.
    ours = [piece for piece in cut(tables, SAMPLE) if regex_of(pattern).fullmatch(piece)]
    pieces = [piece for piece, _ in theirs.pre_tokenize_str(SAMPLE)]
    assert [piece for piece in pieces if regex_of(pattern).fullmatch(piece)] == ours


@pytest.mark.parametrize("pattern", PORTABLE)
def test_portable_pattern_cuts_alike_in_tiktoken(cut: Any, pattern: str) -> None:
    """Every piece of up to four bytes is a token there, so tokens show where it cut."""
    tables = automaton(pattern)
    assert tables is not None
    pieces = [piece for piece in cut(tables, SAMPLE) if regex_of(pattern).fullmatch(piece)]
    tokens = [bytes([byte]) for byte in range(256)]
    tokens += {piece.encode() for piece in pieces if len(piece.encode()) > 1}
    encoding = tiktoken.Encoding(
        "x",
        pat_str=portable(pattern),
        mergeable_ranks={token: rank for rank, token in enumerate(tokens)},
        special_tokens={},
    )
    ids = encoding.encode_ordinary(SAMPLE)
    assert encoding.decode_tokens_bytes(ids) == [piece.encode() for piece in pieces]


@pytest.mark.parametrize("pattern", PORTABLE)
def test_portable_pattern_is_read_back_as_it_was_meant(cut: Any, pattern: str) -> None:
    """It is what a saved file holds, so loading that file must cut as before."""
    again = portable(pattern)
    assert portable(again) == again
    ours, loaded = automaton(pattern), automaton(again)
    assert ours is not None
    assert loaded is not None
    for text in (SAMPLE, SAMPLE[::-1]):
        assert cut(loaded, text) == cut(ours, text)


@pytest.mark.parametrize("pattern", ONIGURUMA)
@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_translated_pattern_cuts_as_hugging_face_does_with_the_original(
    pattern: str, text: str
) -> None:
    """So a file is read as it was meant, whatever the signs mean to other engines."""
    theirs = pre_tokenizers.Split(Regex(pattern), "removed", invert=True)
    expected = [piece for piece, _ in theirs.pre_tokenize_str(text)]
    assert regex_of(for_oniguruma(pattern)).findall(text) == expected


@pytest.mark.parametrize("pattern", ONIGURUMA)
def test_translated_pattern_means_the_same_to_hugging_face(pattern: str) -> None:
    """It can be saved again, and be read again."""
    again = portable(for_oniguruma(pattern))
    for text in TEXTS:
        assert pieces_of_hugging_face(again, text) == pieces_of_hugging_face(pattern, text)


def pieces_of_hugging_face(pattern: str, text: str) -> list[str]:
    """What Oniguruma matches and what lies between."""
    split = pre_tokenizers.Split(Regex(pattern), "isolated")
    return [piece for piece, _ in split.pre_tokenize_str(text)]


@pytest.mark.parametrize("pattern", [r"\p{L}+|\s+(?!\S)", r"[a&&[^b]]|[[c]]", r"(?i:'ll)", r"x++"])
def test_what_is_read_alike_stays_as_it_is(pattern: str) -> None:
    """Files hold it as people know it."""
    assert for_oniguruma(pattern) == portable(pattern) == pattern


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (r"(a)\1", r"the escape \\1 at position 5, which is not supported"),
        (r"(?i:ss)", "letters that equal a single one, their case ignored,"),
        (r"(?i:[ß])", "a letter that equals several, its case ignored,"),
        (r"\xe9", "a single byte"),
        (r"(?s:.)", "the switch s"),
        (r"\X", r"the escape \\X"),
        ("(" * 900 + "a" + ")" * 900, "groups nested so deep"),
    ],
)
def test_what_is_not_translated_is_refused(pattern: str, message: str) -> None:
    """Nothing is guessed: another cut gives other ids."""
    with pytest.raises(PatternError, match=message):
        for_oniguruma(pattern)


@pytest.mark.parametrize("pattern", [r"(a)\1", r"a\Z", r"\h", "[]a]", "a{,2}b"])
def test_what_the_dialect_does_not_have_is_not_exported(pattern: str) -> None:
    """A file that cuts differently elsewhere is worse than a refusal."""
    with pytest.raises(PatternError, match="which engines disagree on"):
        portable(pattern)
