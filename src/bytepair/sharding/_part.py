"""`write_part`: the documents of one part of a plan go into its shards, one after the other."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

from bytepair.data import Place, describe, read_records
from bytepair.data.shards import Cursor, Ids, ShardFacts, Skipped
from bytepair.errors import CorpusError
from bytepair.sharding._batches import Batch, LongDocument, batches, whole
from bytepair.sharding._open_shard import OpenShard
from bytepair.sharding._plan import Plan
from bytepair.sharding._rows import BadDocumentError, Problem, RowEncoder, Rows, shuffled

_BATCH_BYTES = 8 << 20
_BATCH_DOCUMENTS = 1 << 16
_PIECE_BYTES = 4 << 20  # of a text that is longer
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
    part = _Part(plan, number, encoder, folder, finished, tell)
    cursor: Cursor | None = Cursor(plan.parts[number][0])
    while cursor is not None:
        facts = part.finished_at(cursor)
        cursor = part.write_from(cursor) if facts is None else part.skip(facts)


class _Part:
    """The shards of a part, of which at most one is open."""

    _shard: OpenShard

    def __init__(
        self,
        plan: Plan,
        number: int,
        encoder: RowEncoder,
        folder: Path,
        finished: Mapping[str, ShardFacts],
        tell: Tell,
    ) -> None:
        self._plan = plan
        self._number = number
        self._encoder = encoder
        self._folder = folder
        self._finished = finished
        self._tell = tell
        self._files = plan.files[: plan.parts[number][1]]
        self._index = 0  # of the shard that is open, or would be next

    def finished_at(self, cursor: Cursor) -> ShardFacts | None:
        """The next shard, if it is finished and begins there."""
        facts = self._finished.get(self._stem)
        return facts if facts is not None and facts.start == cursor else None

    def skip(self, facts: ShardFacts) -> Cursor | None:
        """Go on behind a shard."""
        self._index += 1
        return facts.end

    def write_from(self, cursor: Cursor) -> Cursor | None:
        """Write the next shard and those behind it, up to one that is finished.

        Returns where that one begins; None: all documents are written.
        """
        self._open(cursor)
        try:
            for batch, n_done in self._batches(cursor):
                self._tell(batch.start, self._stem)
                if isinstance(batch, LongDocument):
                    following = self._add_long(batch)
                else:
                    following = self._add(batch, n_done)
                if following is not None:
                    return following
            self._shard.close(None)
        except BaseException:
            self._shard.discard()
            raise
        return None

    @property
    def _stem(self) -> str:
        return f"shard_{self._number:05d}_{self._index:05d}"

    def _open(self, cursor: Cursor) -> None:
        self._shard = OpenShard(self._plan, self._stem, self._folder, cursor)

    def _turn(self, cursor: Cursor) -> bool:
        """Close the shard; False: the next one is finished already, else it is open now."""
        self._shard.close(cursor)
        self._index += 1
        if self.finished_at(cursor) is not None:
            return False
        self._open(cursor)
        return True

    # ------------------------------------------------------------------ reading

    def _batches(self, cursor: Cursor) -> Iterator[tuple[Batch | LongDocument, int]]:
        """Batches, and how many of their documents are in earlier shards."""
        plan = self._plan
        records = read_records(
            self._files,
            Place(cursor.file, cursor.number, cursor.offset),
            text_field=plan.text_field,
            separator=plan.separator,
            block_bytes=_PIECE_BYTES,
        )
        if plan.shuffle is None:
            grouped = batches(records, _BATCH_BYTES, _BATCH_DOCUMENTS)
        else:
            grouped = batches(whole(records), _NO_LIMIT, plan.shuffle)
        n_done = cursor.n_done
        for batch in grouped:
            yield batch, n_done
            n_done = 0

    def _rows(self, batch: Batch) -> Rows:
        rows = self._encoder.rows(batch)
        if self._plan.shuffle is None:
            return rows
        return shuffled(rows, self._plan.seed, *batch.start)

    # ------------------------------------------------------------------ writing

    def _add(self, batch: Batch, n_done: int) -> Cursor | None:
        """Write the rest of a batch; where a shard that is finished begins, if one is met."""
        rows = self._rows(batch)
        skipped = [] if n_done else self._skipped(rows.problems)
        borders = np.concatenate([np.zeros(1, np.int64), np.cumsum(rows.lengths)])
        row, n_rows = n_done, len(rows.lengths)
        while row < n_rows:
            last = int(np.searchsorted(borders, borders[row] + self._shard.room, "right")) - 1
            if last <= row and self._shard.is_empty:
                last = row + 1  # longer than a shard: it has one to itself
            if last <= row:
                here = Cursor(*batch.start, n_done=row)
                if not self._turn(here):
                    return here
                continue
            self._shard.note(skipped)
            self._shard.write(rows.ids[borders[row] : borders[last]], rows.lengths[row:last])
            row, skipped = last, []
        self._shard.note(skipped)
        return None

    def _add_long(self, document: LongDocument) -> Cursor | None:
        """Likewise a document in parts. It is held until it is clear which shard it is for."""
        held: list[Ids] | None = []  # None: it has a shard to itself, and goes there at once
        size = 0
        try:
            for ids in self._encoder.long(document.parts):
                size += len(ids)
                self._require_room(document, size)
                if held is None:
                    self._shard.write(ids, _lengths())
                    continue
                held.append(ids)
                if size > self._shard.room:
                    here = Cursor(*document.start)
                    if not self._shard.is_empty and not self._turn(here):
                        return here
                    if size > self._shard.room:
                        self._shard.write(np.concatenate(held), _lengths())
                        held = None
        except BadDocumentError as error:
            if held is None:
                self._shard.begin_again()
            self._shard.note(self._skipped([(document.start, str(error))]))
            return None
        self._shard.write(np.concatenate(held or [ids[:0]]), _lengths(size))
        return None

    def _require_room(self, document: LongDocument, size: int) -> None:
        layout = self._plan.layout
        limit = min(layout.max_document, layout.max_shard)
        if size > limit:
            for _ in document.parts:  # the next document comes behind them
                pass
            raise BadDocumentError(
                f"{describe(self._files, document.start)}: has more than {limit:,} ids, the most "
                f"that {layout.name} shards can express. Divide it, or take another format."
            )

    def _skipped(self, problems: list[Problem]) -> list[Skipped]:
        if problems and self._plan.on_error == "fail":
            error = CorpusError(problems[0][1])
            error.add_note(
                "Shards that were finished are kept. To go on without such documents, begin anew "
                "with on_error='skip' (--on-error skip)."
            )
            raise error
        return [Skipped(describe(self._files, place), why) for place, why in problems]


def _lengths(*sizes: int) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    return np.array(sizes, np.int64)
