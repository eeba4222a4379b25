"""The tokens of a `tokenizer.json`: how they are spelt, and what makes a list of them sound.

A *spelling* is a token as the file writes it. In a byte-level file each of its characters stands
for one byte; in a file with byte fallback it is the text itself, or `<0x41>` for a byte. It may
begin with the prefix of tokens that continue a word, and end with the suffix of those that end one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from operator import gt
from typing import NamedTuple, NoReturn, cast

import numpy as np

from bytepair.formats._entries import Entries, bytes_of_all
from bytepair.formats._json import Object, Section, has_surrogate
from bytepair.model import BYTE_TO_CHAR, TokenId, Vocabulary, to_utf8

ID_LIMIT = 2**31
FALLBACK_SPELLINGS = tuple(f"<0x{byte:02X}>" for byte in range(256))

_FALLBACK_SET = frozenset(FALLBACK_SPELLINGS)
_BYTE_BY_CHAR = {char: byte for byte, char in enumerate(BYTE_TO_CHAR)}
_SHOWN = 5


class Parts(NamedTuple):
    """A spelling taken apart: what is between prefix and suffix, and which of them there are."""

    core: str
    continues_word: bool
    ends_word: bool


@dataclass(frozen=True, slots=True)
class Spelling:
    """How the tokens of a file are spelt.

    Attributes:
        is_byte_level: characters stand for bytes.
        has_fallback: there are byte tokens, spelt `<0x41>`.
        prefix: of tokens that continue a word, or "".
        suffix: of tokens that end a word, or "".
    """

    is_byte_level: bool
    has_fallback: bool = False
    prefix: str = ""
    suffix: str = ""

    def parts(self, spelling: str) -> Parts:
        """A spelling taken apart; one that would be all prefix or suffix has none.

        >>> Spelling(False, prefix="##").parts("##ing")
        Parts(core='ing', continues_word=True, ends_word=False)
        """
        core, continues, ends = spelling, False, False
        if self.prefix and core.startswith(self.prefix) and core != self.prefix:
            core, continues = core[len(self.prefix) :], True
        if self.suffix and core.endswith(self.suffix) and core != self.suffix:
            core, ends = core[: -len(self.suffix)], True
        return Parts(core, continues, ends)

    def is_first_symbol(self, spelling: str) -> bool:
        """True for what a pre-token can consist of before anything is merged."""
        core = self.parts(spelling).core
        return len(core) == 1 or (self.has_fallback and spelling in _FALLBACK_SET)


def read_entries(model: Section) -> Entries:
    """The vocabulary of a model.

    Raises:
        FormatError: as `read_ids`.
    """
    return Entries(read_ids(model))


def read_ids(model: Section) -> dict[str, TokenId]:
    """Spelling -> id, ascending by id.

    Raises:
        FormatError: an id that is no id, two tokens with one id, an empty token.
    """
    vocab: Object = model.get("vocab", dict)
    path = model.path("vocab")
    if "" in vocab:
        raise model.error(f"{path} has an empty token (id {vocab['']})")
    ids = _plain_ids(vocab)
    if ids is None:
        _refuse_ids(model, vocab)
    if any(map(gt, ids.values(), islice(ids.values(), 1, None))):
        ids = dict(sorted(ids.items(), key=lambda item: item[1]))
    return ids


def _plain_ids(vocab: Object) -> dict[str, TokenId] | None:
    """`vocab`, if each value is an id and none occurs twice; the check costs no loop in Python."""
    if not set(map(type, vocab.values())) <= {int}:
        return None
    ids = cast("dict[str, TokenId]", vocab)
    try:
        ordered = np.sort(np.fromiter(ids.values(), np.int64, len(ids)))
    except OverflowError:
        return None
    if not np.all(ordered[1:] > ordered[:-1]):
        return None
    return ids if not len(ordered) or (ordered[0] >= 0 and ordered[-1] < ID_LIMIT) else None


def _refuse_ids(model: Section, vocab: Object) -> NoReturn:
    """Say which value of `vocab` is no id, or which two are the same."""
    path = model.path("vocab")
    token_by_id: dict[TokenId, str] = {}
    for token, value in vocab.items():
        number = check_id(model, f"{path}[{token[:60]!r}]", value)
        if (other := token_by_id.setdefault(number, token)) != token:
            raise model.error(f"{path} gives id {number} to both {other[:60]!r} and {token[:60]!r}")
    raise model.error(f"{path} is damaged")


def check_id(section: Section, path: str, value: object) -> TokenId:
    """`value` as a token id.

    Raises:
        FormatError: not a whole number, negative, or too large for 31 bits.
    """
    number = section.typed(path, value, int)
    if not 0 <= number < ID_LIMIT:
        raise section.error(f"{path} is {number}, which is no id (0 to {ID_LIMIT - 1})")
    return number


def bytes_of(spelling: str) -> bytes | None:
    """The bytes that a spelling of a byte-level file stands for; None if it stands for none."""
    spelt = bytes_of_all([spelling])
    return spelt[0] if spelt else None


def read_vocabulary(
    model: Section, entries: Entries, spelling: Spelling, left_out: frozenset[TokenId] = frozenset()
) -> Vocabulary:
    """The tokens of a file as bytes, without those that are left out.

    A byte-level vocabulary that lacks one of the 256 bytes has no `byte_ids`.

    Raises:
        FormatError: a character that stands for no byte, or that no text can contain.
    """
    if spelling.prefix or spelling.suffix:
        return _marked_vocabulary(model, entries, spelling, left_out)
    tokens = entries.contents(is_byte_level=spelling.is_byte_level, left_out=left_out)
    if tokens is None:
        _refuse_spelling(model, entries, spelling, left_out)
    byte_ids = _byte_ids(entries, spelling)
    if spelling.has_fallback:
        tokens = tokens.replaced({n: bytes([byte]) for byte, n in enumerate(byte_ids)})
    return Vocabulary(tokens, byte_ids)


def _marked_vocabulary(
    model: Section, entries: Entries, spelling: Spelling, left_out: frozenset[TokenId]
) -> Vocabulary:
    """As above, where tokens say by their spelling that they begin or end a word."""
    parts = {n: spelling.parts(token) for token, n in entries.items() if n not in left_out}
    cores = [part.core for part in parts.values()]
    contents = bytes_of_all(cores) if spelling.is_byte_level else list(map(to_utf8, cores))
    if contents is None or any(map(has_surrogate, cores)):
        _refuse_spelling(model, entries, spelling, left_out)
    return Vocabulary(
        dict(zip(parts, contents, strict=True)),
        _byte_ids(entries, spelling),
        ends_word=frozenset(number for number, part in parts.items() if part.ends_word),
        continues_word=frozenset(number for number, part in parts.items() if part.continues_word),
    )


def _byte_ids(entries: Entries, spelling: Spelling) -> tuple[TokenId, ...]:
    if spelling.has_fallback:
        return tuple(entries[byte] for byte in FALLBACK_SPELLINGS)
    if not spelling.is_byte_level or _missing(entries, BYTE_TO_CHAR):
        return ()
    return tuple(entries[byte] for byte in BYTE_TO_CHAR)


def byte_level_vocabulary(
    model: Section, ids: Mapping[str, TokenId], suffix: str = ""
) -> Vocabulary:
    """The tokens of a byte-level file that needs every byte.

    Args:
        suffix: of tokens that end a word, or "".

    Raises:
        FormatError: a character that stands for no byte, or a byte without a token.
    """
    if missing := _missing(ids, BYTE_TO_CHAR):
        raise model.error(f"{model.path('vocab')}: {missing_bytes(missing)}")
    spelling = Spelling(is_byte_level=True, suffix=suffix)
    return read_vocabulary(model, Entries(dict(ids)), spelling)


def _refuse_spelling(
    model: Section, entries: Entries, spelling: Spelling, left_out: frozenset[TokenId]
) -> NoReturn:
    for token, number in entries.items():
        path = f"{model.path('vocab')}: token {token[:60]!r}"
        odd = (char for char in spelling.parts(token).core if char not in _BYTE_BY_CHAR)
        if number in left_out:
            continue
        if not spelling.is_byte_level:
            model.check_text(path, token)
        elif char := next(odd, None):
            raise model.error(
                f"{path} (id {number}) holds {char!r}, which stands for no byte, so no text has "
                "this token"
            )
    raise model.error(f"{model.path('vocab')} is damaged")


def _missing(ids: Mapping[str, TokenId], spellings: Iterable[str]) -> list[int]:
    """Places of those that are no tokens."""
    return [place for place, spelling in enumerate(spellings) if spelling not in ids]


def has_byte_tokens(model: Section, ids: Mapping[str, TokenId]) -> bool:
    """True if all byte tokens of byte fallback are there, False if none is.

    Raises:
        FormatError: only some are.
    """
    missing = _missing(ids, FALLBACK_SPELLINGS)
    if 0 < len(missing) < len(FALLBACK_SPELLINGS):
        raise model.error(
            f"{model.path('vocab')}: {missing_bytes(missing)}. Byte fallback needs all of them "
            f"({FALLBACK_SPELLINGS[0]} to {FALLBACK_SPELLINGS[-1]}), or none."
        )
    return not missing


def missing_bytes(missing: list[int]) -> str:
    """The complaint about bytes that no token stands for."""
    shown = ", ".join(f"0x{byte:02X}" for byte in missing[:_SHOWN])
    more = ", …" if len(missing) > _SHOWN else ""
    return (
        f"{len(missing)} of the 256 bytes have no token ({shown}{more}), so some texts could not "
        "be encoded"
    )
