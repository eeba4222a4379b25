"""Text files: one document each, or several with a separator between them."""

from collections.abc import Iterator
from typing import BinaryIO

from bytepair.data._open import DamagedError, open_stream
from bytepair.data._record import Place, Record
from bytepair.data._remote import InputFile

_BLOCK_BYTES = 256 << 10  # what stays in a processor's cache is cut twice as fast
_LONGEST_REST = 3  # bytes of a character that may be missing at the end of a block


def read_texts(
    path: InputFile, separator: bytes | None, start: Place, whole_bytes: int
) -> Iterator[Record]:
    """The documents of a file from `start` on; one longer than `whole_bytes` comes in parts.

    `separator` lies between documents and belongs to none; one at the end begins no other. A file
    without content is one empty document.

    Raises:
        CorpusError: the file cannot be read.
        MissingExtraError: see `open_stream`.
    """
    place = start  # of the document that is read
    n_bytes = 0
    try:
        with open_stream(path) as stream:
            if start.offset:
                stream.seek(start.offset)
            for record in _split(stream, separator, start, whole_bytes):
                yield record
                n_bytes += len(record.data)
                if record.is_last:
                    following = place.offset + n_bytes + len(separator or b"")
                    place, n_bytes = Place(place.file, place.number + 1, following), 0
    except DamagedError as error:
        yield Record(b"", place, problem=f"{error} Document {place.number} is cut short.")


def require_utf8(path: InputFile, records: Iterator[Record]) -> Iterator[Record]:
    """The same records; a document with bytes that are not UTF-8 becomes a problem."""
    is_void = False
    for record in records:
        if is_void:
            is_void = not record.is_last
            continue
        problem = record.problem or _not_utf8(path, record)
        if problem is None:
            yield record
        else:
            is_void = not record.is_last
            yield Record(b"", record.place, problem=problem)


def _not_utf8(path: InputFile, record: Record) -> str | None:
    if record.data.isascii():  # far faster to tell
        return None
    try:
        record.data.decode()
    except UnicodeDecodeError as error:
        return (
            f"{path}: document {record.place.number}: not UTF-8: {error}. "
            "Convert the file, or leave the document out."
        )
    return None


def _split(
    stream: BinaryIO, separator: bytes | None, place: Place, whole_bytes: int
) -> Iterator[Record]:
    held = max(len(separator or b"") - 1, _LONGEST_REST)
    is_cut = place.number > 1  # a separator was found before
    parts: list[bytes] = []  # of the unfinished document, and it has `n_parts` bytes
    n_parts = n_given = 0  # `n_given` bytes of it were passed on
    rest = b""  # where the separator may have begun
    while block := stream.read(min(_BLOCK_BYTES, whole_bytes)):
        whole, rest = _cut(rest + block, separator)
        for end in whole:
            document = b"".join([*parts, end])
            yield Record(document, place)
            size = n_given + len(document) + len(separator or b"")
            place = Place(place.file, place.number + 1, place.offset + size)
            is_cut, parts, n_parts, n_given = True, [], 0, 0
        certain = _character_border(rest, max(len(rest) - held, 0))
        parts.append(rest[:certain])
        rest = rest[certain:]
        n_parts += certain
        if n_parts > whole_bytes:
            yield Record(b"".join(parts), place, is_last=False)
            parts, n_parts, n_given = [], 0, n_given + n_parts
    document = b"".join([*parts, rest])
    if document or n_given or not is_cut:
        yield Record(document, place)


def _cut(data: bytes, separator: bytes | None) -> tuple[list[bytes], bytes]:
    if separator is None:
        return [], data
    *whole, rest = data.split(separator)
    return whole, rest


def _character_border(data: bytes, end: int) -> int:
    """The last border between characters at or before `end`; `end` if there is none near.

    At least `_LONGEST_REST` bytes lie behind `end`, unless it is 0.
    """
    if end == 0:
        return 0
    for border in range(end, max(end - _LONGEST_REST, 0) - 1, -1):
        if data[border] & 0xC0 != 0x80:
            return border
    return end
