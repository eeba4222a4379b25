"""The added tokens of a `tokenizer.json`: read, and held against the vocabulary."""

from collections.abc import Mapping, Sequence

from bytepair.formats._json import Section
from bytepair.formats._vocab import bytes_of, check_id, check_text
from bytepair.model import AddedToken, MergeTable, TokenId, Vocabulary

_BORDER_FLAGS = ("single_word", "lstrip", "rstrip")


def read_added(root: Section, *, has_normalizer: bool) -> tuple[AddedToken, ...]:
    """Added tokens by ascending id.

    Raises:
        FormatError: an id or a content used twice, an empty content, or a flag that moves the
            borders of a match.
    """
    by_flag: dict[bool, list[AddedToken]] = {False: [], True: []}
    for section in root.sections("added_tokens", []):
        by_flag[section.get("normalized", bool, False)].append(_added_token(section))
    raw, normalized = by_flag[False], by_flag[True]
    if normalized and has_normalizer:
        raise root.error(
            f"added token {normalized[0].content!r} is looked for in normalised text "
            "('normalized' is true), which is not supported"
        )
    _check_distinct(root, raw + normalized)
    _check_same_priority(root, raw, normalized)
    return tuple(sorted(raw + normalized, key=lambda token: token.id))


def _added_token(section: Section) -> AddedToken:
    content = section.get("content", str)
    if not content:
        raise section.error(f"{section.path('content')} is empty, so it would match everywhere")
    check_text(section, section.path("content"), content)
    for flag in _BORDER_FLAGS:
        if section.get(flag, bool, False):
            raise section.error(
                f"{section.path(flag)} is true ({content!r}), which is not supported"
            )
    number = check_id(section, section.path("id"), section.any("id"))
    return AddedToken(content, number, section.get("special", bool, False))


def _check_distinct(root: Section, added: Sequence[AddedToken]) -> None:
    by_id: dict[TokenId, AddedToken] = {}
    by_content: dict[str, AddedToken] = {}
    for token in added:
        if (other := by_id.setdefault(token.id, token)) is not token:
            raise root.error(
                f"added tokens {other.content!r} and {token.content!r} both have id {token.id}"
            )
        if (other := by_content.setdefault(token.content, token)) is not token:
            raise root.error(
                f"added token {token.content!r} has two ids, {other.id} and {token.id}"
            )


def _check_same_priority(
    root: Section, raw: Sequence[AddedToken], normalized: Sequence[AddedToken]
) -> None:
    # Hugging Face cuts at tokens with normalized=false before it looks for the others. One search
    # for the longest finds the same, unless an occurrence of one kind overlaps one of the other.
    for one in raw:
        for other in normalized:
            if _can_overlap(one.content, other.content):
                raise root.error(
                    f"added tokens {one.content!r} and {other.content!r} can overlap but differ in "
                    "'normalized', which is not supported"
                )


def _can_overlap(one: str, other: str) -> bool:
    if one in other or other in one:
        return True
    sizes = range(1, min(len(one), len(other)))
    return any(
        left.endswith(right[:size])
        for size in sizes
        for left, right in ((one, other), (other, one))
    )


def ordinary_ids(
    model: Section,
    ids: Mapping[str, TokenId],
    added: Sequence[AddedToken],
    merges: MergeTable,
    *,
    is_byte_level: bool,
) -> dict[str, TokenId]:
    """`ids` without the added tokens that only stand there to have their id.

    An added token stays if it is an ordinary token as well: a first symbol, part or result of a
    merge, or found by looking up a whole pre-token.

    Raises:
        FormatError: an added token has the id of another token.
    """
    spelling_by_id = {number: spelling for spelling, number in ids.items()}
    merged = set(merges.joined.tolist()) | set(merges.left.tolist()) | set(merges.right.tolist())
    looks_up = model.get("ignore_merges", bool, False)
    ordinary = dict(ids)
    for token in added:
        other = spelling_by_id.get(token.id)
        if other is None:
            continue
        if other != token.content:
            raise model.error(
                f"id {token.id} is given to both the added token {token.content!r} and the token "
                f"{other[:60]!r} of {model.path('vocab')}"
            )
        reached = _is_reached(token.content, is_byte_level=is_byte_level, looks_up=looks_up)
        if not reached and token.id not in merged:
            del ordinary[token.content]
    return ordinary


def _is_reached(content: str, *, is_byte_level: bool, looks_up: bool) -> bool:
    """True if the entry is a first symbol, or the whole of a pre-token that is not its content."""
    if not is_byte_level:
        return len(content) == 1
    spelled = bytes_of(content)
    return spelled is not None and (len(spelled) == 1 or (looks_up and spelled != content.encode()))


def check_shared(model: Section, added: Sequence[AddedToken], vocabulary: Vocabulary) -> None:
    """Refuse an added token whose content is not what its id stands for as an ordinary token."""
    for token in added:
        meant = vocabulary.tokens.get(token.id, token.content.encode())
        if meant != token.content.encode():
            raise model.error(
                f"id {token.id} is given to both the added token {token.content!r} and the bytes "
                f"{meant!r}, which {model.path('vocab')} spells the same"
            )
