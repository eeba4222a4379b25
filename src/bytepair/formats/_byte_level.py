"""Byte-level BPE as tokens with ids and a list of merges: what GPT-2's files and GGUF's hold."""

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import compress

import numpy as np

from bytepair.errors import FormatError
from bytepair.formats._entries import core
from bytepair.formats._json import Section
from bytepair.formats._vocab import byte_level_vocabulary, read_ids
from bytepair.model import AddedToken, MergeTable, TokenId, Vocabulary


def merge_list(
    lines: Mapping[int, str], where: Callable[[int], str], ids: dict[str, TokenId]
) -> MergeTable:
    """The merges as ids, the first one first.

    Args:
        lines: by number; each is two tokens as the file spells them, with one space between.
        where: says in messages where the line of a number is.

    Raises:
        FormatError: a line that is none, a merge of tokens that have no id, or one that is there
            twice.
    """
    compiled = core()
    columns = compiled.merges(ids, list(lines.values())) if compiled else None
    if columns is not None:  # the core reads what is plainly sound
        left, right, joined = columns
        return MergeTable(left, right, joined, np.arange(len(lines), dtype=np.uint32))
    return MergeTable.from_merges(_merges(lines, where, ids))


def _merges(
    lines: Mapping[int, str], where: Callable[[int], str], ids: Mapping[str, TokenId]
) -> Iterator[tuple[TokenId, TokenId, TokenId]]:
    first_seen: dict[tuple[TokenId, TokenId], int] = {}
    for number, line in lines.items():
        match line.split(" "):
            case [left, right] if left and right:
                pass
            case _:
                raise FormatError(
                    f"{where(number)}: wanted two tokens with one space between, got {line[:60]!r}"
                )
        try:
            pair, joined = (ids[left], ids[right]), ids[left + right]
        except KeyError as error:
            raise FormatError(
                f"{where(number)}: {left!r} and {right!r} give {left + right!r}, but "
                f"{error.args[0]!r} is not in the vocabulary"
            ) from None
        if (first := first_seen.setdefault(pair, number)) != number:
            raise FormatError(
                f"{where(number)}: {left!r} and {right!r} were already merged ({where(first)})"
            )
        yield (*pair, joined)


def spelt_ids(source: str, tokens: Mapping[str, object]) -> dict[str, TokenId]:
    """Token as spelt -> id, ascending by id.

    Raises:
        FormatError: an id that is no id, two tokens with one id, an empty token.
    """
    return read_ids(Section(source, "", {"vocab": dict(tokens)}))


def ordinary_vocabulary(
    source: str,
    ids: Mapping[str, TokenId],
    merges: MergeTable,
    added: Collection[AddedToken],
    suffix: str = "",
) -> Vocabulary:
    """The tokens that are not there only because an added token must have an id.

    Args:
        suffix: of tokens that end a word, or "".

    Raises:
        FormatError: a character that stands for no byte, a byte without a token, or an added token
            with the id of another token.
    """
    section = Section(source, "", {"vocab": {}})
    spelling_by_id = {number: spelling for spelling, number in ids.items()}
    for token in added:
        section.check_text(f"the added token {token.content[:60]!r}", token.content)
        other = spelling_by_id.get(token.id, token.content)
        if other != token.content:
            raise FormatError(
                f"{source}: id {token.id} is given to both the added token {token.content!r} and "
                f"the token {other[:60]!r}"
            )
    columns = np.concatenate((merges.left, merges.right, merges.joined))
    is_free = np.isin([token.id for token in added], columns, invert=True)
    contents = {token.content for token in compress(added, is_free)}
    kept = {t: n for t, n in ids.items() if t not in contents or len(t) == 1}
    return byte_level_vocabulary(section, kept, suffix)
