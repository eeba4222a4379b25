"""`WordCounts` as a file: a binary form with a checksum, and tables for people and other tools."""

import hashlib
import json
import re
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bytepair._atomic import write_atomically
from bytepair.errors import ArgumentError, BytepairError, CorpusError
from bytepair.model._counts import WordCounts
from bytepair.model._counts_header import header_of, rules_of, skips_of
from bytepair.model._counts_table import is_table, load_table, table_content
from bytepair.model._rules import SplitRules

_MAGIC = b"bytepair counts\n"
_VERSION = 1
_PREFIX = struct.Struct("<II")  # version, size of the header
_DIGEST_SIZE = 32
_ESCAPES = {b"\\\\": b"\\", b"\\t": b"\t", b"\\n": b"\n", b"\\r": b"\r"}


class CountsFile:
    """A table ready to be written.

    Layout, little-endian: magic; version and size of the header, uint32 each; the header (JSON);
    lengths of the words, uint32 each; counts and first positions, int64 each; the words; the
    SHA-256 of all that.

    Attributes:
        digest: the checksum; equal tables have equal ones.
    """

    def __init__(self, counts: WordCounts) -> None:
        header = json.dumps(header_of(counts), sort_keys=True).encode()
        parts = [_MAGIC, _PREFIX.pack(_VERSION, len(header)), header]
        arrays = [
            np.diff(counts.offsets).astype("<u4"),
            np.ascontiguousarray(counts.counts, "<i8"),
            np.ascontiguousarray(counts.first, "<i8"),
        ]
        self._parts: list[bytes | memoryview] = [
            *parts,
            *(array.view(np.uint8).data for array in arrays),
        ]
        self._parts.append(counts.data)
        self.digest = _digest(self._parts)

    def write(self, path: Path) -> None:
        """Write it; see `WordCounts.save`."""
        write_atomically(path, [*self._parts, self.digest])

    def content(self) -> bytes:
        """What `write` writes; `WordCounts.from_content` reads it."""
        return b"".join([*self._parts, self.digest])


def save(counts: WordCounts, path: Path) -> None:
    """Write a table; see `WordCounts.save`."""
    if path.suffix == ".tsv":
        rows = (b"%s\t%d\n" % (_escaped(word), count) for word, count in counts)
        write_atomically(path, b"".join(rows))
    elif is_table(path):
        write_atomically(path, table_content(counts, path))
    else:
        CountsFile(counts).write(path)


def load(path: Path, rules: SplitRules | None) -> WordCounts:
    """Read a table; see `WordCounts.load`."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CorpusError(f"{path}: cannot read: {error.strerror or error}.") from error
    if path.suffix == ".tsv":
        return _from_lines(path, content, rules)
    if is_table(path):
        return load_table(path, content, rules)
    if rules is not None:
        raise ArgumentError(f"{path}: rules are for text and Arrow tables; this one has its own.")
    return from_content(content, path)


def from_content(content: bytes | memoryview, name: object) -> WordCounts:
    """Read the binary form; `name` says where it comes from."""
    try:
        return _from_binary(memoryview(content).cast("B"))
    except (ValueError, KeyError, TypeError, struct.error, BytepairError) as error:
        raise CorpusError(
            f"{name}: not a whole table of word counts, as WordCounts.save writes it: {error}. "
            "Copy it again, or count the corpus anew."
        ) from error


# ------------------------------------------------------------------ the binary form


def _digest(parts: Sequence[bytes | memoryview]) -> bytes:
    sha = hashlib.sha256()
    for part in parts:
        sha.update(part)
    return sha.digest()


def _from_binary(content: memoryview) -> WordCounts:
    if content[: len(_MAGIC)] != _MAGIC:
        raise ValueError("it begins with something else")
    if _digest([content[:-_DIGEST_SIZE]]) != content[-_DIGEST_SIZE:]:
        raise ValueError("its checksum is wrong, so part of it is missing or was changed")
    version, header_size = _PREFIX.unpack_from(content, len(_MAGIC))
    if version != _VERSION:
        raise ValueError(f"it has version {version}, and this bytepair knows version {_VERSION}")
    start = len(_MAGIC) + _PREFIX.size
    header = json.loads(bytes(content[start : start + header_size]))
    return _from_parts(header, content, start + header_size)


def _from_parts(header: dict[str, Any], content: memoryview, start: int) -> WordCounts:
    n_words = header["n_words"]
    lengths = np.frombuffer(content, "<u4", n_words, start)
    counts = np.frombuffer(content, "<i8", n_words, start + 4 * n_words).astype(np.int64)
    first = np.frombuffer(content, "<i8", n_words, start + 12 * n_words).astype(np.int64)
    data = bytes(content[start + 20 * n_words : -_DIGEST_SIZE])
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
    if offsets[-1] != len(data) or not _is_sound(lengths, counts, first):
        raise ValueError("its arrays do not fit together")
    rules = rules_of(header["rules"])
    n_bytes, n_documents = header["n_bytes"], header["n_documents"]
    skips = skips_of(header)
    return WordCounts(data, offsets, counts, first, n_bytes, n_documents, rules, *skips)


def _is_sound(
    lengths: NDArray[np.uint32], counts: NDArray[np.int64], first: NDArray[np.int64]
) -> bool:
    return bool((lengths > 0).all() and (counts > 0).all() and (np.diff(first) > 0).all())


# ------------------------------------------------------------------ the text form


def _escaped(word: bytes) -> bytes:
    for escape, byte in _ESCAPES.items():
        word = word.replace(byte, escape)
    return word.decode("utf-8", "backslashreplace").encode()


def _unescaped(text: bytes) -> bytes:
    return re.sub(rb"\\(?:x[0-9a-f]{2}|.|$)", _byte, text, flags=re.DOTALL)


def _byte(match: re.Match[bytes]) -> bytes:
    escape = match[0]
    if len(escape) == 4:
        return bytes.fromhex(escape[2:].decode())
    if escape not in _ESCAPES:
        raise ValueError(rf"unknown escape {escape.decode('utf-8', 'replace')!r}; write \\ for one")
    return _ESCAPES[escape]


def _from_lines(path: Path, content: bytes, rules: SplitRules | None) -> WordCounts:
    count_by_word: dict[str | bytes, int] = {}
    for number, line in enumerate(content.removesuffix(b"\n").split(b"\n"), 1):
        if not content:
            break
        try:
            word, count = _row(line)
            if word in count_by_word:
                raise ValueError("the word is there twice")
        except ValueError as error:
            raise CorpusError(
                f"{path}: line {number}: {error}. Wanted: a word, a tab, its count."
            ) from error
        count_by_word[word] = count
    return WordCounts.from_mapping(count_by_word, rules)


def _row(line: bytes) -> tuple[bytes, int]:
    word, tab, count = line.removesuffix(b"\r").partition(b"\t")
    if not tab or not word:
        raise ValueError("no word and no tab behind it" if not tab else "the word is empty")
    if not re.fullmatch(rb"0*[1-9][0-9]{0,18}", count) or int(count) >= 2**63:
        raise ValueError(f"the count is {count.decode('utf-8', 'replace')!r:.40}")
    return _unescaped(word), int(count)
