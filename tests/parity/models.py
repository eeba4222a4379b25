"""Small BPE models, each twice: for Hugging Face, and as a `TokenizerSpec` made by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import hypothesis.strategies as st
import tokenizers
from hypothesis.strategies import DrawFn
from tokenizers.models import BPE

from bytepair.model import (
    BYTE_TO_CHAR,
    AddedToken,
    MergeTable,
    SplitRules,
    TokenizerSpec,
    Vocabulary,
)

PREFIX, SUFFIX, UNK = "##", "</w>", "<unk>"


@dataclass(frozen=True)
class Piece:
    """A token: its bytes, and where in a word it may stand."""

    data: bytes
    continues: bool = False
    ends: bool = False

    def __add__(self, other: "Piece") -> "Piece":
        return Piece(self.data + other.data, self.continues, other.ends)


@dataclass(frozen=True)
class Toy:
    """A model: its tokens by ascending id, and which of them join in which order.

    Attributes:
        by_bytes: the parts are bytes, which files spell by their stand-ins.
        unk_id, fallback_at: ids of the unknown token, of the first of 256 byte tokens.
    """

    pieces: tuple[Piece, ...]
    merges: tuple[tuple[int, int], ...] = ()
    by_bytes: bool = False
    has_prefix: bool = False
    has_suffix: bool = False
    unk_id: int | None = None
    fuse_unk: bool = False
    fallback_at: int | None = None
    ignore_merges: bool = False

    def spelling(self, piece: Piece) -> str:
        """The token as a file writes it."""
        text = (
            "".join(BYTE_TO_CHAR[b] for b in piece.data) if self.by_bytes else piece.data.decode()
        )
        return PREFIX * piece.continues + text + SUFFIX * piece.ends

    def hugging_face(self, dropout: float | None = None) -> tokenizers.Tokenizer:
        """The model as theirs, without any other component."""
        spelt = [self.spelling(piece) for piece in self.pieces]
        vocab = {text: n for n, text in enumerate(spelt)}
        if self.unk_id is not None:
            vocab[UNK] = self.unk_id
        if self.fallback_at is not None:
            vocab.update((f"<0x{byte:02X}>", self.fallback_at + byte) for byte in range(256))
        options = {
            "unk_token": None if self.unk_id is None else UNK,
            "continuing_subword_prefix": PREFIX if self.has_prefix else None,
            "end_of_word_suffix": SUFFIX if self.has_suffix else None,
            "byte_fallback": self.fallback_at is not None,
            "fuse_unk": self.fuse_unk,
            "ignore_merges": self.ignore_merges,
            "dropout": dropout,
        }
        options = {name: value for name, value in options.items() if value is not None}
        merges = [(spelt[left], spelt[right]) for left, right in self.merges]
        return tokenizers.Tokenizer(BPE(vocab, merges, **options))

    def spec(
        self, rules: SplitRules | None = None, added: Sequence[AddedToken] = ()
    ) -> TokenizerSpec:
        """The model as ours, with what is around it."""
        ids = {piece: n for n, piece in enumerate(self.pieces)}
        tokens = {n: piece.data for piece, n in ids.items()}
        if self.unk_id is not None:
            tokens[self.unk_id] = UNK.encode()
        fallback = (
            () if self.fallback_at is None else range(self.fallback_at, self.fallback_at + 256)
        )
        tokens.update((token, bytes([byte])) for byte, token in enumerate(fallback))
        joined = (ids[self.pieces[a] + self.pieces[b]] for a, b in self.merges)
        rows = zip(*zip(*self.merges, strict=True), joined, strict=True) if self.merges else ()
        return TokenizerSpec(
            Vocabulary(
                tokens,
                tuple(fallback),
                ends_word=frozenset(ids[piece] for piece in self.pieces if piece.ends),
                continues_word=frozenset(ids[piece] for piece in self.pieces if piece.continues),
            ),
            MergeTable.from_merges(rows),
            rules or SplitRules(),
            tuple(added),
            alphabet="bytes" if self.by_bytes else "chars",
            end_of_word=SUFFIX if self.has_suffix else None,
            continuing_prefix=PREFIX if self.has_prefix else None,
            ignore_merges=self.ignore_merges,
            unk_id=self.unk_id,
            fuse_unk=self.fuse_unk,
        )


def _parts(parts: Sequence[bytes], *, has_prefix: bool, has_suffix: bool) -> list[Piece]:
    continues = [False, True] if has_prefix else [False]
    ends = [False, True] if has_suffix else [False]
    return [Piece(*kind) for kind in product(parts, continues, ends)]


@st.composite
def toys(draw: DrawFn, text: str = "abcé", n_merges: int = 12, *, may_fail: bool = True) -> Toy:
    """Models over a few characters, some of which may have no token.

    Without `may_fail` something stands for those that have none.
    """
    by_bytes, has_prefix, has_suffix, fuse_unk = (draw(st.booleans()) for _ in range(4))
    ways = ["error"] * may_fail + ["unk"] + ["fallback"] * (not has_prefix + has_suffix)
    unknown = draw(st.sampled_from(ways))
    parts = [bytes([byte]) for byte in text.encode()] if by_bytes else [c.encode() for c in text]
    pieces = _parts(list(dict.fromkeys(parts)), has_prefix=has_prefix, has_suffix=has_suffix)
    if unknown != "error":
        kept = draw(st.lists(st.sampled_from(pieces), min_size=1, unique=True))
        pieces = [piece for piece in pieces if piece in kept]
    pieces, merges = draw(_joined(pieces, n_merges, has_prefix=has_prefix))
    order = draw(st.permutations(range(len(pieces))))
    place = {old: new for new, old in enumerate(order)}
    return Toy(
        tuple(pieces[old] for old in order),
        tuple((place[left], place[right]) for left, right in merges),
        by_bytes=by_bytes,
        has_prefix=has_prefix,
        has_suffix=has_suffix,
        unk_id=len(pieces) if unknown == "unk" or (unknown == "fallback" and by_bytes) else None,
        fuse_unk=fuse_unk,
        fallback_at=len(pieces) if unknown == "fallback" and not by_bytes else None,
        # With a prefix or a suffix no file is read that ignores merges.
        ignore_merges=draw(st.booleans()) and not (has_prefix or has_suffix),
    )


@st.composite
def _joined(
    draw: DrawFn, pieces: list[Piece], n_merges: int, *, has_prefix: bool
) -> tuple[list[Piece], list[tuple[int, int]]]:
    """The pieces with those that joining them makes, and the merges, each pair once."""
    pieces, merges = list(pieces), []
    for _ in range(draw(st.integers(0, n_merges))):
        lefts = [n for n, piece in enumerate(pieces) if not piece.ends]
        rights = [n for n, piece in enumerate(pieces) if piece.continues or not has_prefix]
        if not lefts or not rights:
            break
        pair = draw(st.sampled_from(lefts)), draw(st.sampled_from(rights))
        joined = pieces[pair[0]] + pieces[pair[1]]
        if pair not in merges and len(joined.data) < 12:
            merges.append(pair)
            pieces += [joined] if joined not in pieces else []
    return pieces, merges
