"""Small tokenizer files of other programs, made by their own libraries."""

import base64
import io
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import gguf
import sentencepiece
import tiktoken
from sentencepiece import sentencepiece_model_pb2
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from inputs import FRAGMENTS, medley

USER_DEFINED = ["▁▁", "▁▁▁", "①", "ab", "the", "th", "é", "e\u0301", "\n\n", "\n", "▁the", "ﬁ"]
# What SentencePiece's normaliser and its symbols treat apart, among what texts hold anyway.
ODD = ["▁", "▁▁", "\x01", "①", "ﬁ", " \u0301", "ᄀ", "ᅡ", "x y", "[REF]", "ab", "𐐀", "⁇"]


def lines() -> list[str]:
    """A corpus of fragments and source code in short lines."""
    return [line for document in medley() for line in document.split("\n")][:300]


def sentencepiece_model(**options: Any) -> bytes:
    """A SentencePiece BPE model, as its trainer writes it."""
    return _sentencepiece_model(json.dumps(options))


@cache
def _sentencepiece_model(options: str) -> bytes:
    model = io.BytesIO()
    defaults = {"model_type": "bpe", "vocab_size": 1100, "hard_vocab_limit": False}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines()),
        model_writer=model,
        minloglevel=2,
        **(defaults | json.loads(options)),
    )
    return model.getvalue()


def with_runs_of_spaces(model: bytes, lengths: Sequence[int]) -> bytes:
    """The model with pieces of so many spaces, all of one score, as Mistral's have them."""
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(model)
    known = {piece.piece for piece in proto.pieces}
    for text in ("▁" * length for length in lengths):
        if text not in known:
            proto.pieces.add(piece=text, score=-1e9)
    data: bytes = proto.SerializeToString()
    return data


def with_few_scores(model: bytes) -> bytes:
    """The model with scores of which many are equal: then the leftmost pair is joined first."""
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(model)
    for piece in proto.pieces:
        piece.score = -(-piece.score // 40)
    data: bytes = proto.SerializeToString()
    return data


def write_gguf(
    path: Path,
    kind: str,
    tokens: Sequence[str],
    *,
    merges: Sequence[str] | None = None,
    scores: Sequence[float] | None = None,
    types: Sequence[int] | None = None,
    **entries: object,
) -> Path:
    """A GGUF file with a tokenizer alone; `entries` go to the writer's `add_NAME`."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model(kind)
    writer.add_token_list(list(tokens))
    arrays = {"token_merges": merges, "token_scores": scores, "token_types": types}
    for name, value in {**arrays, **entries}.items():
        if value is not None:
            getattr(writer, f"add_{name}")(value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return path


@cache
def byte_level(pattern: str, *, n_tokens: int = 900, end_of_word: str = "") -> Tokenizer:
    """A byte-level BPE tokenizer by Hugging Face's trainer; pieces are what `pattern` matches."""
    suffix = {"end_of_word_suffix": end_of_word} if end_of_word else {}
    tokenizer = Tokenizer(models.BPE(**suffix))
    cut = pre_tokenizers.Split(Regex(pattern), "removed", invert=True)
    to_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([cut, to_bytes])
    trainer = trainers.BpeTrainer(
        vocab_size=n_tokens,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
        **suffix,
    )
    tokenizer.train_from_iterator([*lines(), " ".join(FRAGMENTS)], trainer)
    return tokenizer


@cache
def tekken(version: str = "v7", n_special: int = 30, n_cut: int = 10) -> tuple[str, Any]:
    """(contents of a `tekken.json`, what `mistral_common` makes of it: a function text -> ids).

    `n_cut` tokens at the end are more than the file says are used.
    """
    pattern = r"\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+"
    words = sorted({word.encode() for line in lines() for word in line.split(" ")})
    starts = (word[:end] for word in words for end in range(2, len(word) + 1))
    tokens = [*map(bytes, zip(range(256))), *dict.fromkeys(starts)][:900]
    ranks = {token: rank for rank, token in enumerate(tokens)}
    vocab = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
        for token, rank in ranks.items()
    ]
    config = {
        "pattern": pattern,
        "num_vocab_tokens": len(vocab),
        "default_vocab_size": len(vocab) - n_cut + n_special,
        "default_num_special_tokens": n_special,
        "version": version,
    }
    specials = [
        {"rank": place, "token_str": token, "is_control": True}
        for place, token in enumerate(["<unk>", "<s>", "</s>"])
    ]
    used = dict(list(ranks.items())[: len(ranks) - n_cut])
    encoding = tiktoken.Encoding("t", pat_str=pattern, mergeable_ranks=used, special_tokens={})
    content = {"config": config, "vocab": vocab, "special_tokens": specials}
    return json.dumps(content), lambda text: [n + n_special for n in encoding.encode_ordinary(text)]


def save_json(path: Path, value: Mapping[str, object]) -> Path:
    """Writes a JSON file; gives back its path."""
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def char_map_blob(rule: str) -> bytes:
    """A compiled character map of SentencePiece."""
    normalizer = sentencepiece.SentencePieceNormalizer(rule_name=rule)
    spec = sentencepiece_model_pb2.NormalizerSpec()
    spec.ParseFromString(normalizer.serialized_normalizer_spec())
    blob: bytes = spec.precompiled_charsmap
    return blob
