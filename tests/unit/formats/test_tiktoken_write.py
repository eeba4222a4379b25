"""Writing rank files: exactly what tiktoken does with them, or a refusal with the reason."""

import base64
import hashlib
import json
from dataclasses import replace

import pytest

from bytepair import formats
from bytepair.errors import ExportError
from bytepair.model import AddedToken, MergeTable, SplitRules, Vocabulary


def with_tokens(spec, tokens, merges):
    """`spec` with other tokens beyond the bytes, and these merges."""
    tokens = {**{byte: bytes([byte]) for byte in range(256)}, **tokens}
    vocabulary = Vocabulary(tokens, tuple(range(256)))
    return replace(spec, vocabulary=vocabulary, merges=MergeTable.from_merges(merges))


def test_lines_hold_token_and_id_by_ascending_id(spec, tmp_path):
    """As in the published files, so that the same tokenizer gives the same bytes."""
    assert formats.write(spec, tmp_path / "x.tiktoken")[0] == tmp_path / "x.tiktoken"
    lines = (tmp_path / "x.tiktoken").read_bytes().splitlines()
    assert lines[0] == b"AA== 0"
    assert lines[256:] == [b"YWI= 256", b"YWJj 257"]
    assert len(lines) == 258


def test_the_sidecar_holds_the_arguments_of_tiktoken(spec, tmp_path):
    """`name`, `pat_str` and `special_tokens` can be handed on as they are."""
    spec = replace(spec, name="mine", added_tokens=(AddedToken("<s>", 300),))
    written = formats.write(spec, tmp_path / "x.tiktoken")
    assert written[1] == tmp_path / "x.tiktoken.json"
    assert json.loads(written[1].read_text("utf-8")) == {
        "version": 1,
        "name": "mine",
        "pat_str": r"[a-z]+|(?:(?!(?:[a-z]+))[\s\S])+",
        "pattern": "[a-z]+",
        "special_tokens": {"<s>": 300},
        "ranks_sha256": hashlib.sha256(written[0].read_bytes()).hexdigest(),
    }


def test_what_was_written_reads_back(spec, tmp_path):
    """As a rank table: the same tokens, rules and special tokens."""
    spec = replace(spec, added_tokens=(AddedToken("<s>", 300),))
    spec = replace(spec, rules=replace(spec.rules, special_tokens=("<s>",)))
    formats.write(spec, tmp_path / "x.tiktoken")
    again = formats.read(tmp_path / "x.tiktoken")
    assert (again.vocabulary, again.rules, again.name) == (spec.vocabulary, spec.rules, "bytepair")
    assert again.added_tokens == spec.added_tokens
    formats.write(again, tmp_path / "y.tiktoken")
    for end in ("", ".json"):
        one, other = tmp_path / f"x.tiktoken{end}", tmp_path / f"y.tiktoken{end}"
        assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize(
    ("tokens", "merges", "message"),
    [
        (
            {256: b"ab", 257: b"bc"},
            [(98, 99, 257), (97, 98, 256)],
            r"token 257 \(b'bc'\) is merged before token 256 \(b'ab'\), but tiktoken merges",
        ),
        (
            {256: b"ab", 257: b"abc"},
            [(97, 98, 256)],
            r"token 257 \(b'abc'\) is never made by merging, but tiktoken would make it from b'ab' "
            "and b'c'",
        ),
        (
            {256: b"ab", 257: b"abcd"},
            [(97, 98, 256)],
            r"token 257 \(b'abcd'\) is never made by merging, but tiktoken would use it for a pre-",
        ),
        (  # a + bc comes too late: ab is merged first, and leaves "c" alone
            {256: b"ab", 257: b"bc", 258: b"abc"},
            [(97, 98, 256), (98, 99, 257), (97, 257, 258)],
            r"token 258 \(b'abc'\) is never made by merging, but tiktoken would make it",
        ),
        ({256: b"ab", 257: b"ab"}, [(97, 98, 256)], "tokens 256 and 257 are both b'ab'"),
    ],
    ids=["order", "no-merge-two-parts", "no-merge-many-parts", "unreachable", "twice"],
)
def test_what_tiktoken_would_encode_otherwise_is_refused(tokens, merges, message, spec, tmp_path):
    """The message names the token and what would become of it."""
    with pytest.raises(ExportError, match=message):
        formats.write(with_tokens(spec, tokens, merges), tmp_path / "x.tiktoken")
    assert list(tmp_path.iterdir()) == []


def test_a_token_for_whole_pre_tokens_only_can_be_said(spec, tmp_path):
    """With ignore_merges both look up the whole pre-token first, and no two parts make it."""
    spec = with_tokens(spec, {256: b"ab", 257: b"abcd"}, [(97, 98, 256)])
    formats.write(replace(spec, ignore_merges=True), tmp_path / "x.tiktoken")
    assert (tmp_path / "x.tiktoken").read_bytes().endswith(b"\nYWJjZA== 257\n")


def test_an_unused_second_merge_is_no_obstacle(spec, tmp_path):
    """Files made from rank tables list every split; only the one that happens counts."""
    tokens = {256: b"ab", 257: b"bc", 258: b"abc"}
    merges = [(97, 98, 256), (98, 99, 257), (97, 257, 258), (256, 99, 258)]
    formats.write(with_tokens(spec, tokens, merges), tmp_path / "x.tiktoken")
    assert (tmp_path / "x.tiktoken").exists()


def test_an_added_token_that_is_not_special_is_refused(spec, tmp_path):
    """It would be matched here always and there only on demand."""
    added = (AddedToken("plain", 300, special=False),)
    with pytest.raises(ExportError, match="the added token 'plain' is not special"):
        formats.write(replace(spec, added_tokens=added), tmp_path / "x.tiktoken")


@pytest.mark.parametrize(
    ("pattern", "message"),
    [(r"(a)\1|.", r"uses the escape \\1 at position 5, which engines disagree on")],
)
def test_a_pattern_that_is_read_differently_is_refused(pattern, message, spec, tmp_path):
    """The reason comes from the pattern, the refusal from the format."""
    with pytest.raises(ExportError, match=message):
        formats.write(replace(spec, rules=SplitRules(pattern)), tmp_path / "x.tiktoken")


def test_a_very_long_token_is_checked_in_time(spec, tmp_path):
    """Without a pattern, training on a run of one letter doubles a token again and again."""
    tokens = {256 + i: b"a" * 2 ** (i + 1) for i in range(15)}
    merges = [(97, 97, 256), *((255 + i, 255 + i, 256 + i) for i in range(1, 15))]
    spec = replace(with_tokens(spec, tokens, merges), rules=SplitRules(None))
    formats.write(spec, tmp_path / "x.tiktoken")
    last = (tmp_path / "x.tiktoken").read_bytes().splitlines()[-1]
    assert base64.b64decode(last.split()[0]) == b"a" * 2**15
