"""JSON lines: one document a line, in a named field."""

import codecs
import json
from collections.abc import Iterator
from pathlib import Path

from bytepair.data._open import is_compressed, open_stream
from bytepair.errors import CorpusError
from bytepair.model import to_utf8

_SUFFIXES = {".jsonl", ".ndjson"}


def is_jsonl(path: Path) -> bool:
    """True for `.jsonl` and `.ndjson`, also with `.gz` or `.zst` behind."""
    inner = Path(path.stem) if is_compressed(path) else path
    return inner.suffix.lower() in _SUFFIXES


def read_records(path: Path, text_field: str) -> Iterator[bytes]:
    """The text of each record as UTF-8, in order; blank lines are skipped.

    Lines end at a newline byte and nowhere else: U+2028 inside a string is text. One record at a
    time is in memory.

    Raises:
        CorpusError: a line is not a JSON object with a string in `text_field`, or the file cannot
            be read; the message begins with file and line.
    """
    with open_stream(path) as stream:
        for number, line in enumerate(stream, start=1):
            content = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
            if content.strip():
                yield to_utf8(_text(content, text_field, f"{path}:{number}"))


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
