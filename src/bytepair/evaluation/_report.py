"""`report`: one HTML page about a tokenizer, with everything it needs inside."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from bytepair.data import Corpus
from bytepair.evaluation._compare import Comparison
from bytepair.evaluation._measure import Meter, batches
from bytepair.evaluation._metrics import Metrics
from bytepair.evaluation._parallel import parity
from bytepair.evaluation._subject import OfTokenizer
from bytepair.evaluation._svg import bar_plot, line_plot
from bytepair.model import MergeTable, TokenizerSpec
from bytepair.tokenizer import Tokenizer

_SAMPLE_BYTES = 2 << 20  # of the corpus, for what is encoded several times
_N_SHOWN = 24
_N_BINS = 64
_WIDTHS = (768, 2048, 4096, 8192)


def report(
    tokenizer: Tokenizer,
    corpus: Corpus | None = None,
    *,
    separator: str | bytes | None = None,
    text_field: str = "text",
) -> str:
    """A page about a tokenizer and what it makes of a corpus: HTML without any other file.

    Args:
        corpus, separator, text_field: as for `measure`; without a corpus the page is about the
            vocabulary alone.

    Raises:
        CorpusError: missing, empty or damaged.

    >>> import bytepair
    >>> tok = bytepair.train(["low lower"] * 3, vocab_size=260, special_tokens=[])
    >>> page = report(tok, ["low lower lowest"])
    >>> "<svg" in page, "https://" in page
    (True, False)
    """
    subject = OfTokenizer(tokenizer)
    meter, sample = Meter(subject), bytearray()
    if corpus is not None:
        for batch in batches(corpus, separator=separator, text_field=text_field):
            meter.add_parts(batch)
            for text, _ in batch:
                sample += text[: max(_SAMPLE_BYTES - len(sample), 0)]
    contents = subject.contents()
    metrics = meter.result() if sample else None
    sections = [
        *_what_it_is(tokenizer),
        *_growth(tokenizer.spec),
        *([] if metrics is None else _on_corpus(metrics, contents)),
        *([] if metrics is None else _sizes(tokenizer, bytes(sample))),
        *_languages(subject),
        *_tokens(tokenizer, contents, metrics),
        *_model_cost(tokenizer),
    ]
    return _page(f"{tokenizer.name}: a tokenizer", tokenizer.name, sections)


def comparison_page(comparison: Comparison) -> str:
    """A comparison with plots: HTML without any other file."""
    names = [row.name for row in comparison.rows]
    figures = [row.metrics.figures() for row in comparison.rows]
    lines = [
        (key.replace("_", " "), *(_figure(figure[key]) for figure in figures)) for key in figures[0]
    ]
    sections = [_table(("", *names), [("kind", *(row.kind for row in comparison.rows)), *lines])]
    sections.append("<h2>Bytes a token</h2><p>Higher is shorter text.</p>")
    sections.append(
        bar_plot([(row.name, row.metrics.bytes_per_token) for row in comparison.rows], "bytes")
    )
    sections.append("<h2>Languages</h2><p>Tokens for the same sentences; English is 1.</p>")
    for row in comparison.rows:
        by_cost = sorted(row.parity.items(), key=lambda item: item[1])
        sections += [f"<h3>{escape(row.name)}</h3>", bar_plot(by_cost, f"tokens: {row.name}")]
    if comparison.differences:
        rows = [(d.text, *(f"{n:,}" for n in d.n_tokens)) for d in comparison.differences]
        sections += ["<h2>Where they differ most, in tokens</h2>", _table(("text", *names), rows)]
    return _page("Tokenizers compared", "Tokenizers compared", sections)


def _page(title: str, heading: str, sections: Iterable[str]) -> str:
    style = files("bytepair.evaluation").joinpath("report.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head>\n"
        f"<body><main><h1>{escape(heading)}</h1>\n"
        + "\n".join(sections)
        + "\n</main></body></html>\n"
    )


def _what_it_is(tokenizer: Tokenizer) -> Iterator[str]:
    spec = tokenizer.spec
    specials = ", ".join(tokenizer.special_tokens) or "none"
    yield _table(
        (),
        [
            ("tokens", f"{tokenizer.vocab_size:,}"),
            ("merges", f"{len(spec.merges):,}" + ("" if spec.merges.is_merge_list else " (ranks)")),
            ("first symbols", spec.alphabet),
            ("special tokens", specials if len(specials) < 400 else specials[:400] + "…"),
            ("pattern", spec.rules.pattern or ("several steps" if spec.rules.steps else "none")),
            ("normaliser", ", ".join(map(str, spec.rules.normalizer)) or "none"),
        ],
    )


def _growth(spec: TokenizerSpec) -> Iterator[str]:
    """Mean length of what merges make, by their rank."""
    tokens = spec.vocabulary.flat
    lengths = dict(zip(tokens.ids.tolist(), np.diff(tokens.offsets).tolist(), strict=True))
    made = [lengths[j] for j in dict.fromkeys(spec.merges.joined.tolist()) if j in lengths]
    if len(made) < 2:
        return
    yield "<h2>How it grew</h2><p>The mean length of the tokens that merging made, in order.</p>"
    bins = np.array_split(np.array(made), min(_N_BINS, len(made)))
    ends = np.cumsum([len(part) for part in bins]).tolist()
    points = [(end, float(part.mean())) for end, part in zip(ends, bins, strict=True)]
    yield line_plot(points, "tokens made", "bytes")


def _on_corpus(metrics: Metrics, contents: dict[int, bytes]) -> Iterator[str]:
    yield "<h2>On the corpus</h2>"
    yield _table(
        (),
        [
            ("documents", f"{metrics.n_documents:,}"),
            ("bytes", f"{metrics.n_bytes:,}"),
            ("tokens", f"{metrics.n_tokens:,}"),
            ("bytes a token", f"{metrics.bytes_per_token:.3f}"),
            ("characters a token", f"{metrics.chars_per_token:.3f}"),
            ("tokens a word", f"{metrics.fertility:.3f}"),
            ("words kept whole", f"{metrics.whole_words:.1%}"),
            ("vocabulary used", f"{metrics.vocabulary_use:.1%}"),
            ("tokens that make up 90%", f"{metrics.n_covering(0.9):,}"),
            ("Rényi efficiency", f"{metrics.renyi_efficiency():.3f}"),
        ],
    )
    spectrum = metrics.spectrum()
    ranks = np.unique(np.geomspace(1, len(spectrum), 80).astype(np.int64))
    yield "<h3>Uses of the tokens, the most frequent first</h3>"
    points = [(int(rank), int(spectrum[rank - 1])) for rank in ranks]
    yield line_plot(points, "rank", "uses", log_x=True, log_y=True)
    yield "<h3>Length of the tokens in the corpus, in bytes</h3>"
    lengths = metrics.token_lengths()[:17]
    yield bar_plot(
        [(str(n), 100 * int(k) / metrics.n_tokens) for n, k in enumerate(lengths) if k], "percent"
    )
    common = np.argsort(-metrics.uses, kind="stable")[:_N_SHOWN].tolist()
    yield "<h3>A mirror of the corpus: its most frequent tokens</h3>"
    yield _chips((contents[i], f"{int(metrics.uses[i]):,}") for i in common if metrics.uses[i])


def _sizes(tokenizer: Tokenizer, sample: bytes) -> Iterator[str]:
    """Compression if only the first merges had been learned."""
    spec = tokenizer.spec
    ranks = np.unique(spec.merges.rank)
    if len(ranks) < 16 or spec.residues:
        return
    n_first = len(spec.vocabulary) - len(np.unique(spec.merges.joined))
    points: list[tuple[float, float]] = []
    for part in (16, 8, 4, 2, 1):
        smaller = _with_first(spec, len(ranks) // part, ranks)
        n_tokens = Tokenizer(smaller).count(sample)
        size = n_first + len(np.unique(smaller.merges.joined))
        points.append((size, len(sample) / n_tokens))
    (half, of_half), (full, of_all) = points[-2:]
    saved = (full - half) * _WIDTHS[2] / 1e6
    yield "<h2>Compression by size of the vocabulary</h2>"
    yield (
        f"<p>On {len(sample):,} bytes, with the first merges only: what each doubling brings. "
        f"The last one makes the text {1 - of_half / of_all:.1%} shorter and costs a model of "
        f"width {_WIDTHS[2]:,} {saved:,.1f} M numbers in its embedding.</p>"
    )
    yield line_plot(points, "tokens", "bytes a token", log_x=True)


def _with_first(spec: TokenizerSpec, n: int, ranks: NDArray[np.uint32]) -> TokenizerSpec:
    kept = spec.merges.rank <= ranks[max(n - 1, 0)]
    columns = (spec.merges.left, spec.merges.right, spec.merges.joined, spec.merges.rank)
    merges = MergeTable(*(column[kept] for column in columns))
    return replace(spec, merges=merges, ignore_merges=False)


def _languages(subject: OfTokenizer) -> Iterator[str]:
    yield "<h2>Languages</h2><p>Tokens for the same twelve everyday sentences; English is 1.</p>"
    yield bar_plot(sorted(parity(subject).items(), key=lambda row: row[1]), "tokens by language")


def _tokens(
    tokenizer: Tokenizer, contents: dict[int, bytes], metrics: Metrics | None
) -> Iterator[str]:
    ordinary = {i: contents[i] for i in tokenizer.spec.vocabulary if contents.get(i)}
    longest = sorted(ordinary.items(), key=lambda row: (-len(row[1]), row[0]))[:_N_SHOWN]
    yield "<h2>Tokens</h2><h3>The longest</h3>"
    yield _chips((data, f"{len(data)}") for _, data in longest)
    odd = [(i, data) for i, data in ordinary.items() if len(data) > 1 and not _is_text(data)]
    if odd:
        yield f"<h3>No whole characters: {len(odd):,}</h3>"
        yield _chips((data, str(i)) for i, data in odd[:_N_SHOWN])
    alone = tokenizer.encode_ordinary_batch(list(ordinary.values()))
    missed = [(i, ordinary[i]) for i, ids in zip(ordinary, alone, strict=True) if ids != [i]]
    yield f"<h3>Tokens whose own text becomes other tokens: {len(missed):,}</h3>"
    yield _chips((data, str(i)) for i, data in missed[:_N_SHOWN])
    if metrics is not None:
        unused = [
            (i, d) for i, d in ordinary.items() if i >= len(metrics.uses) or not metrics.uses[i]
        ]
        yield f"<h3>Never used in the corpus: {len(unused):,}</h3>"
        yield "<p>Steps to longer tokens are among them: residues. Pruning can take them out.</p>"
        yield _chips(
            (data, str(i)) for i, data in unused[:: max(len(unused) // _N_SHOWN, 1)][:_N_SHOWN]
        )


def _model_cost(tokenizer: Tokenizer) -> Iterator[str]:
    yield "<h2>What the vocabulary costs a model</h2>"
    yield "<p>Numbers in the embedding and in the output, if these are not tied.</p>"
    rows = [
        (
            f"{width:,}",
            f"{tokenizer.n_vocab * width / 1e6:,.0f} M",
            f"{2 * tokenizer.n_vocab * width / 1e6:,.0f} M",
        )
        for width in _WIDTHS
    ]
    yield _table(("width", "embedding", "with output"), rows)


def _figure(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _shown(data: bytes) -> str:
    """Bytes as a page shows them: spaces as dots, what is not printable by number."""
    text = data.decode("utf-8", "backslashreplace").replace(" ", "·")
    visible = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return escape(visible if len(visible) <= 40 else visible[:39] + "…")


def _chips(tokens: Iterable[tuple[bytes, str]]) -> str:
    chips = "".join(
        f"<li><code>{_shown(data)}</code><span>{note}</span></li>" for data, note in tokens
    )
    return f'<ul class="chips">{chips}</ul>' if chips else "<p>none</p>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table>{f'<tr>{top}</tr>' if top else ''}{body}</table>"
