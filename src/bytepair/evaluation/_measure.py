"""`measure`: a corpus through a tokenizer, counted on the way; little of it is held at a time."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bytepair.corpus import Preprocessor
from bytepair.data import Corpus
from bytepair.engines import select, token_shapes
from bytepair.evaluation._metrics import Metrics
from bytepair.evaluation._subject import Encoded, OfTokenizer, Subject
from bytepair.model import Chunk, Tokens
from bytepair.tokenizer import Tokenizer

_BATCH_BYTES = 16 << 20
_PART_BYTES = 4 << 20  # several make a batch, for the threads to share
_SPACES = b" \t\n\v\f\r"

Part = tuple[bytes, bool]
"""(bytes, does the document end here?)."""


class Meter:
    """Adds up what a subject makes of documents.

    >>> import bytepair
    >>> tok = bytepair.train(["low low lower"], vocab_size=258, special_tokens=[])
    >>> meter = Meter(OfTokenizer(tok))
    >>> meter.add([b"low lower"])
    >>> meter.result().n_tokens
    5
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self._engine = select(None)
        self._tokens = Tokens.of(subject.contents())
        self._shapes = token_shapes(self._tokens)
        self._uses = np.zeros(len(self._shapes), np.int64)
        self._n_chars = self._n_words = self._n_whole = 0
        self._bytes: list[NDArray[np.int64]] = []
        self._lengths: list[NDArray[np.int64]] = []
        self._begun = np.zeros(2, np.int64)  # bytes and tokens of a document that goes on

    def add(self, documents: Iterable[bytes]) -> None:
        """Count whole documents; they are encoded together."""
        self.add_parts([(document, True) for document in documents])

    def result(self) -> Metrics:
        """What was counted so far."""
        document_bytes = _joined(self._bytes)
        sizes = np.zeros(max(len(self._uses), len(self._shapes)), np.int64)
        sizes[self._tokens.ids] = np.diff(self._tokens.offsets)
        n_ids = int(np.max(np.flatnonzero(self._uses), initial=-1)) + 1
        return Metrics(
            n_bytes=int(document_bytes.sum()),
            n_chars=self._n_chars,
            n_words=self._n_words,
            n_tokens=int(self._uses.sum()),
            n_whole_words=self._n_whole,
            uses=self._uses[:n_ids].copy(),
            sizes=sizes[:n_ids],
            vocab_size=self.subject.vocab_size,
            document_bytes=document_bytes,
            document_tokens=_joined(self._lengths),
        )

    def add_parts(self, parts: Sequence[Part]) -> None:
        """Count documents of which long ones come in parts, each encoded by itself."""
        texts = [text for text, _ in parts]
        encoded = self.subject.encode(texts)
        self._n_chars += sum(map(_n_chars, texts))
        if encoded.ends is None:
            self._count_tokens(encoded)
        else:
            self._count_ids(encoded.ids)
            self._count_words(texts, encoded.ends)
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        self._end_documents(
            np.stack([lengths, np.diff(encoded.offsets)]), [is_last for _, is_last in parts]
        )

    def _end_documents(self, columns: NDArray[np.int64], is_last: list[bool]) -> None:
        """Bytes and tokens of parts -> of documents; those of an unfinished one are kept."""
        sums = np.cumsum(np.column_stack([self._begun, columns]), axis=1)
        places = np.flatnonzero([False, *is_last])
        rows = np.diff(sums[:, places], prepend=0)
        self._bytes.append(rows[0])
        self._lengths.append(rows[1])
        self._begun = sums[:, -1] - rows.sum(axis=1)

    def _count_tokens(self, encoded: Encoded) -> None:
        tally = self._engine.tally(encoded.ids, encoded.offsets, self._shapes)
        self._uses[: len(tally.uses)] += tally.uses
        self._n_words += tally.n_words
        self._n_whole += tally.n_words - tally.n_divided

    def _count_ids(self, ids: NDArray[np.uint32]) -> None:
        uses = np.bincount(ids, minlength=len(self._uses)).astype(np.int64)
        uses[: len(self._uses)] += self._uses
        self._uses = uses

    def _count_words(self, texts: list[bytes], ends: NDArray[np.int64]) -> None:
        starts, within = _words(texts)
        n_words = int(np.count_nonzero(starts))
        self._n_words += n_words
        self._n_whole += n_words - _n_divided(starts, within, ends)


def measure(
    subject: Subject | Tokenizer,
    corpus: Corpus,
    *,
    separator: str | bytes | None = None,
    text_field: str = "text",
) -> Metrics:
    """Run a corpus through a tokenizer and count.

    A text of more than 4 MB is encoded in parts that end with a line, which no common pattern goes
    over. A few hundred MB are in memory, whatever the size of the corpus.

    Args:
        corpus: as for `bytepair.train`.
        separator: cuts a text into documents and is dropped.

    Raises:
        CorpusError: missing, empty or damaged.

    >>> import bytepair
    >>> tok = bytepair.train(["low low lower"], vocab_size=258, special_tokens=[])
    >>> metrics = measure(tok, ["low lower"])
    >>> metrics.n_tokens, metrics.n_words, metrics.fertility
    (5, 2, 2.5)
    """
    meter = Meter(OfTokenizer(subject) if isinstance(subject, Tokenizer) else subject)
    for batch in batches(corpus, separator=separator, text_field=text_field):
        meter.add_parts(batch)
    return meter.result()


def batches(
    corpus: Corpus, *, separator: str | bytes | None = None, text_field: str = "text"
) -> Iterator[list[Part]]:
    """The documents of a corpus, some megabytes at a time."""
    preprocessor = Preprocessor(pattern=None, special_tokens=[], separator=separator)
    batch: list[Part] = []
    n_bytes = 0
    for part in document_parts(preprocessor.chunks(corpus, text_field=text_field)):
        batch.append(part)
        n_bytes += len(part[0])
        if n_bytes >= _BATCH_BYTES:
            yield batch
            batch, n_bytes = [], 0
    if batch:
        yield batch


def document_parts(chunks: Iterable[Chunk], limit: int = _PART_BYTES) -> Iterator[Part]:
    """Documents whole, as far as they are not longer than `limit` bytes, else cut behind a line."""
    held = bytearray()
    for chunk in chunks:
        held += chunk.data
        if chunk.is_last:
            yield bytes(held), True
            held.clear()
        elif len(held) >= limit and (end := _line_end(held)):
            yield bytes(held[:end]), False
            del held[:end]


def _line_end(data: bytearray) -> int:
    """Behind the last newline that text follows, not white space: hardly any pattern goes over it.

    0 if there is none.
    """
    end = data.rfind(b"\n", 0, len(data) - 1)
    while end >= 0 and data[end + 1] in _SPACES:
        end = data.rfind(b"\n", 0, end)
    return end + 1


def _joined(arrays: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(0, np.int64), *arrays])


def _n_chars(text: bytes) -> int:
    return len(text) if text.isascii() else len(text.decode("utf-8", "surrogateescape"))


_TO_FLAGS = bytes(byte in _SPACES for byte in range(256))
_Flags = NDArray[np.bool_]


def _words(texts: list[bytes]) -> tuple[_Flags, _Flags]:
    """bool[bytes + 1] twice: where a word begins, and where it goes on.

    No word goes from one text to the next.
    """
    data = b"".join(texts)
    is_space = np.frombuffer(data.translate(_TO_FLAGS) + b"\1", np.bool_)
    is_first = np.ones(len(is_space), np.bool_)
    is_first[1:] = is_space[:-1]
    is_first[np.cumsum([0, *map(len, texts)])] = True
    return ~is_space & is_first, ~(is_space | is_first)


def _n_divided(starts: _Flags, within: _Flags, ends: NDArray[np.int64]) -> int:
    """Words with a token's end inside."""
    inside = ends[within[ends]]
    numbers = np.cumsum(starts, dtype=np.int32)[inside]
    return int(np.count_nonzero(np.diff(numbers, prepend=0)))
