"""What is left after pruning gives the same ids everywhere it can be said."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import tiktoken
import tokenizers
from hypothesis import given

import bytepair
from bytepair import Tokenizer, TokenizerSpec, VocabularyPruner, WordCounts, formats
from bytepair.engines import NAMES, PruneStrategy
from bytepair.errors import ExportError
from bytepair.model import MergeTable
from bytepair.patterns import NAMED
from bytepair.pipeline import count_words
from inputs import documents, medley, texts
from oracles import encode

STRATEGIES = get_args(PruneStrategy)
SPECIALS = ["<|endoftext|>", "<|pad|>"]
VOCAB_SIZE = 700


@cache
def trained() -> TokenizerSpec:
    """1,000 tokens, of source code and of many scripts."""
    return bytepair.train(medley(), vocab_size=1000, pattern="cl100k", special_tokens=SPECIALS).spec


@cache
def counts() -> WordCounts:
    """Half of what it was trained on."""
    return count_words(trained(), medley()[::2])


@cache
def ranks() -> TokenizerSpec:
    """The same as a rank table: every way to split a token, and no list of merges."""
    spec = trained()
    ids = spec.vocabulary.id_by_bytes
    rows = sorted(
        (token, ids[data[:cut]], ids[data[cut:]])
        for token, data in spec.vocabulary.tokens.items()
        for cut in range(1, len(data))
        if data[:cut] in ids and data[cut:] in ids
    )
    rank, left, right = (np.array(column, np.uint32) for column in zip(*rows, strict=True))
    return replace(spec, merges=MergeTable(left, right, rank, rank.copy()), ignore_merges=True)


@cache
def pruned(source: str, strategy: PruneStrategy) -> TokenizerSpec:
    """To 700 tokens."""
    spec = ranks() if source == "ranks" else trained()
    return VocabularyPruner(vocab_size=VOCAB_SIZE, strategy=strategy).prune(spec, counts()).spec


@cache
def hugging_face(source: str, strategy: PruneStrategy, folder: Path) -> tokenizers.Tokenizer:
    """What `tokenizers` reads from the saved file."""
    formats.write(pruned(source, strategy), folder / f"{source}-{strategy}.json")
    return tokenizers.Tokenizer.from_file(str(folder / f"{source}-{strategy}.json"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For the files of all tests here."""
    return tmp_path_factory.mktemp("pruned")


@pytest.mark.parametrize("strategy", ["leaves", "whole-words"])
@pytest.mark.parametrize("source", ["list", "ranks"])
@given(text=texts())
def test_hugging_face_gives_the_same_ids(
    text: str, source: str, strategy: PruneStrategy, folder: Path
) -> None:
    """From the file that is saved."""
    theirs = hugging_face(source, strategy, folder)
    assert theirs.get_vocab_size() == VOCAB_SIZE
    ours = Tokenizer(pruned(source, strategy)).encode(text, disallowed_special=())
    assert ours == theirs.encode(text).ids


@cache
def openai(strategy: PruneStrategy) -> tiktoken.Encoding:
    """Of tiktoken, with the ranks that are left."""
    spec = pruned("ranks", strategy)
    return tiktoken.Encoding(
        "pruned",
        pat_str=NAMED["cl100k"],
        mergeable_ranks={data: token for token, data in spec.vocabulary.tokens.items()},
        special_tokens={token.content: token.id for token in spec.added_tokens},
    )


@pytest.mark.parametrize("strategy", ["leaves", "whole-words"])
@given(text=texts())
def test_tiktoken_gives_the_same_ids(text: str, strategy: PruneStrategy) -> None:
    """It knows ranks only: what they make of the tokens that are left is what the costs are of."""
    ours = Tokenizer(pruned("ranks", strategy))
    assert ours.encode_ordinary(text) == openai(strategy).encode_ordinary(text)


@pytest.mark.parametrize("strategy", ["leaves", "whole-words"])
def test_a_rank_file_reads_back_as_it_was(strategy: PruneStrategy, tmp_path: Path) -> None:
    """Ranks are ids again."""
    spec = pruned("ranks", strategy)
    formats.write(spec, tmp_path / "x.tiktoken")
    again = formats.read(tmp_path / "x.tiktoken")
    assert again.vocabulary == spec.vocabulary
    assert set(again.merges) == set(spec.merges)


@pytest.mark.parametrize(("name", "kind"), [("x.tiktoken", None), ("folder", "huggingface")])
def test_formats_that_know_no_residues_refuse(name: str, kind: str | None, tmp_path: Path) -> None:
    """With what could be done instead; nothing is written."""
    with pytest.raises(ExportError, match=r"no merges of what is no token.* prune by 'leaves'"):
        formats.write(pruned("list", "residues"), tmp_path / name, kind)
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------ residues in both engines


def by_definition(data: bytes) -> list[int]:
    """Every merge as before, then what is left over as its parts."""
    spec = pruned("list", "residues")
    plain = replace(spec, residues={})
    return [part for i in encode(plain, data) for part in spec.residues.get(i, (i,))]


@cache
def tokenizer(engine: str) -> Tokenizer:
    """With residues."""
    return Tokenizer(pruned("list", "residues"), engine=engine)


def half_words() -> Iterator[bytes]:
    """Beginnings and ends of tokens, where residues are left over."""
    for data in trained().vocabulary.tokens.values():
        yield data[:-1] + b" " + data + data[1:]


@pytest.mark.parametrize("engine", NAMES)
@given(data=documents())
def test_a_residue_that_is_left_over_becomes_its_parts(data: bytes, engine: str) -> None:
    """In every call."""
    tok, expected = tokenizer(engine), by_definition(data)
    assert tok.encode_ordinary(data) == expected
    assert tok.encode_to_numpy(data, disallowed_special=()).tolist() == expected
    assert tok.count(data) == len(expected)
    ids, offsets = tok.encode_batch_to_numpy([data, b"", data], disallowed_special=())
    assert ids.tolist() == expected * 2
    assert offsets.tolist() == [0, len(expected), len(expected), 2 * len(expected)]
    assert tok.decode_bytes(expected) == data


@pytest.mark.parametrize("engine", NAMES)
def test_residues_at_the_borders_of_tokens(engine: str) -> None:
    """Where most of them are left over."""
    for data in half_words():
        assert tokenizer(engine).encode_ordinary(data) == by_definition(data)


@pytest.mark.parametrize("dropout", [0.0, 0.3, 1.0])
@given(data=documents())
def test_engines_agree_on_residues(data: bytes, dropout: float) -> None:
    """Places, chance, and text that comes in parts."""
    python, native = (tokenizer(name) for name in NAMES)
    assert python.inspect(data) == native.inspect(data)
    for tok in (python, native):
        stream = tok.stream_encoder(disallowed_special=())
        ids = stream.push(data[: len(data) // 2]) + stream.push(data[len(data) // 2 :])
        assert ids + stream.finish() == tok.encode_ordinary(data)
    options = {"dropout": dropout, "seed": 7, "disallowed_special": ()}
    assert python.encode(data, **options) == native.encode(data, **options)


@pytest.mark.parametrize("engine", NAMES)
@given(text=texts())
def test_offsets_of_a_residue_are_those_of_its_parts(text: str, engine: str) -> None:
    """Laid end to end they are the text."""
    ids, offsets = tokenizer(engine).encode_with_offsets(text, disallowed_special=())
    parts = [tokenizer(engine).decode_single_token_bytes(i) for i in ids]
    places = np.cumsum([0, *map(len, parts)])
    chars = [len(text.encode()[:place].decode("utf-8", "ignore")) for place in places]
    assert [start for start, _ in offsets] == chars[:-1]
