"""`WordCounts` as Parquet and Arrow tables, for those who count, or look at counts, elsewhere."""

import importlib
import json
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bytepair.errors import CorpusError, MissingExtraError
from bytepair.model._counts import WordCounts
from bytepair.model._counts_header import header_of, rules_of, skips_of
from bytepair.model._rules import SplitRules

_PARQUET = {".parquet", ".pq"}
_ARROW = {".arrow", ".feather", ".ipc"}
_METADATA = b"bytepair"
COUNT_TABLES = frozenset({".tsv", *_PARQUET, *_ARROW})
"""Endings of files of counts that may not say how words were cut."""
_WANTED = "Wanted are the columns word (binary or string), count and, if need be, first (integers)."


def is_table(path: Path) -> bool:
    """True for Parquet and Arrow files, by their names."""
    return path.suffix.lower() in _PARQUET | _ARROW


def table_content(counts: WordCounts, path: Path) -> bytes:
    """A file of the kind that `path` names.

    Raises:
        MissingExtraError: no pyarrow.
    """
    pa = _arrow(path)
    buffers = [None, pa.py_buffer(counts.offsets.tobytes()), pa.py_buffer(counts.data)]
    words = pa.Array.from_buffers(pa.large_binary(), len(counts), buffers)
    table = pa.table({"word": words, "count": counts.counts, "first": counts.first})
    table = table.replace_schema_metadata({_METADATA: json.dumps(header_of(counts))})
    stream = BytesIO()
    if path.suffix.lower() in _PARQUET:
        importlib.import_module("pyarrow.parquet").write_table(table, stream)
    else:
        with pa.ipc.new_file(stream, table.schema) as writer:
            writer.write_table(table)
    return stream.getvalue()


def load_table(path: Path, content: bytes, rules: SplitRules | None) -> WordCounts:
    """Read such a file; `rules` are for one that has none of its own.

    Raises:
        CorpusError: damaged, or not such columns; names the column, and the first wrong row.
        MissingExtraError: no pyarrow.
    """
    pa = _arrow(path)
    try:
        table = _read(pa, path, content)
        words = _words(pa, path, table)
        counts = _integers(pa, path, table, "count", least=1)
        first = None
        if "first" in table.column_names:
            first = _integers(pa, path, table, "first", least=0)
        header = json.loads((table.schema.metadata or {}).get(_METADATA, b"{}"))
        own_rules = rules_of(header["rules"]) if header else None
        skips = skips_of(header)
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, CorpusError):
            raise
        reason = " ".join(str(error).split())
        raise CorpusError(f"{path}: not a table that can be read: {reason[:300]}.") from error
    if first is not None:
        order = np.argsort(first, kind="stable")
        words, counts, first = words.take(pa.array(order)), counts[order], first[order]
        _require(path, "first", np.diff(first, prepend=-1) > 0, order, "is there twice")
    offsets, data = _flat(words)
    n_bytes = header.get("n_bytes", int(np.diff(offsets) @ counts))
    n_documents = header.get("n_documents", 1)
    first = offsets[:-1].copy() if first is None else first
    rules = own_rules or rules or SplitRules()
    return WordCounts(data, offsets, counts, first, n_bytes, n_documents, rules, *skips)


def _arrow(path: Path) -> Any:
    try:
        return importlib.import_module("pyarrow")
    except ImportError as error:
        raise MissingExtraError(
            f"{path}: Parquet and Arrow files need the package pyarrow, which is not installed. "
            "Install it with: pip install 'bytepair[data]'"
        ) from error


def _read(pa: Any, path: Path, content: bytes) -> Any:
    buffer = pa.py_buffer(content)
    if path.suffix.lower() in _PARQUET:
        return importlib.import_module("pyarrow.parquet").read_table(pa.BufferReader(buffer))
    has_footer = content.startswith(b"ARROW1")
    return (pa.ipc.open_file if has_footer else pa.ipc.open_stream)(buffer).read_all()


def _column(path: Path, table: Any, name: str) -> Any:
    if name not in table.column_names:
        names = ", ".join(repr(one[:60]) for one in table.column_names[:20]) or "none"
        raise CorpusError(f"{path}: no column {name!r}; this file has {names}. {_WANTED}")
    column = table.column(name)
    if column.null_count:
        row = column.is_null().index(True).as_py()
        raise CorpusError(f"{path}: row {row + 1}: column {name!r} is null. {_WANTED}")
    return column


def _words(pa: Any, path: Path, table: Any) -> Any:
    column = _column(path, table, "word")
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    texts = (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary())
    if kind not in texts:
        raise CorpusError(f"{path}: column 'word' holds {column.type}. {_WANTED}")
    if kind is not column.type:
        column = column.cast(kind)
    words = column.cast(pa.large_binary()).combine_chunks()
    offsets, _ = _flat(words)
    _require(path, "word", np.diff(offsets) > 0, None, "is empty")
    # Codes are given in order of appearance.
    codes = np.asarray(words.dictionary_encode().indices, np.int64)
    highest = np.maximum.accumulate(np.concatenate([np.full(1, -1), codes]))
    _require(path, "word", codes > highest[:-1], None, "is there twice")
    return words


def _integers(pa: Any, path: Path, table: Any, name: str, *, least: int) -> NDArray[np.int64]:
    column = _column(path, table, name)
    if not pa.types.is_integer(column.type):
        raise CorpusError(f"{path}: column {name!r} holds {column.type}. {_WANTED}")
    numbers = np.array(column.cast(pa.int64()), np.int64)
    _require(path, name, numbers >= least, None, f"is below {least}")
    return numbers


def _require(
    path: Path, name: str, good: NDArray[np.bool_], order: NDArray[np.int64] | None, problem: str
) -> None:
    if not good.all():
        row = int(np.argmin(good))
        row = row if order is None else int(order[row])
        raise CorpusError(f"{path}: row {row + 1}: column {name!r} {problem}. {_WANTED}")


def _flat(words: Any) -> tuple[NDArray[np.int64], bytes]:
    """(offsets, bytes) of an array of large binaries."""
    _, places, data = words.buffers()
    if places is None or not len(words):
        return np.zeros(1, np.int64), b""
    offsets = np.frombuffer(places, np.int64, len(words) + 1, 8 * words.offset)
    content = memoryview(data)[offsets[0] : offsets[-1]] if data is not None else b""
    return offsets - offsets[0], bytes(content)
