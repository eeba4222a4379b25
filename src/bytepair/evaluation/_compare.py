"""`compare`: several tokenizers on one corpus, side by side."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bytepair.data import Corpus
from bytepair.errors import ArgumentError, CorpusError
from bytepair.evaluation._measure import Meter, Part, batches
from bytepair.evaluation._metrics import Metrics
from bytepair.evaluation._parallel import parity
from bytepair.evaluation._subject import OfTokenizer, Subject
from bytepair.tokenizer import Tokenizer

_MOST_LINES = 5_000  # looked at for differences
_MOST_BYTES = 1 << 20  # of a document, likewise
_LINE_BYTES = (16, 160)  # shorter ones differ by chance, longer ones cannot be shown


@dataclass(frozen=True, eq=False)
class Row:
    """One tokenizer of a comparison.

    Attributes:
        metrics: on the corpus.
        unknown: share of the tokens, 0 to 1, that stand for text which is lost.
        parity: language -> times the tokens of English. Lost text makes it small.
    """

    name: str
    kind: str
    metrics: Metrics
    unknown: float
    parity: dict[str, float]


@dataclass(frozen=True)
class Difference:
    """A line of the corpus, and how many tokens each tokenizer makes of it, in order of rows."""

    text: str
    n_tokens: tuple[int, ...]

    @property
    def ratio(self) -> float:
        """Most tokens over fewest."""
        return max(self.n_tokens) / max(min(self.n_tokens), 1)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Several tokenizers on one corpus.

    Attributes:
        differences: the lines on which they differ most, that first.
    """

    rows: tuple[Row, ...]
    differences: tuple[Difference, ...]


def compare(
    subjects: Sequence[Subject | Tokenizer],
    corpus: Corpus,
    *,
    separator: str | bytes | None = None,
    text_field: str = "text",
    n_differences: int = 5,
) -> Comparison:
    """Measure several tokenizers on one corpus, which is read once.

    Args:
        corpus, separator, text_field: as for `measure`.
        n_differences: how many lines to name on which they differ most; looked for among the first
            5,000 of 16 to 160 bytes that are mostly letters.

    Raises:
        ArgumentError: no tokenizer.
        CorpusError: missing, empty or damaged.

    >>> import bytepair
    >>> small = bytepair.train(["low lower"] * 3, vocab_size=258, special_tokens=[], name="small")
    >>> large = bytepair.train(["low lower"] * 3, vocab_size=260, special_tokens=[], name="large")
    >>> rows = compare([small, large], ["low lower"]).rows
    >>> [(row.name, row.metrics.n_tokens) for row in rows]
    [('small', 5), ('large', 3)]
    """
    if not subjects:
        raise ArgumentError("there is nothing to compare: name at least one tokenizer.")
    every = [OfTokenizer(s) if isinstance(s, Tokenizer) else s for s in subjects]
    meters = [Meter(subject) for subject in every]
    lines: dict[bytes, None] = {}
    for batch in batches(corpus, separator=separator, text_field=text_field):
        for meter in meters:
            meter.add_parts(batch)
        _collect_lines(batch, lines)
    rows = [_row(meter) for meter in meters]
    if not rows[0].metrics.n_bytes:
        raise CorpusError("the corpus holds no text, so there is nothing to compare.")
    return Comparison(tuple(rows), _differences(every, list(lines), n_differences))


def _row(meter: Meter) -> Row:
    subject, metrics = meter.subject, meter.result()
    unknown = subject.unknown_id
    n_unknown = 0 if unknown is None else int(metrics.uses[unknown : unknown + 1].sum())
    share = n_unknown / max(metrics.n_tokens, 1)
    return Row(subject.name, subject.kind, metrics, share, parity(subject))


def _collect_lines(batch: Iterable[Part], lines: dict[bytes, None]) -> None:
    shortest, longest = _LINE_BYTES
    for text, _ in batch:
        if len(lines) >= _MOST_LINES:
            return
        for line in text[:_MOST_BYTES].splitlines():
            stripped = line.strip()
            if shortest <= len(stripped) <= longest and _is_written(stripped):
                lines[stripped] = None


def _is_written(line: bytes) -> bool:
    """True if most of it is letters or digits: rulers and tables differ most, and tell least."""
    text = line.decode("utf-8", "replace")
    return 4 * sum(map(str.isalnum, text)) >= 3 * len(text)


def _differences(subjects: Sequence[Subject], lines: list[bytes], n: int) -> tuple[Difference, ...]:
    if len(subjects) < 2 or not lines:
        return ()
    counts = np.stack([np.diff(subject.encode(lines).offsets) for subject in subjects])
    found = [
        Difference(line.decode("utf-8", "replace"), tuple(column))
        for line, column in zip(lines, counts.T.tolist(), strict=True)
    ]
    return tuple(sorted(found, key=lambda row: -row.ratio)[:n])
