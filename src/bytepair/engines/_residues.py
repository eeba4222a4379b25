"""Symbols that merging goes through but that are no tokens: where one is left over, its parts."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bytepair.engines._interface import Encoder, OwnCutter, Ragged, Spans, Text
from bytepair.model import TokenId, TokenizerSpec


class ResidueEncoder:
    """An encoder that knows residues, around one that takes them for tokens.

    Args:
        of_tokens: encodes by `residues_as_tokens(spec)`.
        spans: makes an encoder that knows for itself where the parts of a residue begin.
    """

    def __init__(
        self, spec: TokenizerSpec, of_tokens: Encoder, spans: Callable[[], Encoder]
    ) -> None:
        self._encoder = of_tokens
        self._make_spans = spans
        self._spans: Encoder | None = None
        rows = sorted(spec.residues.items())
        self._numbers = np.array([number for number, _ in rows], np.uint32)
        self._n_parts = np.array([len(parts) for _, parts in rows], np.int64)
        self._starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(self._n_parts)])
        self._parts = np.array([part for _, parts in rows for part in parts], np.uint32)

    def encode(self, text: Text, cutter: OwnCutter) -> list[TokenId]:
        """Ids of one text."""
        ids: list[TokenId] = self.encode_to_numpy(text, cutter).tolist()
        return ids

    def encode_to_numpy(self, text: Text, cutter: OwnCutter) -> NDArray[np.uint32]:
        """Ids of one text as an array."""
        return self._resolved(self._encoder.encode_to_numpy(text, cutter))[0]

    def count(self, text: Text, cutter: OwnCutter) -> int:
        """Number of ids of one text."""
        return len(self.encode_to_numpy(text, cutter))

    def encode_batch(self, texts: Sequence[Text], cutter: OwnCutter, threads: int) -> Ragged:
        """Ids of many texts, in order."""
        return self._rows(self._encoder.encode_batch(texts, cutter, threads))

    def count_batch(
        self, texts: Sequence[Text], cutter: OwnCutter, threads: int
    ) -> NDArray[np.int64]:
        """Number of ids of each text."""
        return np.diff(self.encode_batch(texts, cutter, threads)[1])

    def encode_files(
        self, paths: Sequence[str], separator: bytes, cutter: OwnCutter, threads: int
    ) -> Ragged:
        """Ids of the documents of files."""
        return self._rows(self._encoder.encode_files(paths, separator, cutter, threads))

    def encode_spans(self, text: Text, cutter: OwnCutter) -> Spans:
        """Ids of one text and where they come from."""
        if self._spans is None:
            self._spans = self._make_spans()
        return self._spans.encode_spans(text, cutter)

    def encode_dropout(
        self, text: Text, cutter: OwnCutter, dropout: float, seed: int
    ) -> list[TokenId]:
        """Ids of one text, each possible merge left out by chance."""
        return self._list(self._encoder.encode_dropout(text, cutter, dropout, seed))

    def encode_part(
        self, data: bytes, is_last: bool, is_first: bool, cutter: OwnCutter
    ) -> tuple[list[TokenId], int]:
        """Ids of the beginning of an unfinished stretch, as far as they are certain."""
        ids, n_bytes = self._encoder.encode_part(data, is_last, is_first, cutter)
        return self._list(ids), n_bytes

    def _list(self, ids: list[TokenId]) -> list[TokenId]:
        resolved: list[TokenId] = self._resolved(np.array(ids, np.uint32))[0].tolist()
        return resolved

    def _rows(self, rows: Ragged) -> Ragged:
        ids, ends = self._resolved(rows[0])
        return ids, np.concatenate([np.zeros(1, np.int64), ends])[rows[1]]

    def _resolved(self, ids: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Each residue replaced by its parts, and where what stands for each id ends."""
        is_residue = ids >= self._numbers[0]  # numbers of residues are beyond all ids
        lengths = np.ones(len(ids), np.int64)
        rows = np.searchsorted(self._numbers, ids[is_residue])
        n_parts = self._n_parts[rows]
        lengths[is_residue] = n_parts
        ends = np.cumsum(lengths)
        resolved = np.repeat(ids, lengths)
        within = np.arange(n_parts.sum()) - np.repeat(np.cumsum(n_parts) - n_parts, n_parts)
        places = np.repeat(ends[is_residue] - n_parts, n_parts) + within
        resolved[places] = self._parts[np.repeat(self._starts[rows], n_parts) + within]
        return resolved, ends
