"""The decoders of a `tokenizer.json`: what each means here, and what it is written as."""

from dataclasses import replace

import pytest

from bytepair import formats
from bytepair.errors import ExportError, FormatError
from bytepair.model import Replace, StripFirst, StripText, WordEnds, WordStarts

BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
FALLBACK, FUSE = {"type": "ByteFallback"}, {"type": "Fuse"}
SPACES = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
STRIP = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True}


def sequence(*steps):
    """Decoders one after the other."""
    return {"type": "Sequence", "decoders": list(steps)}


def word_piece(prefix="##", cleanup=False):
    """A WordPiece decoder."""
    return {"type": "WordPiece", "prefix": prefix, "cleanup": cleanup}


BYTE_LEVEL = {
    "missing": (None, ()),
    "plain": (BYTES, ()),
    "sequence": (sequence(BYTES), ()),
    "fuse": (sequence(BYTES, FUSE), ()),
    "strip": (sequence(BYTES, STRIP), (StripText(" ", 1, 0),)),
}
CHARS = {
    "missing": (None, (WordStarts(cleanup=False),)),
    "fuse": (FUSE, ()),
    "fallback-without-bytes": (sequence(FALLBACK, FUSE), ()),
    "replace": (SPACES, (Replace("▁", " "),)),
    "regex": (SPACES | {"pattern": {"Regex": "[▁_]"}}, (Replace("[▁_]", " ", is_regex=True),)),
    "metaspace": (METASPACE, (StripFirst("▁"), Replace("▁", " "))),
    "metaspace-never": (METASPACE | {"prepend_scheme": "never"}, (Replace("▁", " "),)),
    "word-piece": (word_piece(cleanup=True), (WordStarts(cleanup=True, prefix="##"),)),
    "strip": (
        sequence(SPACES, FUSE, STRIP | {"stop": 2}),
        (Replace("▁", " "), StripText(" ", 1, 2)),
    ),
}
FALLBACKS = {
    "plain": (sequence(FALLBACK, FUSE), ()),
    "llama": (
        sequence(SPACES, FALLBACK, FUSE, STRIP),
        (Replace("▁", " "), StripText(" ", 1, 0)),
    ),
    "metaspace": (sequence(METASPACE, FALLBACK), (StripFirst("▁"), Replace("▁", " "))),
}


@pytest.mark.parametrize("name", BYTE_LEVEL)
def test_decoders_of_byte_level_files(name, hf_file, read_with, again):
    """A file without one could only be decoded to stand-ins: the bytes are meant."""
    component, steps = BYTE_LEVEL[name]
    spec = read_with(hf_file, {"decoder": component})
    assert spec.decoder == steps
    assert again(spec) == spec


@pytest.mark.parametrize("name", CHARS)
def test_decoders_of_files_with_characters(name, chars_file, read_with, again):
    """Without one Hugging Face puts a space between tokens, as WordPiece does."""
    component, steps = CHARS[name]
    spec = read_with(chars_file, {"decoder": component})
    assert spec.decoder == steps
    assert again(spec) == spec


@pytest.mark.parametrize("name", FALLBACKS)
def test_decoders_of_files_with_byte_fallback(name, fallback_file, read_with, again):
    """What changes tokens comes before bytes are joined, so it never sees those."""
    component, steps = FALLBACKS[name]
    spec = read_with(fallback_file, {"decoder": component})
    assert spec.decoder == steps
    assert again(spec) == spec


MARKED = {"<unk>": 0, "a": 1, "##b": 2, "c</w>": 3, "##d</w>": 4}


@pytest.mark.parametrize(
    ("marks", "component", "steps"),
    [
        (("", "</w>"), {"type": "BPEDecoder", "suffix": "</w>"}, (WordEnds(),)),
        (("", "</w>"), None, (WordEnds(),)),
        (("##", ""), word_piece(), (WordStarts(cleanup=False, prefix="##"),)),
        (("##", ""), None, (WordStarts(cleanup=False, prefix="##"),)),
        (("##", "</w>"), None, (WordStarts(cleanup=False, prefix="##"),)),
    ],
)
def test_words_are_told_by_their_tokens(marks, component, steps, chars_file, read_with, again):
    """The prefix and the suffix are not in the tokens' bytes; decoders say what becomes of them."""
    members = {"model.vocab": MARKED, "model.merges": [], "decoder": component}
    members |= dict(
        zip(("model.continuing_subword_prefix", "model.end_of_word_suffix"), marks, strict=True)
    )
    spec = read_with(chars_file, members)
    assert spec.decoder == steps
    assert again(spec) == spec


def test_byte_level_words_end_with_a_space(hf_file, read_with, again):
    """CLIP's file names ByteLevel alone, which shows "</w>"; its own code makes a space of it."""
    vocab = {**hf_file["model"]["vocab"], "a</w>": 300}
    members = {"model.vocab": vocab, "model.end_of_word_suffix": "</w>"}
    spec = read_with(hf_file, members)
    assert spec.decoder == (WordEnds(),)
    assert again(spec) == spec


REFUSED = {
    "unknown": ("hf", {"type": "CTC"}, "decoder.type 'CTC' is not supported (known: ByteLevel"),
    "no-byte-level": ("hf", FUSE, "decoder has no ByteLevel, which these tokens need"),
    "empty": ("hf", sequence(), "decoder has no ByteLevel"),
    "not-first": ("hf", sequence(FUSE, BYTES), "decoders[1]: the decoder ByteLevel does not go"),
    "behind-bytes": ("hf", sequence(BYTES, SPACES), "decoders[1]: the decoder Replace does not"),
    "no-bytes": ("chars", BYTES, "the decoder ByteLevel does not go with these tokens"),
    "strip-tokens": ("chars", STRIP, "the decoder Strip does not go with these tokens"),
    "behind-fuse": ("chars", sequence(FUSE, SPACES), "or not behind Fuse"),
    "suffix": ("chars", {"type": "BPEDecoder", "suffix": "</w>"}, "suffix '</w>' is not the suff"),
    "prefix": ("chars", word_piece("▁"), "prefix '▁' is not the prefix of the model's tokens"),
    "two": ("chars", sequence(SPACES, word_piece()), "WordPiece does not go with byte fallback or"),
    "missing": ("fallback", None, "decoder is missing: byte fallback needs a ByteFallback"),
    "no-fallback": ("fallback", FUSE, "decoder has no ByteFallback, which these tokens need"),
    "changes-bytes": (
        "fallback",
        sequence(SPACES | {"pattern": {"String": "0x4"}}, FALLBACK),
        "decoders[0] would change '<0x40>', which is not supported",
    ),
    "regex-changes-bytes": (
        "fallback",
        sequence(SPACES | {"pattern": {"Regex": "[AF]>"}}, FALLBACK),
        "would change '<0x0A>'",
    ),
    "replaces-bytes": ("fallback", sequence(FALLBACK, SPACES), "or not behind ByteFallback"),
    "character": ("chars", sequence(FUSE, STRIP | {"content": "ab"}), "must be one character"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_decode_differently_is_refused(name, request, read_with):
    """With the component's place, and what it does not go with."""
    kind, component, message = REFUSED[name]
    with pytest.raises(FormatError) as caught:
        read_with(request.getfixturevalue(f"{kind}_file"), {"decoder": component})
    assert message in str(caught.value)


def test_byte_tokens_need_byte_fallback(fallback_file, read_with):
    """Without it "<0x41>" is text, and a ByteFallback decoder would make a letter of it."""
    members = {"model.byte_fallback": False, "model.unk_token": "a"}
    with pytest.raises(FormatError, match="ByteFallback does not go with these tokens"):
        read_with(fallback_file, members)
    assert read_with(fallback_file, members | {"decoder": FUSE}).vocabulary.tokens[0] == b"<0x00>"


@pytest.mark.parametrize(
    ("alphabet", "steps"),
    [
        ("bytes", (Replace("a", "b"),)),
        ("bytes", (WordEnds(),)),
        ("chars", (StripText(" ", 1, 0), Replace("a", "b"))),
        ("chars", (StripFirst("a"),)),
        ("chars", (WordEnds(),)),
    ],
)
def test_an_order_that_the_file_cannot_say_is_refused(alphabet, steps, spec, tmp_path):
    """Once tokens are joined nothing can be done to single ones."""
    tokens = {n: token for n, token in spec.vocabulary.tokens.items() if n < 128}
    vocabulary = replace(spec.vocabulary, tokens=tokens, byte_ids=())
    spec = replace(spec, vocabulary=vocabulary, unk_id=0, alphabet=alphabet, decoder=steps,
                   merges=spec.merges.from_merges([]))  # fmt: skip
    with pytest.raises(ExportError, match="cannot express the decoder"):
        formats.write(spec, tmp_path)
