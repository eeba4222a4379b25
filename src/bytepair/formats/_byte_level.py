"""Byte-level BPE as tokens with ids and a list of merges: what GPT-2's files and GGUF's hold."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from bytepair.errors import FormatError
from bytepair.formats._json import Section
from bytepair.formats._vocab import byte_level_vocabulary, read_ids
from bytepair.model import AddedToken, MergeTable, TokenId, Vocabulary


class SpeltMerge(NamedTuple):
    """Two tokens as the file spells them; `where` says in messages which merge it is."""

    where: str
    left: str
    right: str


def split_merge(where: str, line: str) -> SpeltMerge:
    """A merge written as two tokens with one space between.

    Raises:
        FormatError: it is not.
    """
    match line.split(" "):
        case [left, right] if left and right:
            return SpeltMerge(where, left, right)
    raise FormatError(f"{where}: wanted two tokens with one space between, got {line[:60]!r}")


def merge_list(merges: Iterable[SpeltMerge], ids: Mapping[str, TokenId]) -> MergeTable:
    """The merges as ids, the first one first.

    Raises:
        FormatError: a merge of tokens that have no id, or one that is there twice.
    """
    return MergeTable.from_merges(_with_ids(merges, ids))


def _with_ids(
    merges: Iterable[SpeltMerge], ids: Mapping[str, TokenId]
) -> Iterator[tuple[TokenId, TokenId, TokenId]]:
    first_seen: dict[tuple[TokenId, TokenId], str] = {}
    for where, left, right in merges:
        try:
            pair, joined = (ids[left], ids[right]), ids[left + right]
        except KeyError as error:
            raise FormatError(
                f"{where}: {left!r} and {right!r} give {left + right!r}, but {error.args[0]!r} is "
                "not in the vocabulary"
            ) from None
        if (first := first_seen.setdefault(pair, where)) != where:
            raise FormatError(f"{where}: {left!r} and {right!r} were already merged ({first})")
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
    merged = {*merges.left.tolist(), *merges.right.tolist(), *merges.joined.tolist()}
    contents = {token.content for token in added if token.id not in merged}
    kept = {t: n for t, n in ids.items() if t not in contents or len(t) == 1}
    return byte_level_vocabulary(section, kept, suffix)
