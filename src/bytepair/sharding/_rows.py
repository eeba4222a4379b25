"""`RowEncoder`: documents become rows of ids, in the type and with the ends they have in shards."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bytepair.data import Place, Record, describe
from bytepair.data.shards import Ids
from bytepair.errors import BytepairError, EncodeError
from bytepair.sharding._batches import Batch
from bytepair.sharding._plan import Plan
from bytepair.tokenizer import Tokenizer

Problem = tuple[Place, str]


class Rows(NamedTuple):
    """A batch, encoded.

    Attributes:
        ids: of all its documents.
        lengths: int64[documents].
        problems: of documents that are not among them.
    """

    ids: Ids
    lengths: NDArray[np.int64]
    problems: list[Problem]


class BadDocumentError(Exception):
    """A document that comes in parts cannot be read or encoded to its end."""


class RowEncoder:
    """Encodes as a plan says."""

    def __init__(self, tokenizer: Tokenizer, plan: Plan, threads: int | None) -> None:
        self._tokenizer = tokenizer
        self._files = plan.files
        self._options = plan.options
        self._threads = threads
        self._special: dict[str, Any] = {
            "allowed_special": "all" if plan.allow_special else frozenset(),
            "disallowed_special": (),
        }

    def rows(self, batch: Batch) -> Rows:
        """All documents of a batch; what cannot be encoded becomes a problem."""
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
        framed, lengths = self._framed(ids, np.diff(offsets))
        return Rows(framed, lengths, problems)

    def long(self, parts: Iterator[Record]) -> Iterator[Ids]:
        """The ids of a document that comes in parts.

        Raises:
            BadDocumentError: one of the parts is a problem, or cannot be encoded; says why.
        """
        stream = self._tokenizer.stream_encoder(**self._special)
        yield self._array([] if self._options.bos is None else [self._options.bos])
        for part in parts:
            if part.problem is not None:
                raise BadDocumentError(part.problem)
            try:
                ids = stream.push(part.data)
                if part.is_last:
                    ids += stream.finish()
            except EncodeError as error:
                for _ in parts:  # the next document comes behind them
                    pass
                raise BadDocumentError(self._unencodable(part.place, error)) from error
            yield self._array(ids)
        yield self._array([] if self._options.eos is None else [self._options.eos])

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

    def _framed(
        self, ids: NDArray[np.uint32], lengths: NDArray[np.int64]
    ) -> tuple[Ids, NDArray[np.int64]]:
        """With the ids that begin and end each document."""
        options = self._options
        ends = [(options.bos, 0), (options.eos, -1)]
        given = [(token, place) for token, place in ends if token is not None]
        if not given:
            return ids.astype(options.dtype), lengths
        lengths = lengths + len(given)
        borders = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        framed = np.empty(borders[-1], options.dtype)
        is_text = np.ones(borders[-1], bool)
        for token, place in given:
            at = borders[:-1] if place == 0 else borders[1:] - 1
            is_text[at] = False
            framed[at] = token
        framed[is_text] = ids
        return framed, lengths

    def _array(self, ids: Sequence[int]) -> Ids:
        return np.array(ids, self._options.dtype)


def shuffled(rows: Rows, *seed: int) -> Rows:
    """The same documents in an order that depends on the seed alone.

    What NumPy's generators make of their bits may change with its version; the bits do not.
    """
    bits = np.random.PCG64(np.random.SeedSequence(seed)).random_raw(len(rows.lengths))
    order = np.argsort(bits, kind="stable")
    starts = (np.cumsum(rows.lengths) - rows.lengths)[order]
    lengths = rows.lengths[order]
    pieces = [
        rows.ids[start : start + length]
        for start, length in zip(starts.tolist(), lengths.tolist(), strict=True)
    ]
    return Rows(np.concatenate([rows.ids[:0], *pieces]), lengths, rows.problems)
