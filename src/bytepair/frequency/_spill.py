"""`Spill`: tables of words that did not fit into memory, on disk until they are put together."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bytepair.engines import Counter, Engine
from bytepair.errors import SaveError
from bytepair.model import SplitRules, WordCounts

_N_BITS = 4  # 16 shares: one of them is put together at a time
_AT_ONCE = 1 << 16  # words that are moved together


class Spill:
    """A temporary folder with a file for each table; threads may share it.

    Every word is in the same share of every table, so shares are put together one by one: that
    takes the memory of one share of all words, and of the result.

    Args:
        folder: where the temporary folder is made; None: where the system has such folders.

    Raises:
        SaveError: it cannot be made.
    """

    def __init__(self, folder: Path | None) -> None:
        self._numbers = count()
        self._places: dict[Path, list[int]] = {}  # where each share begins
        with _saving(folder or Path(tempfile.gettempdir())):
            self._folder = tempfile.TemporaryDirectory(prefix="bytepair-", dir=folder)

    @property
    def is_empty(self) -> bool:
        """True if nothing was put there."""
        return not self._places

    def put(self, counter: Counter) -> None:
        """Take all words out of a counter.

        Raises:
            SaveError: no space, say.
        """
        path = Path(self._folder.name, f"{next(self._numbers)}.words")
        places: list[int] = []
        with _saving(path), path.open("wb") as file:
            for number in range(1 << _N_BITS):
                places.append(file.tell())
                words = counter.share(_N_BITS, number)
                data = np.frombuffer(words.data, np.uint8)
                for array in (data, words.offsets, words.counts, words.first):
                    np.save(file, array)
        self._places[path] = places
        counter.clear()

    def result(
        self, engine: Engine, rules: SplitRules, n_bytes: int, n_documents: int
    ) -> WordCounts:
        """All that was put there, as one counter would have counted it."""
        shares = [self._share(engine, number) for number in range(1 << _N_BITS)]
        return replace(_in_order(shares), n_bytes=n_bytes, n_documents=n_documents, rules=rules)

    def close(self) -> None:
        """Remove the folder."""
        self._folder.cleanup()

    def _share(self, engine: Engine, number: int) -> WordCounts:
        counter = engine.counter(SplitRules())
        for path, places in sorted(self._places.items()):
            with path.open("rb") as file:
                file.seek(places[number])
                data, *arrays = (np.load(file) for _ in range(4))
            counter.add(WordCounts(data.tobytes(), *arrays), 0)
        return counter.share(0, 0)


def _in_order(shares: list[WordCounts]) -> WordCounts:
    """Tables without a word in common as one; used up."""
    first = np.concatenate([share.first for share in shares])
    counts = np.concatenate([share.counts for share in shares])
    lengths = np.concatenate([np.diff(share.offsets) for share in shares])
    data = np.frombuffer(b"".join(share.data for share in shares), np.uint8)
    shares.clear()
    order = np.argsort(first)
    return WordCounts(
        data=_picked(data, lengths, order),
        offsets=_offsets(lengths[order]),
        counts=counts[order],
        first=first[order],
    )


def _picked(data: NDArray[np.uint8], lengths: NDArray[np.int64], order: NDArray[np.int64]) -> bytes:
    """The words' bytes in another order."""
    starts = _offsets(lengths)[:-1]
    picked = bytearray()
    for at in range(0, len(order), _AT_ONCE):
        words = order[at : at + _AT_ONCE]
        sizes = lengths[words]
        begins = _offsets(sizes)
        places = np.arange(begins[-1]) + np.repeat(starts[words] - begins[:-1], sizes)
        picked += data[places].tobytes()
    return bytes(picked)


def _offsets(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


@contextmanager
def _saving(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SaveError(
            f"{path}: cannot write words there for which memory_limit leaves no room: "
            f"{error.strerror or error}. Raise the limit, or give a folder with space."
        ) from error
