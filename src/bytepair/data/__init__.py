"""Reads corpora: paths, globs, folders, compressed files, JSONL or documents in memory.

What comes out is always the same: `Chunk`s of bytes, exactly as they were stored.
"""

from bytepair.data._chunks import Corpus, corpus_files, corpus_size, read_chunks
from bytepair.data._open import is_compressed, unreadable

__all__ = ["Corpus", "corpus_files", "corpus_size", "is_compressed", "read_chunks", "unreadable"]
