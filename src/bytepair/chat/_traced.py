"""`Traced`: text of which every character tells where it comes from."""

import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any, Self, SupportsIndex

OWN = 1  # the template wrote it
GENERATED = 2  # a model would have: it stands in a {% generation %} block
MOST_CHARS = 1 << 27
"""The longest text that templates may make."""

_RUNS = re.compile(rb"[\x01\x03]+|[\x00\x02]+")
_ALL_OWN = re.compile(rb"[\x01\x03]*")
_GENERATED = re.compile(rb"[\x02\x03]+")


class Traced(str):
    """A `str` whose characters tell whether a template wrote them.

    What is not traced is not the template's. All that cuts and joins text keeps the origin of each
    character; a method that is not here gives a plain `str`, whose origin is nobody's. An origin
    can get lost that way, but none can be gained.

    >>> text = Traced.own("<|user|>") + "<|user|>"
    >>> text.runs()
    [('<|user|>', True), ('<|user|>', False)]
    """

    __slots__ = ("_origin",)
    _origin: bytes

    def __new__(cls, text: str = "", origin: bytes | None = None) -> Self:
        """Traced as `origin` says, a byte a character; else as `text` is."""
        self = super().__new__(cls, text)
        self._origin = origin_of(text) if origin is None else origin
        return self

    @classmethod
    def own(cls, text: str) -> "Traced":
        """A template's text."""
        return cls(text, bytes((OWN,)) * len(text))

    @classmethod
    def joined(cls, parts: Iterable[str]) -> "Traced":
        """The parts' texts, one after the other."""
        kept = list(parts)
        if sum(map(len, kept)) > MOST_CHARS:
            raise ValueError(f"it makes more than {MOST_CHARS:,} characters, and was stopped")
        return cls("".join(kept), b"".join(map(origin_of, kept)))

    def plain(self) -> str:
        """The text alone."""
        return str.__getitem__(self, slice(None))

    def runs(self) -> list[tuple[str, bool]]:
        """(text, did the template write it?) of the longest stretches of one origin."""
        return [
            (str.__getitem__(self, slice(*run.span())), bool(run[0][0] & OWN))
            for run in _RUNS.finditer(self._origin)
        ]

    def is_own(self, start: int = 0, stop: int | None = None) -> bool:
        """True if the template wrote all of these characters."""
        return _ALL_OWN.fullmatch(self._origin[start:stop]) is not None

    def generated(self) -> "Traced":
        """The same, as what a model would have written."""
        return Traced(self, bytes(origin | GENERATED for origin in self._origin))

    def generated_places(self) -> list[tuple[int, int]]:
        """(first character, last + 1) of the stretches that a model would have written."""
        return [run.span() for run in _GENERATED.finditer(self._origin)]

    # ------------------------------------------------------------------ cutting and joining

    def __str__(self) -> "Traced":
        return self

    def __add__(self, other: str) -> "Traced":
        return Traced.joined((self, other)) if isinstance(other, str) else NotImplemented

    def __radd__(self, other: str) -> "Traced":
        return Traced.joined((other, self)) if isinstance(other, str) else NotImplemented

    def __mul__(self, times: SupportsIndex) -> "Traced":
        return Traced(super().__mul__(times), self._origin * times)

    __rmul__ = __mul__

    def __mod__(self, values: Any) -> str:
        """`%s` is filled in piece by piece; the origin is lost where there is anything else."""
        pieces = self.split("%s")
        rest = values if isinstance(values, tuple) else (values,)
        if any("%" in piece for piece in pieces) or len(rest) != len(pieces) - 1:
            return super().__mod__(values)
        both = zip_longest(pieces, map(str, rest), fillvalue="")
        return Traced.joined(part for pair in both for part in pair)

    def __getitem__(self, key: SupportsIndex | slice) -> "Traced":
        cut = self._origin[key]
        return Traced(super().__getitem__(key), cut if isinstance(cut, bytes) else bytes((cut,)))

    def __iter__(self) -> Iterator["Traced"]:
        return (self[i] for i in range(len(self)))

    def join(self, parts: Iterable[str]) -> "Traced":
        kept = list(parts)
        pairs = ((self, part) if i else (part,) for i, part in enumerate(kept))
        return Traced.joined(part for pair in pairs for part in pair)

    def strip(self, chars: str | None = None) -> "Traced":
        return self.lstrip(chars).rstrip(chars)

    def lstrip(self, chars: str | None = None) -> "Traced":
        return self[len(self) - len(super().lstrip(chars)) :]

    def rstrip(self, chars: str | None = None) -> "Traced":
        return self[: len(super().rstrip(chars))]

    def removeprefix(self, prefix: str, /) -> "Traced":
        return self[len(prefix) if self.startswith(prefix) else 0 :]

    def removesuffix(self, suffix: str, /) -> "Traced":
        return self[: len(self) - (len(suffix) if self.endswith(suffix) else 0)]

    def split(  # type: ignore[override]  # a list of a subclass
        self, sep: str | None = None, maxsplit: SupportsIndex = -1
    ) -> list["Traced"]:
        return self._located(super().split(sep, maxsplit), sep)

    def rsplit(  # type: ignore[override]  # a list of a subclass
        self, sep: str | None = None, maxsplit: SupportsIndex = -1
    ) -> list["Traced"]:
        return self._located(super().rsplit(sep, maxsplit), sep)

    def splitlines(self, keepends: bool = False) -> list["Traced"]:  # type: ignore[override]  # as above
        lines = self._located(super().splitlines(keepends=True), "")
        bare = super().splitlines()
        return lines if keepends else [line[: len(b)] for line, b in zip(lines, bare, strict=True)]

    def partition(self, sep: str, /) -> tuple["Traced", "Traced", "Traced"]:
        first, middle, last = self._located(list(super().partition(sep)), "")
        return first, middle, last

    def rpartition(self, sep: str, /) -> tuple["Traced", "Traced", "Traced"]:
        first, middle, last = self._located(list(super().rpartition(sep)), "")
        return first, middle, last

    def replace(self, old: str, new: str, /, count: SupportsIndex = -1) -> str:
        if not old:
            return super().replace(old, new, count)
        return Traced(new).join(self.split(old, count))

    def lower(self) -> str:
        return self._recased(super().lower())

    def upper(self) -> str:
        return self._recased(super().upper())

    def capitalize(self) -> str:
        return self._recased(super().capitalize())

    def title(self) -> str:
        return self._recased(super().title())

    def casefold(self) -> str:
        return self._recased(super().casefold())

    def swapcase(self) -> str:
        return self._recased(super().swapcase())

    def _recased(self, text: str) -> str:
        """A character becomes one or more: where none becomes more, places are the same."""
        return Traced(text, self._origin) if len(text) == len(self) else text

    def _located(self, parts: list[str], separator: str | None) -> list["Traced"]:
        """Parts of this text, in order, that `separator` (None: white space) lies between."""
        located: list[Traced] = []
        place = 0
        for part in parts:
            if separator is None:
                place = self.find(part, place)
            located.append(self[place : place + len(part)])
            place += len(part) + len(separator or "")
        return located


def origin_of(text: str) -> bytes:
    """Where the characters come from, a byte each."""
    return text._origin if isinstance(text, Traced) else bytes(len(text))
