"""JSON files read with care: every complaint names the file and the member it is about."""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from bytepair.errors import FormatError

Object = dict[str, object]
T = TypeVar("T", bool, int, str, list[object], Object)
_Content = TypeVar("_Content")

_HUGE_PAGE = 2 << 20

_NAMES: dict[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a fraction",
    str: "a string",
    list: "an array",
    dict: "an object",
    type(None): "null",
}


@dataclass
class Section:
    """An object inside a JSON file: knows where it stands and which members were asked for.

    Attributes:
        source: the file, as shown in messages.
        where: path of the object inside the file, "" for the outermost.
        members: what the object holds.
        family: every section of the file that was opened, in order.
        asked: keys of `members` that somebody asked for.
    """

    source: str
    where: str
    members: Object
    family: list["Section"] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.family.append(self)

    def path(self, key: str) -> str:
        """The full name of a member, for messages."""
        return f"{self.where}.{key}" if self.where else key

    def error(self, message: str) -> FormatError:
        """A FormatError with the file's name in front of `message`."""
        return FormatError(f"{self.source}: {message}")

    def typed(self, path: str, value: object, kind: type[T]) -> T:
        """`value`, if it is of exactly this type; `path` says which value is meant.

        Raises:
            FormatError: it is of another type, or text that UTF-8 cannot hold.
        """
        if type(value) is kind:  # not isinstance: to Python a bool is an int, to JSON it is not
            if isinstance(value, str):
                self.check_text(path, value)
            return value
        raise self.error(f"{path} must be {_NAMES[kind]}, got {_name(value)}")

    def check_text(self, path: str, text: str) -> None:
        """Refuse half a surrogate pair: JSON can say it, UTF-8 cannot."""
        if has_surrogate(text):
            raise self.error(f"{path} holds half a surrogate pair, so no text can contain it")

    def any(self, key: str) -> object:
        """A member of any type; None if it is missing."""
        self.asked.add(key)
        return self.members.get(key)

    def get(self, key: str, kind: type[T], default: T | None = None) -> T:
        """A member of exactly this type; one without a default must be there.

        Raises:
            FormatError: missing, or of another type.
        """
        value = self.any(key)
        if key in self.members:
            return self.typed(self.path(key), value, kind)
        if default is None:
            raise self.error(f"{self.path(key)} is missing (it must be {_NAMES[kind]})")
        return default

    def optional(self, key: str, kind: type[T]) -> T | None:
        """A member that may be missing or null."""
        value = self.any(key)
        return None if value is None else self.typed(self.path(key), value, kind)

    def name(self, default: str) -> str:
        """The member "name": like a file's name, it may hold bytes that are not UTF-8."""
        name = self.any("name")
        return name if isinstance(name, str) else self.get("name", str, default)

    def section(self, key: str) -> "Section":
        """A member that must be an object."""
        members: Object = self.get(key, dict)
        return self._open(self.path(key), members)

    def optional_section(self, key: str) -> "Section | None":
        """A member that must be an object, unless it is missing or null."""
        return None if self.any(key) is None else self.section(key)

    def sections(self, key: str, default: list[object] | None = None) -> "list[Section]":
        """A member that must be an array of objects."""
        items: list[object] = self.get(key, list, default)
        return [self.section_of(f"{self.path(key)}[{i}]", item) for i, item in enumerate(items)]

    def section_of(self, path: str, value: object) -> "Section":
        """A value at `path` that must be an object."""
        return self._open(path, self.typed(path, value, dict))

    def ignore(self, *keys: str) -> None:
        """Count members as known although nothing here depends on them."""
        self.asked.update(keys)

    def known_type(self, known: Sequence[str]) -> str:
        """The member "type", which must be one of `known`.

        Raises:
            FormatError: it is another; the message names it and those known.
        """
        kind = self.get("type", str)
        if kind not in known:
            names = ", ".join(known)
            raise self.error(f"{self.path('type')} {kind[:60]!r} is not supported (known: {names})")
        return kind

    def unasked(self) -> Iterator[str]:
        """Full names of the members, in all opened sections, that nobody asked for."""
        for section in self.family:
            yield from (section.path(key) for key in section.members if key not in section.asked)

    def _open(self, where: str, members: Object) -> "Section":
        return Section(self.source, where, members, self.family)


def has_surrogate(text: str) -> bool:
    """True if there is half a surrogate pair, which no text can contain."""
    return not text.isascii() and re.search("[\ud800-\udfff]", text) is not None


def read_object(path: Path) -> Section:
    """The JSON object in a file.

    Raises:
        FormatError: the file is missing, unreadable, not UTF-8, not JSON, not an object, or has
            an object with the same key twice.
    """
    return parse_object(path, read_bytes(path))


def parse_object(
    path: Path, data: bytes | str, compact: Callable[[Object], object] | None = None
) -> Section:
    """The JSON object in `data`, the content of a file.

    Args:
        compact: makes of an object within what takes less memory, or gives it back as it is.

    Raises:
        FormatError: as `read_object`.
    """
    text = decoded(path, data) if isinstance(data, bytes) else data
    hook = _distinct if compact is None else partial(_compact, compact)
    try:
        value = json.loads(text, object_pairs_hook=hook, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise FormatError(f"{path}: {_explain(error, text)}") from error
    except ValueError as error:
        raise FormatError(f"{path}: not a usable JSON file: {error}") from error
    except RecursionError as error:
        raise FormatError(
            f"{path}: not a usable JSON file: its arrays and objects are nested too deep"
        ) from error
    if not isinstance(value, dict):
        raise FormatError(f"{path}: must hold a JSON object, got {_name(value)}")
    return Section(str(path), "", value)


def _explain(error: json.JSONDecodeError, text: str) -> str:
    place = f"{error.msg} (line {error.lineno}, column {error.colno})"
    if error.msg.startswith("Unterminated") or error.pos >= len(text.rstrip()):
        return f"the JSON ends too early: {place}. Is the file truncated?"
    return f"not JSON: {place}"


def _distinct(pairs: list[tuple[str, object]]) -> Object:
    members = dict(pairs)
    if len(members) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        (twice, _), *_ = counts.most_common(1)
        raise ValueError(f"the key {twice[:60]!r} appears twice in one object")
    return members


def _compact(compact: Callable[[Object], object], pairs: list[tuple[str, object]]) -> object:
    return compact(_distinct(pairs))


def _name(value: object) -> str:
    """What a value is called in messages; what was compacted by its class."""
    return _NAMES.get(type(value), type(value).__name__)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def read_text(path: Path) -> str:
    """A whole UTF-8 file.

    Raises:
        FormatError: missing, unreadable, or not UTF-8.
    """
    return decoded(path, read_bytes(path))


def decoded(path: Path, data: bytes | memoryview) -> str:
    """The content of a file as text.

    Raises:
        FormatError: not UTF-8.
    """
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{path}: not UTF-8 text: byte 0x{error.object[error.start]:02X} at position "
            f"{error.start}. Is this really a tokenizer file?"
        ) from error


def read_bytes(path: Path) -> bytes:
    """A whole file.

    Raises:
        FormatError: missing or unreadable.
    """
    return _read(path, Path.read_bytes)


def read_array(path: Path) -> NDArray[np.uint8]:
    """A whole file, which may be large, in memory that is quick to get.

    Raises:
        FormatError: as `read_bytes`.
    """
    return _read(path, _huge)


def _huge(path: Path) -> NDArray[np.uint8]:
    """On huge pages, where there are such: to touch new memory else costs more than to read."""
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        room = np.empty(size + 2 * _HUGE_PAGE, np.uint8)
        start = -room.ctypes.data % _HUGE_PAGE
        array = room[start : start + size]
        if size == 0 or file.readinto(array.data) != size or file.read(1):
            return np.frombuffer(path.read_bytes(), np.uint8)  # no plain file
    return array


def _read(path: Path, read: Callable[[Path], _Content]) -> _Content:
    try:
        return read(path)
    except FileNotFoundError as error:
        raise FormatError(f"{path}: no such file") from error
    except (OSError, ValueError) as error:  # ValueError: a name no file can have
        raise FormatError(f"{path}: cannot be read: {error}") from error
