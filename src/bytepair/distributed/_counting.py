"""`Counting`: how the words of a corpus are counted, all of them or some of the files."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypedDict

from bytepair.checkpoint import Checkpoint
from bytepair.corpus import Preprocessor
from bytepair.data import Corpus, InputFile, Skips, corpus_size, open_stream
from bytepair.distributed._partitions import Partition, divide
from bytepair.engines import python
from bytepair.frequency import FrequencyAnalyzer
from bytepair.model import (
    Chunk,
    OnError,
    ProgressCallback,
    SplitRules,
    TokenizerSpec,
    WordCounts,
)

_PART_BYTES = 2 << 30  # counted in seconds; its table costs little beside that
_LOOK_BYTES = 16 << 20  # for a place where a text can be divided


@dataclass(frozen=True)
class Counting:
    """How the words of a corpus are counted, all of them or some of the files.

    Attributes:
        followed: a tokenizer that changes text in ways only the Python engine follows, or None.
        weights: how much the words of which files count; nothing: all of them once.
    """

    analyzer: FrequencyAnalyzer
    preprocessor: Preprocessor
    rules: SplitRules
    text_field: str
    on_error: OnError
    progress: ProgressCallback | None
    followed: TokenizerSpec | None = None
    weights: tuple[tuple[float, list[InputFile]], ...] = ()

    def count(self, source: Corpus) -> WordCounts:
        """The words of a corpus.

        Raises: as `FrequencyAnalyzer.count`.
        """
        if self.weights:
            alone = replace(self, weights=())
            return self.analyzer.merge(
                alone.count(files).weighed(weight) for weight, files in self.weights
            )
        skips = Skips()
        read: _Reading = {
            "text_field": self.text_field,
            "on_error": self.on_error,
            "skips": skips,
        }
        if self.followed is not None:
            counts = _count_step_by_step(self.followed, self.preprocessor.chunks(source, **read))
            return replace(counts, n_skipped=skips.n, skipped=tuple(skips.named))
        return self.analyzer.count(
            self.preprocessor.documents(source, **read),
            self.rules,
            progress=self.progress,
            total_bytes=corpus_size(source) if self.progress else None,
            skips=skips,
        )

    def count_in_parts(
        self, folder: Checkpoint, source: Corpus, files: Sequence[InputFile] | None
    ) -> WordCounts:
        """The same, each part of the files kept as soon as it is counted."""
        parts = list(divide(files or (), _PART_BYTES, self.border))
        if len(parts) < 2 or self.weights:
            return self.count(source)
        return self.analyzer.merge(
            folder.part(part.key, partial(self.count_part, part)) for part in parts
        )

    def count_part(self, part: Partition) -> WordCounts:
        """The words of a partition; the first lies at 0."""
        if part.end is None:
            return self.count(part.files)
        [file] = part.files
        skips = Skips()
        read = self.preprocessor.part
        counts = self.analyzer.count(
            read(file, part.start, part.end, on_error=self.on_error, skips=skips),
            self.rules,
            progress=self.progress,
            skips=skips,
        )
        # The document that a part goes on with has been counted with the part it begins in.
        goes_on = part.start > 0 and self.preprocessor.separator is None
        return replace(counts, n_documents=counts.n_documents - goes_on)

    def border(self, file: InputFile, start: int) -> int | None:
        """A place behind `start` where a text may be divided without a change to the result."""
        separator = self.preprocessor.separator
        if self.followed is not None or (separator is None and self.rules.normalizer):
            return None
        with open_stream(file) as stream:
            if separator is None:
                return self.analyzer.border(stream, start, self.rules, look_bytes=_LOOK_BYTES)
            if _overlaps_itself(separator):
                return None
            stream.seek(start)
            found = stream.read(_LOOK_BYTES).find(separator)
            return None if found < 0 else start + found + len(separator)

    @property
    def options(self) -> dict[str, object]:
        """What the words depend on beside the files, as a checkpoint keeps it."""
        separator = self.preprocessor.separator
        text = None if separator is None else separator.decode("utf-8", "backslashreplace")
        return {
            "pattern": self.rules.pattern,
            "steps": [*map(repr, self.rules.steps)],
            "normalizer": [*map(repr, self.rules.normalizer)],
            "special_tokens": self.rules.special_tokens,
            "separator": text,
            "text_field": self.text_field,
            "on_error": self.on_error,
            "weights": [weight for weight, _ in self.weights],
        }


class _Reading(TypedDict):
    text_field: str
    on_error: OnError
    skips: Skips


def _overlaps_itself(separator: bytes) -> bool:
    """True if only who reads from the start knows where each one begins."""
    return any(separator.endswith(separator[:end]) for end in range(1, len(separator)))


def _count_step_by_step(spec: TokenizerSpec, chunks: Iterable[Chunk]) -> WordCounts:
    encoder, cutter = python.Encoder(spec), python.Cutter(spec.added_tokens)
    if spec.rules.normalizer:
        cutter = python.Cutter(spec.added_tokens, (), spec.rules.normalizer)
    counts: Counter[str | bytes] = Counter()
    parts: list[bytes] = []
    for chunk in chunks:
        parts.append(chunk.data)
        if chunk.is_last:
            counts.update(encoder.pre_tokens(b"".join(parts), cutter))
            parts = []
    return WordCounts.from_mapping(counts, spec.rules)
