"""`Preprocessor`: reads a corpus, cuts it into documents, normalises them."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import get_args

import regex

from bytepair.data import Corpus, InputFile, Skips, read_chunks, read_range
from bytepair.errors import ArgumentError
from bytepair.model import Chunk, OnError, Split, SplitRules, TextFile, to_utf8
from bytepair.normalizers import normalize
from bytepair.normalizers import resolve as resolve_normalizer
from bytepair.patterns import Digits, check_cuts, digit_steps
from bytepair.patterns import resolve as resolve_pattern


class Preprocessor:
    """Documents → normalised documents, with the rules by which they are to be split.

    Args:
        pattern: a name (`gpt2`, `r50k`, `p50k`, `cl100k`, `o200k`, `llama3`, `qwen2`, `qwen3.5`,
            `tekken`, `kimi-k2`, `bloom`, `clip`, `whitespace`), a regex, or None: merges may go
            over a whole document.
        normalizer: None, one of `nfc`, `nfd`, `nfkc`, `nfkd`, `lowercase`, `strip-accents`,
            `collapse-whitespace`, or several, in the order they run.
        special_tokens: never learned and never crossed.
        digits: "single": each digit is a pre-token, so none is ever merged; "threes": they come in
            groups of three from the right, "1|234|567". The rest is cut by the pattern.
        separator: cuts a text into documents and is dropped; None: a file, a record or an item is
            one document.

    Raises:
        PatternError: an invalid pattern.
        ArgumentError: an unknown normaliser, an empty or repeated special token, or a separator
            that is empty or not text.

    >>> chunks = Preprocessor(separator="--").chunks(["one--two"])
    >>> [chunk.data for chunk in chunks]
    [b'one', b'two']
    """

    def __init__(
        self,
        *,
        pattern: str | None = "o200k",
        normalizer: str | Sequence[str] | None = None,
        special_tokens: Sequence[str] = ("<|endoftext|>",),
        digits: Digits | None = None,
        separator: str | bytes | None = None,
    ) -> None:
        if separator is not None and (not separator or not isinstance(separator, str | bytes)):
            raise ArgumentError(
                f"separator must be text or bytes that are not empty, got {separator!r:.60}; "
                "pass None for no separator."
            )
        resolved = resolve_pattern(pattern)
        if resolved is not None:
            check_cuts(resolved)  # raises now, not after the corpus has been read
        if digits is not None and digits not in get_args(Digits):
            raise ArgumentError(f"digits must be 'single', 'threes' or None, got {digits!r:.60}.")
        names = resolve_normalizer(normalizer)
        steps: tuple[Split, ...] = ()
        if digits is not None:
            rest = () if resolved is None else (Split(resolved),)
            resolved, steps = None, (*digit_steps(digits), *rest)
        self.rules = SplitRules(resolved, names, _in_order(special_tokens), steps)
        self.separator = to_utf8(separator) if isinstance(separator, str) else separator

    def __repr__(self) -> str:
        return f"Preprocessor({self.rules}, separator={self.separator!r})"

    def chunks(
        self,
        corpus: Corpus,
        *,
        text_field: str = "text",
        on_error: OnError = "fail",
        skips: Skips | None = None,
    ) -> Iterator[Chunk]:
        """The corpus's documents, in order, in chunks of a few MB.

        With `on_error="skip"` what cannot be read is a warning, not an error, and noted in `skips`.
        Without a normaliser nothing is held but the current chunk; with one, a document.

        Raises:
            CorpusError: a file that is missing or damaged; see `bytepair.data`.
            InputTypeError: an item that is not text.
        """
        return self._prepared(
            read_chunks(corpus, text_field=text_field, on_error=on_error, skips=skips)
        )

    def documents(
        self,
        corpus: Corpus,
        *,
        text_field: str = "text",
        on_error: OnError = "fail",
        skips: Skips | None = None,
    ) -> Iterator[Chunk | TextFile]:
        """The same, but text files that need no work are left for the counter to read.

        Raises: as `chunks`.
        """
        if self._changes_text:
            return self.chunks(corpus, text_field=text_field, on_error=on_error, skips=skips)
        return read_chunks(
            corpus, text_field=text_field, in_place=True, on_error=on_error, skips=skips
        )

    def part(
        self,
        file: InputFile,
        start: int,
        end: int,
        *,
        on_error: OnError = "fail",
        skips: Skips | None = None,
    ) -> Iterator[Chunk | TextFile]:
        """The documents of a part of a plain text file, which must begin where a document does.

        Without a separator and a normaliser it may begin anywhere, and is one document itself.

        Raises: as `chunks`.
        """
        if isinstance(file, Path) and not self._changes_text:
            return iter([TextFile(file, end, start)])
        return self._prepared(read_range(file, start, end, on_error=on_error, skips=skips))

    @property
    def _changes_text(self) -> bool:
        return self.separator is not None or bool(self.rules.normalizer)

    def _prepared(self, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        if self.separator is not None:
            chunks = _separated(chunks, self.separator)
        if self.rules.normalizer:
            chunks = self._normalized(chunks)
        return chunks

    def _normalized(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        parts: list[bytes] = []
        for chunk in chunks:
            parts.append(chunk.data)
            if chunk.is_last:
                yield Chunk(self._normalize(b"".join(parts)))
                parts = []

    def _normalize(self, document: bytes) -> bytes:
        """Special tokens stay as they are: what lies between is normalised."""
        contents = [token.encode() for token in self.rules.special_tokens]
        if not contents:
            return normalize(document, self.rules.normalizer)
        longest_first = sorted(contents, key=len, reverse=True)
        special = regex.compile(b"(" + b"|".join(map(regex.escape, longest_first)) + b")")
        pieces = special.split(document)
        # split() with one group gives text and special tokens in turn
        pieces[::2] = [normalize(piece, self.rules.normalizer) for piece in pieces[::2]]
        return b"".join(pieces)


def _in_order(special_tokens: Sequence[str]) -> tuple[str, ...]:
    if isinstance(special_tokens, str):
        return (special_tokens,)
    if not isinstance(special_tokens, Sequence):  # a set, say, has another order in each run
        raise ArgumentError(
            "special_tokens must be a list, in the order of the ids they get; "
            f"got {type(special_tokens).__name__}. For none pass []."
        )
    return tuple(special_tokens)


def _separated(chunks: Iterable[Chunk], separator: bytes) -> Iterator[Chunk]:
    """Cut at each separator, also at one that lies across two chunks.

    A separator at the end of a text ends its last document and begins no other.
    """
    held = len(separator) - 1
    rest = b""
    is_cut = False  # a separator was found in this text
    is_begun = False  # part of the document that `rest` goes on with was passed on
    for chunk in chunks:
        *whole, rest = (rest + chunk.data).split(separator)
        for document in whole:
            yield Chunk(document)
            is_cut, is_begun = True, False
        if chunk.is_last:
            if rest or is_begun or not is_cut:
                yield Chunk(rest)
            rest, is_cut, is_begun = b"", False, False
        elif len(rest) > held:
            certain = len(rest) - held
            yield Chunk(rest[:certain], is_last=False)
            rest, is_begun = rest[certain:], True
