"""Sentences that say the same in many languages, and what each language costs."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from bytepair.errors import ArgumentError
from bytepair.evaluation._subject import OfTokenizer, Subject
from bytepair.tokenizer import Tokenizer


@dataclass(frozen=True)
class ParallelText:
    """The same sentences as in every other `ParallelText`, in one language.

    Attributes:
        code: of the language (ISO 639-1).
        language: its English name.
        sentences: in the same order everywhere.
    """

    code: str
    language: str
    sentences: tuple[str, ...]


@cache
def parallel_texts() -> tuple[ParallelText, ...]:
    """Short everyday sentences in 20 languages, English first; written for this project.

    >>> [text.code for text in parallel_texts()[:3]], len(parallel_texts())
    (['en', 'de', 'fr'], 20)
    """
    data = files("bytepair.evaluation").joinpath("sentences.json").read_text(encoding="utf-8")
    return tuple(
        ParallelText(row["code"], row["language"], tuple(row["sentences"]))
        for row in json.loads(data)
    )


def parity(
    subject: Subject | Tokenizer,
    texts: Sequence[ParallelText] | None = None,
    reference: str = "en",
) -> dict[str, float]:
    """Language -> how many times the tokens of the reference language the same sentences take.

    Args:
        texts: None: `parallel_texts()`.
        reference: code of the language that is 1.

    Raises:
        ArgumentError: no text is in the reference language.

    Source: Petrov et al. 2023, https://arxiv.org/abs/2305.15425.

    >>> import bytepair
    >>> by_bytes = bytepair.train(["low"], vocab_size=256, special_tokens=[])
    >>> f"{parity(by_bytes)['Hindi']:.1f}"
    '2.2'
    """
    subject = OfTokenizer(subject) if isinstance(subject, Tokenizer) else subject
    rows = parallel_texts() if texts is None else texts
    n_tokens = {text.code: _n_tokens(subject, text) for text in rows}
    if not n_tokens.get(reference):
        raise ArgumentError(
            f"no text is in the reference language {reference!r}; there are: {', '.join(n_tokens)}."
        )
    return {text.language: n_tokens[text.code] / n_tokens[reference] for text in rows}


def _n_tokens(subject: Subject, text: ParallelText) -> int:
    encoded = subject.encode([sentence.encode() for sentence in text.sentences])
    return int(np.diff(encoded.offsets).sum())
