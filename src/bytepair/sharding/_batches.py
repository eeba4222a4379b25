"""`batches`: documents that are encoded together; from a place on they are always the same."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bytepair.data import Place, Record


class Batch(NamedTuple):
    """Some documents, one behind the other.

    Attributes:
        start: place of the first, or of the first problem.
        places: of each document.
        problems: places and problems of those between that could not be read.
    """

    start: Place
    documents: list[bytes]
    places: list[Place]
    problems: list[tuple[Place, str]]


def batches(
    records: Iterable[Record], max_bytes: int, max_documents: int
) -> Iterator[Batch | Record]:
    """Group records: a batch is full with `max_documents`, or once it has `max_bytes`.

    Parts of a document that does not come whole stand for themselves.
    """
    batch = None
    n_bytes = 0
    is_within = False  # the next record goes on with a document
    for record in records:
        if is_within or not record.is_last:
            if batch is not None:
                yield batch
            yield record
            batch, n_bytes, is_within = None, 0, not record.is_last
            continue
        if batch is None:
            batch = Batch(record.place, [], [], [])
        if record.problem is None:
            batch.documents.append(record.data)
            batch.places.append(record.place)
            n_bytes += len(record.data)
        else:
            batch.problems.append((record.place, record.problem))
        if n_bytes >= max_bytes or len(batch.documents) >= max_documents:
            yield batch
            batch, n_bytes = None, 0
    if batch is not None:
        yield batch


def whole(records: Iterable[Record]) -> Iterator[Record]:
    """The same documents, none in parts."""
    held: list[bytes] = []
    for record in records:
        held.append(record.data)
        if record.is_last:
            yield record._replace(data=b"".join(held)) if len(held) > 1 else record
            held = []
