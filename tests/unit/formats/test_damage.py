"""Files of every kind with one thing wrong: they work, or are refused by a message with a name."""

import json
import random
import warnings
from contextlib import suppress

import pytest

import foreign
from bytepair import formats
from bytepair.errors import EncodeError, FormatError
from bytepair.model import BYTE_TO_CHAR
from bytepair.tokenizer import Tokenizer

BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
REGEX = {"Regex": r"\s+|\S+"}
SPLIT = {"type": "Split", "pattern": REGEX, "behavior": "Isolated", "invert": False}
MARK = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
FLAGS = {"single_word": False, "lstrip": True, "rstrip": False, "normalized": True}
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [
        {"SpecialToken": {"id": "<s>", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
    ],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [270], "tokens": ["<s>"]}},
}
NORMALIZERS = [
    {"type": "NFC"},
    {"type": "Replace", "pattern": REGEX, "content": "_"},
    {"type": "Replace", "pattern": {"String": "_"}, "content": " "},
    {"type": "Prepend", "prepend": " "},
    {"type": "Strip", "strip_left": True, "strip_right": False},
    {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": False,
        "strip_accents": None,
        "lowercase": False,
    },
]
DECODERS = [
    {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
    {"type": "ByteFallback"},
    {"type": "Fuse"},
    {"type": "Strip", "content": " ", "start": 1, "stop": 0},
]
VOCAB = {char: byte for byte, char in enumerate(BYTE_TO_CHAR)} | {"he": 256, "ll": 257, "hell": 258}
MERGES = ["h e", "l l", "he ll"]
MODEL = {
    "type": "BPE",
    "dropout": None,
    "unk_token": None,
    "continuing_subword_prefix": None,
    "end_of_word_suffix": None,
    "fuse_unk": False,
    "byte_fallback": False,
    "ignore_merges": True,
    "vocab": VOCAB,
    "merges": [merge.split() for merge in MERGES],
}
FALLBACK = [f"<0x{byte:02X}>" for byte in range(256)]
PIECES = ["<unk>", *FALLBACK, "▁", "h", "▁h"]
SPELT = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [{"id": 270, "content": "<s>", "special": True} | FLAGS],
    "normalizer": {"type": "Sequence", "normalizers": NORMALIZERS},
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [SPLIT, BYTES]},
    "post_processor": {"type": "Sequence", "processors": [BYTES, TEMPLATE]},
    "decoder": BYTES,
    "model": MODEL,
}
MARKED = SPELT | {
    "normalizer": None,
    "pre_tokenizer": MARK,
    "decoder": {"type": "Sequence", "decoders": DECODERS},
    "model": MODEL
    | {
        "unk_token": "<unk>",
        "fuse_unk": True,
        "byte_fallback": True,
        "ignore_merges": False,
        "vocab": {piece: number for number, piece in enumerate(PIECES)},
        "merges": ["▁ h"],
    },
}
TEKKEN = json.loads(foreign.tekken()[0])
DOCUMENTS = {
    "spelt": ("tokenizer.json", SPELT),
    "marked": ("tokenizer.json", MARKED),
    "tekken": ("tekken.json", TEKKEN),
}
WRONG = {
    "null": None,
    "true": True,
    "negative": -1,
    "huge": 2**31,
    "enormous": 10**400,
    "fraction": 1.5,
    "NaN": float("nan"),
    "empty": "",
    "control": "\0é",
    "half-a-pair": "\ud800",
    "array": [],
    "object": {},
    "arrays": [[]],
    "long": "x" * 10**6,
}


def save_gguf(path, *kind_and_tokens, **entries):
    """The bytes of a GGUF file."""
    return foreign.write_gguf(path, *kind_and_tokens, **entries).read_bytes()


FILES = {
    "tokenizer.json": lambda _: json.dumps(SPELT, ensure_ascii=False).encode(),
    "tekken.json": lambda _: json.dumps(TEKKEN).encode(),
    "tokenizer.model": lambda _: foreign.sentencepiece_model(normalization_rule_name="identity"),
    "spelt.gguf": lambda path: save_gguf(
        path, "gpt2", list(VOCAB), merges=MERGES, types=[1] * len(VOCAB), tokenizer_pre="gpt-2"
    ),
    "marked.gguf": lambda path: save_gguf(
        path,
        "llama",
        PIECES,
        scores=[0.0] * 257 + [-9.0, -9.0, -1.0],
        types=[2, *[6] * 256, 1, 1, 1],
    ),
    "vocab.json": lambda _: json.dumps(VOCAB).encode(),
    "merges.txt": lambda _: "\n".join(MERGES).encode(),
}


@pytest.fixture
def outcome(tmp_path):
    """Reads a file and uses it; gives back the complaint, or "" if it works."""
    folder = tmp_path / "mine"
    folder.mkdir()

    def outcome(name, data, **options):
        path = folder / name
        path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                tokenizer = Tokenizer(formats.read(path, **options))
            except FormatError as error:
                return str(error)
            with suppress(EncodeError):  # not all vocabularies have a token for everything
                tokenizer.decode(tokenizer.encode("<s> hello wörld", allowed_special="all"))
        return ""

    outcome.folder = folder
    return outcome


def paths_of(value, path=()):
    """The place of every member; of many side by side only the last."""
    yield path
    is_array = isinstance(value, list)
    items = list(enumerate(value) if is_array else value.items() if isinstance(value, dict) else ())
    for key, member in items[-10:]:
        yield from paths_of(member, (*path, key))


def changed(value, path, change):
    """A copy that is changed at a place."""
    if not path:
        return change(value)
    copy = value.copy()
    copy[path[0]] = changed(value[path[0]], path[1:], change)
    return copy


def damaged(data, n):
    """Cut short, and with other bytes amid: the same at every run."""
    chance = random.Random(5)
    for _ in range(n):
        at = chance.randrange(len(data))
        yield data[:at]
        yield data[:at] + chance.randbytes(chance.choice([0, 1, 4])) + data[at + 1 :]
        yield data[:at] + bytes([chance.choice(b'0129"\\[]{},: \n\0\xff')]) + data[at + 1 :]


@pytest.mark.parametrize("kind", DOCUMENTS)
@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_what_is_wrong_at_any_place_is_refused_or_works(kind, wrong, outcome):
    """A message says which file; nothing but a FormatError comes out."""
    name, document = DOCUMENTS[kind]
    assert outcome(name, document) == ""
    for path in paths_of(document):
        complaint = outcome(name, changed(document, path, lambda _: wrong))
        assert not complaint or (f"mine/{name}: " in complaint and len(complaint) < 2_000)


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_what_is_missing_is_refused_or_has_a_default(kind, outcome):
    """Every member, one after the other."""
    name, document = DOCUMENTS[kind]
    for *path, last in filter(None, paths_of(document)):

        def without(parent, last=last):
            copy = parent.copy()
            del copy[last]
            return copy

        complaint = outcome(name, changed(document, path, without))
        assert not complaint or f"mine/{name}: " in complaint


@pytest.mark.parametrize("name", FILES)
def test_damaged_bytes_are_refused_or_work(name, outcome):
    """Wherever a file is cut short or overwritten, and whatever else it then seems to be."""
    for beside in ("vocab.json", "merges.txt") if name in {"vocab.json", "merges.txt"} else ():
        (outcome.folder / beside).write_bytes(FILES[beside](None))
    data = FILES[name](outcome.folder / name)
    assert outcome(name, data) == ""
    for other in damaged(data, 60):
        complaint = outcome(name, other)
        assert not complaint or str(outcome.folder) in complaint


def test_damaged_rank_files_are_refused_or_work(rank_lines, outcome):
    """They need a pattern."""
    for other in damaged(b"\n".join(rank_lines), 60):
        complaint = outcome("x.tiktoken", other, pattern="gpt2")
        assert not complaint or "mine/x.tiktoken" in complaint
