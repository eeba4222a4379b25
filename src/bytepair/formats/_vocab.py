"""The tokens of a `tokenizer.json`: how they are spelt, and what makes a list of them sound.

A *spelling* is a token as the file writes it. In a byte-level file each of its characters stands
for one byte; in a file with byte fallback it is the text itself, or `<0x41>` for a byte. It may
begin with the prefix of tokens that continue a word, and end with the suffix of those that end one.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate, islice
from operator import gt
from typing import NamedTuple, NoReturn, cast

import numpy as np

from bytepair.errors import ExportError
from bytepair.formats._json import Object, Section
from bytepair.model import BYTE_TO_CHAR, AddedToken, TokenId, Vocabulary

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
    spelt = _bytes_of_all([spelling])
    return spelt[0] if spelt else None


# From the code of a character to the byte it spells; what spells none is at the end.
_BYTE_BY_CODE = np.full(max(map(ord, BYTE_TO_CHAR)) + 2, -1, np.int16)
_BYTE_BY_CODE[list(map(ord, BYTE_TO_CHAR))] = range(256)


def _bytes_of_all(spellings: Collection[str]) -> list[bytes] | None:
    """The bytes of many spellings; None if one of them stands for none."""
    codes = np.frombuffer("".join(spellings).encode("utf-32-le", "surrogatepass"), np.uint32)
    spelt = _BYTE_BY_CODE[np.minimum(codes, len(_BYTE_BY_CODE) - 1)]
    if len(spelt) and spelt.min() < 0:
        return None
    data, ends = spelt.astype(np.uint8).tobytes(), list(accumulate(map(len, spellings)))
    return [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def read_vocabulary(model: Section, ids: Mapping[str, TokenId], spelling: Spelling) -> Vocabulary:
    """The tokens `ids` (ascending) as bytes.

    A byte-level vocabulary that lacks one of the 256 bytes has no `byte_ids`.

    Raises:
        FormatError: a character that stands for no byte, or that no text can contain.
    """
    numbers, parts = list(ids.values()), None
    cores: Collection[str] = ids.keys()
    if spelling.prefix or spelling.suffix:
        parts = list(map(spelling.parts, ids))
        cores = [part.core for part in parts]
    contents = _contents(model, ids, cores, spelling)
    tokens = dict(zip(numbers, contents, strict=True))
    firsts = BYTE_TO_CHAR if spelling.is_byte_level else FALLBACK_SPELLINGS
    has_bytes = spelling.has_fallback or (spelling.is_byte_level and not _missing(ids, firsts))
    byte_ids = tuple(ids[first] for first in firsts) if has_bytes else ()
    if spelling.has_fallback:
        tokens.update((number, bytes([byte])) for byte, number in enumerate(byte_ids))
    if parts is None:
        return Vocabulary(tokens, byte_ids)
    ends, continues = (
        frozenset(n for n, part in zip(numbers, parts, strict=True) if part[place])
        for place in (2, 1)
    )
    return Vocabulary(tokens, byte_ids, ends_word=ends, continues_word=continues)


def byte_level_vocabulary(model: Section, ids: Mapping[str, TokenId]) -> Vocabulary:
    """The tokens of a byte-level file that needs every byte.

    Raises:
        FormatError: a character that stands for no byte, or a byte without a token.
    """
    if missing := _missing(ids, BYTE_TO_CHAR):
        raise model.error(f"{model.path('vocab')}: {missing_bytes(missing)}")
    return read_vocabulary(model, ids, Spelling(is_byte_level=True))


def _contents(
    model: Section, ids: Mapping[str, TokenId], cores: Collection[str], spelling: Spelling
) -> list[bytes]:
    if spelling.is_byte_level:
        contents = _bytes_of_all(cores)
        return contents if contents is not None else _refuse_spelling(model, ids, cores)
    try:
        return list(map(str.encode, cores))
    except UnicodeEncodeError:
        for token in ids:
            check_text(model, f"{model.path('vocab')}: token {token[:60]!r}", token)
        raise


def _refuse_spelling(
    model: Section, ids: Mapping[str, TokenId], cores: Collection[str]
) -> NoReturn:
    for (token, number), core in zip(ids.items(), cores, strict=True):
        odd = next((char for char in core if char not in _BYTE_BY_CHAR), None)
        if odd is not None:
            raise model.error(
                f"{model.path('vocab')}: token {token[:60]!r} (id {number}) holds {odd!r}, "
                "which stands for no byte, so no text has this token"
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


def check_text(section: Section, path: str, text: str) -> None:
    """Refuse half a surrogate pair, which no text can contain."""
    if not text.isascii() and re.search("[\ud800-\udfff]", text):
        raise section.error(f"{path} holds half a surrogate pair, so no text can contain it")


def missing_bytes(missing: list[int]) -> str:
    """The complaint about bytes that no token stands for."""
    shown = ", ".join(f"0x{byte:02X}" for byte in missing[:_SHOWN])
    more = ", …" if len(missing) > _SHOWN else ""
    return (
        f"{len(missing)} of the 256 bytes have no token ({shown}{more}), so some texts could not "
        "be encoded"
    )


def spell(vocabulary: Vocabulary, spelling: Spelling) -> dict[TokenId, str]:
    """Id -> spelling, ascending by id.

    Raises:
        ExportError: a token that cannot be spelt, or two that are spelt alike.
    """
    if spelling.is_byte_level:
        items = vocabulary.tokens.items()
        spellings = {number: "".join([BYTE_TO_CHAR[b] for b in token]) for number, token in items}
    else:
        spellings = _text_spellings(vocabulary)
        if vocabulary.byte_ids:
            _check_no_byte(vocabulary, spellings)
    for number in vocabulary.continues_word:
        spellings[number] = spelling.prefix + spellings[number]
    for number in vocabulary.ends_word:
        spellings[number] += spelling.suffix
    _check_distinct(spellings)
    return dict(sorted(spellings.items()))


def _text_spellings(vocabulary: Vocabulary) -> dict[TokenId, str]:
    spellings = dict(zip(vocabulary.byte_ids, FALLBACK_SPELLINGS, strict=False))
    for number, token in vocabulary.tokens.items():
        if number not in spellings:
            spellings[number] = _text_spelling(number, token)
    return spellings


def _text_spelling(number: TokenId, token: bytes) -> str:
    try:
        return token.decode()
    except UnicodeDecodeError:
        raise ExportError(f"token {number} ({token[:60]!r}) is not text") from None


def _check_no_byte(vocabulary: Vocabulary, spellings: Mapping[TokenId, str]) -> None:
    fallback = set(vocabulary.byte_ids)
    for number, spelling in spellings.items():
        if spelling in _FALLBACK_SET and number not in fallback:
            raise ExportError(
                f"token {number} is the text {spelling!r}, by which Hugging Face means a byte. "
                "Use alphabet='bytes'."
            )


def _check_distinct(spellings: Mapping[TokenId, str]) -> None:
    id_by_spelling: dict[str, TokenId] = {}
    for number, spelling in spellings.items():
        if (other := id_by_spelling.setdefault(spelling, number)) != number:
            raise ExportError(f"tokens {other} and {number} are both {spelling!r}")


def added_vocab(
    spellings: Mapping[TokenId, str], added: tuple[AddedToken, ...]
) -> dict[str, TokenId]:
    """Added tokens that must stand in the model's vocabulary for Hugging Face to keep their ids.

    It numbers the others by itself, from the number of tokens on, whatever the file says.

    Raises:
        ExportError: an added token is spelt like another token of the vocabulary.
    """
    id_by_spelling = {spelling: number for number, spelling in spellings.items()}
    for token in added:
        if id_by_spelling.get(token.content, token.id) != token.id:
            raise ExportError(
                f"added token {token.content!r} has id {token.id}, but Hugging Face would give it "
                f"id {id_by_spelling[token.content]}, whose token is spelt the same"
            )
    outside = {t.content: t.id for t in added if t.content not in id_by_spelling}
    counted = range(len(spellings), len(spellings) + len(outside))
    return {} if list(outside.values()) == list(counted) else outside
