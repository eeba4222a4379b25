"""`read_records`: files of any kind as documents with their places, from any of them on."""

from collections.abc import Iterator, Sequence

from bytepair.data._jsonl import is_jsonl, read_lines
from bytepair.data._open import require_codec, unreadable
from bytepair.data._record import Place, Record
from bytepair.data._remote import InputFile, RemotePath
from bytepair.data._tables import arrow, is_table, read_rows
from bytepair.data._text import read_texts, require_utf8
from bytepair.errors import CorpusError


def read_records(
    files: Sequence[InputFile],
    start: Place,
    *,
    text_field: str = "text",
    separator: bytes | None = None,
    whole_bytes: int = 64 << 20,
) -> Iterator[Record]:
    """The documents of `files` from `start` on, in order.

    A document that cannot be read is a `Record` with a problem, and reading goes on behind it; of
    a file that is damaged the rest is one such record.

    Args:
        text_field: the field of a JSONL record, or the column, that holds the text.
        separator: lies between the documents of a text file; None: it is one document.
        whole_bytes: a text longer than that comes in parts.

    Raises:
        CorpusError: a file cannot be opened or read.
        MissingExtraError: no package that reads such files.
    """
    for number in range(start.file, len(files)):
        file = files[number]
        place = start if number == start.file else Place(number)
        if is_table(file):
            yield from read_rows(file, text_field, place)
        elif is_jsonl(file):
            yield from read_lines(file, text_field, place)
        else:
            yield from require_utf8(file, read_texts(file, separator, place, whole_bytes))


def describe(files: Sequence[InputFile], place: Place) -> str:
    """A place as people know it.

    >>> from pathlib import Path
    >>> describe([Path("a.jsonl.gz"), Path("b.parquet")], Place(1, 7))
    'b.parquet: row 7'
    """
    file = files[place.file]
    if is_jsonl(file):
        return f"{file}:{place.number}"
    return f"{file}: {'row' if is_table(file) else 'document'} {place.number}"


def require_reader(file: InputFile) -> None:
    """Fail before the work begins if a package that reads `file` is missing.

    Raises:
        MissingExtraError: naming the command that installs it.
    """
    require_codec(file)
    if is_table(file):
        arrow()


def stored_size(file: InputFile) -> int | None:
    """Bytes of a file as it is stored; None if that is not known.

    Raises:
        CorpusError: it cannot be looked up.
    """
    if isinstance(file, RemotePath):
        return file.size()
    try:
        return file.stat().st_size
    except OSError as error:
        raise CorpusError(unreadable(file, error)) from error
