"""Texts to ids and back, for every endpoint: within limits, counted, and ended if nobody waits."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bytepair.engines import select
from bytepair.errors import BytepairError
from bytepair.model import to_utf8
from bytepair.server._errors import ApiError, as_api_error, invalid
from bytepair.server._http import Call
from bytepair.server._long import Written
from bytepair.server._schemas import IdRow
from bytepair.server._settings import Settings
from bytepair.server._tokenizers import Served

Row = list[int] | Written
Text = str | bytes
_PART_BYTES = 1 << 20  # of a batch, between two looks at whether anybody still waits
_MANY_IDS = 2048  # are written as JSON by the core, while other threads go on


@dataclass(frozen=True)
class Options:
    """How texts are to be encoded; see `Tokenizer.encode`."""

    allowed: Any = frozenset()
    disallowed: Any = frozenset()
    add_special_tokens: bool = False
    max_length: int | None = None
    truncation_side: Literal["left", "right"] = "right"

    @property
    def keywords(self) -> dict[str, Any]:
        """As the tokenizer takes them."""
        return {
            "allowed_special": self.allowed,
            "disallowed_special": self.disallowed,
            "add_special_tokens": self.add_special_tokens,
            "max_length": self.max_length,
            "truncation_side": self.truncation_side,
        }


def special(wanted: Literal["all"] | list[str]) -> Any:
    """`allowed_special` of a request, as the library takes it."""
    return "all" if wanted == "all" else frozenset(wanted)


def n_bytes(text: Text) -> int:
    """Length in UTF-8."""
    return len(text) if text.isascii() or isinstance(text, bytes) else len(to_utf8(text))


def as_text(text: Text) -> str:
    """Text whose characters count."""
    return text if isinstance(text, str) else text.decode()


class Work:
    """What endpoints do with texts, and the limits on it."""

    def __init__(self, settings: Settings) -> None:
        self._most_texts = settings.max_batch
        self._most_ids = settings.max_tokens

    # ------------------------------------------------------------------ texts to ids

    def encode(self, served: Served, call: Call, text: Text, options: Options) -> tuple[Row, int]:
        """(ids, their number); ids of large texts are JSON already."""
        tokenizer, started = served.tokenizer, perf_counter()
        if call.stop is None:
            ids = self._short(served, text, options)
            row: Row = ids
        else:
            array = tokenizer.encode_to_numpy(text, **options.keywords)
            call.check()
            row, ids = ids_json(array), array  # type: ignore[assignment]  # only its length matters
        self._account(served, [text], len(ids), started)
        return row, len(ids)

    def _short(self, served: Served, text: Text, options: Options) -> list[int]:
        """As `Tokenizer.encode`, which looks its frame up anew for each text."""
        if options.max_length is not None:
            return served.tokenizer.encode(text, **options.keywords)
        ids = served.tokenizer.encode(
            text, allowed_special=options.allowed, disallowed_special=options.disallowed
        )
        if options.add_special_tokens:
            before, after = served.frame
            return [*before, *ids, *after]
        return ids

    def encode_batch(
        self, served: Served, call: Call, texts: Sequence[Text], options: Options
    ) -> tuple[list[Row], list[int]]:
        """A row and its length for each text."""
        self.check_batch(len(texts))
        rows: list[Row] = []
        sizes: list[int] = []
        started = perf_counter()
        for first, part in _parts(texts):
            call.check()
            try:
                ids, offsets = served.tokenizer.encode_batch_to_numpy(
                    part, threads=1, **options.keywords
                )
            except BytepairError as error:
                raise _of_text(served, part, first, options, error) from error
            borders = offsets.tolist()
            rows += [ids_json(ids[start:stop]) for start, stop in pairwise(borders)]
            sizes += [stop - start for start, stop in pairwise(borders)]
        self._account(served, texts, sum(sizes), started)
        return rows, sizes

    def offsets(
        self, served: Served, text: str, options: Options
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """Ids and their places."""
        if options.max_length is not None:
            raise invalid("offsets and max_length do not go together.", "offsets")
        started = perf_counter()
        ids, places = served.tokenizer.encode_with_offsets(
            text,
            allowed_special=options.allowed,
            disallowed_special=options.disallowed,
            add_special_tokens=options.add_special_tokens,
        )
        self._account(served, [text], len(ids), started)
        return ids, places

    def count(self, served: Served, call: Call, texts: Sequence[Text], allowed: Any) -> list[int]:
        """Number of tokens of each text."""
        self.check_batch(len(texts))
        counts: list[int] = []
        started = perf_counter()
        for _, part in _parts(texts):
            call.check()
            counts += served.tokenizer.count_batch(part, threads=1, allowed_special=allowed)
        self._account(served, texts, sum(counts), started)
        return counts

    # ------------------------------------------------------------------ ids to texts

    def decode(
        self,
        served: Served,
        call: Call,
        rows: Sequence[IdRow],
        *,
        errors: str = "replace",
        skip_special_tokens: bool = False,
    ) -> list[Any]:
        """The text of each row; of a long one as JSON."""
        self.check_batch(len(rows))
        texts = [_decoded(served, call, row, errors, skip_special_tokens) for row in rows]
        served.metrics.decoded.inc(sum(map(len, rows)))
        return texts

    # ------------------------------------------------------------------ limits

    def check_batch(self, n: int) -> None:
        """Refuse batches that are too large."""
        if n > self._most_texts:
            raise invalid(
                f"{n} texts are more than {self._most_texts}. Send several requests.",
                code="batch_too_large",
            )

    def note(self, served: Served, texts: Sequence[Text], n_tokens: int, started: float) -> None:
        """Texts were encoded elsewhere, since `started`."""
        self._account(served, texts, n_tokens, started)

    def _account(
        self, served: Served, texts: Sequence[Text], n_tokens: int, started: float
    ) -> None:
        seconds = perf_counter() - started
        served.metrics.encoded(len(texts), sum(map(n_bytes, texts)), n_tokens, seconds)
        if n_tokens > self._most_ids:
            raise invalid(f"more than {self._most_ids} tokens.", code="too_many_tokens")


def ids_json(ids: NDArray[np.uint32]) -> Row:
    """A row of ids; a long one as JSON."""
    if len(ids) <= _MANY_IDS:
        row: list[int] = ids.tolist()
        return row
    return Written(select().ids_json(ids))


def text_json(data: bytes) -> Written | None:
    """A text as JSON; None: it is not UTF-8."""
    json = select().text_json(data)
    return None if json is None else Written(json)


def _decoded(served: Served, call: Call, row: IdRow, errors: str, skip: bool) -> str | Written:
    call.check()
    tokenizer = served.tokenizer
    if len(row) > _MANY_IDS and errors != "ignore":
        # Of what is UTF-8 throughout no error handler would change a thing.
        written = text_json(tokenizer.decode_bytes(row, skip_special_tokens=skip))
        if written is not None:
            return written
    return tokenizer.decode(row, errors, skip_special_tokens=skip)


def _parts(texts: Sequence[Text]) -> list[tuple[int, list[Text]]]:
    """(number of the first, texts) of stretches of about a megabyte."""
    parts: list[tuple[int, list[Text]]] = []
    room = 0
    for number, text in enumerate(texts):
        if room <= 0:
            parts.append((number, []))
            room = _PART_BYTES
        parts[-1][1].append(text)
        room -= len(text)
    return parts


def _of_text(
    served: Served, part: list[Text], first: int, options: Options, error: BytepairError
) -> ApiError:
    """The same error, saying which text of the request it is about."""
    for number, text in enumerate(part, first):
        try:
            served.tokenizer.encode(text, **options.keywords)
        except BytepairError as own:
            said = as_api_error(own)
            if said is not None:
                return ApiError(said.status, said.code, said.message, param=f"text[{number}]")
    return as_api_error(error) or invalid(str(error))
