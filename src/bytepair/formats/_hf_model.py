"""The "model" of a `tokenizer.json`: BPE, its tokens, its merges and its options."""

from collections.abc import Collection, Mapping
from itertools import chain, repeat
from operator import add, contains
from typing import NamedTuple, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from bytepair.formats._entries import CoreEntries, Entries
from bytepair.formats._json import Section
from bytepair.formats._vocab import FALLBACK_SPELLINGS, Spelling, has_byte_tokens, read_entries
from bytepair.model import MergeTable, TokenId

_OTHER_MODELS = ("WordPiece", "WordLevel", "Unigram")
_HEADER = "#version:"


class Model(NamedTuple):
    """What the model says, before added tokens are told from ordinary ones.

    Attributes:
        section: where it stands, for messages.
        ids: spelling -> id, ascending by id.
    """

    section: Section
    ids: Entries
    merges: MergeTable
    spelling: Spelling
    unk_id: TokenId | None
    fuse_unk: bool
    ignore_merges: bool
    dropout: float | None


def read_model(root: Section, entries: CoreEntries | None, *, is_byte_level: bool) -> Model:
    """The model of a file; `entries` are its vocabulary and merges, if the core has read them.

    Raises:
        FormatError: no BPE, damaged, or with options that cannot be told apart from text.
    """
    section = _bpe(root)
    section.ignore("vocab", "merges")
    ids = read_entries(section) if entries is None else entries
    spelling = _spelling(section, ids, is_byte_level=is_byte_level)
    merges = _read_merges(section, ids, spelling.prefix) if entries is None else entries.merges()
    if spelling.has_fallback:
        _check_no_byte_merges(section, ids, merges)
    unk_id = _unk_id(section, ids, spelling)
    fuse_unk = section.get("fuse_unk", bool, False)
    return Model(
        section,
        ids,
        merges,
        spelling,
        unk_id,
        fuse_unk and unk_id is not None,
        _ignores_merges(section, spelling),
        _dropout(section),
    )


def _bpe(root: Section) -> Section:
    model = root.section("model")
    if "type" not in model.members and "merges" in model.members:
        return model  # files of 2019 and 2020 do not say it
    kind = model.get("type", str)
    if kind in _OTHER_MODELS:
        raise model.error(
            f"{model.path('type')} is {kind!r}: bytepair is for BPE tokenizers only. "
            "The library `tokenizers` runs the other models."
        )
    model.known_type(("BPE",))
    return model


def _spelling(model: Section, ids: Mapping[str, TokenId], *, is_byte_level: bool) -> Spelling:
    prefix = model.optional("continuing_subword_prefix", str) or ""
    suffix = model.optional("end_of_word_suffix", str) or ""
    has_fallback = model.get("byte_fallback", bool, False) and has_byte_tokens(model, ids)
    if is_byte_level:
        has_fallback = False  # it would be for characters that spell no byte, which never come
    if has_fallback and (prefix or suffix):
        # Hugging Face would spell the bytes of prefix and suffix, too.
        raise model.error(
            f"{model.path('byte_fallback')} together with continuing_subword_prefix or "
            "end_of_word_suffix is not supported"
        )
    return Spelling(is_byte_level, has_fallback, prefix, suffix)


def _ignores_merges(model: Section, spelling: Spelling) -> bool:
    ignores = model.get("ignore_merges", bool, False)
    if ignores and (spelling.prefix or spelling.suffix):
        # Hugging Face would look whole pre-tokens up without them, and find tokens of other places.
        raise model.error(
            f"{model.path('ignore_merges')} together with continuing_subword_prefix or "
            "end_of_word_suffix is not supported"
        )
    return ignores


def _unk_id(model: Section, ids: Mapping[str, TokenId], spelling: Spelling) -> TokenId | None:
    content = model.optional("unk_token", str)
    if content is None or content in ids:
        return None if content is None else ids[content]
    if spelling.is_byte_level or spelling.has_fallback:
        return None  # it is not needed: each byte has a token
    raise model.error(f"{model.path('unk_token')} {content[:60]!r} is not in {model.path('vocab')}")


def _dropout(model: Section) -> float | None:
    value = model.any("dropout")
    if value is None:
        return None
    if type(value) not in {int, float} or not 0 <= cast("float", value) <= 1:
        raise model.error(
            f"{model.path('dropout')} must be a number from 0 to 1 or null, got {str(value)[:60]}"
        )
    return float(cast("float", value)) or None


def _read_merges(model: Section, ids: Mapping[str, TokenId], prefix: str) -> MergeTable:
    """The merge list. Both spellings of a merge, "a b" and ["a", "b"], are understood."""
    merges: list[object] = model.get("merges", list)
    if merges and isinstance(merges[0], str) and merges[0].startswith(_HEADER):
        merges = merges[1:]  # the first line of a merges.txt; Hugging Face skips it as well
    parts = _flat(merges)
    try:
        left, right, joined = _columns(parts, ids, prefix)
    except (KeyError, TypeError):
        _refuse_merge(model, merges, ids, prefix)
    _check_distinct(model, merges, left, right)
    return MergeTable(left, right, joined, np.arange(len(left), dtype=np.uint32))


def _flat(merges: list[object]) -> list[str] | None:
    """left, right, left, right, ...; None unless all are two tokens, in one spelling.

    Hundreds of thousands of merges are usual: nothing here is a loop in Python.
    """
    kinds = set(map(type, merges))
    if kinds == {list}:
        pairs = cast("list[list[str]]", merges)
        return list(chain.from_iterable(pairs)) if set(map(len, pairs)) == {2} else None
    if kinds == {str}:
        lines = cast("list[str]", merges)
        parts = " ".join(lines).split(" ")
        one_each = len(parts) == 2 * len(lines) and all(map(contains, lines, repeat(" ")))
        return parts if one_each else None
    return [] if not merges else None


_Column = NDArray[np.uint32]


def _columns(
    parts: list[str] | None, ids: Mapping[str, TokenId], prefix: str
) -> tuple[_Column, _Column, _Column]:
    """The ids of the left, right and joined tokens; KeyError if there is none for one of them."""
    if parts is None:
        raise KeyError
    lefts, rights = parts[::2], parts[1::2]
    left, right = _look_up(lefts, ids), _look_up(rights, ids)
    if prefix:
        if not all(len(part) > len(prefix) and part.startswith(prefix) for part in rights):
            raise KeyError
        rights = [part[len(prefix) :] for part in rights]
    return left, right, _look_up(list(map(add, lefts, rights)), ids)


def _look_up(tokens: Collection[str], ids: Mapping[str, TokenId]) -> _Column:
    return np.fromiter(map(ids.__getitem__, tokens), np.uint32, len(tokens))


def _refuse_merge(
    model: Section, merges: list[object], ids: Mapping[str, TokenId], prefix: str
) -> NoReturn:
    """Say which merge is not understood, and why."""
    for place, merge in enumerate(merges):
        path = f"{model.path('merges')}[{place}]"
        left, right = _two_tokens(model, path, merge, type(merges[0]))
        if prefix and not (right.startswith(prefix) and right != prefix):
            raise model.error(
                f"{path}: {right[:60]!r} does not begin with the prefix {prefix[:60]!r} of tokens "
                "that continue a word, so it is never on the right"
            )
        joined = left + right[len(prefix) :]
        for part in (left, right, joined):
            if part not in ids:
                raise model.error(
                    f"{path}: {left[:60]!r} and {right[:60]!r} give {joined[:60]!r}, but "
                    f"{part[:60]!r} is not in {model.path('vocab')}"
                )
    raise model.error(f"{model.path('merges')} is damaged")


def _two_tokens(model: Section, path: str, merge: object, kind: type) -> tuple[str, str]:
    if type(merge) is kind:
        match merge.split(" ") if isinstance(merge, str) else merge:
            case [str(left), str(right)] if left and right:
                return left, right
    first = f"{model.path('merges')}[0]"
    if path == first:
        wanted = 'two tokens, "a b" or ["a", "b"]'
    elif kind is list:
        wanted = f"a list of two tokens, as {first} is"
    else:
        wanted = f'two tokens in a string, "a b", as {first} is'
    raise model.error(f"{path} must be {wanted}, got {merge!r:.60}")


def _check_distinct(model: Section, merges: list[object], left: _Column, right: _Column) -> None:
    pairs = (left.astype(np.uint64) << np.uint64(32)) | right
    order = np.argsort(pairs, kind="stable")
    again = np.flatnonzero(pairs[order][1:] == pairs[order][:-1])
    if len(again):
        first, place = order[again[0]], order[again[0] + 1]
        raise model.error(
            f"{model.path('merges')}[{place}]: {str(merges[place])[:60]} was already merged by "
            f"merges[{first}]"
        )


def _check_no_byte_merges(model: Section, ids: Mapping[str, TokenId], merges: MergeTable) -> None:
    # Hugging Face would decode such a token as its spelling, not as its bytes.
    byte_ids = [ids[spelling] for spelling in FALLBACK_SPELLINGS]
    columns = (merges.left, merges.right, merges.joined)
    least, most = min(byte_ids), max(byte_ids)
    among = [np.flatnonzero((column >= least) & (column <= most)) for column in columns]
    found = [
        some[np.isin(column[some], byte_ids)] for column, some in zip(columns, among, strict=True)
    ]
    places = np.sort(np.concatenate(found))
    if len(places):
        raise model.error(
            f"{model.path('merges')}[{places[0]}] takes part in byte fallback, which is not "
            "supported"
        )
