"""`Plan`: everything that the bytes of the shards depend on, checked before the work begins."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

from bytepair.data import Corpus, InputFile, corpus_files, require_reader, stored_size
from bytepair.data.shards import LAYOUTS, Layout, ShardOptions
from bytepair.errors import ArgumentError, InputTypeError
from bytepair.model import at_least_one, fingerprint, to_utf8
from bytepair.tokenizer import Tokenizer

OnError = Literal["fail", "skip"]


@dataclass(frozen=True, slots=True)
class Input:
    """A file to read.

    Attributes:
        n_bytes: as it is stored; None: not known.
        changed_ns: when it was written to, for files of this machine.
    """

    file: InputFile
    n_bytes: int | None
    changed_ns: int


@dataclass(frozen=True, slots=True)
class Plan:
    """Which documents go into which shards, and how.

    Attributes:
        parts: of each, the number of its first input and of the one behind its last.
        shard_tokens: most ids of a shard, unless one document has more.
        shuffle: documents of a window that are put in another order; None: they keep theirs.
    """

    inputs: tuple[Input, ...]
    parts: tuple[tuple[int, int], ...]
    layout: Layout
    options: ShardOptions
    shard_tokens: int
    shuffle: int | None
    seed: int
    separator: bytes | None
    text_field: str
    allow_special: bool
    on_error: OnError

    @property
    def files(self) -> list[InputFile]:
        """The inputs themselves."""
        return [one.file for one in self.inputs]

    def identity(self) -> dict[str, Any]:
        """The plan in JSON's values: who goes on with it must have the same."""
        options = self.options
        rows = [[str(one.file), one.n_bytes, one.changed_ns] for one in self.inputs]
        separator = self.separator
        return {
            "format": self.layout.name,
            "dtype": options.dtype.name,
            "tokenizer_sha256": options.fingerprint,
            "bos": options.bos,
            "eos": options.eos,
            "shard_tokens": self.shard_tokens,
            "shuffle": self.shuffle,
            "seed": self.seed,
            "separator": None if separator is None else separator.decode(errors="backslashreplace"),
            "text_field": self.text_field,
            "allow_special": self.allow_special,
            "on_error": self.on_error,
            "parts": len(self.parts),
            "inputs": rows,
        }


def make_plan(
    tokenizer: Tokenizer,
    corpus: Corpus,
    *,
    layout: str,
    shard_tokens: int,
    bos: str | None,
    eos: str | None,
    dtype: str | None,
    shuffle: int | None,
    seed: int,
    separator: str | bytes | None,
    text_field: str,
    allow_special: bool,
    on_error: OnError,
    parts: int | None,
) -> Plan:
    """Check what was asked for, and look the files up.

    Raises: as `bytepair.shard`.
    """
    kind = _layout(layout)
    options = ShardOptions(
        kind.dtype(tokenizer.n_vocab, dtype),
        tokenizer.name,
        fingerprint(tokenizer.spec),
        tokenizer.n_vocab,
        bos=_special_id(tokenizer, "bos", bos),
        eos=_special_id(tokenizer, "eos", eos),
    )
    inputs = tuple(map(_input, _files(corpus)))
    n_parts = len(inputs) if parts is None else at_least_one("parts", parts)
    return Plan(
        inputs,
        _parts(inputs, n_parts),
        kind,
        options,
        _shard_tokens(kind, shard_tokens),
        None if shuffle is None else at_least_one("shuffle", shuffle),
        _seed(seed),
        _separator(separator),
        text_field,
        allow_special,
        _on_error(on_error),
    )


def _layout(name: str) -> Layout:
    if name not in LAYOUTS:
        raise ArgumentError(f"format must be one of {', '.join(LAYOUTS)}; got {name!r:.60}.")
    return LAYOUTS[name]


def _special_id(tokenizer: Tokenizer, option: str, content: str | None) -> int | None:
    if content is None:
        return None
    known = tokenizer.special_tokens
    if content not in known:
        names = ", ".join(map(repr, list(known)[:20])) or "none"
        raise ArgumentError(
            f"{option}={content!r:.60}: no special token of {tokenizer.name!r}, which has {names}."
        )
    return known[content]


def _files(corpus: Corpus) -> list[InputFile]:
    files = corpus_files(corpus)
    if files is None:
        raise InputTypeError(
            "corpus: shards are made from files, so that the work can be resumed; got documents or "
            "a stream. Give a path, a glob, a folder or a list of paths."
        )
    for file in files:
        require_reader(file)
    return files


def _input(file: InputFile) -> Input:
    changed_ns = file.stat().st_mtime_ns if isinstance(file, Path) else 0
    return Input(file, stored_size(file), changed_ns)


def _parts(inputs: Sequence[Input], n_parts: int) -> tuple[tuple[int, int], ...]:
    """Runs of whole files, of about the same size."""
    if n_parts > len(inputs):
        raise ArgumentError(
            f"parts={n_parts}, and {len(inputs)} files: a file is not divided. Give at most "
            f"{len(inputs)}, or more files."
        )
    done = list(accumulate((one.n_bytes or 0) + 1 for one in inputs))
    borders = [0]
    for part in range(1, n_parts):
        nearest = next(n for n, size in enumerate(done, 1) if size * n_parts >= done[-1] * part)
        # Each part has a file at least, those that follow too.
        borders.append(min(max(nearest, borders[-1] + 1), len(inputs) - n_parts + part))
    return tuple(zip(borders, [*borders[1:], len(inputs)], strict=True))


def _shard_tokens(layout: Layout, number: int) -> int:
    number = at_least_one("shard_tokens", number)
    if number > layout.max_shard:
        raise ArgumentError(
            f"shard_tokens: a {layout.name} shard holds at most {layout.max_shard:,} ids, "
            f"got {number:,}."
        )
    return number


def _seed(seed: int) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ArgumentError(f"seed must be a whole number of 0 or more, got {seed!r:.60}.")
    return seed


def _separator(separator: str | bytes | None) -> bytes | None:
    if separator is None:
        return None
    if not isinstance(separator, str | bytes) or not separator:
        raise ArgumentError(
            f"separator must be text or bytes that are not empty, got {separator!r:.60}; "
            "pass None for no separator."
        )
    return to_utf8(separator) if isinstance(separator, str) else separator


def _on_error(on_error: OnError) -> OnError:
    if on_error not in ("fail", "skip"):
        raise ArgumentError(f"on_error must be 'fail' or 'skip', got {on_error!r:.60}.")
    return on_error
