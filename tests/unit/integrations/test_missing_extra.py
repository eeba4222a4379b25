"""What needs an extra says how to get it."""

import importlib
import sys

import pytest

from bytepair.errors import MissingExtraError


@pytest.mark.parametrize("missing", ["transformers", "tokenizers"])
def test_missing_library_names_the_command_that_installs_it(monkeypatch, missing):
    """Not an ImportError from somewhere within."""
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, "bytepair.integrations.transformers", raising=False)
    with pytest.raises(MissingExtraError, match=r'pip install "bytepair\[transformers\]"'):
        importlib.import_module("bytepair.integrations.transformers")
