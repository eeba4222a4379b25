"""What a long job tells whoever watches it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """A moment of a long job.

    Attributes:
        stage: "count" or "learn".
        done, total: in `unit`; total is None while it is not known.
        unit: "bytes" or "merges".
        detail: what is being worked on, for people: a file's name, the pair just merged.
    """

    stage: str
    done: int
    total: int | None
    unit: str
    detail: str = ""


ProgressCallback = Callable[[Progress], None]
"""Called in the calling thread, often but not per item; an exception it raises ends the job."""
