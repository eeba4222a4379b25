"""Parquet and Arrow files: one document a row, in a named column."""

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bytepair.data._open import DamagedError, open_stream
from bytepair.data._record import Place, Record
from bytepair.data._remote import InputFile
from bytepair.errors import MissingExtraError

_PARQUET = {".parquet", ".pq"}
_ARROW = {".arrow", ".feather", ".ipc"}
_ROWS_AT_ONCE = 1024


def is_table(path: InputFile) -> bool:
    """True for Parquet and Arrow files, by their names."""
    return path.suffix.lower() in _PARQUET | _ARROW


def arrow(module: str = "pyarrow") -> Any:
    """The package pyarrow, or a module of it.

    Raises:
        MissingExtraError: it is not installed; names the command that installs it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            "Parquet and Arrow files need the package pyarrow, which is not installed. "
            "Install it with: pip install 'bytepair[data]'"
        ) from error


def read_rows(path: InputFile, column: str, start: Place) -> Iterator[Record]:
    """The text of each row from `start` on, as UTF-8.

    Null, and bytes that are not UTF-8, are problems of their rows; damage is one of its row group,
    or of the rest of the file. A row group's `column`, compressed, is in memory.

    Raises:
        CorpusError: the file cannot be read.
        MissingExtraError: no pyarrow.
    """
    row = start.number
    try:
        with _damage(path, lambda: f"from row {row} on"), open_stream(path) as stream:
            for first, values in _columns(path, stream, column, start.number):
                if isinstance(values, str):
                    yield Record(b"", Place(start.file, first), problem=values)
                    continue
                for row, value in enumerate(values, first):
                    if row >= start.number:
                        yield _record(path, column, value, Place(start.file, row))
                row = first + len(values)
    except DamagedError as error:
        yield Record(b"", Place(start.file, row), problem=str(error))


def _record(path: InputFile, column: str, value: bytes | None, place: Place) -> Record:
    if value is None:
        problem = f"{path}: row {place.number}: no text: column {column!r} is null."
        return Record(b"", place, problem=problem)
    try:
        value.decode()
    except UnicodeDecodeError as error:
        problem = f"{path}: row {place.number}: column {column!r} is not UTF-8: {error}."
        return Record(b"", place, problem=problem)
    return Record(value, place)


def _columns(
    path: InputFile, stream: Any, column: str, start: int
) -> Iterator[tuple[int, list[bytes | None] | str]]:
    """(number of the first row, values of some rows or what is wrong with them)."""
    if path.suffix.lower() in _PARQUET:
        return _parquet(path, stream, column, start)
    return _batches(path, stream, column)


def _parquet(
    path: InputFile, stream: Any, column: str, start: int
) -> Iterator[tuple[int, list[bytes | None] | str]]:
    file = arrow("pyarrow.parquet").ParquetFile(stream)
    _require_text(path, file.schema_arrow, column)
    first = 1
    for group in range(file.num_row_groups):
        n_rows = file.metadata.row_group(group).num_rows
        if first + n_rows > start:
            yield from _row_group(path, file, column, group, first, n_rows)
        first += n_rows


def _row_group(
    path: InputFile, file: Any, column: str, group: int, first: int, n_rows: int
) -> Iterator[tuple[int, list[bytes | None] | str]]:
    row, end = first, first + n_rows - 1
    batches = file.iter_batches(_ROWS_AT_ONCE, row_groups=[group], columns=[column])
    try:
        with _damage(path, lambda: f"row group {group}, rows {row} to {end}"):
            for batch in batches:
                values = _values(batch.column(0))
                yield row, values
                row += len(values)
    except DamagedError as error:
        yield row, str(error)


def _batches(path: InputFile, stream: Any, column: str) -> Iterator[tuple[int, list[bytes | None]]]:
    """Both kinds of Arrow file: that with a footer, and the stream (`datasets` writes these)."""
    ipc = arrow("pyarrow.ipc")
    has_footer = stream.read(6) == b"ARROW1"
    stream.seek(0)
    first = 1
    reader = ipc.open_file(stream) if has_footer else ipc.open_stream(stream)
    _require_text(path, reader.schema, column)
    batches = map(reader.get_batch, range(reader.num_record_batches)) if has_footer else reader
    for batch in batches:
        values = _values(batch.column(column))
        yield first, values
        first += len(values)


def _values(array: Any) -> list[bytes | None]:
    pa = arrow()
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    values: list[bytes | None] = array.cast(pa.large_binary()).to_pylist()
    return values


def _require_text(path: InputFile, schema: Any, column: str) -> None:
    pa = arrow()
    if column not in schema.names:
        names = ", ".join(repr(name[:60]) for name in schema.names[:20])
        raise DamagedError(
            f"{path}: no column {column!r}; this file has {names or 'none'}. "
            "Name the column that holds the text with text_field."
        )
    kind = schema.field(schema.names.index(column)).type
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    texts = (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary())
    if plain not in texts:
        raise DamagedError(
            f"{path}: column {column!r} holds {kind}, not strings. "
            "Name the column that holds the text with text_field."
        )


@contextmanager
def _damage(path: InputFile, where: Callable[[], str]) -> Iterator[None]:
    """Damage as `DamagedError`; pyarrow raises OSError for that too, but without a code."""
    pa = arrow()
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = " ".join(str(error).split())
        raise DamagedError(
            f"{path}: {where()}: damaged or cut short: {reason[:300]}. "
            "Fetch the file again, or make it anew."
        ) from error
