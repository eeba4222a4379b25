"""JSON lines: one document a line, in a named field."""

import codecs
import json
from collections.abc import Iterator
from pathlib import Path

from bytepair.data._open import DamagedError, is_compressed, open_stream
from bytepair.data._record import Place, Record
from bytepair.data._remote import InputFile
from bytepair.errors import CorpusError
from bytepair.model import to_utf8

_SUFFIXES = {".jsonl", ".ndjson"}


def is_jsonl(path: InputFile) -> bool:
    """True for `.jsonl` and `.ndjson`, also with `.gz` or `.zst` behind."""
    inner = Path(path.stem) if is_compressed(path) else path
    return inner.suffix.lower() in _SUFFIXES


def read_lines(path: InputFile, text_field: str, start: Place) -> Iterator[Record]:
    """The text of each line from `start` on as UTF-8; blank lines are skipped.

    Lines end at a newline byte and nowhere else: U+2028 inside a string is text. One record at a
    time is in memory. A line that is not a JSON object with a string in `text_field` is a problem;
    its message begins with file and line.

    Raises:
        CorpusError: the file cannot be read.
        MissingExtraError: see `open_stream`.
    """
    place = start
    try:
        with open_stream(path) as stream:
            if start.offset:
                stream.seek(start.offset)
            for line in stream:
                here = place
                place = Place(here.file, here.number + 1, here.offset + len(line))
                content = line.removeprefix(codecs.BOM_UTF8) if here.number == 1 else line
                if content.strip():
                    yield _read(content, text_field, path, here)
    except DamagedError as error:
        yield Record(b"", place, problem=f"{error} Line {place.number} is cut short.")


def _read(line: bytes, text_field: str, path: InputFile, place: Place) -> Record:
    try:
        return Record(to_utf8(_text(line, text_field, f"{path}:{place.number}")), place)
    except CorpusError as error:
        return Record(b"", place, problem=str(error))


def _text(line: bytes, text_field: str, where: str) -> str:
    record = _record(line, where)
    if text_field not in record:
        raise CorpusError(
            f"{where}: no field {text_field!r}; this record has {_listed(record)}. "
            "Name the field that holds the text with text_field."
        )
    text = record[text_field]
    if not isinstance(text, str):
        raise CorpusError(
            f"{where}: field {text_field!r} holds {_kind(text)}, not a string; this record has "
            f"{_listed(record)}. Leave such records out, or name another field with text_field."
        )
    return text


def _record(line: bytes, where: str) -> dict[str, object]:
    try:
        record = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise CorpusError(f"{where}: not UTF-8: {error}. JSON lines must be UTF-8.") from error
    # Nesting too deep for the parser is RecursionError; a number too long is a bare ValueError.
    except (ValueError, RecursionError) as error:
        raise CorpusError(
            f"{where}: not JSON: {error}: {line[:60]!r}. Wanted one whole JSON object a line."
        ) from error
    if not isinstance(record, dict):
        raise CorpusError(
            f"{where}: {_kind(record)}, not an object: {line[:60]!r}. "
            'Wanted one JSON object a line, such as {"text": "..."}.'
        )
    return record


def _listed(record: dict[str, object], limit: int = 20) -> str:
    names = [repr(name[:60]) for name in list(record)[:limit]]
    if len(record) > limit:
        names.append(f"and {len(record) - limit} more")
    return f"the fields {', '.join(names)}" if names else "no fields"


def _kind(value: object) -> str:
    """A value's type in JSON's words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list) else "an object"
