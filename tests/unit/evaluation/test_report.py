import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

import bytepair
from bytepair.errors import CorpusError
from bytepair.evaluation import report
from bytepair.evaluation._svg import bar_plot, line_plot

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
