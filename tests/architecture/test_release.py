"""The version is told in three places, and every change to users is told in `changes/`."""

import re
import tomllib
from pathlib import Path

import bytepair

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_version_is_the_top_of_the_changelog():
    """A release whose changelog still shows the one before has been forgotten halfway."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+)", changelog, re.MULTILINE)
    assert newest is not None
    assert PROJECT["project"]["version"] == newest[1]


def test_installed_version_is_the_declared_one():
    """`bytepair.__version__` comes from the installation: a stale one misleads bug reports."""
    assert PROJECT["project"]["version"] == bytepair.__version__


def test_fragments_have_names_the_changelog_tool_knows():
    """A fragment with an unknown name would silently miss its release."""
    kinds = "|".join(kind["directory"] for kind in PROJECT["tool"]["towncrier"]["type"])
    allowed = re.compile(rf"(README|(\d+|\+[\w-]+)\.({kinds})(\.\d+)?)\.md")
    names = [path.name for path in (ROOT / "changes").iterdir()]
    assert [name for name in names if not allowed.fullmatch(name)] == []
