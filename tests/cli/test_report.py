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
