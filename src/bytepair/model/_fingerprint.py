"""`fingerprint`: a short name for all that decides which ids a text gets."""

from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, Field, fields, is_dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bytepair.model._spec import TokenizerSpec
from bytepair.model._tokens import Tokens

# What people call it, how it was made, what only training cuts at, what is done with chats: of a
# text, no id depends on these.
_LEFT_OUT = {"name", "training", "special_tokens", "conventions"}


def fingerprint(spec: TokenizerSpec) -> str:
    """SHA-256, in hexadecimal, of everything in a specification that ids depend on.

    The same for a tokenizer that was trained, saved and loaded, whatever its name. Attributes that
    have their default count for nothing, so that one that is added later changes no fingerprint.
    Cost: O(vocabulary).
    """
    digest = sha256()
    for part in _parts(spec):
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def _parts(value: object) -> Iterator[bytes]:
    if isinstance(value, Tokens):
        for column in (value.ids, value.offsets, value.data):
            yield _plain(column)
    elif isinstance(value, np.ndarray | bytes):
        yield _plain(value)
    elif is_dataclass(value):
        yield type(value).__name__.encode()
        for attribute in fields(value):
            content = getattr(value, attribute.name)
            if attribute.name not in _LEFT_OUT and not _is_default(attribute, content):
                yield attribute.name.encode()
                yield from _parts(content)
    elif isinstance(value, Mapping | AbstractSet | tuple | list):
        yield from _members(value)
    else:
        yield repr(value).encode("utf-8", "surrogatepass")


def _members(value: Collection[Any]) -> Iterator[bytes]:
    if isinstance(value, Mapping):
        value = value.items()
    items = sorted(value) if isinstance(value, AbstractSet) else list(value)
    yield len(items).to_bytes(8, "little")
    for item in items:
        yield from _parts(item)


def _plain(value: NDArray[Any] | bytes) -> bytes:
    if isinstance(value, bytes):
        return value
    return np.ascontiguousarray(value, value.dtype.newbyteorder("<")).tobytes()


def _is_default(attribute: Field[object], content: object) -> bool:
    if attribute.default is not MISSING:
        return bool(content == attribute.default)
    factory = attribute.default_factory
    return factory is not MISSING and bool(content == factory())
