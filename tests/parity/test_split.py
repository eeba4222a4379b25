"""Both engines cut every text, and bytes that are no text, where the reference engines do."""

import warnings

import hypothesis.strategies as st
import pytest
import tiktoken
from hypothesis import assume, example, given
from tokenizers import Regex, pre_tokenizers

from bytepair.engines import select
from bytepair.errors import BytepairWarning, PatternError
from bytepair.patterns import NAMED, automaton, portable
from inputs import BROKEN, documents, fewer, long_documents, regex_texts, regexes, texts
from oracles import cuts, matches

BYTES = {bytes([byte]): byte for byte in range(256)}
NATIVE, PYTHON = select("native"), select("python")

PATTERNS = {
    **NAMED,
    "digits": r"\d",
    "words": r"\w+|[^\w\s]+",
    "with gaps": r"[a-z]+",
    "gaps before a look ahead": r"\p{L}+(?=\s)",
    "lazy": r"\S+?\s|.{2,}?\p{N}",
    "possessive": r"\s++|[^\s]?+\p{L}{2,}+|\p{N}*+\p{P}",
    "counted": r"\p{N}{1,3}|\p{L}{2}|\s{2,}|[^\p{L}\p{N}\s]{2,4}",
    "ignoring case": r"(?i:'s|'LL|skip|if)|\p{L}",
    "negated": r"[^\s\p{L}]+|\P{N}",
    "looking ahead": r"\p{Lu}(?!\p{Lu})\p{Ll}*|\p{Lu}+(?=[\p{Lu}\s])|\s+(?!\S)|\p{M}",
    "everything": r"[\s\S]",
    "lines": r".+|\n",
}


ODD = [
    *("[]a]", "[^]a]", "[a-]", "[-a]", "[b&--a]", "[ab&&b]", "[[:alpha:]]", r"[\]\^-]", r"\<|\>"),
    *("a{1,²}", "a{1,٣}", "a{,2}b", "a{0}b", "{", "}", "a{", "x{a}", "]", r"\p{Lu", r"\x10|\u0041"),
    *("(?i)a", "(?i:[h-j])+", "()a", "(?:)a", "(?#c)a", r"\bb", r"(?<=a)b"),
]


def pieces(engine, pattern: str | None, data: bytes) -> list[bytes]:
    """The pre-tokens, by the engine."""
    ends = engine.splitter(pattern).split(data)
    return [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
@given(data=documents())
def test_both_engines_cut_any_bytes_alike(pattern, data):
    """The core walks tables over bytes, its twin runs the `regex` package over text."""
    native = pieces(NATIVE, pattern, data)
    assert native == pieces(PYTHON, pattern, data)
    assert b"".join(native) == data
    assert b"" not in native


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
@given(data=long_documents())
def test_both_engines_cut_long_documents_alike(pattern, data):
    """Beyond a few bytes the core takes its fast path, block by block."""
    assert NATIVE.splitter(pattern).split(data) == PYTHON.splitter(pattern).split(data)


@given(pattern=regexes(), text=st.lists(regex_texts, min_size=30, max_size=60).map("".join))
@fewer(4)
def test_any_regex_cuts_long_texts_as_the_regex_package_does(pattern, text):
    """Machines of all shapes, also such as lose their way and start again."""
    require_compiled(pattern)
    assert pieces(NATIVE, pattern, text.encode()) == cuts(pattern, text.encode())


FAR = [
    r"a*b|a",
    r"a*b",
    r"(?:a*b|a*[x ]{2}|a)",
    r"\s*x|\s",
    r"(?:ax?)+b|\S",
    r"[^b]+b|.",
    r"a*?b|aa",
]


@pytest.mark.parametrize("pattern", FAR)
@given(runs=st.lists(st.tuples(st.sampled_from("aabx é"), st.integers(1, 300)), max_size=8))
def test_patterns_that_look_far_and_give_back_cut_where_the_regex_package_does(pattern, runs):
    """The core remembers where a look ahead went in vain, and must never be wrong in it."""
    require_compiled(pattern)
    data = "".join(character * n for character, n in runs).encode()
    assert pieces(NATIVE, pattern, data) == cuts(pattern, data)


def test_a_pattern_that_looks_far_and_gives_back_costs_no_square():
    """A million looks at a million characters each would never end."""
    assert NATIVE.splitter("a*b|a").split(b"a" * 1_000_000) == [*range(1, 1_000_001)]


def test_without_a_pattern_a_document_is_one_piece():
    """And an empty document none."""
    for engine in (NATIVE, PYTHON):
        assert pieces(engine, None, b"a b\xff\n") == [b"a b\xff\n"]
        assert pieces(engine, None, b"") == pieces(engine, NAMED["gpt2"], b"") == []


@given(pattern=regexes(), texts=st.lists(regex_texts, min_size=1, max_size=8))
@example(pattern=r"[^\p{Lu}]日|(?i:a)", texts=["1à日"])
@fewer(4)
def test_any_regex_cuts_as_the_regex_package_does(pattern, texts):
    """The compiler of patterns is right for the whole dialect, not only for the known ones."""
    require_compiled(pattern)
    for text in texts:
        expected = cuts(pattern, text.encode())
        assert pieces(NATIVE, pattern, text.encode()) == expected
        assert pieces(PYTHON, pattern, text.encode()) == expected


def require_compiled(pattern: str) -> None:
    """Pass over a pattern that both engines would give to `regex`."""
    try:
        with warnings.catch_warnings(action="error", category=BytepairWarning):
            automaton(pattern)
    except (PatternError, BytepairWarning):
        assume(False)


@given(pattern=regexes(), data=st.lists(documents(6), min_size=1, max_size=4))
@example(pattern=r"(?i:[h-j]x?)", data=["iİIx".encode()])
@fewer(8)
def test_any_regex_cuts_bytes_alike_in_both_engines(pattern, data):
    """Also broken UTF-8, and characters on whose class Unicode versions differ."""
    require_compiled(pattern)
    for document in data:
        assert pieces(NATIVE, pattern, document) == pieces(PYTHON, pattern, document)


@pytest.mark.parametrize("name", NAMED)
@given(text=texts())
def test_named_patterns_cut_as_hugging_face_does(name, text):
    """Oniguruma is what most published tokenizers were trained with."""
    split = pre_tokenizers.Split(Regex(NAMED[name]), "isolated")
    expected = [piece.encode() for piece, _ in split.pre_tokenize_str(text)]
    assert pieces(NATIVE, NAMED[name], text.encode()) == expected


@given(pattern=regexes(lazy=False), texts=st.lists(regex_texts, min_size=1, max_size=8))
@example(pattern=r"\<\w|\>", texts=["a <b>"])
@fewer(6)
def test_a_portable_regex_means_the_same_to_hugging_face_and_tiktoken(pattern, texts):
    """So `portable` promises. tiktoken drops what lies between the matches."""
    require_compiled(pattern)
    try:
        portably = portable(pattern)
    except PatternError:
        assume(False)
    split = pre_tokenizers.Split(Regex(portably), "isolated")
    encoding = tiktoken.Encoding("", pat_str=portably, mergeable_ranks=BYTES, special_tokens={})
    for text in texts:
        expected = [piece.encode() for piece, _ in split.pre_tokenize_str(text)]
        assert pieces(NATIVE, pattern, text.encode()) == expected
        matched = "".join(text[start:end] for start, end in matches(pattern, text))
        assert bytes(encoding.encode_ordinary(text)) == matched.encode()


@pytest.mark.filterwarnings("ignore:.* runs on the `regex` package")
@pytest.mark.parametrize("pattern", ODD)
def test_odd_regexes_cut_alike_in_both_engines(pattern):
    """Signs that stand for themselves, or mean one thing here and another there."""
    data = "aaa{1,²}b+-]٣[^x{,2}b p{Lu\x10İiA a&&b <w>".encode()
    assert pieces(NATIVE, pattern, data) == pieces(PYTHON, pattern, data)


@pytest.mark.parametrize("pattern", ["[]a]", "[^]a]", "[b&--a]", "[b~~a]", "a{,2}b"])
def test_what_engines_read_differently_is_not_portable(pattern):
    """A doubled sign in a class is set algebra to tiktoken alone."""
    with pytest.raises(PatternError, match="which engines disagree on"):
        portable(pattern)


@pytest.mark.parametrize("broken", BROKEN, ids=lambda data: data.hex())
def test_a_byte_that_is_no_text_is_one_character(broken):
    """No property matches it and every negated set does; so it can be cut from its neighbours."""
    for engine in (NATIVE, PYTHON):
        assert pieces(engine, r"[\s\S]", broken) == [bytes([byte]) for byte in broken]
        assert pieces(engine, r"[^\s]+|\s", b" " + broken + b" ") == [b" ", broken, b" "]
        assert pieces(engine, r"\p{L}+|\s|\p{N}", b"a" + broken + b"1") == [b"a", broken, b"1"]


def test_a_pattern_only_regex_can_run_cuts_alike_in_both_engines():
    """Outside the dialect of the compiler the native engine lets the twin cut."""
    pattern = r"\b\w+\b|(?<=\s)\W"
    with pytest.warns(BytepairWarning, match="runs on the `regex` package"):
        native = pieces(NATIVE, pattern, "één  zwei!".encode())
    assert native == pieces(PYTHON, pattern, "één  zwei!".encode())
    assert native == [m.encode() for m in ("één", " ", " ", "zwei", "!")]


def test_a_million_characters_without_a_match_are_cut_in_one_go():
    """A gap is looked through once, not once for each of its characters."""
    text = "x" * 1_000_000 + "1"
    for engine in (NATIVE, PYTHON):
        assert engine.splitter(r"\d").split(text.encode()) == [1_000_000, 1_000_001]
