"""Peers trained on the same corpus at the same size, for a fair line in a comparison."""

import io
from collections.abc import Iterator
from typing import Literal, get_args

from bytepair.data import Corpus
from bytepair.errors import ArgumentError
from bytepair.evaluation._foreign import (
    OfHuggingFace,
    OfSentencePiece,
    checked_size,
    require,
)
from bytepair.evaluation._measure import batches
from bytepair.evaluation._subject import Subject

Baseline = Literal["sentencepiece", "wordpiece", "unigram"]
BASELINES: tuple[Baseline, ...] = get_args(Baseline)


def train_baseline(
    kind: Baseline,
    corpus: Corpus,
    vocab_size: int,
    *,
    separator: str | bytes | None = None,
    text_field: str = "text",
) -> Subject:
    """Train another kind of tokenizer on a corpus, in its own library.

    Args:
        kind: "sentencepiece": SentencePiece's BPE; "unigram": its Unigram, both with byte fallback
            and without normalisation; "wordpiece": WordPiece of `tokenizers`, as BERT cuts words.
        vocab_size: all tokens, the 256 bytes of byte fallback and special ones included.

    Raises:
        ArgumentError: an unknown kind, or a size too small.
        MissingExtraError: its library is not installed.
    """
    if kind not in BASELINES:
        raise ArgumentError(f"there is no baseline {kind!r}; there are: {', '.join(BASELINES)}.")
    lines = _lines(corpus, separator, text_field)
    if kind == "wordpiece":
        return _wordpiece(lines, checked_size(vocab_size))
    return _sentencepiece(kind, lines, checked_size(vocab_size))


def _lines(corpus: Corpus, separator: str | bytes | None, text_field: str) -> Iterator[str]:
    for batch in batches(corpus, separator=separator, text_field=text_field):
        for text, _ in batch:
            for line in text.decode("utf-8", "replace").splitlines():
                if line.strip():
                    yield line


def _sentencepiece(kind: Baseline, lines: Iterator[str], vocab_size: int) -> Subject:
    sentencepiece = require("sentencepiece", "sentencepiece")
    model = io.BytesIO()
    name = "unigram" if kind == "unigram" else "bpe"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(line.replace("\0", " ") for line in lines),
        model_writer=model,
        vocab_size=vocab_size,
        model_type=name,
        byte_fallback=True,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        hard_vocab_limit=False,
        max_sentence_length=1 << 20,
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return OfSentencePiece(processor, kind, "Unigram" if kind == "unigram" else "BPE")


def _wordpiece(lines: Iterator[str], vocab_size: int) -> Subject:
    tokenizers = require("tokenizers", "tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="[UNK]"))  # noqa: S106  # no password
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = tokenizers.decoders.WordPiece()
    trainer = tokenizers.trainers.WordPieceTrainer(
        vocab_size=vocab_size, special_tokens=["[UNK]"], show_progress=False
    )
    tokenizer.train_from_iterator(lines, trainer)
    return OfHuggingFace(tokenizer, "wordpiece")
