"""`Record`: a document, or a part of one, with the place that it comes from."""

from typing import NamedTuple


class Place(NamedTuple):
    """Where a document begins.

    Attributes:
        file: number of the file in the corpus, from 0.
        number: of the document in its file, from 1: line, row, or text between separators.
        offset: bytes of the (decompressed) file before it; 0 in files of rows.
    """

    file: int = 0
    number: int = 1
    offset: int = 0


class Record(NamedTuple):
    """Bytes of one document, valid UTF-8; a long one comes in parts.

    Attributes:
        is_last: the document ends here.
        problem: why the document cannot be read, with file and number; None: it can. Parts of it
            that came before are void.
    """

    data: bytes
    place: Place
    is_last: bool = True
    problem: str | None = None
