"""Every line of code in README.md and docs/ is run: a page that lies fails here.

A page's fences run in order, in an empty folder of their own:
`python` is executed, `pycon` must print what it shows, `sh` is executed if it calls `bytepair`,
and in `console` each line after `$ ` must print what stands below it ("..." stands for anything).
"""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(python|pycon|sh|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def _name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _shell(script: str) -> str:
    """Run as a reader would who has activated the environment; returns standard output."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    process = subprocess.run(
        ["/bin/sh", "-e", "-c", script],
        env=os.environ | {"PATH": path, "COLUMNS": "100"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert process.returncode == 0, f"{script}\n{process.stderr}"
    return process.stdout


def _run_session(source: str, names: dict[str, object], where: str) -> None:
    """A `pycon` fence: what it shows is what it prints."""
    session = doctest.DocTestParser().get_doctest(source, names, where, where, 0)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(
        session, out=report.append, clear_globs=False
    )
    names.update(session.globs)
    assert not report, "\n".join(report)


def _run_console(source: str) -> None:
    """A `console` fence: each command must print the lines below it."""
    checker = doctest.OutputChecker()
    commands = COMMAND.findall(source)
    assert commands, f"no line of this fence starts with '$ ':\n{source}"
    for command, shown in commands:
        printed = _shell(command)
        assert checker.check_output(shown, printed, doctest.ELLIPSIS), f"{command}\n{printed}"


def _run_fence(language: str, source: str, names: dict[str, object], where: str) -> None:
    if language == "python":
        exec(compile(source, where, "exec"), names)
    elif language == "pycon":
        _run_session(source, names, where)
    elif language == "console":
        _run_console(source)
    elif re.search(r"^bytepair ", source, re.MULTILINE):
        _shell(source)


@pytest.mark.parametrize("page", PAGES, ids=_name_of)
def test_code_on_the_page_runs(page, tmp_path, monkeypatch):
    """People paste these lines; each must do what the page says."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    text = page.read_text(encoding="utf-8")
    for fence in FENCE.finditer(text):
        line = text.count("\n", 0, fence.start()) + 2
        _run_fence(fence[1], fence[2], names, f"{_name_of(page)}:{line}")


def test_readme_shows_code_and_commands():
    """The page above passes on an empty README too; this one must hold both kinds."""
    languages = {fence[1] for fence in FENCE.finditer((ROOT / "README.md").read_text("utf-8"))}
    assert {"python", "sh"} <= languages
