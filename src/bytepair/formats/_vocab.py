"""The tokens of a `tokenizer.json`: how they are spelt, and what makes a list of them sound.

A *spelling* is a token as the file writes it. In a byte-level file each of its characters stands
for one byte; in a file with byte fallback it is the text itself, or `<0x41>` for a byte.
"""

import re
from collections.abc import Mapping

from bytepair.errors import ExportError
from bytepair.formats._json import Object, Section
from bytepair.model import BYTE_TO_CHAR, AddedToken, TokenId, Vocabulary

ID_LIMIT = 2**31
FALLBACK_SPELLINGS = tuple(f"<0x{byte:02X}>" for byte in range(256))

_BYTE_BY_CHAR = {char: byte for byte, char in enumerate(BYTE_TO_CHAR)}
_SHOWN = 5


def read_ids(model: Section) -> dict[str, TokenId]:
    """Spelling -> id, ascending by id.

    Raises:
        FormatError: an id that is no id, two tokens with one id, an empty token.
    """
    vocab: Object = model.get("vocab", dict)
    path = model.path("vocab")
    ids = {t: check_id(model, f"{path}[{t[:60]!r}]", value) for t, value in vocab.items()}
    if "" in ids:
        raise model.error(f"{path} has an empty token (id {ids['']})")
    token_by_id: dict[TokenId, str] = {}
    for token, number in ids.items():
        if (other := token_by_id.setdefault(number, token)) != token:
            raise model.error(f"{path} gives id {number} to both {other!r} and {token!r}")
    return dict(sorted(ids.items(), key=lambda item: item[1]))


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
    try:
        return bytes([_BYTE_BY_CHAR[char] for char in spelling])
    except KeyError:
        return None


def byte_level_vocabulary(model: Section, ids: Mapping[str, TokenId]) -> Vocabulary:
    """The tokens of a byte-level file.

    Raises:
        FormatError: a character that stands for no byte, or a byte without a token.
    """
    tokens: dict[TokenId, bytes] = {}
    for spelling, number in ids.items():
        if (token := bytes_of(spelling)) is None:
            odd = next(char for char in spelling if char not in _BYTE_BY_CHAR)
            raise model.error(
                f"{model.path('vocab')}: token {spelling[:60]!r} (id {number}) holds {odd!r}, "
                "which stands for no byte, so no text has this token"
            )
        tokens[number] = token
    return Vocabulary(tokens, _byte_ids(model, ids, BYTE_TO_CHAR))


def fallback_vocabulary(model: Section, ids: Mapping[str, TokenId]) -> Vocabulary:
    """The tokens of a file with characters and byte fallback.

    Raises:
        FormatError: a byte without a token, or a token that is not text.
    """
    byte_ids = _byte_ids(model, ids, FALLBACK_SPELLINGS)
    tokens = {}
    for spelling, number in ids.items():
        check_text(model, f"{model.path('vocab')}: token {spelling[:60]!r}", spelling)
        tokens[number] = spelling.encode()
    tokens.update({number: bytes([byte]) for byte, number in enumerate(byte_ids)})
    return Vocabulary(tokens, byte_ids)


def check_text(section: Section, path: str, text: str) -> None:
    """Refuse half a surrogate pair, which no text can contain."""
    if not text.isascii() and re.search("[\ud800-\udfff]", text):
        raise section.error(f"{path} holds half a surrogate pair, so no text can contain it")


def _byte_ids(
    model: Section, ids: Mapping[str, TokenId], spellings: tuple[str, ...]
) -> tuple[TokenId, ...]:
    missing = [byte for byte, spelling in enumerate(spellings) if spelling not in ids]
    if missing:
        raise model.error(f"{model.path('vocab')}: {missing_bytes(missing)}")
    return tuple(ids[spelling] for spelling in spellings)


def missing_bytes(missing: list[int]) -> str:
    """The complaint about bytes that no token stands for."""
    shown = ", ".join(f"0x{byte:02X}" for byte in missing[:_SHOWN])
    more = ", …" if len(missing) > _SHOWN else ""
    return (
        f"{len(missing)} of the 256 bytes have no token ({shown}{more}), so some texts could not "
        "be encoded"
    )


def spell(vocabulary: Vocabulary, *, is_byte_level: bool) -> dict[TokenId, str]:
    """Id -> spelling, ascending by id.

    Raises:
        ExportError: a token that cannot be spelt, or two that are spelt alike.
    """
    if is_byte_level:
        items = vocabulary.tokens.items()
        spellings = {number: "".join([BYTE_TO_CHAR[b] for b in token]) for number, token in items}
    else:
        spellings = _fallback_spellings(vocabulary)
    _check_distinct(spellings)
    return dict(sorted(spellings.items()))


def _fallback_spellings(vocabulary: Vocabulary) -> dict[TokenId, str]:
    spellings = dict(zip(vocabulary.byte_ids, FALLBACK_SPELLINGS, strict=True))
    for number, token in vocabulary.tokens.items():
        if number not in spellings:
            spellings[number] = _text_spelling(number, token)
    return spellings


def _text_spelling(number: TokenId, token: bytes) -> str:
    try:
        spelling = token.decode()
    except UnicodeDecodeError:
        raise ExportError(f"token {number} ({token[:60]!r}) is not text") from None
    if spelling in FALLBACK_SPELLINGS:
        raise ExportError(
            f"token {number} is the text {spelling!r}, by which Hugging Face means a byte. "
            "Use alphabet='bytes'."
        )
    return spelling


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
