"""`Skipped`: what could not be read, and was left out."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Skipped:
    """A document, or the rest of a file: where it is, and why it was left out."""

    where: str
    problem: str
