"""Habits that no linter checks, read from the syntax trees of the sources."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "src" / "bytepair").rglob("*.py"))
BINARY_MODE = re.compile(r"[rwxa+]*b[rwxa+]*")
# `open` of these takes or gives bytes unless the mode holds a "t".
BINARY_OPENERS = {"os", "gzip", "bz2", "lzma", "zstd"}
TEXT_METHODS = {"read_text": 1, "write_text": 2}  # name -> arguments that include an encoding


def _name_of(module: Path) -> str:
    return module.relative_to(ROOT / "src").as_posix()


def _opens_text_without_encoding(call: ast.Call) -> bool:
    if any(keyword.arg == "encoding" for keyword in call.keywords):
        return False
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    constants = [str(node.value) for node in values if isinstance(node, ast.Constant)]
    function = call.func
    if isinstance(function, ast.Attribute) and function.attr in TEXT_METHODS:
        return len(call.args) < TEXT_METHODS[function.attr]
    if isinstance(function, ast.Attribute) and function.attr in {"open", "fdopen"}:
        owner = function.value.id if isinstance(function.value, ast.Name) else ""
        if owner in BINARY_OPENERS and function.attr == "open":
            return any("t" in text for text in constants)
    elif not (isinstance(function, ast.Name) and function.id == "open"):
        return False
    return not any(BINARY_MODE.fullmatch(text) for text in constants)


@pytest.mark.parametrize(
    ("line", "is_bad"),
    [
        ("open(path)", True),
        ("path.open()", True),
        ("path.open('w')", True),
        ("path.read_text()", True),
        ("path.write_text(text)", True),
        ("gzip.open(path, 'rt')", True),
        ("os.fdopen(handle, 'w')", True),
        ("open(path, encoding='utf-8')", False),
        ("open(path, 'rb')", False),
        ("path.open('wb')", False),
        ("path.open(mode='rb')", False),
        ("path.read_text('utf-8')", False),
        ("path.write_text(text, encoding='ascii')", False),
        ("gzip.open(path)", False),
        ("os.open(path, os.O_RDONLY)", False),
        ("path.read_bytes()", False),
    ],
)
def test_the_encoding_rule_tells_good_from_bad(line, is_bad):
    """A rule that never fires would pass every file below."""
    assert _opens_text_without_encoding(ast.parse(line, mode="eval").body) == is_bad


@pytest.mark.parametrize("module", MODULES, ids=_name_of)
def test_text_is_opened_with_an_encoding(module):
    """Without one, the same file reads differently under another locale."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert [call.lineno for call in calls if _opens_text_without_encoding(call)] == []


@pytest.mark.parametrize("module", MODULES, ids=_name_of)
def test_module_says_what_it_is_for(module):
    """Private modules too: their first line is the map for whoever maintains them."""
    assert (ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or "").strip()
