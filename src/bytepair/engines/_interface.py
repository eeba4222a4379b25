"""What an engine offers: every inner loop, under the same name in both engines."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from bytepair.model import (
    AddedToken,
    MergeBatch,
    MergeTable,
    NormalizerStep,
    SplitRules,
    StripText,
    TokenId,
    TokenizerSpec,
    WordCounts,
)

Ragged = tuple[NDArray[np.uint32], NDArray[np.int64]]
"""(ids: uint32[n], offsets: int64[rows + 1]); row i is `ids[offsets[i]:offsets[i + 1]]`."""


Long = bytes | NDArray[np.uint32]
"""A long string of JSON text, in UTF-8, or a long array of ids."""


class Splitter(Protocol):
    """Cuts one document into pre-tokens."""

    def split(self, data: bytes) -> list[int]:
        """End positions of the pre-tokens, ascending, the last one `len(data)`; [] for b""."""


class Counter(Protocol):
    """Counts pre-tokens. Not shared between threads: each has its own, merged at the end."""

    def feed(self, documents: Sequence[bytes], position: int) -> None:
        """Count whole documents; the first starts at byte `position` of the corpus."""

    def feed_part(self, data: bytes, position: int, is_last: bool) -> int:
        """Count the part of an unfinished document whose cuts no later text can change.

        Returns how many bytes were counted; the rest must come again, with more behind it.
        """

    def feed_file(self, path: str, start: int, end: int, position: int) -> int:
        """Count the bytes from `start` to `end` of a file as a whole document.

        Returns how many there were: fewer if the file ends before. Little of it is in memory at a
        time, unless pre-tokens are long.

        Raises:
            OSError: the file cannot be read.
        """

    def stop(self) -> None:
        """Let whatever this counter is doing in another thread end soon, by an exception."""

    def border(self, document: bytes, start: int) -> int | None:
        """A place behind `start` where a document may be divided, even an unfinished one.

        The counts of both parts, as documents of their own, are those of the whole. None if no such
        place is found. O(len(document) - start).
        """

    def merge(self, other: Any) -> None:
        """Add the counts of another counter of the same engine to this one."""

    def add(self, counts: WordCounts, position: int) -> None:
        """Add a table whose corpus begins at byte `position` of this one."""

    def add_cut(self, counts: WordCounts) -> None:
        """Cut the words of a table, each a document of its own; what comes out counts as often.

        `counts.offsets` need not begin with the data or end with it.
        """

    def n_bytes(self) -> int:
        """About how much memory the words take."""

    def clear(self) -> None:
        """Forget what was counted."""

    def share(self, n_bits: int, number: int) -> WordCounts:
        """The words of one of 2**n_bits shares of about the same size, without size and rules.

        n_bits is 0 to 16. In all counters of a process a word is in the same share.
        """

    def result(self, rules: SplitRules, n_bytes: int, n_documents: int) -> WordCounts:
        """The counts so far, in order of first position."""


@dataclass(frozen=True, slots=True, eq=False)
class LearnTask:
    """Words in symbols, numbers from 0 without gaps, and which of their pairs are to be joined.

    Attributes:
        symbols: the words' symbols one after the other; values < len(alphabet).
        offsets: int64[n + 1]; word i is `symbols[offsets[i]:offsets[i + 1]]`.
        counts: int64[n], each >= 1.
        alphabet: distinct byte strings, one a symbol, together uniquely decodable; symbol i gets
            id i. The end mark is b"". Symbols that `merges` makes are there as well.
        merges: what was merged before, over symbols: learning goes on from there.
        lengths: uint32[len(alphabet)]: what each one adds to the length of a token; needed with
            `merges`. None: 1, and 0 for the end mark.
        order: rank of each symbol of the alphabet for ties "order" (default: its id); joined
            symbols rank after the alphabet, in learned order.
        ties: "order" (smallest pair of ranks), "first" (pair that occurs first), "bytes" (greatest
            pair of byte strings).
        min_frequency: a pair that occurs less often is never joined.
        max_token_length: a pair whose `lengths` together exceed it is never joined.
        blocked: no pair is joined whose spellings together are one of these.
        blocked_pairs: spellings of pairs that are never joined.
        spellings: of each symbol, for these two; what merges make is spelt as its parts are. None:
            the alphabet.
        threads: how many to work with, if the engine can; the merges do not depend on it.
    """

    symbols: NDArray[np.uint32] | NDArray[np.uint8]
    offsets: NDArray[np.int64]
    counts: NDArray[np.int64]
    alphabet: Sequence[bytes]
    merges: MergeTable = field(default_factory=lambda: MergeTable.from_merges([]))
    lengths: NDArray[np.uint32] | None = None
    order: Sequence[int] | None = None
    ties: str = "order"
    min_frequency: int = 1
    max_token_length: int | None = None
    blocked: AbstractSet[bytes] = frozenset()
    blocked_pairs: AbstractSet[tuple[bytes, bytes]] = frozenset()
    spellings: Sequence[bytes] | None = None
    threads: int = 1


class Learner(Protocol):
    """Finds merges one after the other; keeps its place between calls."""

    def advance(self, n_merges: int) -> MergeBatch:
        """The next merges, at most `n_merges`; fewer (or none) once no pair is left to join."""

    def in_view(self) -> tuple[int, int]:
        """Entries in the queue, and pairs that are kept in view and may still be joined.

        O(pairs). An engine need not keep all pairs in view.
        """


PruneStrategy = Literal["leaves", "whole-words", "residues"]
"""Which tokens may go, and what is left of them:

- leaves: any, with all that cannot be made without it; their merges go with them.
- whole-words: any; tokens made of them are found where whole words are looked up.
- residues: any; their merges stay, and where one is left over its parts stand for it.
"""


@dataclass(frozen=True, slots=True, eq=False)
class PruneTask:
    """A vocabulary and the words of a corpus, in symbols: numbers from 0 without gaps.

    Attributes:
        symbols, offsets, counts: the words in first symbols, as a learner takes them.
        whole: int64[words]: what each word becomes without being merged; -1: it is merged.
        merges: over symbols, each pair once.
        contents, content_offsets: of what first symbols each symbol is made: symbol i of
            `contents[content_offsets[i]:content_offsets[i + 1]]`. Nothing where that is unknown.
        removable: uint8[symbols]: 1 for those that may go.
    """

    symbols: NDArray[np.uint32]
    offsets: NDArray[np.int64]
    counts: NDArray[np.int64]
    whole: NDArray[np.int64]
    merges: MergeTable
    contents: NDArray[np.uint32]
    content_offsets: NDArray[np.int64]
    removable: NDArray[np.uint8]
    strategy: PruneStrategy = "leaves"


class Removal(NamedTuple):
    """A symbol that was removed, and by how many tokens the corpus grew; negative: it shrank."""

    symbol: int
    cost: int


class Pruner(Protocol):
    """Removes symbols one after the other, always the one that costs least, of several the largest.

    With "leaves" a symbol goes together with those that cannot be made without it, and what counts
    is the cost of all of them per symbol. Costs are exact. Not for two threads at once.
    """

    def advance(self, room: int, max_cost: int, max_total: int) -> list[Removal]:
        """Remove what goes next: one symbol, or those that go together, the longest first.

        Nothing if it costs more than `max_cost` per symbol or `max_total` in all, or if nothing may
        go. What has more than `room` symbols is passed over.
        """

    def n_tokens(self) -> int:
        """Tokens of the corpus as it is now."""

    def uses(self) -> NDArray[np.int64]:
        """By symbol: how often it stands in the corpus as it is now."""

    def pairs(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """By symbol: (left, right) of which merging makes it before anything is removed.

        0xFFFFFFFF where it does not.
        """


class Tally(NamedTuple):
    """What tokens make of texts.

    Attributes:
        uses: int64[shapes]: how often each id stands there.
        n_words: runs of bytes that are not white space; none goes from one text to the next.
        n_divided: words with the border of two tokens inside.
    """

    uses: NDArray[np.int64]
    n_words: int
    n_divided: int


class Cutter(Protocol):
    """The added tokens one kind of call looks for. Read-only: threads may share it.

    Tokens that are not `normalized` are found in the text as it is; the others, normalised
    themselves, in the normalised text between those. The leftmost wins, among several at a place
    the longest; the flags of `AddedToken` hold. Cost: O(text), whatever the number of tokens.
    """

    def cut(self, data: bytes) -> list[tuple[int, int, TokenId]]:
        """(start, end, id) of the tokens in the text as it is, ascending; white space that belongs
        to a token is inside. Tokens that are `normalized` are among them if there is no normaliser.
        """

    def find_forbidden(self, data: bytes) -> tuple[int, str] | None:
        """(byte position, content) of the first forbidden token in the text as it is."""

    def held_back(self, data: bytes) -> int:
        """How many bytes at the end of unfinished `data` could still belong to an added token."""


class Spans(NamedTuple):
    """Ids of one text with the bytes of the original text that each stands for.

    Attributes:
        ids: uint32[n].
        starts, ends: int64[n], in bytes of the text as it was given. Where normalisation changed
            it, a token stands for all that its bytes came from. What was put in (a prefix) stands
            for nothing: start == end there.
        added: bool[n], true for added tokens.
        words: int64[n], number of the pre-token, counted over the text; -1 for added tokens.
    """

    ids: NDArray[np.uint32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    added: NDArray[np.bool_]
    words: NDArray[np.int64]


Text = str | bytes
"""A `str` may hold surrogates: a pair becomes its code point, a lone one U+FFFD."""


OwnCutter = Any
"""A `Cutter` that the encoder's own engine made."""


class Encoder(Protocol):
    """Text -> ids, every stage: cut at added tokens, normalise, pre-tokenise, merge.

    Read-only after construction: threads may share it. Every method raises `SpecialTokenError` if
    a token that the cutter forbids occurs (batches name the row), `EncodeError` for a character
    without a token where the vocabulary has neither byte fallback nor an unknown token. O(n log n)
    for any input. The results do not depend on `threads`.
    """

    def encode(self, text: Text, cutter: OwnCutter) -> list[TokenId]:
        """Ids of one text."""

    def encode_to_numpy(self, text: Text, cutter: OwnCutter) -> NDArray[np.uint32]:
        """Ids of one text as an array."""

    def count(self, text: Text, cutter: OwnCutter) -> int:
        """Number of ids of one text; they are not kept."""

    def encode_batch(self, texts: Sequence[Text], cutter: OwnCutter, threads: int) -> Ragged:
        """Ids of many texts, in order."""

    def count_batch(
        self, texts: Sequence[Text], cutter: OwnCutter, threads: int
    ) -> NDArray[np.int64]:
        """int64[len(texts)]: number of ids of each text."""

    def encode_files(
        self, paths: Sequence[str], separator: bytes, cutter: OwnCutter, threads: int
    ) -> Ragged:
        """Ids of the documents of files, one row each. `separator` (b"": each file is one
        document) lies between documents and is not encoded; one at the end begins no other.

        Raises:
            OSError: a file cannot be read.
        """

    def encode_spans(self, text: Text, cutter: OwnCutter) -> Spans:
        """Ids of one text and where they come from."""

    def encode_dropout(
        self, text: Text, cutter: OwnCutter, dropout: float, seed: int
    ) -> list[TokenId]:
        """Ids of one text, each possible merge left out with probability `dropout`.

        The same seed gives the same ids in both engines.
        Source: Provilkov et al. 2020, https://arxiv.org/abs/1910.13267.
        """

    def encode_part(
        self, data: bytes, is_last: bool, is_first: bool, cutter: OwnCutter
    ) -> tuple[list[TokenId], int]:
        """Ids of the beginning of an unfinished stretch between tokens that are found in the text
        as it is, as far as no later text can change them, and how many bytes that was; the rest
        comes again, with more behind.

        `is_first`: `data` begins the text. Of the cutter's tokens those count that are looked for
        in normalised text. What cannot be decided early is held until `is_last`.
        """


TokenIds = Sequence[SupportsIndex] | NDArray[Any]
"""A row of ids: any sequence of integers, or a one-dimensional array of them."""


REPLACE_EACH_BYTE = "bytepair.replace-each-byte"
"""A codec error handler: one U+FFFD for each byte, not for each incomplete character."""


@dataclass(frozen=True, slots=True)
class DecodingRules:
    """What decoding does beyond putting the tokens' bytes one after the other.

    Attributes:
        special: ids that a call may leave out.
        first, last, only: id -> its bytes as a text's first token, last one, only one, where they
            are not those it has elsewhere. What is left out of a text is none of its tokens.
        strips: applied to the whole text, in order.
        byte_fallback: errors="replace" gives one U+FFFD for each byte, as it stands for a token.
    """

    special: AbstractSet[TokenId] = frozenset()
    first: Mapping[TokenId, bytes] = field(default_factory=dict)
    last: Mapping[TokenId, bytes] = field(default_factory=dict)
    only: Mapping[TokenId, bytes] = field(default_factory=dict)
    strips: tuple[StripText, ...] = ()
    byte_fallback: bool = False

    def error_handler(self, errors: str) -> str:
        """The name of the codec error handler that carries out `errors`."""
        return REPLACE_EACH_BYTE if self.byte_fallback and errors == "replace" else errors

    @property
    def is_plain(self) -> bool:
        """True if a token's bytes do not depend on what else is in the text."""
        return not (self.first or self.last or self.only or self.strips)


class Decoder(Protocol):
    """Ids -> bytes or text. Read-only after construction: threads may share it.

    Ids come as any sequence of integers (NumPy's too) or as an array. `skip_unknown` leaves out
    ids that are not in the vocabulary, `skip_special` those of special tokens. O(len of the
    result).

    Raises (every method):
        InputTypeError: no row of integers; names the position.
        UnknownTokenError: an id is not in the vocabulary; names id and position. Batches name the
            row as well.
    """

    def decode(
        self, tokens: TokenIds, skip_unknown: bool = False, skip_special: bool = False
    ) -> bytes:
        """The bytes of one text."""

    def decode_text(
        self, tokens: TokenIds, errors: str = "replace", skip_special: bool = False
    ) -> str:
        """One text; `errors` as for `bytes.decode`, and "ignore" leaves out unknown ids too.

        Raises:
            UnicodeDecodeError: the bytes are not UTF-8, and `errors` is "strict".
        """

    def decode_batch(
        self,
        rows: Iterable[TokenIds] | NDArray[np.uint32],
        offsets: NDArray[np.int64] | None = None,
        skip_unknown: bool = False,
        skip_special: bool = False,
    ) -> list[bytes]:
        """The bytes of many texts. With `offsets` all ids are one array, as in `Ragged`."""

    def decode_text_batch(
        self,
        rows: Iterable[TokenIds] | NDArray[np.uint32],
        offsets: NDArray[np.int64] | None = None,
        errors: str = "replace",
        skip_special: bool = False,
    ) -> list[str]:
        """Many texts; see `decode_batch` and `decode_text`."""

    def decode_tokens(
        self, tokens: TokenIds, skip_unknown: bool = False, skip_special: bool = False
    ) -> list[bytes]:
        """The bytes that each id has amid a text."""

    def decode_token(self, token: SupportsIndex) -> bytes:
        """The bytes that one id has amid a text."""

    def decode_with_offsets(self, tokens: TokenIds) -> tuple[str, list[int]]:
        """(text, for each id the number of the character in which its bytes begin).

        Raises:
            UnicodeDecodeError: the bytes are not UTF-8.
        """


class Engine(Protocol):
    """Makes the loops. `engines.select()` says which engine runs."""

    name: str

    def splitter(self, pattern: str | None) -> Splitter: ...

    def counter(self, rules: SplitRules) -> Counter: ...

    def learner(self, task: LearnTask) -> Learner: ...

    def pruner(self, task: PruneTask) -> Pruner: ...

    def tally(
        self, ids: NDArray[np.uint32], offsets: NDArray[np.int64], shapes: NDArray[np.uint32]
    ) -> Tally:
        """Count texts whose tokens, laid end to end, are their bytes; `shapes`: `token_shapes`.

        Text i is `ids[offsets[i]:offsets[i + 1]]`; every id has a shape.
        """

    def take_out(
        self, json: bytes, shortest: int, most_values: int, mark: int
    ) -> tuple[bytes, list[Long], int] | None:
        """(JSON text without what is long in it, that, how many strings, arrays and objects).

        Long are strings (names apart) and arrays of numbers below 2**32 that take `shortest` bytes.
        For number i stands the string "mark + i" or the array [mark + i]. Half of a surrogate pair
        is U+FFFD. Nothing is taken out, and the rest not looked at, behind `most_values` values.
        None: a string does not end, or a long one is not valid. The rest need not be JSON.
        """

    def ids_json(self, ids: NDArray[np.uint32]) -> bytes:
        """A JSON array, without spaces."""

    def text_json(self, text: bytes) -> bytes | None:
        """A JSON string; None: it is not UTF-8."""

    def encoder(self, spec: TokenizerSpec, cache_bytes: int | None = None) -> Encoder:
        """`cache_bytes`: limit of its cache of words seen; None: the engine's default."""

    def cutter(
        self,
        added_tokens: Sequence[AddedToken],
        forbidden: Sequence[str] = (),
        normalizer: Sequence[NormalizerStep] = (),
    ) -> Cutter:
        """Looks for these added tokens, and refuses texts that hold a forbidden one."""

    def decoder(
        self, bytes_by_id: Mapping[TokenId, bytes], rules: DecodingRules = DecodingRules()
    ) -> Decoder:
        """`bytes_by_id`: what each id stands for amid a text."""
