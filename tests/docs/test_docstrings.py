"""Every example in a docstring is run."""

import doctest
import importlib.util
import pkgutil

import pytest

import bytepair

EXTRAS = {  # what the modules whose names begin so import, or their examples use
    "bytepair.integrations.": "transformers",
    "bytepair.chat.": "jinja2",
    "bytepair.tokenizer._chat": "jinja2",
}
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def _module_names() -> list[str]:
    found = pkgutil.walk_packages(bytepair.__path__, "bytepair.")
    # `__main__` runs the command line when imported; `_core` is compiled and has a stub instead.
    left_out = {"bytepair.__main__", "bytepair._core"}
    if importlib.util.find_spec("bytepair._core") is None:
        left_out.add("bytepair.engines._native")
    return ["bytepair", *sorted({module.name for module in found} - left_out)]


@pytest.mark.parametrize("name", _module_names())
def test_examples_of_the_module_are_true(name, tmp_path, monkeypatch):
    """An example that is not run soon shows a function that no longer exists."""
    monkeypatch.chdir(tmp_path)
    for room, package in EXTRAS.items():
        if name.startswith(room):
            pytest.importorskip(package, reason="is in an extra that is not installed here")
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    for case in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name)):
        runner.run(case, out=report.append)
    assert not report, "\n".join(report)


def test_the_main_classes_show_an_example():
    """Whoever meets a class for the first time wants to see it used."""
    classes = ["Preprocessor", "FrequencyAnalyzer", "MergeLearner", "Tokenizer", "WordCounts"]
    without = [name for name in classes if ">>>" not in (getattr(bytepair, name).__doc__ or "")]
    assert without == []
