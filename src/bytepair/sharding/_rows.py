"""`RowEncoder`: documents become rows of ids, in the type and with the ends they have in shards."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bytepair.data import Place, Record, describe
from bytepair.data.shards import Ids
from bytepair.errors import BytepairError, EncodeError
from bytepair.sharding._batches import Batch
from bytepair.sharding._plan import Plan
from bytepair.tokenizer import StreamEncoder, Tokenizer

Problem = tuple[Place, str]


class Rows(NamedTuple):
    """A batch, encoded, without what begins and ends its documents.

    Attributes:
        offsets: int64[documents + 1].
        problems: of documents that are not among them.
    """

    start: Place
    ids: NDArray[np.uint32]
    offsets: NDArray[np.int64]
    problems: list[Problem]


class Part(NamedTuple):
    """Ids of a part of a document that does not come whole.

    Attributes:
        start: where the document begins.
        problem: why it does not come to its end; parts that came before are void.
    """

    start: Place
    ids: Ids
    is_last: bool
    problem: str | None = None


@dataclass(slots=True)
class _LongDocument:
    """One that comes in parts; void: it has a problem, and what is left of it is dropped."""

    start: Place
    stream: StreamEncoder
    n_ids: int = 0
    is_void: bool = False


class RowEncoder:
    """Encodes as a plan says."""

    def __init__(self, tokenizer: Tokenizer, plan: Plan, threads: int | None) -> None:
        self._tokenizer = tokenizer
        self._files = plan.files
        self._layout = plan.layout
        self._options = plan.options
        self._bos, self._eos = (
            [] if token is None else [token] for token in (self._options.bos, self._options.eos)
        )
        self._threads = threads
        self._special: dict[str, Any] = {
            "allowed_special": "all" if plan.allow_special else frozenset(),
            "disallowed_special": (),
        }

    def encode(self, batches: Iterable[Batch | Record]) -> Iterator[Rows | Part]:
        """All documents, in order; what cannot be encoded becomes a problem.

        Behind a part with a problem no other part of that document comes.
        """
        long: _LongDocument | None = None
        for batch in batches:
            if isinstance(batch, Batch):
                yield self._rows(batch)
                continue
            if long is None:
                stream = self._tokenizer.stream_encoder(**self._special)
                long = _LongDocument(batch.place, stream)
                yield Part(batch.place, self._array(self._bos), is_last=False)
            if not long.is_void:
                yield self._part(batch, long)
            if batch.is_last:
                long = None

    def framed(
        self, ids: NDArray[np.uint32], offsets: NDArray[np.int64]
    ) -> tuple[Ids, NDArray[np.int64]]:
        """(ids, offsets) with what begins and ends each document."""
        options = self._options
        n_more = sum(token is not None for token in (options.bos, options.eos))
        if not n_more:
            return ids.astype(options.dtype), offsets
        borders = offsets + n_more * np.arange(len(offsets))
        framed = np.empty(borders[-1], options.dtype)
        is_text = np.ones(borders[-1], bool)
        for token, at in ((options.bos, borders[:-1]), (options.eos, borders[1:] - 1)):
            if token is not None:
                framed[at] = token
                is_text[at] = False
        framed[is_text] = ids
        return framed, borders

    def _rows(self, batch: Batch) -> Rows:
        problems = list(batch.problems)
        try:
            ids, offsets = self._encode(batch.documents)
        except EncodeError:
            documents = [
                document
                for document, place in zip(batch.documents, batch.places, strict=True)
                if not self._is_bad(document, place, problems)
            ]
            ids, offsets = self._encode(documents)
        return Rows(batch.start, ids, offsets, problems)

    def _part(self, record: Record, long: "_LongDocument") -> Part:
        problem = record.problem
        ids: list[int] = []
        if problem is None:
            try:
                ids += long.stream.push(record.data)
                if record.is_last:
                    ids += long.stream.finish() + self._eos
            except EncodeError as error:
                problem = self._unencodable(record.place, error)
        long.n_ids += len(ids)
        problem = problem or self._too_long(long)
        long.is_void = problem is not None
        return Part(record.place, self._array(ids), record.is_last, problem)

    def _too_long(self, long: "_LongDocument") -> str | None:
        limit = min(self._layout.max_document, self._layout.max_shard)
        if long.n_ids < limit:  # there may be a first one, too
            return None
        return (
            f"{describe(self._files, long.start)}: has more than {limit - 1:,} ids, the most that "
            f"{self._layout.name} shards can express. Divide it, or take another format."
        )

    def _encode(self, documents: Sequence[bytes]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        return self._tokenizer.encode_batch_to_numpy(
            documents, threads=self._threads, **self._special
        )

    def _is_bad(self, document: bytes, place: Place, problems: list[Problem]) -> bool:
        try:
            self._encode([document])
        except EncodeError as error:
            problems.append((place, self._unencodable(place, error)))
            return True
        return False

    def _unencodable(self, place: Place, error: BytepairError) -> str:
        return f"{describe(self._files, place)}: {error}"

    def _array(self, ids: list[int]) -> Ids:
        # Far faster than NumPy's own way through a list.
        return np.frombuffer(array("I", ids), np.uintc).astype(self._options.dtype)


def shuffled(
    ids: Ids, offsets: NDArray[np.int64], seed: Sequence[int]
) -> tuple[Ids, NDArray[np.int64]]:
    """(ids, offsets) of the same documents in an order that depends on the seed alone.

    What NumPy's generators make of their bits may change with its version; the bits do not.
    """
    lengths = np.diff(offsets)
    bits = np.random.PCG64(np.random.SeedSequence(seed)).random_raw(len(lengths))
    order = np.argsort(bits, kind="stable")
    starts, ends = offsets[:-1][order].tolist(), offsets[1:][order].tolist()
    pieces = [ids[start:end] for start, end in zip(starts, ends, strict=True)]
    moved = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths[order])])
    return np.concatenate([ids[:0], *pieces]), moved
