"""Every command of the command line has a guide, and help with a line to paste."""

import re
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from bytepair.cli import app

ROOT = Path(__file__).parents[2]
COMMANDS = sorted(typer.main.get_command(app).commands)


def _help(command: str) -> str:
    result = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "100", "NO_COLOR": "1"})
    assert result.exit_code == 0
    return result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_command_has_a_guide(command):
    """A command nobody finds is not there; the index must lead to its page."""
    guide = ROOT / "docs" / "guides" / f"{command}.md"
    assert f"bytepair {command}" in guide.read_text(encoding="utf-8")
    assert f"guides/{command}" in (ROOT / "docs" / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_guide_names_every_option(command):
    """The guide is where one looks an option up, so none may be missing."""
    guide = (ROOT / "docs" / "guides" / f"{command}.md").read_text(encoding="utf-8")
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", _help(command))) - {"--help"}
    assert {option for option in options if option not in guide} == set()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_holds_a_line_to_paste(command):
    """Rendered help, not the docstring: markup that swallows the example is seen here."""
    assert f"bytepair {command} " in _help(command)
