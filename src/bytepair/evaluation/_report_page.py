"""The page about a tokenizer, section by section."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from bytepair.evaluation._metrics import Metrics
from bytepair.evaluation._mirror import kinds_of_tokens
from bytepair.evaluation._page import chips, is_text, page, table
from bytepair.evaluation._svg import bar_plot, line_plot
from bytepair.model import TokenId, TokenizerSpec, residues_as_tokens
from bytepair.tokenizer import Tokenizer

if TYPE_CHECKING:
    from bytepair.evaluation._report import Examination

_Item = TypeVar("_Item")

_N_SHOWN = 24
_N_BINS = 64
_N_KINDS = 14
_WIDTHS = (768, 2048, 4096, 8192)
_LONGEST_BAR = 17  # tokens of more bytes are counted together


def report_page(found: "Examination") -> str:
    """HTML without any other file."""
    sections = [
        *_what_it_is(found.tokenizer),
        *_on_corpus(found),
        *_sizes(found.sizes),
        *_growth(found.tokenizer.spec),
        *_languages(found.parity),
        *_mirror(found),
        *_tokens(found),
        *_idle(found),
        *_model_cost(found),
    ]
    return page(f"{found.tokenizer.name}: a tokenizer", found.tokenizer.name, sections)


def _what_it_is(tokenizer: Tokenizer) -> Iterator[str]:
    spec = tokenizer.spec
    specials = ", ".join(tokenizer.special_tokens) or "none"
    rows = [
        ("tokens", f"{tokenizer.vocab_size:,}"),
        ("merges", f"{len(spec.merges):,}" + ("" if spec.merges.is_merge_list else " (ranks)")),
        ("first symbols", spec.alphabet),
        ("special tokens", specials if len(specials) < 400 else specials[:400] + "…"),
        ("pattern", spec.rules.pattern or ("several steps" if spec.rules.steps else "none")),
        ("normaliser", ", ".join(map(str, spec.rules.normalizer)) or "none"),
    ]
    if spec.residues:
        rows.append(("steps that are no tokens", f"{len(spec.residues):,}"))
    record = spec.training
    if record is not None and record.corpus_bytes:
        documents = (
            "1 document"
            if record.corpus_documents == 1
            else (f"{record.corpus_documents:,} documents")
        )
        rows.append(("learned from", f"{record.corpus_bytes:,} bytes, {documents}"))
    yield table((), rows)


def _on_corpus(found: "Examination") -> Iterator[str]:
    metrics = found.metrics
    if metrics is None:
        return
    yield "<h2>On the corpus</h2>"
    yield table(
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
    yield from _frequencies(metrics)


def _frequencies(metrics: Metrics) -> Iterator[str]:
    spectrum = metrics.spectrum()
    ranks = np.unique(np.geomspace(1, len(spectrum), 80).astype(np.int64))
    yield "<h3>Uses of the tokens, the most frequent first</h3>"
    points = [(int(rank), int(spectrum[rank - 1])) for rank in ranks]
    yield line_plot(points, "rank", "uses", log_x=True, log_y=True)
    yield "<h3>Length of the tokens in the corpus: bytes, and their share in percent</h3>"
    lengths = metrics.token_lengths()
    bars = [(str(n), 100 * int(k) / metrics.n_tokens) for n, k in enumerate(lengths) if k]
    short, long = bars[: _LONGEST_BAR - 1], bars[_LONGEST_BAR - 1 :]
    if long:
        short.append((f"{long[0][0]} or more", sum(share for _, share in long)))
    yield bar_plot(short, "percent")
    if metrics.n_documents > 1:
        spread = np.percentile(metrics.per_document(), [5, 50, 95])
        yield (
            f"<p>Bytes a token by document: half of them have {spread[1]:.2f} or more; of twenty, "
            f"one has less than {spread[0]:.2f} and one more than {spread[2]:.2f}.</p>"
        )


def _sizes(points: Sequence[tuple[int, float]]) -> Iterator[str]:
    """Each doubling of the vocabulary brings less."""
    if len(points) < 2:
        return
    yield "<h2>Compression by size of the vocabulary</h2>"
    yield (
        "<p>On the beginning of the corpus, as if only the first merges had been learned. Each "
        "step makes the text shorter by so much, and costs a model of width "
        f"{_WIDTHS[2]:,} so many numbers more in its embedding.</p>"
    )
    yield line_plot(points, "tokens", "bytes a token", log_x=True)
    rows = [
        (
            f"{size:,}",
            f"{ratio:.3f}",
            f"{1 - before / ratio:.1%}",
            f"{(size - smaller) * _WIDTHS[2] / 1e6:,.1f} M",
        )
        for (smaller, before), (size, ratio) in pairwise(points)
    ]
    yield table(("tokens", "bytes a token", "text shorter by", "rows cost"), rows, numbers=True)


def _growth(spec: TokenizerSpec) -> Iterator[str]:
    """Mean length of what merges make, and some of them, by their rank."""
    tokens = residues_as_tokens(spec).vocabulary.tokens
    rows = [*zip(*(c.tolist() for c in (spec.merges.left, spec.merges.right)), strict=True)]
    first = {joined: place for place, joined in reversed([*enumerate(spec.merges.joined.tolist())])}
    made = sorted((place, joined) for joined, place in first.items() if joined in tokens)
    if len(made) < 2:
        return
    yield "<h2>How it grew, merge by merge</h2>"
    yield "<p>The mean length in bytes of the tokens that merging made, in order.</p>"
    bins = np.array_split([len(tokens[joined]) for _, joined in made], min(_N_BINS, len(made)))
    ends = np.cumsum([len(part) for part in bins]).tolist()
    points = [(end, float(part.mean())) for end, part in zip(ends, bins, strict=True)]
    yield line_plot(points, "merge", "bytes")
    counts = spec.training.merge_counts if spec.training else ()
    chosen = np.unique(np.geomspace(1, len(made), _N_SHOWN).astype(int)) - 1
    yield "<h3>Some of the merges</h3>"
    lines = []
    for number in chosen.tolist():
        place, joined = made[number]
        parts = " + ".join(_spelt(tokens.get(part, b"")) for part in rows[place])
        count = f"{counts[place]:,}" if len(counts) == len(rows) else ""
        lines.append((f"{number + 1:,}", parts, _spelt(tokens[joined]), count))
    head = ("merge", "of", "gives", "times seen" if len(counts) == len(rows) else "")
    yield table(head, lines)


def _spelt(data: bytes) -> str:
    text = data.decode("utf-8", "backslashreplace").replace(" ", "·")
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text) or "end mark"


def _languages(by_language: dict[str, float]) -> Iterator[str]:
    yield "<h2>Languages</h2><p>Tokens for the same twelve everyday sentences; English is 1.</p>"
    yield bar_plot(sorted(by_language.items(), key=lambda row: row[1]), "tokens by language")


def _mirror(found: "Examination") -> Iterator[str]:
    spec, contents, metrics = found.tokenizer.spec, found.contents, found.metrics
    made = [contents[i] for i in spec.vocabulary if len(contents.get(i, b"")) > 1]
    if not made:
        return
    yield "<h2>A mirror of its corpus</h2>"
    yield "<p>What its tokens are shows what it was learned from: so many of each kind.</p>"
    kinds = kinds_of_tokens(made)
    bars = [(kind, float(n)) for kind, n in kinds[:_N_KINDS]]
    if rest := sum(n for _, n in kinds[_N_KINDS:]):
        bars.append(("others", float(rest)))
    yield bar_plot(bars, "tokens by kind")
    if metrics is not None:
        common = np.argsort(-metrics.uses, kind="stable")[:_N_SHOWN].tolist()
        yield "<h3>The most frequent in the corpus</h3>"
        yield chips((contents[i], f"{int(metrics.uses[i]):,}") for i in common if metrics.uses[i])


def _tokens(found: "Examination") -> Iterator[str]:
    contents, metrics = found.contents, found.metrics
    ordinary = {i: contents[i] for i in found.tokenizer.spec.vocabulary if contents.get(i)}
    longest = sorted(ordinary.items(), key=lambda row: (-len(row[1]), row[0]))[:_N_SHOWN]
    yield "<h2>Tokens</h2><h3>The longest, with their bytes</h3>"
    yield chips((data, f"{len(data)}") for _, data in longest)
    if metrics is not None:
        used = [i for i in np.flatnonzero(metrics.uses).tolist() if i in ordinary]
        rarest = sorted(used, key=lambda i: (int(metrics.uses[i]), -i))[:_N_SHOWN]
        yield "<h3>The rarest in the corpus, with their uses</h3>"
        yield chips((ordinary[i], f"{int(metrics.uses[i]):,}") for i in rarest)
    odd = [(i, data) for i, data in ordinary.items() if len(data) > 1 and not is_text(data)]
    if odd:
        yield f"<h3>No whole characters: {len(odd):,}, with their ids</h3>"
        yield chips((data, str(i)) for i, data in _spread(odd))


def _idle(found: "Examination") -> Iterator[str]:
    idle = found.idle
    yield "<h2>Tokens that do nothing</h2>"
    yield f"<h3>Unreachable: {len(idle.unreachable):,}</h3>"
    yield "<p>No text yields them: their own bytes become other tokens. With their ids.</p>"
    yield _some(found, idle.unreachable)
    if found.metrics is None:
        return
    yield f"<h3>Residues: {len(idle.residues):,}</h3>"
    yield "<p>Never left over in the corpus: only steps on the way to longer tokens.</p>"
    yield _some(found, idle.residues)
    yield f"<h3>Never used: {len(idle.unused):,}</h3>"
    yield "<p>In nothing that stands in the corpus. Pruning can take all of these out.</p>"
    yield _some(found, idle.unused)


def _some(found: "Examination", ids: Sequence[TokenId]) -> str:
    return chips((found.contents.get(i, b""), str(i)) for i in _spread(ids))


def _spread(items: Sequence[_Item]) -> Iterable[_Item]:
    return items[:: max(len(items) // _N_SHOWN, 1)][:_N_SHOWN]


def _model_cost(found: "Examination") -> Iterator[str]:
    n_vocab, metrics = found.tokenizer.n_vocab, found.metrics
    yield "<h2>What the vocabulary costs a model</h2>"
    yield "<p>Numbers in the embedding, and with the output's where the two are not tied.</p>"
    rows = [
        (f"{width:,}", _millions(n_vocab * width), _millions(2 * n_vocab * width))
        for width in _WIDTHS
    ]
    yield table(("width", "embedding", "with output"), rows, numbers=True)
    if metrics is not None and metrics.n_tokens:
        yield (
            f"<p>For that, the corpus has {metrics.n_tokens:,} tokens where bytes alone would be "
            f"{metrics.n_bytes:,}: {1 - metrics.n_tokens / metrics.n_bytes:.1%} less to compute, "
            "and to keep in a context.</p>"
        )


def _millions(n: int) -> str:
    return f"{n / 1e6:,.0f} M" if n >= 1e7 else f"{n / 1e6:,.1f} M"
