"""What a user writes, as the type checker sees it (`make check`); it is never run.

Each `assert_type` is a promise: changing the type breaks somebody's strict build.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import bytepair


def documents() -> Iterator[str]:
    """Any iterable of texts is a corpus."""
    yield from ["low lower", "lowest"]


def train_in_every_way(folder: Path) -> bytepair.Tokenizer:
    """Paths, lists and generators, with options."""
    bytepair.train(folder, vocab_size=1000)
    bytepair.train([folder / "a.txt", folder / "b.txt.gz"], vocab_size=1000, ties="huggingface")
    mixed: list[str | bytes] = [b"\xff", "text"]
    bytepair.train(mixed, vocab_size=1000, pattern=None, normalizer=["nfc"])
    return bytepair.train(documents(), vocab_size=1000, special_tokens=["<|endoftext|>"])


def use(tokenizer: bytepair.Tokenizer) -> None:
    """Text and bytes in, lists or arrays out."""
    assert_type(tokenizer.encode("text"), list[int])
    assert_type(tokenizer.encode(b"\xff", allowed_special="all"), list[int])
    assert_type(
        tokenizer.encode("text", allowed_special={"<|a|>"}, disallowed_special=()), list[int]
    )
    assert_type(tokenizer.encode_ordinary("text"), list[int])
    assert_type(tokenizer.encode_batch(["a", "b"], threads=2), list[list[int]])
    assert_type(tokenizer.encode_to_numpy("text"), NDArray[np.uint32])
    ids, offsets = tokenizer.encode_batch_to_numpy(["a", "b"])
    assert_type(ids, NDArray[np.uint32])
    assert_type(offsets, NDArray[np.int64])
    assert_type(tokenizer.decode([1, 2]), str)
    assert_type(tokenizer.decode(ids), str)
    assert_type(tokenizer.decode_bytes([1, 2]), bytes)
    assert_type(tokenizer.decode_batch([[1], [2]]), list[str])
    assert_type(tokenizer.decode_tokens_bytes([1, 2]), list[bytes])
    assert_type(tokenizer.decode_with_offsets([1, 2]), tuple[str, list[int]])
    assert_type(tokenizer.count("text"), int)
    assert_type(tokenizer.count_batch(["a", "b"]), list[int])
    assert_type(tokenizer.inspect("text"), bytepair.Inspection)
    assert_type(tokenizer.spec, bytepair.TokenizerSpec)
    assert_type(tokenizer.merges, bytepair.MergeTable)
    assert_type(tokenizer.n_vocab, int)
    assert_type(tokenizer.eot_token, int)
    assert_type(tokenizer.special_tokens_set, set[str])


def stages(corpus: list[str]) -> bytepair.Tokenizer:
    """The stages by hand."""
    prepare = bytepair.Preprocessor(pattern="gpt2", normalizer=["nfc", "lowercase"])
    counts = bytepair.FrequencyAnalyzer(threads=2).count(prepare.chunks(corpus), prepare.rules)
    assert_type(counts, bytepair.WordCounts)
    spec = bytepair.MergeLearner(vocab_size=1000, ties="first").learn(counts)
    assert_type(spec, bytepair.TokenizerSpec)
    return bytepair.Tokenizer(spec)


def prune(tokenizer: bytepair.Tokenizer) -> NDArray[np.float32]:
    """From a corpus to a smaller tokenizer and its rows."""
    result = tokenizer.prune(["low lower"], vocab_size=300, keep=["low", b"er", 261])
    assert_type(result, bytepair.PruneResult)
    assert_type(result.tokenizer, bytepair.Tokenizer)
    assert_type(result.id_map, NDArray[np.int64])
    assert_type(result.report, bytepair.PruneReport)
    rows: NDArray[np.float32] = result.slice_embeddings(np.zeros((300, 8), np.float32))
    return rows


def watch(moment: bytepair.Progress) -> None:
    """A progress callback."""
    assert_type(moment.done, int)


def save_and_load(tokenizer: bytepair.Tokenizer) -> bytepair.Tokenizer:
    """Files, and the errors they raise."""
    try:
        tokenizer.save("folder")
        tokenizer.save(Path("x.tiktoken"), format="tiktoken")
    except bytepair.errors.ExportError as error:
        assert_type(error, bytepair.errors.ExportError)
    return bytepair.load("folder")
