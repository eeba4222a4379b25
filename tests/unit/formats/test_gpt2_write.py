"""GPT-2's two files: what is written, what stands beside it, and what is refused."""

import json
from dataclasses import replace

import pytest
import tokenizers

from bytepair import formats
from bytepair.errors import ArgumentError, BytepairWarning, ExportError
from bytepair.model import AddedToken, MergeTable, SplitRules, Vocabulary
from bytepair.patterns import NAMED

END = AddedToken("<|end|>", 258)
TOOL = AddedToken("<tool>", 300, special=False, lstrip=True, normalized=True)


@pytest.fixture
def gpt2(spec):
    """The byte-level tokenizer of these tests, cut as GPT-2 cuts."""
    return replace(spec, rules=SplitRules(NAMED["gpt2"]))


def test_the_two_files_and_the_third(gpt2, tmp_path):
    """The first one is the one to load; added tokens have their ids in the vocabulary."""
    with pytest.warns(BytepairWarning, match=r"'<\|end\|>' is an added token: .* does"):
        paths = formats.write(replace(gpt2, added_tokens=(END,)), tmp_path, "gpt2")
    assert [path.name for path in paths] == ["vocab.json", "merges.txt", "tokenizer_config.json"]
    vocab = json.loads(paths[0].read_text(encoding="utf-8"))
    assert (vocab["ab"], vocab["Ġ"], vocab["<|end|>"]) == (256, 32, 258)
    assert paths[1].read_text(encoding="utf-8") == "#version: 0.2\na b\nab c\n"


def test_every_flag_of_an_added_token_comes_back(gpt2, tmp_path):
    """From the third file, which is where `transformers` looks too; ids may have gaps."""
    spec = replace(gpt2, added_tokens=(END, TOOL))
    with pytest.warns(BytepairWarning):
        formats.write(spec, tmp_path / "vocab.json")
    again = formats.read(tmp_path)
    assert (again.added_tokens, again.vocabulary, again.merges) == (
        (END, TOOL),
        gpt2.vocabulary,
        gpt2.merges,
    )


def test_saving_twice_gives_the_same_bytes(gpt2, tmp_path):
    """A conversion can be checked by a checksum."""
    one, other = (formats.write(gpt2, tmp_path / name, "gpt2") for name in ("a", "b"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]


def test_white_space_and_hashes_in_merges_survive(gpt2, tmp_path):
    """Lines end with one line feed, parts with one space, and only the first line is a heading."""
    pairs = [b"\xc2\xa0", b"\xc2\x85", b"\xe2\x80", b"# ", b"##", b"\n\n", b" \r"]
    tokens = {byte: bytes([byte]) for byte in range(256)}
    tokens |= {256 + place: pair for place, pair in enumerate(pairs)}
    merges = MergeTable.from_merges([(*pair, 256 + place) for place, pair in enumerate(pairs)])
    spec = replace(gpt2, vocabulary=Vocabulary(tokens, tuple(range(256))), merges=merges)
    paths = formats.write(spec, tmp_path, "gpt2")
    assert formats.read(tmp_path).merges == merges
    theirs = tokenizers.models.BPE.from_file(*map(str, paths[:2]))
    assert [theirs.token_to_id(theirs.id_to_token(n)) for n in tokens] == list(tokens)
    tokenizer = tokenizers.Tokenizer(theirs)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(False, use_regex=False)
    assert tokenizer.encode("####\u00a0\u0085").ids == [260, 260, 256, 257]


def test_a_merge_that_looks_like_the_heading_is_refused(gpt2, tmp_path):
    """Hugging Face leaves each such line out, and all ids behind it would be others."""
    word, tokens, merges = b"#version", dict(gpt2.vocabulary.tokens), []
    for end in range(2, len(word) + 1):
        tokens[300 + end] = word[:end]
        merges.append((word[0] if end == 2 else 299 + end, word[end - 1], 300 + end))
    tokens[400] = b"#versionx"
    merges.append((300 + len(word), ord("x"), 400))
    table = MergeTable.from_merges(merges)
    spec = replace(gpt2, vocabulary=Vocabulary(tokens, tuple(range(256))), merges=table)
    with pytest.raises(ExportError, match="'#version' is taken for its heading"):
        formats.write(spec, tmp_path, "gpt2")


def test_another_cut_is_refused(spec, tmp_path):
    """The files do not say how text is cut."""
    with pytest.raises(ExportError, match="Save as 'huggingface', or train with pattern='gpt2'"):
        formats.write(spec, tmp_path, "gpt2")
    with pytest.raises(ExportError, match="cuts by the pattern 'gpt2'"):
        formats.write(replace(spec, rules=SplitRules(None)), tmp_path, "gpt2")


def test_the_same_cut_in_other_words_is_not(gpt2, tmp_path):
    """Tiktoken spells GPT-2's pattern differently, and so does whoever escapes more."""
    for pattern in (NAMED["r50k"], NAMED["gpt2"].replace("'s|'t", "'(?:s|t)")):
        assert formats.write(replace(gpt2, rules=SplitRules(pattern)), tmp_path, "gpt2")


def test_what_only_a_look_up_finds_is_refused(gpt2, tmp_path):
    """Readers of these files merge, and never look a whole pre-token up."""
    orphan = Vocabulary(dict(gpt2.vocabulary.tokens) | {300: b"xyz"}, tuple(range(256)))
    with pytest.raises(ExportError, match="token b'xyz' is never made by merging"):
        formats.write(replace(gpt2, vocabulary=orphan, ignore_merges=True), tmp_path, "gpt2")
    assert formats.write(replace(gpt2, ignore_merges=True), tmp_path, "gpt2")


def test_a_folder_with_another_tokenizer_is_refused(gpt2, tmp_path):
    """Programs would read that one."""
    formats.write(gpt2, tmp_path)
    with pytest.raises(ArgumentError, match=r"holds a tokenizer\.json, which programs read before"):
        formats.write(gpt2, tmp_path, "gpt2")


def test_a_normaliser_is_refused(gpt2, tmp_path):
    """The files have no place for one."""
    rules = SplitRules(NAMED["gpt2"], ("nfc",))
    with pytest.raises(ExportError, match="gpt2 cannot normalise text"):
        formats.write(replace(gpt2, rules=rules), tmp_path, "gpt2")
