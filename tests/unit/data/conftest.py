from collections.abc import Callable
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
