"""`write_part`: the documents of one part of a plan go into its shards, one after the other."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bytepair.data import Place, Record, describe, read_records
from bytepair.data.shards import Cursor, Ids, ShardFacts, shard_stem
from bytepair.errors import CorpusError
from bytepair.model import Skipped
from bytepair.sharding._ahead import ahead
from bytepair.sharding._batches import Batch, batches, whole
from bytepair.sharding._open_shard import OpenShard
from bytepair.sharding._plan import Plan
from bytepair.sharding._rows import Part, Problem, RowEncoder, Rows, shuffled

_BATCH_BYTES = 8 << 20
_BATCH_DOCUMENTS = 1 << 16
_NO_LIMIT = 1 << 62

Tell = Callable[[Place, str], None]
"""Called now and then with the place that is read and the name of the shard that is written."""


def write_part(
    plan: Plan,
    number: int,
    encoder: RowEncoder,
    folder: Path,
    finished: Mapping[str, ShardFacts],
    tell: Tell,
) -> None:
    """Write the shards of a part that are not finished.

    Raises:
        CorpusError: a file cannot be read, or a document, and the plan is to fail then.
        SaveError: a shard cannot be written; nothing of it is left.
    """
    part = _Part(plan, number, encoder, folder, finished)
    cursor: Cursor | None = Cursor(plan.parts[number][0])
    while cursor is not None:
        facts = part.finished_at(cursor)
        cursor = part.write_from(cursor, tell) if facts is None else part.skip(facts)


class _Part:
    """The shards of a part, of which at most one is open."""

    _shard: OpenShard
    _finisher: ThreadPoolExecutor

    def __init__(
        self,
        plan: Plan,
        number: int,
        encoder: RowEncoder,
        folder: Path,
        finished: Mapping[str, ShardFacts],
    ) -> None:
        self._plan = plan
        self._number = number
        self._encoder = encoder
        self._folder = folder
        self._finished = finished
        self._files = plan.files[: plan.parts[number][1]]
        self._index = 0  # of the shard that is open, or would be next
        self._long = _Long()
        self._closing: Future[None] | None = None

    def finished_at(self, cursor: Cursor) -> ShardFacts | None:
        """The next shard, if it is finished and begins there."""
        facts = self._finished.get(self._stem)
        return facts if facts is not None and facts.start == cursor else None

    def skip(self, facts: ShardFacts) -> Cursor | None:
        """Go on behind a shard."""
        self._index += 1
        return facts.end

    def write_from(self, cursor: Cursor, tell: Tell) -> Cursor | None:
        """Write the next shard and those behind it, up to one that is finished.

        Returns where that one begins; None: all documents are written.
        """
        # Encoding, writing and syncing go on at the same time. Reading is Python's work for the
        # most part: in a thread of its own it makes the others wait for the interpreter.
        encoded = ahead(self._encoder.encode(self._batches(cursor)))
        with closing(encoded), ThreadPoolExecutor(1) as self._finisher:
            self._open(cursor)
            try:
                following = self._write(encoded, cursor.n_done, tell)
                if following is None:
                    self._close(None)
                self._finished_closing()
            except BaseException:
                self._shard.discard()
                raise
        return following

    @property
    def _stem(self) -> str:
        return shard_stem(self._number, self._index)

    def _open(self, cursor: Cursor) -> None:
        self._shard = OpenShard(self._plan, self._stem, self._folder, cursor)

    def _close(self, end: Cursor | None) -> None:
        self._finished_closing()
        self._closing = self._finisher.submit(self._shard.closer(end))

    def _finished_closing(self) -> None:
        """Raise what went wrong with the shard before."""
        if self._closing is not None:
            self._closing.result()

    def _turn(self, cursor: Cursor) -> bool:
        """Close the shard; False: the next one is finished already, else it is open now."""
        self._close(cursor)
        self._index += 1
        if self.finished_at(cursor) is not None:
            return False
        self._open(cursor)
        return True

    def _batches(self, cursor: Cursor) -> Iterator[Batch | Record]:
        plan = self._plan
        records = read_records(
            self._files,
            Place(cursor.file, cursor.number, cursor.offset),
            text_field=plan.text_field,
            separator=plan.separator,
        )
        if plan.shuffle is None:
            return batches(records, _BATCH_BYTES, _BATCH_DOCUMENTS)
        return batches(whole(records), _NO_LIMIT, plan.shuffle)

    def _write(self, encoded: Iterable[Rows | Part], n_done: int, tell: Tell) -> Cursor | None:
        """Write all rows but the first `n_done`, up to where a shard that is finished begins."""
        for rows in encoded:
            tell(rows.start, self._stem)
            following = self._add_part(rows) if isinstance(rows, Part) else self._add(rows, n_done)
            if following is not None:
                return following
            n_done = 0
        return None

    def _add(self, rows: Rows, n_done: int) -> Cursor | None:
        skipped = [] if n_done else self._skipped(rows.problems)
        ids, borders = self._encoder.framed(rows.ids, rows.offsets)
        if self._plan.shuffle is not None:
            ids, borders = shuffled(ids, borders, (self._plan.seed, *rows.start))
        row, n_rows = n_done, len(borders) - 1
        while row < n_rows:
            last = int(np.searchsorted(borders, borders[row] + self._shard.room, "right")) - 1
            if last <= row and self._shard.is_empty:
                last = row + 1  # longer than a shard: it has one to itself
            if last <= row:
                here = Cursor(*rows.start, n_done=row)
                if not self._turn(here):
                    return here
                continue
            self._shard.note(skipped)
            lengths = np.diff(borders[row : last + 1])
            self._shard.write(ids[borders[row] : borders[last]], lengths)
            row, skipped = last, []
        self._shard.note(skipped)
        return None

    def _add_part(self, part: Part) -> Cursor | None:
        """A document in parts is held until it is clear which shard it is for."""
        long = self._long
        long.n_ids += len(part.ids)
        long.held.append(part.ids)
        if part.problem is not None:
            self._drop(part.start, part.problem)
            return None
        if not long.has_shard and long.n_ids > self._shard.room:
            here = Cursor(*part.start)
            if not self._shard.is_empty and not self._turn(here):
                self._long = _Long()
                return here
            long.has_shard = long.n_ids > self._shard.room
        if part.is_last:
            self._shard.write(np.concatenate(long.held), np.array([long.n_ids], np.int64))
            self._long = _Long()
        elif long.has_shard:
            self._shard.write(np.concatenate(long.held), np.zeros(0, np.int64))
            long.held = []
        return None

    def _drop(self, start: Place, problem: str) -> None:
        if self._long.has_shard:
            self._shard.begin_again()
        self._long = _Long()
        self._shard.note(self._skipped([(start, problem)]))

    def _skipped(self, problems: list[Problem]) -> list[Skipped]:
        if problems and self._plan.on_error == "fail":
            error = CorpusError(problems[0][1])
            error.add_note(
                "To leave such documents out, begin anew, in another folder, with on_error='skip'."
            )
            raise error
        return [Skipped(describe(self._files, place), why) for place, why in problems]


@dataclass(slots=True)
class _Long:
    """A document that comes in parts.

    Attributes:
        held: ids that are not written yet.
        n_ids: all so far.
        has_shard: it is longer than a shard, which it has to itself; ids go there at once.
    """

    held: list[Ids] = field(default_factory=list)
    n_ids: int = 0
    has_shard: bool = False
