"""A piece of a document on its way from the reader to the counter."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Chunk:
    """Bytes of one document, in order; a document larger than memory comes in many chunks.

    `is_last` says that the document ends here: the next chunk belongs to another one,
    and no pre-token crosses the border.
    """

    data: bytes
    is_last: bool = True


@dataclass(frozen=True, slots=True)
class TextFile:
    """A document that is a file as it lies on disk; whoever gets it reads it.

    Attributes:
        size: in bytes, 1 or more; what is added to the file later does not belong to it.
        start: where it begins, below `size`; what lies before is for others.
    """

    path: Path
    size: int
    start: int = 0
