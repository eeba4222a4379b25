"""The shapes of our own API: what requests hold and what answers hold."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar, cast

import msgspec
import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from bytepair.server._errors import invalid, parse_error
from bytepair.server._http import Call

# Without an upper limit: a long row is read as an array, which a larger number stands for.
Id = Annotated[int, Meta(ge=0, extra_json_schema={"maximum": 0xFFFF_FFFF})]
Ids = Annotated[
    list[int | list[int]],
    Meta(
        description="One row of ids, or several.",
        extra_json_schema={
            "items": {
                "anyOf": [
                    {"type": "integer", "minimum": 0},
                    {"type": "array", "items": {"type": "integer", "minimum": 0}},
                ]
            }
        },
    ),
]
Texts = Annotated[str | list[str], Meta(description="One text, or several.")]
Allowed = Annotated[
    Literal["all"] | list[str],
    Meta(description="Special tokens that count as such, and not as text."),
]
# Rows and texts can be JSON that is written already: `Written`.
Rows = Annotated[Any, Meta(extra_json_schema={"type": "array"})]
Counts = Annotated[int | list[int], Meta(description="One number for each text.")]


class TextRequest(Struct, forbid_unknown_fields=True, kw_only=True):
    """Text, and by whom it is to be encoded.

    Attributes:
        tokenizer: its name; none: the default.
    """

    text: Texts
    tokenizer: str | None = None
    allowed_special: Allowed = []


class EncodeRequest(TextRequest, kw_only=True):
    """As for `Tokenizer.encode`; special tokens that are not allowed are text."""

    disallowed_special: Allowed = []
    add_special_tokens: bool = False
    max_length: Annotated[int, Meta(ge=1)] | None = None
    truncation_side: Literal["left", "right"] = "right"
    offsets: bool = False


class EncodeAnswer(Struct, omit_defaults=True, kw_only=True):
    """Ids of the text, or a row for each of several; with `offsets` (first character, last + 1)."""

    tokenizer: str
    ids: Rows
    n_tokens: Counts
    offsets: Rows | None = None


class DecodeRequest(Struct, forbid_unknown_fields=True, kw_only=True):
    """As for `Tokenizer.decode`; with `stream` the text comes as server-sent events.

    Attributes:
        after: for a stream: ids of what came before (a prompt), whose text is not wanted.
    """

    ids: Ids
    tokenizer: str | None = None
    skip_special_tokens: bool = False
    errors: Literal["replace", "strict", "ignore"] = "replace"
    stream: bool = False
    after: list[Id] = []


class DecodeAnswer(Struct):
    """The text of the ids, or one for each row."""

    tokenizer: str
    text: Texts


class CountAnswer(Struct):
    """Tokens and bytes of the text, or of each of several."""

    tokenizer: str
    n_tokens: Counts
    n_bytes: Counts


class InspectRequest(Struct, forbid_unknown_fields=True, kw_only=True):
    """A text or ids, to be looked into. `columns`: arrays, one entry a token, not objects."""

    text: str | None = None
    ids: list[Id] | None = None
    tokenizer: str | None = None
    allowed_special: Allowed = "all"
    columns: bool = False


class PieceAnswer(Struct):
    """A token: its text (null: no whole characters), bytes in hexadecimal, place in bytes."""

    id: int
    text: str | None
    bytes: str
    start: int
    end: int
    special: bool


class InspectAnswer(Struct, omit_defaults=True, kw_only=True):
    """The tokens of a text. `ends`: where each ends, in bytes; `special`: which are added ones."""

    tokenizer: str
    n_tokens: int
    n_bytes: int
    n_characters: int
    n_words: int
    pieces: list[PieceAnswer] | None = None
    ids: Rows | None = None
    ends: Rows | None = None
    special: list[int] | None = None


class ExplainRequest(Struct, forbid_unknown_fields=True, kw_only=True):
    """A text whose merges are to be shown."""

    text: str
    tokenizer: str | None = None
    allowed_special: Allowed = "all"


class StepAnswer(Struct):
    """One merge; bytes in hexadecimal."""

    rank: int
    place: int
    left: str
    right: str
    joined: int


class StopAnswer(Struct):
    """Two neighbours that no merge joins; `token`: the one that their bytes are all the same."""

    left: str
    right: str
    token: int | None


class WordAnswer(Struct):
    """A pre-token and how it became tokens; bytes in hexadecimal."""

    data: str
    how: Literal["merged", "looked up", "added"]
    symbols: list[str]
    steps: list[StepAnswer]
    pieces: list[PieceAnswer]
    stops: list[StopAnswer]
    residues: list[str]
    has_space: bool
    elsewhere: list[int]


class ExplainAnswer(Struct):
    """Why a text became its tokens."""

    tokenizer: str
    words: list[WordAnswer]


class CompareRequest(Struct, forbid_unknown_fields=True, kw_only=True):
    """A text, and the tokenizers to be compared on it; none: all."""

    text: str
    tokenizers: list[str] = []


class CompareRow(Struct):
    """One tokenizer's figures; those that the text does not allow are null."""

    tokenizer: str
    figures: dict[str, float | None]
    parity: dict[str, float]
    price: float | None


class DifferenceAnswer(Struct):
    """A line of the text, and its number of tokens by each tokenizer."""

    text: str
    n_tokens: list[int]


class CompareAnswer(Struct):
    """Several tokenizers on one text."""

    currency: str
    rows: list[CompareRow]
    differences: list[DifferenceAnswer]


class TokenizerAnswer(Struct):
    """A tokenizer that is served."""

    name: str
    is_default: bool
    vocab_size: int
    n_vocab: int
    n_merges: int
    pattern: str | None
    special_tokens: dict[str, int]
    named_tokens: dict[str, str]
    chat_templates: list[str]
    max_length: int | None
    sha256: str


class TokenizersAnswer(Struct):
    """All that are served, the default first."""

    tokenizers: list[TokenizerAnswer]


class ModelAnswer(Struct):
    """A tokenizer, as OpenAI's clients see models."""

    id: str
    created: int
    object: Literal["model"] = "model"
    owned_by: str = "bytepair"


class ModelsAnswer(Struct):
    """All that are served."""

    data: list[ModelAnswer]
    object: Literal["list"] = "list"


class HealthAnswer(Struct):
    """The service is well."""

    status: Literal["ok"] = "ok"


class VersionAnswer(Struct):
    """What runs."""

    version: str
    engine: str


T = TypeVar("T")


def parse(decoder: "msgspec.json.Decoder[T]", call: Call, as_read: bool = False) -> T:
    """The request in a call's body.

    Args:
        as_read: long texts may be bytes of UTF-8, long rows of ids arrays.

    Raises:
        ApiError: it is not JSON, or not of the right shape; says where.
    """
    parts = call.parts
    value = parse_bytes(decoder, parts.short)
    if not parts:
        return value
    found: T = parts.put_back(value, as_read)
    return found


def parse_bytes(decoder: "msgspec.json.Decoder[T]", body: bytes) -> T:
    """`parse`, of bytes."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise parse_error(error) from error
    except msgspec.DecodeError as error:
        if b"\\u" not in body:
            raise parse_error(error) from error
        return _parse_leniently(decoder, body, error)


def _parse_leniently(
    decoder: "msgspec.json.Decoder[T]", body: bytes, error: msgspec.MsgspecError
) -> T:
    """Half of a surrogate pair is refused by msgspec; to the library it is U+FFFD."""
    import json

    try:
        value = json.loads(body)
        found: T = msgspec.convert(value, decoder.type, strict=True)
    except msgspec.ValidationError as other:
        raise parse_error(other) from other
    except ValueError:
        raise parse_error(error) from error
    return found


IdRow = list[int] | NDArray[np.uint32]


def rows_of(ids: Sequence[int | IdRow] | NDArray[np.uint32], most: int) -> tuple[list[IdRow], bool]:
    """(rows, was it one?) of ids that are one row or several.

    Raises:
        ApiError: a mixture of the two, or more ids than are allowed.
    """
    is_array = isinstance(ids, np.ndarray)
    rows: list[IdRow] = [] if is_array else [row for row in ids if not isinstance(row, int)]
    if rows and len(rows) < len(ids):
        raise invalid("a mixture of ids and rows of ids; send one or the other.", "ids")
    found = rows or [cast("IdRow", ids)]
    if sum(map(len, found)) > most:
        raise invalid(f"more than {most} ids.", "ids", "too_many_tokens")
    return found, not rows
