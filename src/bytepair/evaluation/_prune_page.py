"""The page about a pruning."""

from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np

from bytepair.evaluation._page import chips, page, table, visible
from bytepair.evaluation._svg import line_plot
from bytepair.model import TokenId
from bytepair.pruning import Compression, PruneReport, RemovedToken
from bytepair.tokenizer import Tokenizer

_N_SHOWN = 36
_N_POINTS = 120


def prune_page(report: PruneReport, before: Tokenizer) -> str:
    """What a pruning did, with plots: HTML without any other file.

    Args:
        before: the tokenizer that was pruned.
    """
    heading = f"{before.name}: {report.vocab_before:,} to {report.vocab_after:,} tokens"
    sections = [*_summary(report), *_costs(report), *_removed(report), *_idle(report, before)]
    return page(f"{before.name}, pruned", heading, sections)


def _summary(report: PruneReport) -> Iterator[str]:
    yield f"<p>{len(report.removed):,} tokens were removed, by strategy {report.strategy}.</p>"
    texts = [("corpus", report.corpus), ("held out", report.held_out)]
    head = ("text", "bytes", "tokens before", "after", "loss", "bytes a token", "after")
    rows = [_row(name, text) for name, text in texts if text is not None]
    yield table(head, rows, numbers=True)


def _row(name: str, text: Compression) -> tuple[str, ...]:
    before, after = text.bytes_per_token
    counts = (f"{n:,}" for n in (text.n_bytes, text.tokens_before, text.tokens_after))
    return (name, *counts, f"{text.loss:+.2%}", f"{before:.3f}", f"{after:.3f}")


def _costs(report: PruneReport) -> Iterator[str]:
    """How the corpus grew as tokens went."""
    if len(report.removed) < 2:
        return
    yield "<h2>What it cost, token by token</h2>"
    yield "<p>The corpus's tokens more, in percent, as the vocabulary became smaller.</p>"
    sums = [0, *accumulate(token.cost for token in report.removed)]
    places = np.unique(np.linspace(0, len(sums) - 1, _N_POINTS).astype(int)).tolist()
    n_tokens = max(report.corpus.tokens_before, 1)
    points = [(float(place), 100 * sums[place] / n_tokens) for place in places]
    yield line_plot(points, "tokens removed", "percent more")


def _removed(report: PruneReport) -> Iterator[str]:
    dearest = sorted(report.removed, key=lambda token: (-token.cost, token.id))
    yield "<h2>Removed</h2>"
    yield "<p>Each with its cost: tokens that the corpus gained when it went.</p>"
    yield "<h3>The dearest</h3>"
    yield _chips(dearest[:_N_SHOWN])
    if len(dearest) > _N_SHOWN:
        yield "<h3>The cheapest</h3>"
        yield _chips(dearest[: _N_SHOWN - 1 : -1][:_N_SHOWN])
    yield f"<details><summary>All {len(dearest):,}, with their uses before</summary>"
    rows = ((visible(t.data), f"{t.id}", f"{t.uses:,}", f"{t.cost:,}") for t in dearest)
    yield table(("token", "id", "uses", "cost"), rows, numbers=True) + "</details>"


def _chips(tokens: Sequence[RemovedToken]) -> str:
    return chips((token.data, f"{token.cost:,}") for token in tokens)


def _idle(report: PruneReport, before: Tokenizer) -> Iterator[str]:
    yield "<h2>Tokens that did nothing before</h2><p>Some of them, with their ids.</p>"
    kinds = (
        ("Unreachable: no text yields them", report.idle.unreachable),
        ("Residues: only steps to others", report.idle.residues),
        ("Never used in the corpus", report.idle.unused),
    )
    for name, ids in kinds:
        yield f"<h3>{name}: {len(ids):,}</h3>"
        yield chips((_data(before, token), str(token)) for token in _spread(ids))


def _spread(ids: Sequence[TokenId]) -> Sequence[TokenId]:
    return ids[:: max(len(ids) // _N_SHOWN, 1)][:_N_SHOWN]


def _data(tokenizer: Tokenizer, token: TokenId) -> bytes:
    return tokenizer.spec.vocabulary.tokens.get(token, b"")
