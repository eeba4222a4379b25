import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

import bytepair
from bytepair.errors import CorpusError
from bytepair.evaluation import examine, prune_page, report, report_page
from bytepair.evaluation._mirror import kinds_of_tokens
from bytepair.evaluation._svg import bar_plot, line_plot
from bytepair.model import MergeTable

VOID = {"meta"}
SVG = re.compile(r"<svg.*?</svg>", re.DOTALL)


class Balance(HTMLParser):
    """Raises if a tag is closed that is not the last one opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def tok() -> bytepair.Tokenizer:
    """Enough merges for every section; markup in its name and among its tokens."""
    return bytepair.train(
        ["low lower lowest <b>&amp; naïve"] * 9, vocab_size=273, name="a <i> & b", special_tokens=[]
    )


@pytest.mark.parametrize("corpus", [None, ["low <b>&amp; lowest naïve"]], ids=["without", "with"])
def test_page_is_whole_and_needs_nothing_else(tok, corpus):
    """Tags close as they open, plots are valid XML, and nothing is loaded from anywhere."""
    page = report(tok, corpus)
    balance = Balance()
    balance.feed(page)
    assert balance.open == []
    for svg in SVG.findall(page):
        ET.fromstring(svg)
    assert not re.search(r"(src|href)=|url\(|@import|<script|http", page)
    assert "a &lt;i&gt; &amp; b" in page


def test_page_says_what_was_measured(tok):
    """Bytes and tokens of the corpus, by `encode`."""
    page = report(tok, ["low lowest"])
    assert f"<td>tokens</td><td>{len(tok.encode('low lowest'))}</td>" in page
    assert "<td>bytes</td><td>10</td>" in page
    assert "Compression by size" in page
    assert "On the corpus" not in report(tok)


def test_smallest_vocabularies_have_a_page():
    """Bytes alone: nothing grew."""
    by_bytes = bytepair.train(["low"], vocab_size=256, special_tokens=[])
    assert "How it grew" not in report(by_bytes, ["low"])


def test_missing_corpus_is_an_error(tok, tmp_path):
    """As everywhere."""
    with pytest.raises(CorpusError):
        report(tok, tmp_path / "none.txt")


def numbers(svg: str, tag: str, attribute: str) -> list[float]:
    """An attribute of all elements of a kind."""
    return [float(e.attrib[attribute]) for e in ET.fromstring(svg).iter(tag) if e.attrib]


def test_points_are_where_their_numbers_are():
    """From the left border (64) to the right one (624); the middle at half the way; 0 at 216."""
    svg = line_plot([(0, 0), (5, 1), (10, 2)], "x", "y")
    assert numbers(svg, "circle", "cx") == [64, 344, 624]
    assert numbers(svg, "circle", "cy") == [216, 114, 12]


def test_logarithmic_axes_are_even_in_powers():
    """1, 10, 100 have equal distances."""
    svg = line_plot([(1, 1), (10, 10), (100, 100)], "x", "y", log_x=True, log_y=True)
    assert numbers(svg, "circle", "cx") == [64, 344, 624]


def test_bars_are_as_long_as_their_numbers():
    """The longest fills the room, 460; half of it is half."""
    assert numbers(bar_plot([("a", 2), ("b <", 4)], "t"), "rect", "width") == [230, 460]


@pytest.mark.parametrize("points", [[(1, 1)], [(3, 2), (3, 2)], [(1, 5), (2, 5)]])
def test_flat_plots_are_drawn(points):
    """No division by nothing where all numbers are the same."""
    ET.fromstring(line_plot(points, "x", "y"))
    ET.fromstring(line_plot(points, "x", "y", log_x=True, log_y=True))
    ET.fromstring(bar_plot([], "none"))


def test_every_kind_of_token_that_does_nothing_is_told_apart(tok):
    """Residues, unused ones and unreachable ones, as a pruning tells them."""
    corpus = ["low lowest naïve"]
    found = examine(tok, corpus)
    expected = tok.prune(corpus, max_cost=0).report.idle
    assert (found.idle.residues, found.idle.unused) == (expected.residues, expected.unused)
    assert found.idle.unreachable == expected.unreachable
    page = report_page(found)
    for name in ("Unreachable", "Residues", "Never used"):
        ids = getattr(found.idle, {"Never used": "unused"}.get(name, name.lower()))
        assert f"<h3>{name}: {len(ids)}</h3>" in page


def test_a_vocabulary_with_residues_has_a_page(tok):
    """Its steps are no tokens; they are told apart from those that it has."""
    smaller = tok.prune(["low lowest naïve"], vocab_size=266, strategy="residues").tokenizer
    found = examine(smaller, ["low lowest"])
    assert not {*found.idle.residues, *found.idle.unused} & set(smaller.spec.residues)
    assert "steps that are no tokens" in report_page(found)


def test_the_curve_is_that_of_smaller_vocabularies(tok):
    """The last point is the tokenizer itself, the others are its first merges."""
    text = "low lower naïve"
    sizes = dict(examine(tok, [text]).sizes)
    assert max(sizes) == 273
    for size, ratio in sizes.items():
        merges = [(left, right, joined) for left, right, joined, _ in tok.spec.merges][: size - 256]
        smaller = replace(tok.spec, merges=MergeTable.from_merges(merges))
        n_tokens = len(bytepair.Tokenizer(smaller).encode(text))
        assert ratio == len(text.encode()) / n_tokens


def test_the_merges_are_shown_in_their_order(tok):
    """With how often each pair was seen when it was joined."""
    page = report(tok)
    record = tok.spec.training
    left, right, joined, _ = next(iter(tok.spec.merges))
    parts = " + ".join(chr(b) for b in (left, right))
    whole = tok.decode([joined])
    row = f"<td>1</td><td>{parts}</td><td>{whole}</td><td>{record.merge_counts[0]}</td>"
    assert row in page


def test_programs_get_the_figures(tok):
    """All of it is JSON."""
    found = examine(tok, ["low lowest"])
    figures = json.loads(json.dumps(found.figures()))
    assert figures["corpus"]["tokens"] == len(tok.encode("low lowest"))
    assert figures["unused"] == list(found.idle.unused)
    assert "unused" not in examine(tok).figures()


@pytest.mark.parametrize("corpus", [[""], []])
def test_a_corpus_without_text_is_an_error(tok, corpus):
    """Nothing can be said of it."""
    with pytest.raises(CorpusError, match="holds no text"):
        report(tok, corpus)


def test_bytes_that_are_no_text_are_reported_on(tok):
    """As any others."""
    assert "On the corpus" in report(tok, [b"\xff\xfe\0\x80" * 9])


@pytest.mark.parametrize("strategy", ["leaves", "residues"])
def test_the_page_of_a_pruning_is_whole(tok, strategy):
    """The figures of the report; markup of tokens is text."""
    result = tok.prune(["low lowest <b>"], vocab_size=262, strategy=strategy)
    page = prune_page(result.report, tok)
    balance = Balance()
    balance.feed(page)
    assert balance.open == []
    for svg in SVG.findall(page):
        ET.fromstring(svg)
    assert "11 tokens were removed" in page
    for token in result.report.removed:
        assert f"<td>{token.id}</td><td>{token.uses}</td><td>{token.cost}</td></tr>" in page
    assert f"<td>{result.report.corpus.tokens_after}</td>" in page
    assert not re.search(r"(src|href)=|url\(|@import|<script|http", page)


def test_kinds_of_tokens_are_those_of_their_letters():
    """Scripts by the names of their letters; what is cut amid a character is a kind of its own."""
    tokens = [b" a", "语".encode(), "語 ".encode(), b"\x80", b" 12", b"  "]
    kinds = dict(kinds_of_tokens(tokens))
    assert kinds["Chinese characters"] == 2
    assert kinds["no whole characters"] == kinds["digits"] == kinds["white space"] == 1
