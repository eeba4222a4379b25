"""The page about several tokenizers side by side."""

from html import escape

from bytepair.evaluation._compare import Comparison
from bytepair.evaluation._page import page, table
from bytepair.evaluation._svg import bar_plot


def comparison_page(comparison: Comparison) -> str:
    """A comparison with plots: HTML without any other file."""
    rows = comparison.rows
    names = [row.name for row in rows]
    figures = [row.metrics.figures() for row in rows]
    lines = [
        (key.replace("_", " "), *(_figure(figure[key]) for figure in figures)) for key in figures[0]
    ]
    lines.append(("unknown tokens", *(f"{row.unknown:.2%}" for row in rows)))
    head, kinds = ("", *names), ("kind", *(row.kind for row in rows))
    sections = [table(head, [kinds, *lines], numbers=True)]
    sections.append("<h2>Bytes a token</h2><p>Higher is shorter text.</p>")
    sections.append(bar_plot([(row.name, row.metrics.bytes_per_token) for row in rows], "bytes"))
    sections.append("<h2>Languages</h2><p>Tokens for the same sentences; English is 1.</p>")
    for row in rows:
        by_cost = sorted(row.parity.items(), key=lambda item: item[1])
        sections += [f"<h3>{escape(row.name)}</h3>", bar_plot(by_cost, f"tokens: {row.name}")]
    if comparison.differences:
        differing = [(d.text, *(f"{n:,}" for n in d.n_tokens)) for d in comparison.differences]
        sections.append("<h2>Where they differ most, in tokens</h2>")
        sections.append(table(("text", *names), differing, numbers=True))
    return page("Tokenizers compared", "Tokenizers compared", sections)


def _figure(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"
