"""Text -> ids: cut at added tokens, normalise, pre-tokenise, join."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bytepair.engines._interface import Ragged, Spans, Text
from bytepair.engines.python._cut import Cutter, Found, stretches
from bytepair.engines.python._join import Chance, join_symbols, random_chance
from bytepair.engines.python._pretokenize import pre_tokens
from bytepair.engines.python._symbols import FirstSymbols, whole_words
from bytepair.model import TokenId, TokenizerSpec, to_utf8
from bytepair.normalizers import Aligned, normalized


class Token(NamedTuple):
    """An id, and the bytes of the original text it stands for; word -1: an added token."""

    id: TokenId
    start: int
    end: int
    word: int


class Encoder:
    """Twin of the core's encoder."""

    def __init__(self, spec: TokenizerSpec, cache_bytes: int | None = None) -> None:
        del cache_bytes  # nothing is kept here
        self._rules = spec.rules
        self._rank_by_pair = spec.merges.rank_by_pair()
        self._first_symbols = FirstSymbols(spec)
        self._whole = whole_words(spec)
        self._residues = spec.residues
        self._tokens_by_id = spec.vocabulary.tokens

    # ------------------------------------------------------------------ one text

    def encode(self, text: Text, cutter: Cutter) -> list[TokenId]:
        """Ids of one text."""
        return [token.id for token in self._of_text(text, cutter)]

    def encode_to_numpy(self, text: Text, cutter: Cutter) -> NDArray[np.uint32]:
        """Ids of one text as an array."""
        return np.array(self.encode(text, cutter), np.uint32)

    def count(self, text: Text, cutter: Cutter) -> int:
        """Number of ids of one text."""
        return len(self.encode(text, cutter))

    def encode_spans(self, text: Text, cutter: Cutter) -> Spans:
        """Ids of one text and where they come from."""
        tokens = list(self._of_text(text, cutter))
        rows = np.array(tokens, np.int64).reshape(len(tokens), 4)
        ids, starts, ends, words = (np.ascontiguousarray(column) for column in rows.T)
        return Spans(ids.astype(np.uint32), starts, ends, words < 0, words)

    def encode_dropout(
        self, text: Text, cutter: Cutter, dropout: float, seed: int
    ) -> list[TokenId]:
        """Ids of one text, each possible merge left out by chance."""
        if not dropout:
            return self.encode(text, cutter)
        return [t.id for t in self._of_text(text, cutter, random_chance(dropout, seed))]

    def encode_part(
        self, data: bytes, is_last: bool, is_first: bool, cutter: Cutter
    ) -> tuple[list[TokenId], int]:
        """Everything once the text is complete: a regex cannot tell which cuts are final."""
        if not is_last:
            return [], 0
        text = Aligned.of(data, 0 if is_first else 1)  # 1: any place but the beginning
        parts = self._inner_parts(text, cutter)
        return [token.id for token in self._tokens(parts)], len(data)

    def pre_tokens(self, text: Text, cutter: Cutter) -> Iterator[bytes]:
        """What is merged, each by itself: the text without the cutter's tokens, cut."""
        data = to_utf8(text) if isinstance(text, str) else bytes(text)
        for part in self._parts(Aligned.of(data), cutter):
            if isinstance(part, Aligned):
                yield part.data

    # ------------------------------------------------------------------ many

    def encode_batch(self, texts: Sequence[Text], cutter: Cutter, threads: int) -> Ragged:
        """Ids of many texts; `threads` is accepted and not used."""
        del threads
        return _ragged([self._row(text, cutter, n) for n, text in enumerate(texts)])

    def count_batch(self, texts: Sequence[Text], cutter: Cutter, threads: int) -> NDArray[np.int64]:
        """Number of ids of each text."""
        return np.diff(self.encode_batch(texts, cutter, threads)[1])

    def encode_files(
        self, paths: Sequence[str], separator: bytes, cutter: Cutter, threads: int
    ) -> Ragged:
        """Ids of the documents of files, one row each."""
        documents = [document for path in paths for document in _documents(Path(path), separator)]
        return self.encode_batch(documents, cutter, threads)

    def _row(self, text: Text, cutter: Cutter, number: int) -> list[TokenId]:
        return [t.id for t in self._of_text(text, cutter, where=f"text {number}")]

    # ------------------------------------------------------------------ the stages

    def _of_text(
        self, text: Text, cutter: Cutter, leaves_out: Chance | None = None, where: str = "the text"
    ) -> Iterator[Token]:
        data = to_utf8(text) if isinstance(text, str) else bytes(text)
        cutter.refuse_forbidden(data, where)
        return self._tokens(self._parts(Aligned.of(data), cutter), leaves_out)

    def _tokens(
        self, parts: Iterable[Aligned | Found], leaves_out: Chance | None = None
    ) -> Iterator[Token]:
        n_words = 0
        for part in parts:
            if isinstance(part, Aligned):
                yield from self._word(part, n_words, leaves_out)
                n_words += 1
            else:
                start, end, token = part
                yield Token(token, start, end, -1)

    def _parts(self, text: Aligned, cutter: Cutter) -> Iterator[Aligned | Found]:
        """Added tokens, and the pre-tokens of what lies between, in order."""
        for start, end, found in stretches(cutter.in_original(text.data), len(text.data)):
            yield from self._inner_parts(text.part(start, end), cutter)
            if found:
                yield found

    def _inner_parts(self, text: Aligned, cutter: Cutter) -> Iterator[Aligned | Found]:
        """The same for text without those tokens that are looked for before it is normalised."""
        text = normalized(text, self._rules.normalizer)
        for start, end, found in stretches(cutter.in_normalized(text.data), len(text.data)):
            if start < end:
                yield from pre_tokens(self._rules, text.part(start, end))
            if found:
                yield *text.span(found[0], found[1]), found[2]

    def _word(self, piece: Aligned, number: int, leaves_out: Chance | None) -> Iterator[Token]:
        whole = None if leaves_out else self._whole.get(piece.data)
        if whole is not None:
            yield Token(whole, *piece.span(0, len(piece.data)), number)
            return
        symbols = self._first_symbols.of(piece.data)
        ids = [symbol.id for symbol in symbols]
        places = list(accumulate((symbol.n_bytes for symbol in symbols), initial=0))
        joined = join_symbols(ids, self._rank_by_pair, leaves_out)
        borders = [places[place] for place, _ in joined] + [len(piece.data)]
        for (_, symbol), (start, end) in zip(joined, pairwise(borders), strict=True):
            for token, first, last in self._parts_of(symbol, start, end):
                yield Token(token, *piece.span(first, last), number)

    def _parts_of(self, symbol: int, start: int, end: int) -> Iterator[tuple[TokenId, int, int]]:
        """A token as it is; a residue as the tokens that stand for it."""
        *parts, last = self._residues.get(symbol, (symbol,))
        for part in parts:
            stop = start + len(self._tokens_by_id[part])
            yield part, start, stop
            start = stop
        yield last, start, end


def _documents(path: Path, separator: bytes) -> list[bytes]:
    data = path.read_bytes()
    if not separator:
        return [data]
    documents = data.split(separator)
    return documents[:-1] if len(documents) > 1 and not documents[-1] else documents


def _ragged(rows: Sequence[Sequence[TokenId]]) -> Ragged:
    offsets = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    ids = np.fromiter((i for row in rows for i in row), np.uint32, int(offsets[-1]))
    return ids, offsets
