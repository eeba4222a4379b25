"""`examine`: all that is to be known about a tokenizer; `report`: a page of it."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bytepair.data import Corpus
from bytepair.errors import CorpusError
from bytepair.evaluation._measure import Meter, batches
from bytepair.evaluation._metrics import Metrics
from bytepair.evaluation._parallel import parity
from bytepair.evaluation._report_page import report_page
from bytepair.evaluation._subject import OfTokenizer
from bytepair.model import MergeTable, TokenizerSpec
from bytepair.pruning import IdleTokens, idle_tokens
from bytepair.tokenizer import Tokenizer

_SAMPLE_BYTES = 2 << 20  # of the corpus, for what is encoded several times
_PARTS = (128, 64, 32, 16, 8, 4, 2, 1)  # of the merges: 1/128, 1/64, ... all
_FEWEST_MERGES = 16


@dataclass(frozen=True, eq=False)
class Examination:
    """What is known about a tokenizer.

    Attributes:
        contents: the bytes that each id stands for amid a text.
        metrics: on the corpus; None without one.
        idle: tokens that do nothing; without a corpus only the unreachable ones are meant.
        sizes: (tokens, bytes per token on a part of the corpus) as if only the first merges had
            been learned, ascending; none without a corpus or with few merges.
        parity: language -> times the tokens of English.
    """

    tokenizer: Tokenizer
    contents: dict[int, bytes]
    metrics: Metrics | None
    idle: IdleTokens
    sizes: tuple[tuple[int, float], ...]
    parity: dict[str, float]

    def figures(self) -> dict[str, object]:
        """All of it as numbers, for programs."""
        idle = self.idle
        counted = {"residues": idle.residues, "unused": idle.unused} if self.metrics else {}
        return {
            "name": self.tokenizer.name,
            "vocab_size": self.tokenizer.vocab_size,
            "n_merges": len(self.tokenizer.merges),
            "unreachable": list(idle.unreachable),
            **{name: list(ids) for name, ids in counted.items()},
            "compression_by_size": [list(point) for point in self.sizes],
            "parity": self.parity,
            "corpus": None if self.metrics is None else self.metrics.figures(),
        }


def examine(
    tokenizer: Tokenizer,
    corpus: Corpus | None = None,
    *,
    separator: str | bytes | None = None,
    text_field: str = "text",
    threads: int | None = None,
) -> Examination:
    """Find out what a tokenizer is and what it makes of a corpus, which is read once.

    Args:
        corpus, separator, text_field: as for `measure`; without a corpus it is about the
            vocabulary alone.
        threads: None: one a core.

    Raises:
        CorpusError: missing, empty or damaged.

    >>> import bytepair
    >>> tok = bytepair.train(["low lower"] * 3, vocab_size=260, special_tokens=[])
    >>> examine(tok, ["low lower lowest"]).metrics.n_tokens
    7
    """
    subject = OfTokenizer(tokenizer, threads=threads)
    meter, sample = Meter(subject), bytearray()
    if corpus is not None:
        for batch in batches(corpus, separator=separator, text_field=text_field):
            meter.add_parts(batch)
            for text, _ in batch:
                sample += text[: max(_SAMPLE_BYTES - len(sample), 0)]
        if not sample:
            raise CorpusError("the corpus holds no text, so there is nothing to report on it.")
    metrics = meter.result()
    return Examination(
        tokenizer,
        subject.contents(),
        None if corpus is None else metrics,
        idle_tokens(tokenizer.spec, metrics.uses),
        tuple(_sizes(tokenizer.spec, bytes(sample))) if sample else (),
        parity(subject),
    )


def report(
    tokenizer: Tokenizer,
    corpus: Corpus | None = None,
    *,
    separator: str | bytes | None = None,
    text_field: str = "text",
    threads: int | None = None,
) -> str:
    """A page about a tokenizer and what it makes of a corpus: HTML without any other file.

    Args, Raises: as `examine`.

    >>> import bytepair
    >>> tok = bytepair.train(["low lower"] * 3, vocab_size=260, special_tokens=[])
    >>> page = report(tok, ["low lower lowest"])
    >>> "<svg" in page, "https://" in page
    (True, False)
    """
    return report_page(
        examine(tokenizer, corpus, separator=separator, text_field=text_field, threads=threads)
    )


def _sizes(spec: TokenizerSpec, sample: bytes) -> list[tuple[int, float]]:
    """Compression if only the first merges had been learned."""
    ranks = np.unique(spec.merges.rank)
    if len(ranks) < _FEWEST_MERGES or spec.residues:
        return []
    n_first = len(spec.vocabulary) - len(np.unique(spec.merges.joined))
    points: list[tuple[int, float]] = []
    for part in _PARTS:
        if len(ranks) // part < 1:
            continue
        smaller = _with_first(spec, len(ranks) // part, ranks)
        n_tokens = Tokenizer(smaller).count(sample, disallowed_special=())
        points.append((n_first + len(np.unique(smaller.merges.joined)), len(sample) / n_tokens))
    return points


def _with_first(spec: TokenizerSpec, n: int, ranks: NDArray[np.uint32]) -> TokenizerSpec:
    kept = spec.merges.rank <= ranks[max(n - 1, 0)]
    columns = (spec.merges.left, spec.merges.right, spec.merges.joined, spec.merges.rank)
    merges = MergeTable(*(column[kept] for column in columns))
    return replace(spec, merges=merges, ignore_merges=False)
