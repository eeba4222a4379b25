"""Several tokenizers side by side: rows of figures, and a page of them with plots."""

import math
from collections.abc import Iterator, Sequence
from html import escape

import numpy as np

from bytepair.evaluation._compare import Comparison, Row
from bytepair.evaluation._metrics import Metrics
from bytepair.evaluation._page import page, table
from bytepair.evaluation._prices import Prices
from bytepair.evaluation._svg import bar_plot


def comparison_rows(rows: Sequence[Row], prices: Prices | None = None) -> Iterator[list[str]]:
    """A table of the figures: of each its name, then one cell a tokenizer.

    Args:
        prices: None: without what the tokens cost.
    """
    metrics = [row.metrics for row in rows]
    yield ["kind", *(row.kind for row in rows)]
    yield ["vocabulary", *(f"{m.vocab_size:,}" for m in metrics)]
    yield ["tokens", *(f"{m.n_tokens:,}" for m in metrics)]
    yield ["bytes a token", *(f"{m.bytes_per_token:.3f}" for m in metrics)]
    if any(m.n_documents > 1 for m in metrics):
        yield ["by document", *map(_spread, metrics)]
    yield ["characters a token", *(f"{m.chars_per_token:.3f}" for m in metrics)]
    yield ["tokens a word", *(f"{m.fertility:.3f}" for m in metrics)]
    yield ["words kept whole", *(f"{m.whole_words:.1%}" for m in metrics)]
    yield ["vocabulary used", *(f"{m.vocabulary_use:.1%}" for m in metrics)]
    yield ["tokens that make up 90%", *(f"{m.n_covering(0.9):,}" for m in metrics)]
    yield ["Rényi efficiency", *(f"{m.renyi_efficiency():.3f}" for m in metrics)]
    yield ["unknown tokens", *(f"{row.unknown:.2%}" for row in rows)]
    if prices is not None:
        yield ["cost", *(_cost(prices, row) for row in rows)]


def comparison_page(comparison: Comparison, prices: Prices | None = None) -> str:
    """A comparison with plots: HTML without any other file.

    Args:
        prices: as for `comparison_rows`.
    """
    rows = comparison.rows
    names = [row.name for row in rows]
    sections = [_corpus(rows[0].metrics)] if rows else []
    sections.append(table(("", *names), comparison_rows(rows, prices), numbers=True))
    sections.append("<h2>Bytes a token</h2><p>Higher is shorter text.</p>")
    sections.append(bar_plot([(row.name, row.metrics.bytes_per_token) for row in rows], "bytes"))
    sections += _languages(rows)
    if comparison.differences:
        differing = [(d.text, *(f"{n:,}" for n in d.n_tokens)) for d in comparison.differences]
        sections.append("<h2>Where they differ most, in tokens</h2>")
        sections.append(table(("text", *names), differing, numbers=True))
    return page("Tokenizers compared", "Tokenizers compared", sections)


def _corpus(metrics: Metrics) -> str:
    n_documents = metrics.n_documents
    documents = "1 document" if n_documents == 1 else f"{n_documents:,} documents"
    return (
        f"<p>On {metrics.n_bytes:,} bytes in {documents}. What stands between white space is a "
        "word.</p>"
    )


def _languages(rows: Sequence[Row]) -> Iterator[str]:
    """All on one scale, so that bars of two tokenizers can be compared."""
    yield "<h2>Languages</h2><p>Tokens for the same twelve everyday sentences; English is 1.</p>"
    most = max((times for row in rows for times in row.parity.values()), default=1.0)
    for row in rows:
        by_times = sorted(row.parity.items(), key=lambda item: item[1])
        yield f"<h3>{escape(row.name)}</h3>"
        yield bar_plot(by_times, f"tokens: {row.name}", most=most)


def _spread(metrics: Metrics) -> str:
    """Bytes a token in the documents, without the twentieth at either end."""
    ratios = metrics.per_document()
    if not len(ratios):
        return ""
    low, high = np.percentile(ratios, [5, 95])
    return f"{low:.2f}–{high:.2f}"


def _cost(prices: Prices, row: Row) -> str:
    cost = prices.cost(row.name, row.metrics.n_tokens)
    if cost is None:
        return ""
    n_decimals = 2 if not 0 < cost < 1 else 2 - math.floor(math.log10(cost))
    return f"{prices.currency}{cost:,.{n_decimals}f}"
