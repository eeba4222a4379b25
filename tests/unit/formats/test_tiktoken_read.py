"""Reading rank files: lines, special tokens, the pattern they lack, and every split as a merge."""

import base64
import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair import formats
from bytepair.errors import ArgumentError, FormatError, PatternError
from bytepair.model import AddedToken
from bytepair.patterns import NAMED


@pytest.fixture
def save(tmp_path):
    """Writes lines as "x.tiktoken"."""

    def save(lines, end=b"\n"):
        path = tmp_path / "x.tiktoken"
        path.write_bytes(end.join(lines))
        return path

    return save


def line(token, rank):
    """One line of a rank file."""
    return b"%s %d" % (base64.b64encode(token), rank)


def test_a_rank_file_reads_whole(rank_lines, save):
    """Ids are ranks, and a pre-token that is a token is taken as it is."""
    spec = formats.read(save(rank_lines), pattern="gpt2", special_tokens={"<s>": 300})
    assert spec.vocabulary.tokens == {**{b: bytes([b]) for b in range(256)}, 256: b"ab"}
    assert spec.vocabulary.byte_ids == tuple(range(256))
    assert list(spec.merges) == [(97, 98, 256, 256)]
    assert (spec.rules.pattern, spec.rules.special_tokens) == (NAMED["gpt2"], ("<s>",))
    assert spec.added_tokens == (AddedToken("<s>", 300),)
    assert (spec.alphabet, spec.ignore_merges, spec.name) == ("bytes", True, "x")


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\n\n", b"\r\n  \r\n"])
def test_line_ends_and_blank_lines_do_not_matter(end, rank_lines, save):
    """Files pass through editors and version control on Windows."""
    expected = formats.read(save(rank_lines), pattern="gpt2")
    assert formats.read(save([*rank_lines, b""], end), pattern="gpt2") == expected


def test_the_order_of_lines_does_not_matter(rank_lines, save):
    """The rank is in the line."""
    expected = formats.read(save(rank_lines), pattern="gpt2")
    shuffled = formats.read(save(rank_lines[::-1]), pattern="gpt2")
    assert shuffled == expected
    assert list(shuffled.vocabulary.tokens) == list(range(257))


def test_every_split_of_a_token_is_a_merge_of_its_rank(rank_lines, save):
    """The library asks only whether two neighbours together are a token, not which two."""
    tokens = {257: b"bc", 258: b"abc", 259: b"aa", 260: b"aaa", 300: b"aaaa"}
    more = [line(token, rank) for rank, token in tokens.items()]
    spec = formats.read(save(rank_lines + more), pattern="gpt2")
    known = spec.vocabulary.id_by_bytes
    expected = {
        (known[left], known[right], known[left + right], known[left + right])
        for left, right in product(known, known)
        if left + right in known
    }
    assert set(spec.merges) == expected
    assert len(spec.merges) == len(expected) == 10
    assert np.all(np.diff(spec.merges.rank.astype(np.int64)) >= 0)


def test_a_very_long_token_costs_little(rank_lines, save):
    """Only cuts into lengths that occur are tried: not every cut of a hostile line."""
    spec = formats.read(save([*rank_lines, line(b"ab" * 500_000, 257)]), pattern="gpt2")
    assert len(spec.merges) == 1


@given(
    tokens=st.lists(st.binary(min_size=1, max_size=4), max_size=8),
    ranks=st.lists(st.integers(256, 2**31), min_size=8, max_size=8).map(sorted),
    damage=st.tuples(st.integers(0, 80), st.sampled_from([b"", b"=", b" ", b"\n", b"x", b"\xff"])),
)
def test_the_core_reads_what_the_lines_say_one_by_one(tokens, ranks, damage, tmp_path_factory):
    """It takes what is plainly sound only, and what it leaves is read, or refused, in Python."""
    path = tmp_path_factory.mktemp("ranks") / "x.tiktoken"
    text = b"".join(line(*entry) + b"\n" for entry in zip(tokens, ranks, strict=False))
    text = text[: damage[0]] + damage[1] + text[damage[0] :]
    singles = b"".join(line(bytes([byte]), byte) + b"\n" for byte in range(256))
    path.write_bytes(singles + text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BYTEPAIR_ENGINE", "python")
        wanted = outcome(path)
    assert outcome(path) == wanted


def outcome(path):
    """The tokenizer, or the complaint."""
    try:
        return formats.read(path, pattern="gpt2")
    except FormatError as error:
        return str(error)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (b"<!DOCTYPE html>", "'<!DOCTYPE' is not base64"),
        (
            b"<body>404 Not Found</body>",
            "wanted a token in base64 and its rank, got '<body>404 Not",
        ),
        (b"YWI=", "wanted a token in base64 and its rank, got 'YWI='"),
        (b"YWI= 1 2", "wanted a token in base64 and its rank"),
        (b"!!! 300", "'!!!' is not base64"),
        (b"YWI 300", "'YWI' is not base64"),
        (b"YW=I 300", "'YW=I' is not base64"),
        (b"= 300", "'=' is not base64"),
        (b"\xff\xfe 300", r"'\xff\xfe' is not base64"),
        (b"YWJj -1", "'-1' is no rank (0 to 2147483647)"),
        (b"YWJj 2147483648", "'2147483648' is no rank"),
        (b"YWJj " + b"9" * 9999, "is no rank"),
        (b"YWJj 1.5", "'1.5' is no rank"),
        (b"YWJj 1_0", "'1_0' is no rank"),
        (b"YWI= 300", "the token b'ab' was already given on line 257"),
        (b"YWJj 5", "the rank 5 was already used on line 6"),
    ],
)
def test_a_bad_line_is_named(bad, message, rank_lines, save):
    """The library takes most of these without a word, or fails without saying where."""
    path = save([*rank_lines, b"", bad])
    with pytest.raises(FormatError) as caught:
        formats.read(path, pattern="gpt2")
    assert str(caught.value).startswith(f"{path}:259: ")
    assert message in str(caught.value)


def test_missing_bytes_are_counted_and_shown(rank_lines, save):
    """The library panics at the first text that holds one of them."""
    with pytest.raises(FormatError, match=r"255 of the 256 bytes have no token \(0x00, 0x01"):
        formats.read(save(rank_lines[97:98]), pattern="gpt2")
    with pytest.raises(FormatError, match="256 of the 256 bytes"):
        formats.read(save([]), pattern="gpt2")


def test_the_pattern_is_never_guessed(rank_lines, save):
    """With another pattern nearly all ids come out wrong; the remedy is in the message."""
    with pytest.raises(FormatError, match=r"Pass pattern= .*cl100k.*x\.tiktoken\.json beside it"):
        formats.read(save(rank_lines))
    with pytest.raises(FormatError, match="Pass pattern="):
        formats.read(save(rank_lines), special_tokens={"<s>": 300})


@pytest.mark.parametrize(
    ("pattern", "message"),
    [("gpt3", "'gpt3' is not a known name"), ("(a", "not a valid regex"), ("a*", "empty text")],
)
def test_a_bad_pattern_is_refused_at_once(pattern, message, rank_lines, save):
    """Not at the first text that is encoded."""
    with pytest.raises(PatternError, match=message):
        formats.read(save(rank_lines), pattern=pattern)


@pytest.mark.parametrize(
    ("specials", "error", "message"),
    [
        ({"": 300}, ArgumentError, "must not be empty"),
        ({"<s>": -1}, ArgumentError, "the id of '<s>' is -1; wanted a whole number"),
        ({"<s>": "300"}, ArgumentError, "the id of '<s>' is '300'"),
        ({"<s>": True}, ArgumentError, "the id of '<s>' is True"),
        ({"<s>": 97}, FormatError, "id 97 is given to both the special token '<s>' and b'a'"),
        ({"<s>": 300, "<t>": 300}, FormatError, "both the special token '<t>' and '<s>'"),
    ],
)
def test_bad_special_tokens_are_refused(specials, error, message, rank_lines, save):
    """An empty one makes tiktoken search forever; a taken id never decodes to the special token."""
    with pytest.raises(error, match=message):
        formats.read(save(rank_lines), pattern="gpt2", special_tokens=specials)


class TestSidecar:
    """`x.tiktoken.json` beside `x.tiktoken`."""

    @pytest.fixture
    def beside(self, rank_lines, save):
        """Writes a rank file with this sidecar; gives back the path of the rank file."""

        def beside(content):
            path = save(rank_lines)
            path.with_name("x.tiktoken.json").write_text(json.dumps(content), encoding="utf-8")
            return path

        return beside

    def test_says_what_the_rank_file_does_not(self, beside):
        """Name, pattern and special tokens, these by ascending id."""
        content = {"name": "mine", "pattern": r"\d+", "special_tokens": {"<b>": 301, "<a>": 300}}
        spec = formats.read(beside(content))
        assert (spec.name, spec.rules.pattern) == ("mine", r"\d+")
        assert spec.rules.special_tokens == ("<a>", "<b>")
        assert spec.added_tokens == (AddedToken("<a>", 300), AddedToken("<b>", 301))

    def test_may_hold_only_what_tiktoken_is_given(self, beside):
        """`pat_str` is the name people know."""
        assert formats.read(beside({"pat_str": r"\d+"})).rules.pattern == r"\d+"
        assert formats.read(beside({"pattern": None, "pat_str": "x+"})).rules.pattern is None

    def test_gives_way_to_arguments(self, beside):
        """Each for itself."""
        path = beside({"pattern": r"\d+", "special_tokens": {"<a>": 300}})
        assert formats.read(path, pattern="gpt2").rules.pattern == NAMED["gpt2"]
        assert formats.read(path, pattern="gpt2").rules.special_tokens == ("<a>",)
        assert formats.read(path, special_tokens={}).rules.special_tokens == ()
        assert formats.read(path, special_tokens={}).rules.pattern == r"\d+"

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ([], "must hold a JSON object"),
            ({}, "pat_str is missing (it must be a string)"),
            ({"version": 2, "pattern": "a"}, "version 2 is not supported (known: 1)"),
            ({"pattern": 5}, "pattern must be a string, got a whole number"),
            ({"pattern": "(a"}, "pattern: pattern is not a valid regex"),
            ({"pattern": "a", "special_tokens": []}, "special_tokens must be an object, got an"),
            (
                {"pattern": "a", "special_tokens": {"<s>": "1"}},
                "special_tokens['<s>'] must be a wh",
            ),
            ({"pattern": "a", "special_tokens": {"<s>": -1}}, "special_tokens['<s>'] is -1, which"),
            ({"pattern": "a", "special_tokens": {"\ud800": 300}}, "holds half a surrogate pair"),
            ({"pattern": "a", "special_tokens": {"": 300}}, "special_tokens: an empty token"),
            ({"pattern": "a", "special_tokens": {"<s>": 97}}, "id 97 is given to both the special"),
        ],
    )
    def test_is_checked_like_the_file(self, content, message, beside):
        """It decides ids just as much."""
        with pytest.raises(FormatError) as caught:
            formats.read(beside(content))
        assert message in str(caught.value)
        assert "x.tiktoken" in str(caught.value)


def test_a_sidecar_of_another_rank_file_is_refused(spec, tmp_path):
    """Two files cannot be replaced at once: whoever is killed in between leaves such a pair."""
    path = tmp_path / "x.tiktoken"
    formats.write(spec, path)
    path.write_bytes(path.read_bytes().replace(b"YWJj 257", b"YWJk 257"))
    with pytest.raises(FormatError, match="belongs to another rank file than the one beside it"):
        formats.read(path)
    assert formats.read(path, pattern="gpt2", special_tokens={}).vocabulary.tokens[257] == b"abd"
