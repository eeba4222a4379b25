import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from bytepair.data import read_chunks

ReadDocuments = Callable[..., list[bytes]]


@pytest.fixture
def read_documents() -> ReadDocuments:
    """`read_chunks`, with the chunks of each document joined again."""

    def read(corpus: Any, **options: Any) -> list[bytes]:
        documents = [b""]
        for chunk in read_chunks(corpus, **options):
            documents[-1] += chunk.data
            if chunk.is_last:
                documents.append(b"")
        assert documents.pop() == b"", "the last chunk did not end its document"
        return documents

    return read


@pytest.fixture(scope="session")
def zstd() -> ModuleType:
    """The zstandard module of this Python."""
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    return importlib.import_module(name)
