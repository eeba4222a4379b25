"""Choosing a format by path or name, and refusing early what it could not express."""

import pytest

from bytepair import formats
from bytepair.errors import ArgumentError, ExportError


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [
        ("out", None, "huggingface"),
        ("models/gpt-2.5", None, "huggingface"),
        ("x.json", None, "huggingface"),
        ("x.tiktoken", None, "tiktoken"),
        ("X.TIKTOKEN", None, "tiktoken"),
        ("out", "huggingface", "huggingface"),
        ("out/vocab.json", None, "gpt2"),
        ("out", "gpt2", "gpt2"),
        ("mine-tekken.json", None, "tekken"),
        ("out", "tekken", "tekken"),
        ("x.gguf", None, "gguf"),
        ("tokenizer.model", None, "sentencepiece"),
        ("x.tiktoken", "tiktoken", "tiktoken"),
    ],
)
def test_the_format_follows_the_path(path, name, expected):
    """Folders may have dots in their names."""
    assert formats.format_for(path, name) == expected


@pytest.mark.parametrize(
    ("path", "name", "message"),
    [
        (
            "x.txt",
            None,
            r"no format is known that ends in \.txt \(huggingface: what is a folder or ends in",
        ),
        ("x.pkl", None, "no format is known"),
        (
            "out",
            "pickle",
            r"unknown format 'pickle' \(known: huggingface, bytepair, .*, sentencepiece\)\.$",
        ),
        ("out", "tiktokn", "Did you mean 'tiktoken'?"),
        ("out", "hugging_face", "Did you mean 'huggingface'?"),
        ("out", "tiktoken", r"format 'tiktoken' needs a path that ends in \.tiktoken"),
        ("x.tiktoken", "huggingface", "needs a path that is a folder or ends in .json"),
        ("x.json", "gpt2", "is a folder or a file named vocab.json"),
        ("x.json", "tekken", "has 'tekken' in its name"),
        ("vocab.json", "huggingface", "needs a path that is a folder or ends in .json"),
        ("out", "gguf", r"ends in \.gguf"),
        ("x.gguf", "sentencepiece", r"ends in \.model"),
    ],
)
def test_a_wrong_format_is_explained(path, name, message):
    """With those that are known, and the nearest."""
    with pytest.raises(ArgumentError, match=message):
        formats.format_for(path, name)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("huggingface", {"end_of_word": "</w>"}, "end mark '</w>'.* Train without end_of_word"),
        ("tiktoken", {"end_of_word": "_"}, "end mark '_'"),
        (
            "huggingface",
            {"alphabet": "chars", "byte_fallback": False},
            "byte_fallback=True or with",
        ),
        ("tiktoken", {"alphabet": "chars"}, "tiktoken merges bytes, not characters"),
        ("tiktoken", {"normalizer": ["nfc"]}, r"cannot normalise text \(nfc\)"),
        ("huggingface", {"normalizer": ["upper"]}, "'upper' has no counterpart"),
        ("huggingface", {"pattern": r"(a)\1"}, "which engines disagree on"),
        (
            "tiktoken",
            {"special_tokens": ["<a>", "<b>", "<a><b>"]},
            "'<a><b>' begins with another, '<",
        ),
    ],
)
def test_options_are_refused_before_any_training(name, options, message):
    """Hours of training must not end in a refusal that was certain from the start."""
    with pytest.raises(ExportError, match=message):
        formats.require_format(name, **options)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("huggingface", {}),
        ("huggingface", {"alphabet": "chars", "pattern": "gpt2"}),
        ("huggingface", {"normalizer": ["nfkc", "lowercase", "collapse-whitespace"]}),
        ("huggingface", {"special_tokens": ["<a>", "<a><b>"]}),
        ("tiktoken", {"pattern": r"\w+|\W", "special_tokens": ["<ab>", "<b>", "b>"]}),
    ],
)
def test_what_can_be_expressed_passes(name, options):
    """No news is good news."""
    assert formats.require_format(name, **options) is None


@pytest.mark.parametrize("content", ["a", "é", "Ġ"])
def test_a_special_token_spelt_like_a_byte_is_refused_before_training(content):
    """The byte alphabet needs these spellings; known only at the end, a training would be lost."""
    with pytest.raises(ExportError, match=f"huggingface writes '{content}' for the byte 0x"):
        formats.require_format("huggingface", special_tokens=[content])
    formats.require_format("huggingface", alphabet="chars", special_tokens=[content])


@pytest.mark.parametrize("name", ["tiktoken", "gpt2", "tekken", "gguf", "sentencepiece"])
def test_residues_are_refused_before_any_work(name):
    """Only bytepair's own form has room for them, which is in a folder or a .json file."""
    with pytest.raises(ExportError, match=f"^{name} knows no merges of what is no token"):
        formats.require_residues(name)
    for other in ("huggingface", "bytepair"):
        formats.require_residues(other)
