"""`FrequencyAnalyzer`: counts pre-tokens on all cores, without holding the corpus."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import BinaryIO

from bytepair.data import Skips, changed, require_on_error, state_of, unreadable
from bytepair.engines import Counter, Engine, select
from bytepair.errors import ArgumentError, CorpusError, InputTypeError
from bytepair.frequency._pool import WorkerPool
from bytepair.frequency._spill import Spill
from bytepair.model import (
    Chunk,
    OnError,
    Progress,
    ProgressCallback,
    ProgressReporter,
    SplitRules,
    TextFile,
    WordCounts,
    at_least_one,
)

_TASK_BYTES = 2 << 20  # enough that handing a task over costs nothing beside doing it
_MAX_THREADS = 256  # more do nothing but hold memory
_OPEN_BYTES = 8 << 20  # a document that grows beyond this is counted as it comes
_LEAST_LIMIT = 10**6
_LOOK_BYTES = 64 << 10  # of a file, to find a place where it can be divided


class FrequencyAnalyzer:
    """Documents → `WordCounts`. The result does not depend on the number of threads.

    Memory: the distinct pre-tokens, and a few MB a thread of text on its way.

    Args:
        threads: threads to count with; None: one a core. The pure-Python engine uses one.
        memory_limit: what the tables may take while text is counted, a number of bytes or a text
            such as "256MB"; what is more goes to disk. None: no limit. The result is held in
            memory, whatever the limit: some 24 bytes and its own for each distinct pre-token. A
            document without a place where it can be divided is counted as a whole.
        on_error: "skip": a file that cannot be read to its end, or is written to meanwhile, is a
            `BytepairWarning` and not an error, and noted in `skipped`; what was read of it counts.
        spill_folder: where words go that are more; None: where the system has temporary files.
        engine: "native" or "python"; None: the one `bytepair.engine()` names.

    Attributes:
        memory_limit: in bytes, or None.

    Raises:
        ArgumentError: threads below 1, or a limit that is no size or below 1 MB.

    >>> chunks = [Chunk(b"low low lower")]
    >>> list(FrequencyAnalyzer().count(chunks, SplitRules(pattern=r"[a-z]+| ")))
    [(b'low', 2), (b' ', 2), (b'lower', 1)]
    """

    def __init__(
        self,
        *,
        threads: int | None = None,
        memory_limit: int | str | None = None,
        spill_folder: str | os.PathLike[str] | None = None,
        on_error: OnError = "fail",
        engine: str | None = None,
    ) -> None:
        require_on_error(on_error)
        self._engine = select(engine)
        self._on_error = on_error
        self.memory_limit = None if memory_limit is None else _size(memory_limit)
        self._spill_folder = None if spill_folder is None else Path(spill_folder)
        wanted = (os.cpu_count() or 1) if threads is None else at_least_one("threads", threads)
        self._threads = min(wanted, _MAX_THREADS) if self._engine.name == "native" else 1

    def count(
        self,
        chunks: Iterable[Chunk | TextFile],
        rules: SplitRules,
        *,
        progress: ProgressCallback | None = None,
        total_bytes: int | None = None,
        skips: Skips | None = None,
    ) -> WordCounts:
        """Count every pre-token of the documents, cut by `rules`.

        `skips` has what is left out when the documents are read, and goes into the result.
        `total_bytes`, if known, is passed on to `progress`. The size of the files is near, not
        exact, where a separator is cut out or a normaliser changes lengths.

        Raises:
            InputTypeError: what was given is not chunks or files, or not rules.
            CorpusError: a file cannot be read, or became shorter meanwhile.
            SaveError: words that memory has no room for cannot be written to disk.

        An exception from `chunks` or `progress` ends the count and comes out unchanged.
        """
        if not isinstance(rules, SplitRules):
            raise InputTypeError(
                f"rules must be SplitRules (Preprocessor.rules), got {type(rules).__name__}."
            )
        reporter = ProgressReporter(progress)
        with ExitStack() as stack:
            skips = skips or Skips()
            counting = _Counting(self._engine, rules, self._threads, self._on_error, skips)
            if self.memory_limit is not None:
                counting.spill = Spill(self._spill_folder)
                counting.limit = self.memory_limit // (4 * self._threads)
                stack.callback(counting.spill.close)
            with counting.pool:
                try:
                    for done in counting.feed(chunks):
                        reporter.tell(Progress("count", done, total_bytes, "bytes"))
                except BaseException:
                    counting.stop()
                    raise
            counting.check_files()
            counts = counting.result()
            reporter.finish()
            return replace(counts, n_skipped=skips.n, skipped=tuple(skips.named))

    def border(
        self, stream: BinaryIO, start: int, rules: SplitRules, *, look_bytes: int = 16 << 20
    ) -> int | None:
        """A place behind `start` where a text may be divided and counted in two parts.

        None if none is found in `look_bytes`; the Python engine never finds any.
        """
        counter, margin = self._engine.counter(rules), _margin(rules)
        places = range(start, start + look_bytes, _LOOK_BYTES)
        borders = (_border(counter, stream, place, margin) for place in places)
        return next((border for border in borders if border is not None), None)

    def merge(self, parts: Iterable[WordCounts]) -> WordCounts:
        """Put tables together as if their corpora were one, in this order.

        Documents do not cross files, so the counts of a corpus are those of its files, merged.
        One part at a time is looked at. O(distinct words of all parts).

        Raises:
            InputTypeError: not `WordCounts`.
            CorpusError: no part, or parts that were cut by different rules.

        >>> ab, b = (WordCounts.from_mapping({word: 1 for word in words}) for words in ("ab", "b"))
        >>> list(FrequencyAnalyzer().merge([ab, b]))
        [(b'a', 1), (b'b', 2)]
        """
        counter = self._engine.counter(SplitRules())
        rules: SplitRules | None = None
        position = n_documents = 0
        skips = Skips()
        for part in parts:
            if not isinstance(part, WordCounts):
                raise InputTypeError(f"expected WordCounts, got {type(part).__name__}.")
            if part.rules != (rules or part.rules):
                raise CorpusError(
                    f"parts that were cut by different rules cannot be merged: {rules} and "
                    f"{part.rules}."
                )
            rules = part.rules
            counter.add(part, position)
            position += part.n_bytes
            n_documents += part.n_documents
            skips.add(part.n_skipped, part.skipped)
        if rules is None:
            raise CorpusError("there is nothing to merge.")
        merged = counter.result(rules, position, n_documents)
        return replace(merged, n_skipped=skips.n, skipped=tuple(skips.named))


class _Counting:
    """One count: whole documents go to the workers, one too large to hold is counted here."""

    def __init__(
        self, engine: Engine, rules: SplitRules, threads: int, on_error: OnError, skips: Skips
    ) -> None:
        self.engine = engine
        self.rules = rules
        self.pool = WorkerPool(threads)
        self.counters = [engine.counter(rules) for _ in range(threads)]
        self.free: SimpleQueue[Counter] = SimpleQueue()
        for counter in self.counters:
            self.free.put(counter)
        self.open_counter = engine.counter(rules)
        self.margin = _margin(rules)
        self.position = 0  # where the next byte lies in the corpus
        self.n_documents = 0
        self.cut_at = _cut_tokens(rules.special_tokens)
        self.batch: list[bytes] = []
        self.batch_bytes = 0
        self.on_error = on_error
        self.skips = skips
        self.states: dict[Path, tuple[int, int] | None] = {}  # of files, before they are read
        self.faulty: set[Path] = set()  # files whose faults were told
        self.spill: Spill | None = None
        self.limit = 0  # bytes of one table, with `spill`

    @property
    def divides(self) -> bool:
        """True if long documents are counted in parts."""
        return len(self.counters) > 1 or self.spill is not None

    def keep_small(self, counter: Counter) -> None:
        """Move the words of a table to disk that has become too large."""
        # Growing takes three times as much for a moment, and a share is copied to be written.
        if self.spill is not None and counter.n_bytes() > self.limit:
            self.spill.put(counter)

    def feed(self, chunks: Iterable[Chunk | TextFile]) -> Iterator[int]:
        """Count all chunks; yields the bytes done now and then."""
        parts: list[bytes] = []
        size = stuck = 0
        for chunk in chunks:
            if isinstance(chunk, TextFile):
                yield from self.add_file(chunk)
                continue
            if not isinstance(chunk, Chunk):
                raise InputTypeError(
                    f"expected Chunks, got {type(chunk).__name__}: {chunk!r:.60}. "
                    "Make them with Preprocessor.chunks(corpus)."
                )
            parts.append(chunk.data)
            size += len(chunk.data)
            if chunk.is_last:
                self.add(b"".join(parts))
                self.n_documents += 1
                parts, size, stuck = [], 0, 0
            elif size >= max(_OPEN_BYTES, 2 * stuck):
                # What cannot be counted yet is looked at again only when it has doubled.
                rest = self.count_certain(b"".join(parts))
                parts, size, stuck = [rest], len(rest), len(rest)
            yield self.position + self.batch_bytes + size
        self.flush()

    def count_certain(self, data: bytes) -> bytes:
        """Count what is certain of an unfinished document; returns the rest."""
        cut = max(
            (data.rfind(token) + len(token) for token in self.cut_at if token in data), default=0
        )
        cut = max(cut, self.open_counter.border(data, max(len(data) - _TASK_BYTES, 0)) or 0)
        if cut:
            self.add(data[:cut])
        else:
            self.flush()
            cut = self.open_counter.feed_part(data, self.position, False)
            self.position += cut
            self.keep_small(self.open_counter)
        return data[cut:]

    def add(self, document: bytes) -> None:
        """Count a document; a long one in parts, so that no thread has more to do than others."""
        start = 0
        while len(document) - start > 2 * _TASK_BYTES and self.divides:
            border = self.open_counter.border(document, start + _TASK_BYTES)
            if border is None:
                break
            self.add_part(document[start:border])
            start = border
        self.add_part(document[start:])

    def add_file(self, file: TextFile) -> Iterator[int]:
        """Count a file, a long one in parts; yields the bytes done."""
        self.flush()
        self.states[file.path] = state_of(file.path)
        with self.faults(file.path), _reading(file.path), file.path.open("rb") as stream:
            self.n_documents += 1
            start = file.start
            while start < file.size:
                end = self.file_border(stream, start + _TASK_BYTES, file.size) or file.size
                self.pool.submit(self.count_file, file.path, start, end, self.position)
                self.position += end - start
                start = end
                yield self.position

    def file_border(self, stream: BinaryIO, start: int, size: int) -> int | None:
        """A place behind `start` where a file may be divided, if that is of use."""
        while size - start > _TASK_BYTES and self.divides:
            border = _border(self.open_counter, stream, start, self.margin)
            if border is not None:
                return border
            start += _LOOK_BYTES
        return None

    def count_file(self, path: Path, start: int, end: int, position: int) -> None:
        counter = self.free.get()
        try:
            with self.faults(path):
                with _reading(path):
                    n = counter.feed_file(str(path), start, end, position)
                if n < end - start:
                    raise CorpusError(
                        f"{path}: ends at byte {start + n}, and had {end} or more when it was "
                        "looked at. Nothing may write to the corpus while it is counted."
                    )
            self.keep_small(counter)
        finally:
            self.free.put(counter)

    def check_files(self) -> None:
        """Look whether a file has changed since it was opened."""
        for path, state in self.states.items():
            with self.faults(path):
                if state_of(path) != state:
                    raise CorpusError(changed(path))

    @contextmanager
    def faults(self, path: Path) -> Iterator[None]:
        """Errors about a file are a warning, the first of them, if they are to be skipped."""
        try:
            yield
        except CorpusError as error:
            if self.on_error == "fail":
                raise
            if path not in self.faulty:
                self.faulty.add(path)
                self.skips.add_rest(path, error)

    def add_part(self, document: bytes) -> None:
        self.batch.append(document)
        self.batch_bytes += len(document)
        if self.batch_bytes >= _TASK_BYTES or len(self.batch) >= 10_000:
            self.flush()

    def flush(self) -> None:
        if self.batch:
            self.pool.submit(self.count, self.batch, self.position)
            self.position += self.batch_bytes
            self.batch, self.batch_bytes = [], 0

    def count(self, documents: list[bytes], position: int) -> None:
        counter = self.free.get()
        try:
            counter.feed(documents, position)
            self.keep_small(counter)
        finally:
            self.free.put(counter)

    def stop(self) -> None:
        for counter in self.counters:
            counter.stop()

    def result(self) -> WordCounts:
        if self.spill is not None and not self.spill.is_empty:
            for counter in (*self.counters, self.open_counter):
                self.spill.put(counter)
            return self.spill.result(self.engine, self.rules, self.position, self.n_documents)
        first, *others = self.counters
        for counter in (*others, self.open_counter):
            first.merge(counter)
        return first.result(self.rules, self.position, self.n_documents)


def _margin(rules: SplitRules) -> int:
    """Bytes before a place in a file that must be seen to judge it."""
    return 16 + max((len(token.encode()) for token in rules.special_tokens), default=0)


def _border(counter: Counter, stream: BinaryIO, start: int, margin: int) -> int | None:
    """A place close behind `start` where a file may be divided."""
    begin = max(start - margin, 0)
    stream.seek(begin)
    border = counter.border(stream.read(margin + _LOOK_BYTES), start - begin)
    return None if border is None else begin + border


def _size(limit: int | str) -> int:
    """Bytes, of a number or a text such as "1.5 GB"."""
    size: float = 0
    if isinstance(limit, str):
        match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kMGT]?)i?B?\s*", limit)
        size = float(match[1]) * 1000 ** " kMGT".index(match[2] or " ") if match else 0
    elif isinstance(limit, int):
        size = limit
    if size < _LEAST_LIMIT:
        raise ArgumentError(
            f"memory_limit must be a size of 1 MB or more, such as '256MB', got {limit!r:.60}."
        )
    return int(size)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CorpusError(unreadable(path, error)) from error


def _cut_tokens(special_tokens: Iterable[str]) -> list[bytes]:
    """Special tokens at which an unfinished document may be cut without looking at the rest.

    None if any two could overlap: then only a scan from the left knows where each one begins. And
    none if they are so many or so long that looking would cost more than it saves.
    """
    contents = {token.encode() for token in special_tokens}
    lengths = {len(token) for token in contents}
    if max(lengths, default=0) > 256 or sum(map(len, contents)) * len(lengths) > 1 << 20:
        return []
    beginnings = {token[:end] for token in contents for end in range(1, len(token) + 1)}
    for token in contents:
        for start in range(1, len(token)):
            if token[start:] in beginnings:
                return []
        for start in range(len(token)):
            inner = {token[start : start + n] for n in lengths} - {token}
            if not inner.isdisjoint(contents):
                return []
    return sorted(contents)
