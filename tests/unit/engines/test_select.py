import subprocess
import sys

import pytest

import bytepair
from bytepair.engines import select
from bytepair.errors import ArgumentError, EngineError

# The core is missing as if it had never been built, or is there and cannot be loaded.
WITHOUT_CORE = """
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "bytepair._core":
            raise {error}
sys.meta_path.insert(0, Finder())
import bytepair
print(bytepair.engine())
tok = bytepair.train(["low lower"] * 3, vocab_size=258, special_tokens=[])
print(tok.encode("low"))
"""


@pytest.fixture
def no_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the native engine had not been built."""
    monkeypatch.delenv("BYTEPAIR_ENGINE", raising=False)
    monkeypatch.setattr("bytepair.engines._select._native", lambda: None)


def python(code: str, *options: str) -> "subprocess.CompletedProcess[str]":
    """Run code in a new interpreter."""
    command = [sys.executable, *options, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", ["native", "python"])
def test_engine_is_chosen_by_argument(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Whatever the environment says: an argument is nearer."""
    for variable in ("native", "python", "rust"):
        monkeypatch.setenv("BYTEPAIR_ENGINE", variable)
        assert select(name).name == name


@pytest.mark.parametrize("name", ["native", "python"])
def test_engine_is_chosen_by_the_environment(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """It is read whenever one is chosen, so that a test or a notebook can change it."""
    monkeypatch.setenv("BYTEPAIR_ENGINE", name)
    assert bytepair.engine() == name


@pytest.mark.parametrize("name", ["native", "python"])
def test_environment_of_a_program_is_heard(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """From its start on."""
    monkeypatch.setenv("BYTEPAIR_ENGINE", name)
    result = python("import bytepair; print(bytepair.engine())", "-W", "error")
    assert (result.stdout, result.stderr) == (f"{name}\n", "")


@pytest.mark.native_only
@pytest.mark.parametrize("variable", [None, ""], ids=["unset", "empty"])
def test_native_engine_is_the_default(
    monkeypatch: pytest.MonkeyPatch, variable: str | None
) -> None:
    """An empty variable, as shells leave them behind, says nothing."""
    monkeypatch.delenv("BYTEPAIR_ENGINE", raising=False)
    if variable is not None:
        monkeypatch.setenv("BYTEPAIR_ENGINE", variable)
    assert bytepair.engine() == select().name == select(None).name == "native"


def test_unknown_engine_is_refused_by_whoever_named_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable set long ago is hard to guess from a message about an argument."""
    with pytest.raises(ArgumentError, match=r"^engine must be one of native, python, got"):
        select("rust")
    monkeypatch.setenv("BYTEPAIR_ENGINE", "Native")
    message = "^the environment variable BYTEPAIR_ENGINE must be one of native, python, got 'Nat"
    with pytest.raises(ArgumentError, match=message):
        bytepair.engine()


@pytest.mark.usefixtures("no_core")
def test_python_engine_runs_where_nothing_was_built() -> None:
    """And says so."""
    assert bytepair.engine() == "python"
    tok = bytepair.train(["low lower"] * 3, vocab_size=258, special_tokens=[])
    assert tok.encode("low") == [257]


@pytest.mark.usefixtures("no_core")
@pytest.mark.parametrize("by", ["argument", "environment"])
def test_native_engine_that_is_demanded_and_missing_is_an_error(
    monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    """A hundred times slower without a word is not what was asked for."""
    if by == "environment":
        monkeypatch.setenv("BYTEPAIR_ENGINE", "native")
    message = "built without a C.. compiler. Install gcc or clang and reinstall bytepair, or use"
    with pytest.raises(EngineError, match=message):
        bytepair.train(["low"], engine="native" if by == "argument" else None)


def test_core_that_was_not_built_is_passed_over_in_silence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An installation without a compiler is a full one: no warning at every start."""
    monkeypatch.delenv("BYTEPAIR_ENGINE", raising=False)
    error = "ModuleNotFoundError(f'No module named {name!r}', name=name)"
    result = python(WITHOUT_CORE.format(error=error), "-W", "error")
    assert (result.stdout, result.stderr) == ("python\n[257]\n", "")


def test_core_that_cannot_be_loaded_is_passed_over_with_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Built for another interpreter or system: the user can do something about it."""
    monkeypatch.delenv("BYTEPAIR_ENGINE", raising=False)
    result = python(WITHOUT_CORE.format(error="ImportError('wrong ELF class', name=name)"))
    assert result.stdout == "python\n[257]\n"
    assert "BytepairWarning: the native engine cannot be loaded (wrong ELF class)" in result.stderr
    assert result.stderr.count("BytepairWarning") == 1
