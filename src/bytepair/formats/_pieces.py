r"""What SentencePiece's BPE does with a list of scored pieces, in the terms of this package.

Spaces are "\u2581" in pieces and in the text that pieces are looked up in; here they stay spaces,
and a "\u2581" in a text becomes one. The rest is a rank table: of two neighbours that together are
a piece, those with the best score are joined first, the leftmost of equals. Sources, all of
SentencePiece: `bpe_model.cc`, `normalizer.cc`, `sentencepiece_processor.cc`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bytepair.errors import FormatError
from bytepair.formats._halves import Halves, halves
from bytepair.formats._vocab import FALLBACK_SPELLINGS, missing_bytes
from bytepair.model import (
    AddedToken,
    CharMap,
    MergeTable,
    NormalizerStep,
    PostProcessor,
    Prepend,
    Replace,
    SplitRules,
    StripText,
    TokenId,
    TokenizerSpec,
    Tokens,
    Vocabulary,
)

SPACE = "\u2581"


class Kind(IntEnum):
    """What a piece is; the numbers are those of SentencePiece's and of GGUF's files."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


@dataclass(frozen=True)
class TextRules:
    """What happens to a text before pieces are looked for.

    Attributes:
        char_map: (key, replacement), see `CharMap`; () for none.
        dummy_prefix: a space is put before each text.
        remove_extra_spaces: none at the ends, and never two beside each other.
    """

    char_map: tuple[tuple[str, str], ...] = ()
    dummy_prefix: bool = True
    remove_extra_spaces: bool = True


@dataclass(frozen=True)
class PieceList:
    """The pieces as columns of one length, and the file they come from, for messages.

    Attributes:
        texts, scores, kinds: of each piece; its id is its place. Kinds are values of `Kind`.
    """

    source: str
    texts: Sequence[str]
    scores: Sequence[float]
    kinds: Sequence[int]

    def of(self, *kinds: Kind) -> list[TokenId]:
        """The pieces of these kinds."""
        found: list[TokenId] = np.flatnonzero(np.isin(self._kinds, kinds)).tolist()
        return found

    @cached_property
    def _kinds(self) -> NDArray[np.uint8]:
        return np.array(self.kinds, np.uint8)

    def error(self, number: TokenId, problem: str) -> FormatError:
        """The complaint about one piece."""
        return FormatError(f"{self.source}: piece {number} ({self.texts[number][:60]!r}) {problem}")


def pieces_spec(
    table: PieceList,
    rules: TextRules,
    *,
    name: str,
    unk_surface: str = " \u2047 ",
    post_processor: PostProcessor | None = None,
) -> TokenizerSpec:
    """The tokenizer that these pieces make.

    Control pieces become special tokens; user-defined ones are added tokens that are found in the
    text as it is after `rules`. An unknown piece decodes to `unk_surface`.

    Raises:
        FormatError: the list contradicts itself, or would give other ids here; the message names
            the piece.
    """
    _check_texts(table)
    added = tuple(_added_tokens(table, rules))
    byte_ids = _byte_ids(table)
    unk_id = next(iter(table.of(Kind.UNKNOWN)), None)
    return TokenizerSpec(
        Vocabulary(_tokens(table, byte_ids, unk_surface), byte_ids),
        _merges(table),
        SplitRules(
            normalizer=text_steps(table, rules),
            special_tokens=tuple(token.content for token in added if token.special),
        ),
        added,
        alphabet="chars",
        unk_id=None if byte_ids else unk_id,
        fuse_unk=not byte_ids,
        post_processor=post_processor or PostProcessor(),
        decoder=(StripText(" ", 1, 0),) if rules.dummy_prefix else (),
        name=name,
    )


# ---------------------------------------------------------------------- pieces


def _check_texts(table: PieceList) -> None:
    if "" in table.texts:
        raise table.error(table.texts.index(""), "is empty")
    for number in np.flatnonzero(np.isnan(table.scores)):
        raise table.error(int(number), "has a score that is no number")
    _check_distinct(table, table.of(Kind.UNKNOWN, Kind.CONTROL, Kind.BYTE))
    _check_distinct(table, table.of(Kind.NORMAL, Kind.USER_DEFINED, Kind.UNUSED))
    if len(table.of(Kind.UNKNOWN)) > 1:
        raise FormatError(f"{table.source}: there are several pieces of the type UNKNOWN")


def _check_distinct(table: PieceList, numbers: Iterable[TokenId]) -> None:
    seen: dict[str, TokenId] = {}
    for number in numbers:
        if (other := seen.setdefault(table.texts[number], number)) != number:
            raise table.error(number, f"is already piece {other}")


def _byte_ids(table: PieceList) -> tuple[TokenId, ...]:
    id_by_spelling = {table.texts[number]: number for number in table.of(Kind.BYTE)}
    if not id_by_spelling:
        return ()
    for spelling, number in id_by_spelling.items():
        if spelling not in FALLBACK_SPELLINGS:
            raise table.error(number, "is of the type BYTE, but not spelt like '<0x41>'")
    missing = [b for b, spelling in enumerate(FALLBACK_SPELLINGS) if spelling not in id_by_spelling]
    if missing:
        raise FormatError(f"{table.source}: {missing_bytes(missing)}")
    return tuple(id_by_spelling[spelling] for spelling in FALLBACK_SPELLINGS)


def _tokens(table: PieceList, byte_ids: tuple[TokenId, ...], unk_surface: str) -> Tokens:
    symbols = (n for n in table.of(Kind.USER_DEFINED) if not _is_added(table.texts[n]))
    numbers = [*table.of(Kind.NORMAL, Kind.UNUSED), *symbols]
    for number in numbers:
        if table.texts[number] == " ":
            raise table.error(number, f"is a space, which is spelt {SPACE!r}")
    tokens = Tokens.of({number: table.texts[number].encode() for number in numbers})
    others = {number: bytes([byte]) for byte, number in enumerate(byte_ids)}
    for number in table.of(Kind.UNKNOWN):
        # A token of one character is what that character in a text is encoded to.
        if len(unk_surface) == 1 and unk_surface not in table.texts:
            raise table.error(number, f"decodes to {unk_surface!r}, which no text is encoded to")
        others[number] = unk_surface.encode()
    return tokens.with_text(SPACE.encode(), b" ").replaced(others)


def _added_tokens(table: PieceList, rules: TextRules) -> Iterator[AddedToken]:
    seen: dict[str, TokenId] = {}
    specials = set(table.of(Kind.CONTROL))
    for number in table.of(Kind.CONTROL, Kind.USER_DEFINED):
        text = table.texts[number]
        if number in specials:
            yield AddedToken(text, number)
        elif _is_added(text):
            yield AddedToken(_spaced(text), number, special=False, normalized=True, verbatim=True)
        else:
            continue
        if (other := seen.setdefault(_spaced(text), number)) != number:
            raise table.error(number, f"is matched in a text as piece {other} is")
    if rules.remove_extra_spaces:
        _check_no_double_spaces(table)


def _is_added(symbol: str) -> bool:
    # Text holds no real space when pieces are looked for: such a piece is never found.
    return " " not in symbol


def _check_no_double_spaces(table: PieceList) -> None:
    for number in table.of(Kind.USER_DEFINED):
        if "  " in table.texts[number]:
            raise table.error(number, "holds two spaces, which are kept in it and nowhere else")


def _spaced(text: str) -> str:
    return text.replace(SPACE, " ")


# ---------------------------------------------------------------------- merges


def _merges(table: PieceList) -> MergeTable:
    """Every way to put a piece together from two others, ranked by its score."""
    made = _made(table)
    contents = _contents(table, made)
    columns = halves(Tokens.of(contents))
    _check_halves(table, contents, columns)
    rank = _ranks(table, made)[columns.whole]
    order = rank.argsort(kind="stable")
    return MergeTable(*(column[order] for column in (*columns, rank)))


def _made(table: PieceList) -> dict[TokenId, str]:
    """Pieces that merging can make or start from."""
    symbols = {table.texts[number] for number in table.of(Kind.USER_DEFINED)}
    numbers = table.of(Kind.NORMAL, Kind.UNUSED)
    made = {number: text for number in numbers if " " not in (text := table.texts[number])}
    if not symbols:
        return made
    lengths_by_first: dict[str, set[int]] = defaultdict(set)
    for symbol in symbols:
        lengths_by_first[symbol[0]].add(len(symbol))

    def parts(text: str) -> Iterator[str]:
        for place, char in enumerate(text):
            for length in lengths_by_first.get(char, ()):
                yield text[place : place + length]

    # Where a user-defined symbol is, nothing is joined.
    return {number: text for number, text in made.items() if symbols.isdisjoint(parts(text))}


def _contents(table: PieceList, made: Mapping[TokenId, str]) -> dict[TokenId, bytes]:
    """The bytes of these, and behind all pieces those of characters that have no piece."""
    texts = made.values()
    missing = sorted(set("".join(texts)).difference(texts))
    contents = {number: text.encode() for number, text in made.items()}
    contents.update((n, char.encode()) for n, char in enumerate(missing, len(table.texts)))
    return contents


def _check_halves(table: PieceList, contents: Mapping[TokenId, bytes], columns: Halves) -> None:
    unused = np.array(table.of(Kind.UNUSED), np.uint32)
    is_missing = np.maximum(columns.left, columns.right) >= len(table.texts)
    for row in np.flatnonzero(is_missing | np.isin(columns.whole, unused)):
        left, right, number = (int(column[row]) for column in columns)
        for part in (left, right):
            if part >= len(table.texts):
                char = contents[part].decode()
                raise table.error(number, f"is made with {char!r}, which has no piece of its own")
        raise table.error(
            number,
            "is of the type UNUSED: what it is taken apart into depends on the text around it",
        )


def _ranks(table: PieceList, made: Mapping[TokenId, str]) -> NDArray[np.uint32]:
    """Id of a piece of several characters -> its rank; the same for those of one score."""
    by_score: dict[float, list[TokenId]] = defaultdict(list)
    for number, text in made.items():
        if len(text) > 1:
            by_score[table.scores[number]].append(number)
    ranks = [0] * len(table.texts)
    n_ranks = 0
    for score in sorted(by_score, reverse=True):
        for equals in _by_place(by_score[score], made):
            for number in equals:
                ranks[number] = n_ranks
            n_ranks += 1
    return np.array(ranks, np.uint32)


def _by_place(ids: list[TokenId], made: Mapping[TokenId, str]) -> Iterable[list[TokenId]]:
    """Pieces of one score, in the order in which they are joined."""
    # Of runs of one character (Mistral's spaces) the leftmost that can grow is the longest, so
    # the order of their lengths says the same, and can be told in a list of merges.
    if len(ids) > 1 and len({char for number in ids for char in made[number]}) == 1:
        return ([number] for number in sorted(ids, key=lambda number: -len(made[number])))
    return [ids]


# ---------------------------------------------------------------------- text


def text_steps(table: PieceList, rules: TextRules) -> tuple[NormalizerStep, ...]:
    """The normalisers that do to a text what these rules say.

    Raises:
        FormatError: there are none.
    """
    char_map = _protected(table, rules.char_map)
    steps: list[NormalizerStep] = [CharMap(char_map)] if char_map else []
    if rules.dummy_prefix:
        steps.insert(_place_of_prefix(table, rules, char_map), Prepend(" "))
    if rules.remove_extra_spaces:
        steps.append(Replace(" {2,}", " ", is_regex=True))
        if not rules.dummy_prefix:
            steps.append(Replace(r"(?<![\s\S]) ", "", is_regex=True))
    steps.append(Replace(SPACE, " "))
    if rules.remove_extra_spaces:
        steps.append(Replace(r" +(?![\s\S])", "", is_regex=True))
    return tuple(steps)


def _protected(
    table: PieceList, char_map: tuple[tuple[str, str], ...]
) -> tuple[tuple[str, str], ...]:
    """The map with rules that leave user-defined symbols as they are: these are found first."""
    symbols = tuple(table.texts[number] for number in table.of(Kind.USER_DEFINED))
    if not char_map or not symbols:
        return char_map
    kept = (rule for rule in char_map if not rule[0].startswith(symbols))
    return (*kept, *((symbol, symbol) for symbol in symbols))


def _place_of_prefix(
    table: PieceList, rules: TextRules, char_map: tuple[tuple[str, str], ...]
) -> int:
    # A text of which nothing is left still gets its prefix, so that comes first, unless the map
    # would take it for the beginning of something.
    if not any(key.startswith(" ") for key, _ in char_map):
        return 0
    if any(not text for _, text in char_map) and not rules.remove_extra_spaces:
        raise FormatError(
            f"{table.source}: the character map has keys that begin with a space, and others that "
            "vanish, which is not supported together with add_dummy_prefix"
        )
    return 1
