import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import bytepair
from bytepair.cli import app

TEXT = """\
Beautiful is better than ugly.
Explicit is better than implicit.
Simple is better than complex.
Complex is better than complicated.
"""
VOCAB_SIZE = 280

Invoke = Callable[..., Result]
Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """No colours and 80 columns, wherever the tests run."""
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def text() -> str:
    """What the tokenizer of these tests was trained on."""
    return TEXT


@pytest.fixture(scope="session")
def tok() -> bytepair.Tokenizer:
    """A small tokenizer: 256 bytes, merges, one special token at the end."""
    return bytepair.train([TEXT * 3], vocab_size=VOCAB_SIZE)


@pytest.fixture(scope="session")
def saved(tok: bytepair.Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where `tok` is saved, as a Hugging Face folder."""
    folder = tmp_path_factory.mktemp("tokenizers") / "small"
    tok.save(folder)
    return str(folder)


@pytest.fixture(scope="session")
def invoke() -> Invoke:
    """Run a command in this process; fails if it raised anything but an exit."""

    def call(*args: object, stdin: bytes | str = b"", exit_code: int | None = 0) -> Result:
        result = CliRunner().invoke(app, [str(arg) for arg in args], input=stdin)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        if exit_code is not None:
            assert result.exit_code == exit_code, result.output
        return result

    return call


@pytest.fixture(scope="session")
def run() -> Run:
    """Run the program in a process of its own."""

    def call(*args: object, **options: Any) -> "subprocess.CompletedProcess[bytes]":
        command = [sys.executable, "-m", "bytepair", *map(str, args)]
        defaults = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 60}
        return subprocess.run(command, check=False, **{**defaults, **options})

    return call


@pytest.fixture
def files_in() -> Callable[[Path], list[str]]:
    """Every file and folder below a folder, hidden ones too."""

    def list_files(folder: Path) -> list[str]:
        return sorted(os.path.relpath(path, folder) for path in folder.rglob("*"))

    return list_files
