"""The added tokens of a `tokenizer.json`: read, and held against the vocabulary."""

from collections.abc import Mapping, Sequence
from itertools import compress

import numpy as np

from bytepair.formats._hf_model import Model
from bytepair.formats._json import Object, Section, has_surrogate
from bytepair.formats._vocab import (
    ID_LIMIT,
    Spelling,
    bytes_of,
    check_id,
)
from bytepair.model import AddedToken, TokenId, Vocabulary

FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
_BORDER_FLAGS = ("lstrip", "rstrip", "single_word")
_KEYS = {"id", "content", *FLAGS}


def read_added(
    root: Section, ids: Mapping[str, TokenId], spelling: Spelling
) -> tuple[AddedToken, ...]:
    """Added tokens by ascending id; `ids` are those of the model's vocabulary.

    Raises:
        FormatError: an id or a content used twice, an empty content, or an id that is not the one
            its content has in the vocabulary.
    """
    items: list[object] = root.get("added_tokens", list, [])
    added = [
        item if isinstance(item, AddedToken) else _plain(item) or _checked(root, place, item)
        for place, item in enumerate(items)
    ]
    _check_distinct(root, added)
    for token in added:
        known = ids.get(token.content, token.id)
        if known != token.id and not _spells_other_bytes(token.content, spelling):
            raise root.error(
                f"added token {token.content[:60]!r} has id {token.id}, but model.vocab gives it "
                f"id {known}"
            )
    return tuple(sorted(added, key=lambda token: token.id))


def _spells_other_bytes(content: str, spelling: Spelling) -> bool:
    """True if a token of the vocabulary that is spelt like this text is another: "é", the byte E9.

    Hugging Face would take the two for one, and decode the text as that byte.
    """
    core = spelling.parts(content).core
    return spelling.is_byte_level and bytes_of(core) not in {None, content.encode()}


def compact_added(item: Object) -> AddedToken | Object:
    """An object with all that an added token has as what it is: files can have a million.

    It then takes a third of the memory.
    """
    return (_plain(item) if len(item) == len(_KEYS) else None) or item


def _plain(item: object) -> AddedToken | None:
    """An added token about which there is nothing to say."""
    if not isinstance(item, dict) or not item.keys() <= _KEYS:
        return None
    content, number = item.get("content"), item.get("id")
    flags = [item.get(flag, False) for flag in FLAGS]
    if type(content) is not str or not content or has_surrogate(content):
        return None
    if type(number) is not int or not 0 <= number < ID_LIMIT:
        return None
    if set(map(type, flags)) != {bool}:
        return None
    single_word, lstrip, rstrip, normalized, special = flags
    return AddedToken(
        content,
        number,
        single_word=single_word,
        lstrip=lstrip,
        rstrip=rstrip,
        normalized=normalized,
        special=special,
    )


def _checked(root: Section, place: int, item: object) -> AddedToken:
    section = root.section_of(f"added_tokens[{place}]", item)
    content = section.get("content", str)
    if not content:
        raise section.error(f"{section.path('content')} is empty, so it would match everywhere")
    number = check_id(section, section.path("id"), section.any("id"))
    return AddedToken(content, number, **{flag: section.get(flag, bool, False) for flag in FLAGS})


def _check_distinct(root: Section, added: Sequence[AddedToken]) -> None:
    if len({token.id for token in added}) == len(added) == len({t.content for t in added}):
        return
    by_id: dict[TokenId, AddedToken] = {}
    by_content: dict[str, AddedToken] = {}
    for token in added:
        if (other := by_id.setdefault(token.id, token)) is not token:
            raise root.error(
                f"added tokens {other.content[:60]!r} and {token.content[:60]!r} both have id "
                f"{token.id}"
            )
        if (other := by_content.setdefault(token.content, token)) is not token:
            raise root.error(
                f"added token {token.content[:60]!r} has two ids, {other.id} and {token.id}"
            )


def check_flags(root: Section, added: Sequence[AddedToken]) -> None:
    """Refuse flags that look at the neighbours of a token in a text whose bytes are spelt."""
    for token in added:
        if token.normalized and (token.lstrip or token.rstrip or token.single_word):
            raise root.error(
                f"added token {token.content[:60]!r} is looked for behind the normalizer ByteLevel "
                f"and has one of {', '.join(_BORDER_FLAGS)}, which is not supported"
            )


def added_only(model: Model, added: Sequence[AddedToken]) -> frozenset[TokenId]:
    """Ids of added tokens that stand in the model's vocabulary only to have their id.

    An added token is an ordinary token as well if it is a first symbol, part or result of a merge,
    or found by looking up a whole pre-token.

    Raises:
        FormatError: an added token has the id of another token.
    """
    numbers = [token.id for token in added]
    others = model.ids.spellings_of(numbers)
    for token, other in zip(added, others, strict=True):
        if other not in {None, token.content}:
            raise model.section.error(
                f"id {token.id} is given to both the added token {token.content[:60]!r} and the "
                f"token {str(other)[:60]!r} of {model.section.path('vocab')}"
            )
    shared = {token.id: other for token, other in zip(added, others, strict=True) if other}
    for column in (model.merges.left, model.merges.right, model.merges.joined):
        if shared:
            merged = set(column[np.isin(column, list(shared))].tolist())
            shared = {n: other for n, other in shared.items() if n not in merged}
    return frozenset(n for n, other in shared.items() if not _is_reached(other, model))


def _is_reached(content: str, model: Model) -> bool:
    """True if the entry is a first symbol, or the whole of a pre-token that is not its content."""
    spelling: Spelling = model.spelling
    if not spelling.is_byte_level:
        return spelling.is_first_symbol(content)
    if bytes_of(spelling.parts(content).core) is None:
        return False
    looked_up = model.ignore_merges and bytes_of(content) != content.encode()
    return looked_up or spelling.is_first_symbol(content)


def check_shared(model: Section, added: Sequence[AddedToken], vocabulary: Vocabulary) -> None:
    """Refuse an added token whose content is not what its id stands for as an ordinary token."""
    is_shared = np.isin([token.id for token in added], vocabulary.flat.ids)
    for token in compress(added, is_shared):
        meant = vocabulary.tokens[token.id]
        if meant != token.content.encode():
            raise model.error(
                f"id {token.id} is given to both the added token {token.content[:60]!r} and the "
                f"bytes {meant[:60]!r}, which {model.path('vocab')} spells the same"
            )


def added_json(token: AddedToken) -> Object:
    """An added token as a member of a `tokenizer.json`."""
    flags = {flag: getattr(token, flag) for flag in FLAGS}
    return {"id": token.id, "content": token.content, **flags}
