import json

import pytest


def test_page_is_written_and_named(invoke, saved, here, text):
    """Where it is, and the address to open."""
    (here / "zen.txt").write_text(text, encoding="utf-8")
    shown = invoke("report", saved, "zen.txt", "--output", "zen.html").stdout
    assert "saved     zen.html" in shown
    assert (here / "zen.html").as_uri() in shown
    assert (here / "zen.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_page_of_a_vocabulary_alone(invoke, saved, here):
    """Without a corpus, under the usual name."""
    invoke("report", saved)
    assert "On the corpus" not in (here / "report.html").read_text(encoding="utf-8")


def test_standard_input_is_a_corpus(invoke, saved, here):
    """As for `train`."""
    invoke("report", saved, "-", stdin="Simple is better.")
    assert "On the corpus" in (here / "report.html").read_text(encoding="utf-8")


def test_programs_get_the_figures(invoke, saved, here, text, tok):
    """One object; the page is written all the same."""
    (here / "zen.txt").write_text(text, encoding="utf-8")
    options = ("--json", "--threads", 1, "-o", "zen.html")
    fields = json.loads(invoke("report", saved, "zen.txt", *options).stdout)
    assert fields["corpus"]["tokens"] == len(tok.encode(text))
    assert fields["saved"] == "zen.html"
    assert (here / "zen.html").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere.txt"], "nowhere.txt"),
        (["empty.txt"], "the corpus holds no text"),
        (["zen.txt", "-o", "no/where.html"], "Choose another place with --output"),
        (["zen.txt", "-o", "."], "is a folder. Name a file with --output"),
    ],
)
def test_what_cannot_be_is_one_line_and_no_page(invoke, saved, here, text, arguments, says):
    """Before any work, where that can be."""
    (here / "zen.txt").write_text(text, encoding="utf-8")
    (here / "empty.txt").write_bytes(b"")
    result = invoke("report", saved, *arguments, exit_code=1)
    assert says in result.stderr
    assert result.stderr.count("\n") == 1
    assert not list(here.glob("*.html"))


def test_a_corpus_that_is_no_text_is_reported_on(invoke, saved, here):
    """Random bytes, and one word."""
    (here / "noise.bin").write_bytes(bytes(range(256)) * 9)
    (here / "one.txt").write_text("word", encoding="utf-8")
    for name in ("noise.bin", "one.txt"):
        invoke("report", saved, name)
