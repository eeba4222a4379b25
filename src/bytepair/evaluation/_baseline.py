"""Peers trained on the same corpus at the same size, for a fair line in a comparison."""

import io
from collections.abc import Iterator
from functools import partial
from typing import Literal, get_args

from bytepair.data import Corpus
from bytepair.errors import ArgumentError, CorpusError
from bytepair.evaluation._foreign import (
    OfHuggingFace,
    OfSentencePiece,
    answers,
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
        CorpusError: missing, empty or damaged; or its library cannot be trained on it.
        MissingExtraError: its library is not installed.
    """
    if kind not in BASELINES:
        raise ArgumentError(f"there is no baseline {kind!r}; there are: {', '.join(BASELINES)}.")
    size = checked_size(vocab_size)
    lines = _Lines(corpus, separator, text_field)
    train = _wordpiece if kind == "wordpiece" else partial(_sentencepiece, kind)
    library = "tokenizers" if kind == "wordpiece" else "sentencepiece"
    what = f"baseline {kind}: {library} cannot be trained on this corpus to {size} tokens"
    try:
        with answers(what, CorpusError):
            subject = train(lines, size)
    except CorpusError:
        lines.check(kind)  # of what went wrong before, a library may make another error
        raise
    lines.check(kind)  # or none
    return subject


class _Lines:
    """The lines of a corpus that hold text, to be read once."""

    def __init__(self, corpus: Corpus, separator: str | bytes | None, text_field: str) -> None:
        self._batches = partial(batches, corpus, separator=separator, text_field=text_field)
        self._n = 0
        self._error: CorpusError | None = None

    def __iter__(self) -> Iterator[str]:
        try:
            for batch in self._batches():
                for text, _ in batch:
                    for line in filter(str.strip, text.decode("utf-8", "replace").splitlines()):
                        self._n += 1
                        yield line.replace("\0", " ")
        except CorpusError as error:
            self._error = error
            raise

    def check(self, kind: Baseline) -> None:
        """Say what ended the reading, if it was no text that did.

        Raises:
            CorpusError: what reading raised, or that there was nothing to read.
        """
        if self._error is not None:
            raise self._error from None
        if not self._n:
            raise CorpusError(f"baseline {kind}: the corpus holds no text to train on.") from None


def _sentencepiece(kind: Baseline, lines: _Lines, vocab_size: int) -> Subject:
    sentencepiece = require("sentencepiece", "sentencepiece")
    model = io.BytesIO()
    name = "unigram" if kind == "unigram" else "bpe"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
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


def _wordpiece(lines: _Lines, vocab_size: int) -> Subject:
    tokenizers = require("tokenizers", "tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="[UNK]"))  # noqa: S106  # no password
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = tokenizers.decoders.WordPiece()
    trainer = tokenizers.trainers.WordPieceTrainer(
        vocab_size=vocab_size,
        special_tokens=["[UNK]"],
        show_progress=False,
        limit_alphabet=vocab_size // 3,  # each character is a token twice: with ## and without
    )
    tokenizer.train_from_iterator(iter(lines), trainer)
    return OfHuggingFace(tokenizer, "wordpiece")
