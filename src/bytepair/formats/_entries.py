"""The vocabulary and the merges of a `tokenizer.json` as one value, however they were read.

Both are large: 128,000 tokens and 280,000 merges in Llama 3's file. Where the C++ core is installed
it reads them; it takes what is plainly sound only, and everything else is left to the JSON reader
here, which says what is wrong with it. Either way the result is the same.
"""

import os
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from itertools import accumulate
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bytepair.model import BYTE_TO_CHAR, MergeTable, TokenId, Tokens

if TYPE_CHECKING:
    from bytepair._core import ModelTables

try:
    import bytepair._core as _core
except ImportError:  # installed without the core
    _core = None  # type: ignore[assignment]  # a module, or nothing

# From the code of a character to the byte it spells; what spells none is at the end.
_BYTE_BY_CODE = np.full(max(map(ord, BYTE_TO_CHAR)) + 2, -1, np.int16)
_BYTE_BY_CODE[list(map(ord, BYTE_TO_CHAR))] = range(256)


class Entries(Mapping[str, TokenId]):
    """Spelling -> id, ascending by id: ids are distinct, spellings are not empty."""

    def __init__(self, ids: dict[str, TokenId]) -> None:
        self._ids = ids

    def __getitem__(self, spelling: str) -> TokenId:
        return self._ids[spelling]

    def __contains__(self, spelling: object) -> bool:
        return spelling in self._ids

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def spellings_of(self, numbers: Collection[TokenId]) -> list[str | None]:
        """What each of these ids is the id of."""
        if not numbers or min(numbers) > next(reversed(self._ids.values()), -1):
            return [None] * len(numbers)  # as in most files; the table below is large
        spelling_by_id = {number: spelling for spelling, number in self._ids.items()}
        return [spelling_by_id.get(number) for number in numbers]

    def contents(self, *, is_byte_level: bool, left_out: Collection[TokenId]) -> Tokens | None:
        """Id -> bytes; None if a spelling stands for no bytes."""
        kept = self._ids
        if left_out:
            kept = {spelling: n for spelling, n in kept.items() if n not in left_out}
        contents = bytes_of_all(kept) if is_byte_level else _encoded(kept)
        if contents is None:
            return None
        return Tokens.of(dict(zip(kept.values(), contents, strict=True)))


class CoreEntries(Entries):
    """As the C++ core holds them; nothing is copied until it is asked for."""

    def __init__(self, tables: "ModelTables") -> None:
        self._tables = tables

    @cached_property
    def _ids(self) -> dict[str, TokenId]:  # type: ignore[override]  # an attribute in the parent
        return self._tables.spellings()

    def __getitem__(self, spelling: str) -> TokenId:
        number = self._tables.find(spelling.encode("utf-8", "surrogatepass"))
        if number is None:
            raise KeyError(spelling)
        return number

    def __contains__(self, spelling: object) -> bool:
        return isinstance(spelling, str) and self.get(spelling) is not None

    def __len__(self) -> int:
        return len(self._tables)

    def spellings_of(self, numbers: Collection[TokenId]) -> list[str | None]:
        """What each of these ids is the id of."""
        return [self._tables.spelling_of(number) for number in numbers]

    def contents(self, *, is_byte_level: bool, left_out: Collection[TokenId]) -> Tokens | None:
        """Id -> bytes; None if a spelling stands for no bytes."""
        columns = self._tables.tokens(is_byte_level, np.array(sorted(left_out), np.uint32))
        return None if columns is None else Tokens(*columns)

    def merges(self) -> MergeTable:
        """The merge list of the same file; to be asked for once."""
        left, right, joined = self._tables.take_merges()
        return MergeTable(left, right, joined, np.arange(len(left), dtype=np.uint32))


def core() -> ModuleType | None:
    """The compiled module, where it is installed and wanted."""
    return None if os.environ.get("BYTEPAIR_ENGINE") == "python" else _core


def read_tables(data: bytes | NDArray[np.uint8]) -> tuple[CoreEntries, str] | None:
    """What the core reads in a file, and the text without it; None if it leaves it to others."""
    if not len(data) or (compiled := core()) is None:
        return None
    json = np.frombuffer(data, np.uint8)
    tables = compiled.ModelTables.read(json)
    if tables is None:
        return None
    try:
        return CoreEntries(tables), tables.without_members(json).decode()
    except UnicodeDecodeError:
        return None


def bytes_of_all(spellings: Collection[str]) -> list[bytes] | None:
    """The bytes that spellings of a byte-level file stand for; None if one stands for none."""
    codes = np.frombuffer("".join(spellings).encode("utf-32-le", "surrogatepass"), np.uint32)
    spelt = _BYTE_BY_CODE[np.minimum(codes, len(_BYTE_BY_CODE) - 1)]
    if len(spelt) and spelt.min() < 0:
        return None
    data, ends = spelt.astype(np.uint8).tobytes(), list(accumulate(map(len, spellings)))
    return [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _encoded(spellings: Collection[str]) -> list[bytes] | None:
    try:
        return list(map(str.encode, spellings))
    except UnicodeEncodeError:
        return None
