"""Each component of a `tokenizer.json`: `tokenizers` runs it, we read it, and the ids are the same.

Small tokenizers are trained by the library itself with the component in its place; ours is the
plain engine, so what is compared is what was read.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import hypothesis.strategies as st
import pytest
from hypothesis import given
from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

import bytepair
from bytepair import formats
from bytepair.model import Replace, TokenizerSpec
from bytepair.normalizers import normalize
from bytepair.patterns import for_oniguruma
from foreign import char_map_blob
from inputs import FRAGMENTS, medley

SPECIALS = ["<unk>", "<s>", "</s>"]
PIECES = [
    "<s>",
    "</s>",
    "<unk>",
    "▁",
    "Ġ",
    "the",
    "The",
    " <x> ",
    "<x>",
    "ÉÀ",
    "éà",
    "12²3",
    "ー日",
]
TEXTS = st.lists(
    st.sampled_from([*FRAGMENTS, *PIECES]) | st.characters(exclude_categories=["Cs", "Cn", "Co"]),
    max_size=10,
).map("".join)

BYTES = decoders.ByteLevel()
SPELL = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
GPT2 = pre_tokenizers.ByteLevel(add_prefix_space=False)
SPACES = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
LLAMA = decoders.Sequence([*SPACES, decoders.Strip(" ", 1, 0)])
LOW_SPACES = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])


def cuts(*steps):
    """Pre-tokenizers one after the other."""
    return pre_tokenizers.Sequence(list(steps))


def split(pattern, behavior="isolated", invert=False):
    """A Split by a regex."""
    return pre_tokenizers.Split(Regex(pattern), behavior, invert=invert)


def with_bytes(file):
    """Byte fallback: a token for each byte."""
    vocab = file["model"]["vocab"]
    vocab.update({f"<0x{byte:02X}>": len(vocab) + byte for byte in range(256)})
    file["model"] |= {"byte_fallback": True, "fuse_unk": True}


def as_of_old(file):
    """What files of the first years look like."""
    file["model"]["merges"] = [" ".join(merge) for merge in file["model"]["merges"]]
    for member in (file["model"], file):
        for key in ("type", "ignore_merges", "byte_fallback", "fuse_unk", "version"):
            member.pop(key, None)


def whole_words(file):
    """As Llama 3's: many tokens, of which merging makes only some."""
    file["model"] |= {"ignore_merges": True, "merges": file["model"]["merges"][:150]}


def added(**flags):
    """Added tokens of every kind, with these flags."""
    return (
        AddedToken("<x>", special=True, normalized=False, **flags),
        AddedToken("the", special=False, normalized=True, **flags),
        AddedToken("12", special=False, normalized=False, **flags),
        AddedToken("日À", special=False, normalized=True, **flags),
    )


@dataclass(frozen=True)
class Case:
    """A tokenizer to train: its parts, and what is changed in its file afterwards."""

    cut: pre_tokenizers.PreTokenizer | None = None
    normalizer: normalizers.Normalizer | None = None
    decoder: decoders.Decoder | None = None
    post: processors.PostProcessor | None = None
    model: dict[str, object] = field(default_factory=dict)
    added: tuple[AddedToken, ...] = ()
    change: Callable[[dict], object] = bool


ROBERTA = processors.RobertaProcessing(("</s>", 2), ("<s>", 1), trim_offsets=True)
TEMPLATE = processors.TemplateProcessing(
    single="<s> $A </s>",
    pair="<s> $A </s> $B:1 </s>:1",
    special_tokens=[("<s>", 1), ("</s>", 2)],
)
BYTE_CUTS = {
    "gpt2": GPT2,
    "prefix": pre_tokenizers.ByteLevel(),
    "prefix-without-regex": pre_tokenizers.ByteLevel(use_regex=False),
    "deepseek": cuts(
        split(r"\p{N}{1,3}"),
        split("[一-龥぀-ゟ゠-ヿ]+"),
        split(r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s+(?!\S)|\s+"),
        SPELL,
    ),
    "groups-of-three": cuts(split(r"\p{N}+"), split(r"(?=(\d{3})+(?!\d))"), SPELL),
    "starcoder": cuts(pre_tokenizers.Digits(individual_digits=True), GPT2),
    "falcon": cuts(
        pre_tokenizers.Punctuation("contiguous"), GPT2, pre_tokenizers.Digits(), split("[0-9]{3}")
    ),
    "prefix-then-digits": cuts(pre_tokenizers.ByteLevel(use_regex=False), pre_tokenizers.Digits()),
    "literal": cuts(pre_tokenizers.Split(".", "merged_with_previous"), SPELL),
}
BEHAVIORS = ("isolated", "removed", "merged_with_previous", "merged_with_next", "contiguous")
BYTE_CUTS |= {
    f"{behavior}-{invert}": cuts(split(r"\p{L}+|\s", behavior, invert), SPELL)
    for behavior in BEHAVIORS[1:]
    for invert in (False, True)
}
CHAR_CUTS = {
    "none": None,
    "whitespace": pre_tokenizers.Whitespace(),
    "whitespace-split": pre_tokenizers.WhitespaceSplit(),
    "bert": pre_tokenizers.BertPreTokenizer(),
    "digits": pre_tokenizers.Digits(),
    "punctuation": pre_tokenizers.Punctuation("merged_with_next"),
    "scripts": pre_tokenizers.UnicodeScripts(),
    "delimiter": pre_tokenizers.CharDelimiterSplit(" "),
    "fixed-length": pre_tokenizers.FixedLength(3),
    "oniguruma": split(r"\w+$|\h+|\w"),
    "metaspace": pre_tokenizers.Metaspace(),
    "metaspace-first": pre_tokenizers.Metaspace(prepend_scheme="first"),
    "metaspace-never": pre_tokenizers.Metaspace(prepend_scheme="never"),
    "metaspace-whole": pre_tokenizers.Metaspace(split=False),
    "punctuation-metaspace": cuts(pre_tokenizers.Punctuation(), pre_tokenizers.Metaspace()),
}
NORMALIZERS = {
    "nfc": normalizers.NFC(),
    "nfd": normalizers.NFD(),
    "nfkc": normalizers.NFKC(),
    "nfkd": normalizers.NFKD(),
    "lowercase": normalizers.Lowercase(),
    "strip-accents": normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()]),
    "nmt": normalizers.Nmt(),
    "precompiled": normalizers.Precompiled(char_map_blob("nmt_nfkc")),
    "precompiled-folded": normalizers.Precompiled(char_map_blob("nfkc_cf")),
    "bert": normalizers.BertNormalizer(),
    "bert-accents": normalizers.BertNormalizer(False, False, True, False),
    "strip": normalizers.Strip(),
    "replace": normalizers.Replace("e", "ee"),
    "replace-regex": normalizers.Replace(Regex(r"\p{N}+|^ "), "0"),
    "low-spaces": LOW_SPACES,
}
CASES = {f"bytes-{name}": Case(cut, decoder=BYTES) for name, cut in BYTE_CUTS.items()}
CASES |= {f"chars-{name}": Case(cut, decoder=decoders.Fuse()) for name, cut in CHAR_CUTS.items()}
CASES |= {f"norm-{name}": Case(GPT2, step, BYTES) for name, step in NORMALIZERS.items()}
CASES |= {
    "norm-byte-level": Case(
        pre_tokenizers.Digits(), normalizers.ByteLevel(), BYTES, model={"fuse_unk": True}
    ),
    "suffix": Case(
        pre_tokenizers.Whitespace(),
        decoder=decoders.BPEDecoder(),
        model={"end_of_word_suffix": "</w>"},
    ),
    "suffix-bytes": Case(GPT2, decoder=BYTES, model={"end_of_word_suffix": "</w>"}),
    "prefix": Case(
        pre_tokenizers.Whitespace(),
        decoder=decoders.WordPiece(),
        model={"continuing_subword_prefix": "##"},
    ),
    "prefix-bytes": Case(GPT2, decoder=BYTES, model={"continuing_subword_prefix": "##"}),
    "missing-bytes": Case(GPT2, decoder=decoders.ByteLevel(), model={"fuse_unk": True}),
    "fused": Case(pre_tokenizers.Metaspace(), decoder=decoders.Metaspace(),
                  model={"fuse_unk": True}),
    "llama": Case(None, LOW_SPACES, LLAMA, change=with_bytes),
    "gemma": Case(
        pre_tokenizers.Split(" ", "merged_with_previous"),
        normalizers.Replace(" ", "▁"),
        decoders.Sequence(SPACES),
        change=with_bytes,
    ),
    "metaspace-fallback": Case(
        pre_tokenizers.Metaspace(prepend_scheme="first"), decoder=LLAMA, change=with_bytes
    ),
    "of-old": Case(GPT2, decoder=BYTES, change=as_of_old),
    "whole-words": Case(GPT2, decoder=BYTES, change=whole_words),
    "whole-words-chars": Case(
        pre_tokenizers.Metaspace(), decoder=decoders.Metaspace(), change=whole_words
    ),
    "roberta": Case(GPT2, decoder=BYTES, post=ROBERTA),
    "roberta-prefix": Case(pre_tokenizers.ByteLevel(), decoder=BYTES, post=ROBERTA),
    "trim": Case(GPT2, decoder=BYTES, post=processors.ByteLevel(add_prefix_space=False)),
    "trim-prefix": Case(pre_tokenizers.ByteLevel(), decoder=BYTES, post=processors.ByteLevel()),
    "trim-added": Case(
        pre_tokenizers.ByteLevel(),
        decoder=BYTES,
        post=processors.ByteLevel(),
        added=added(lstrip=True, rstrip=True),
    ),
    "template": Case(GPT2, decoder=BYTES, post=TEMPLATE),
    "bert-post": Case(GPT2, decoder=BYTES, post=processors.BertProcessing(("</s>", 2), ("<s>", 1))),
}  # fmt: skip
FLAGS = [(), ("lstrip",), ("rstrip",), ("single_word",), ("lstrip", "rstrip", "single_word")]
CASES |= {
    f"added-{'-'.join((*flags, name))}": Case(
        GPT2, step, BYTES, added=added(**dict.fromkeys(flags, True))
    )
    for flags in FLAGS
    for name, step in (("plain", None), ("low", normalizers.Lowercase()), ("spaces", LOW_SPACES))
}


@cache
def theirs(name: str) -> Tokenizer:
    """A tokenizer of the library's own making."""
    case = CASES[name]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", **case.model))
    parts = {"normalizer": case.normalizer, "pre_tokenizer": case.cut}
    parts |= {"decoder": case.decoder, "post_processor": case.post}
    for part, value in parts.items():
        if value is not None:
            setattr(tokenizer, part, value)
    marks = {key: value for key, value in case.model.items() if key != "fuse_unk"}
    alphabet = pre_tokenizers.ByteLevel.alphabet() if case.decoder is BYTES else []
    trainer = trainers.BpeTrainer(
        vocab_size=700,
        special_tokens=SPECIALS,
        initial_alphabet=alphabet,
        show_progress=False,
        **marks,
    )
    tokenizer.train_from_iterator([text[:3000] for text in medley()], trainer)
    tokenizer.add_tokens(list(case.added))
    file = json.loads(tokenizer.to_str())
    case.change(file)
    return Tokenizer.from_str(json.dumps(file))


@cache
def spec(name: str) -> TokenizerSpec:
    """What we read in the file that it saves."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.json"
        theirs(name).save(str(path))
        return formats.read(path)


@cache
def ours(name: str) -> bytepair.Tokenizer:
    """It, on the plain engine."""
    return bytepair.Tokenizer(spec(name), engine="python")


@pytest.mark.parametrize("name", CASES)
@given(text=TEXTS)
def test_ids_are_those_of_the_library(name, text):
    """Whatever stands in the file, and whatever the text."""
    expected = theirs(name).encode(text, add_special_tokens=False).ids
    assert ours(name).encode(text, allowed_special="all") == expected


# Normalisers, and prefixes that may stay tokens of their own.
CHANGING = ("norm-", "added-", "llama", "gemma", "fused", "metaspace", "whole-words-chars")
CHANGING += ("chars-metaspace", "chars-punctuation-metaspace", "bytes-prefix", "trim-added")
CHANGING += ("trim-prefix", "roberta-prefix")


def places_by_character(name: str, text: str, *, surrounded: bool) -> list[tuple[int, int]] | None:
    """The places in normalised text, which the library knows, and what each character became.

    None where `Precompiled` makes something else of the text than of its characters one by one.
    """
    normalize = theirs(name).normalizer.normalize_str
    parts = [normalize(char) for char in text]
    normalized = "".join(parts)
    if normalized != normalize(text) or normalize(normalized) != normalized:
        return None
    origins = [place for place, part in enumerate(parts) for _ in part]
    offsets = theirs(name).encode(normalized, add_special_tokens=surrounded).offsets
    return [(origins[a], origins[b - 1] + 1) if a < b else (a, b) for a, b in offsets]


@pytest.mark.parametrize("name", CASES)
@given(text=TEXTS)
def test_places_are_those_of_the_library(name, text):
    """In characters of the text as it was given, with and without what surrounds it.

    Where the text was changed they hold what the library names, or stand for what was put in.
    A prefix behind an added token is trimmed there as if it were of the text, so that a letter is
    lost: such a place is held by ours. For what `Precompiled` removes the library gives the places
    of its neighbours; so there it is asked about the normalised text.
    """
    for surrounded in (False, True):
        expected = theirs(name).encode(text, add_special_tokens=surrounded)
        ids, places = ours(name).encode_with_offsets(
            text, allowed_special="all", add_special_tokens=surrounded
        )
        assert ids == expected.ids
        exact = None
        if name.startswith("norm-precompiled"):
            exact = places_by_character(name, text, surrounded=surrounded)
            removes = any(theirs(name).normalizer.normalize_str(char) == "" for char in text)
            if exact is None and removes:
                continue  # a cluster beside what is removed: nobody to ask but for the ids
        if exact is not None:
            assert places == exact
        elif name.startswith(CHANGING):
            pairs = zip(places, expected.offsets, strict=True)
            assert all(a == b or a <= c <= d <= b for (a, b), (c, d) in pairs)
        else:
            assert places == expected.offsets


@pytest.mark.parametrize("name", CASES)
def test_what_was_read_is_written_to_the_same(name, tmp_path):
    """And the library reads that as it reads its own, with what surrounds a text."""
    path = tmp_path / f"{name}.json"
    formats.write(spec(name), path)
    assert formats.read(path) == spec(name)
    again = Tokenizer.from_file(str(path))
    for text in [*medley()[:60], *PIECES, "".join(PIECES)]:
        assert again.encode(text).ids == theirs(name).encode(text).ids
        assert again.encode(text, "the").type_ids == theirs(name).encode(text, "the").type_ids


# ---------------------------------------------------------------------- matches of nothing

NOTHING = ["a*", "b|", "|b", "(?=b)", "a??", r"\s*", r"[^\S\n]*$", "", None]


@cache
def cut_at_nothing(pattern, behavior, invert):
    """A small tokenizer with such a Split: theirs, and what we read of it; None: the text ""."""
    vocab = {
        token: n for n, token in enumerate(["a", "b", " ", "é", "\n", "aa", "ab", "aab", " b"])
    }
    merges = [("a", "a"), ("a", "b"), ("a", "ab"), (" ", "b")]
    tokenizer = Tokenizer(models.BPE(vocab, merges))
    source = "" if pattern is None else Regex(pattern)
    tokenizer.pre_tokenizer = pre_tokenizers.Split(source, behavior, invert)
    tokenizer.decoder = decoders.Sequence([decoders.Replace(source, "-"), decoders.Fuse()])
    with TemporaryDirectory() as folder:
        tokenizer.save(f"{folder}/tokenizer.json")
        return tokenizer, formats.read(Path(folder))


@pytest.mark.filterwarnings("ignore:pattern .* runs on the `regex` package")
@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize("pattern", NOTHING)
@pytest.mark.parametrize("behavior", BEHAVIORS)
@given(text=st.text("aab é\n", max_size=9), invert=st.booleans())
def test_a_match_of_nothing_cuts_as_there(engine, pattern, behavior, text, invert):
    """It is no piece, but a border, and counts as a match for the pieces beside it."""
    tokenizer, read = cut_at_nothing(pattern, behavior, invert)
    expected = tokenizer.encode(text)
    mine = bytepair.Tokenizer(read, engine=engine)
    assert mine.encode_with_offsets(text) == (expected.ids, expected.offsets)
    assert mine.encode(text) == expected.ids
    assert mine.decode(expected.ids) == tokenizer.decode(expected.ids)


@pytest.mark.parametrize("pattern", NOTHING)
@given(text=st.text("aab é\n", max_size=9))
def test_a_match_of_nothing_is_replaced_as_there(pattern, text):
    """By their normaliser alone: behind it their ByteLevel garbles such a text, or panics."""
    step = normalizers.Replace("" if pattern is None else Regex(pattern), "-x")
    read = Replace(for_oniguruma(pattern or ""), "-x", is_regex=pattern is not None)
    assert normalize(text.encode(), [read]).decode() == step.normalize_str(text)
