"""`OpenShard`: the shard that is being written."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bytepair.data.shards import Cursor, Ids, ShardFacts, ShardWriter, write_record
from bytepair.errors import SaveError
from bytepair.model import Skipped
from bytepair.sharding._plan import Plan


class OpenShard:
    """One shard, from its first document to the record that says it is finished.

    Raises (every method but `discard`):
        SaveError: it cannot be written.
    """

    def __init__(self, plan: Plan, stem: str, folder: Path, start: Cursor) -> None:
        self._plan = plan
        self._stem = stem
        self._folder = folder
        self._start = start
        self._skipped: list[Skipped] = []
        self._is_handed_over = False
        self._writer = self._begun()

    @property
    def n_tokens(self) -> int:
        """Ids written so far."""
        return self._writer.n_tokens

    @property
    def is_empty(self) -> bool:
        """True while no document has been ended."""
        return self._writer.n_documents == 0

    @property
    def room(self) -> int:
        """How many ids it should still take; negative after a document that is longer."""
        return self._plan.shard_tokens - self._writer.n_tokens

    def write(self, ids: Ids, lengths: NDArray[np.int64]) -> None:
        """Append ids, and the lengths of the documents that they end."""
        with self._saving():
            self._writer.write(ids, lengths)

    def note(self, skipped: list[Skipped]) -> None:
        """Remember what was left out."""
        self._skipped += skipped

    def begin_again(self) -> None:
        """Forget the ids, not what was left out."""
        self._writer.discard()
        self._writer = self._begun()

    def closer(self, end: Cursor | None) -> Callable[[], None]:
        """What finishes it; `end` is where the next one begins. It is out of our hands then."""
        self._is_handed_over = True
        return partial(self._close, end)

    def discard(self) -> None:
        """Leave nothing of it behind, unless it is out of our hands."""
        if not self._is_handed_over:
            self._writer.discard()

    def _close(self, end: Cursor | None) -> None:
        writer = self._writer
        try:
            with self._saving():
                files = {} if self.is_empty else writer.finish()
        finally:
            writer.discard()  # what is left: if it failed, or there is no document in it
        facts = ShardFacts(
            self._stem,
            writer.n_documents,
            writer.n_tokens,
            files,
            self._start,
            end,
            tuple(self._skipped),
        )
        write_record(self._folder, facts)

    def _begun(self) -> ShardWriter:
        with self._saving():
            return self._plan.layout.writer(self._folder, self._stem, self._plan.options)

    @contextmanager
    def _saving(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise SaveError(
                f"{self._folder / self._stem}: cannot be written: {error.strerror or error}. "
                "Shards that were finished are kept: make room, and resume (--resume)."
            ) from error
