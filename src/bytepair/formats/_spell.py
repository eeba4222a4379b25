"""How the tokens of a `tokenizer.json` are written."""

from collections.abc import Mapping

from bytepair.errors import ExportError
from bytepair.formats._vocab import FALLBACK_SPELLINGS, Spelling, bytes_of
from bytepair.model import BYTE_TO_CHAR, AddedToken, TokenId, Vocabulary

_FALLBACKS = frozenset(FALLBACK_SPELLINGS)


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
        if spelling in _FALLBACKS and number not in fallback:
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
    outside = all_outside(spellings, added)
    counted = range(len(spellings), len(spellings) + len(outside))
    return {} if list(outside.values()) == list(counted) else outside


def all_outside(
    spellings: Mapping[TokenId, str], added: tuple[AddedToken, ...]
) -> dict[str, TokenId]:
    """Added tokens that are no tokens of the vocabulary as well.

    Raises:
        ExportError: as above.
    """
    id_by_spelling = {spelling: number for number, spelling in spellings.items()}
    for token in added:
        if id_by_spelling.get(token.content, token.id) != token.id:
            raise ExportError(
                f"added token {token.content!r} has id {token.id}, but Hugging Face would give it "
                f"id {id_by_spelling[token.content]}, whose token is spelt the same"
            )
    return {t.content: t.id for t in added if t.content not in id_by_spelling}


def check_not_looked_up(
    extra: Mapping[str, TokenId], spelling: Spelling, *, ignore_merges: bool
) -> None:
    """Refuse added tokens that text could be encoded to once they stand in the vocabulary.

    Raises:
        ExportError: there is one.
    """
    for content, number in extra.items():
        shown = f"added token {content!r} (id {number}): programs would also give its id to the"
        spelt = bytes_of(content) if spelling.is_byte_level else None
        if ignore_merges and spelt not in {None, content.encode()}:
            raise ExportError(f"{shown} text {spelt!r}, which their vocabulary spells the same")
        if spelling.is_first_symbol(content) and (spelt or not spelling.is_byte_level):
            raise ExportError(f"{shown} character {content!r} wherever they find it")
