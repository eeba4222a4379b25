"""Our own API: encode, decode, count, inspect, explain, compare."""

import math
from collections.abc import AsyncIterator, Sequence
from typing import Any

import msgspec

from bytepair import evaluation
from bytepair.evaluation import OfTokenizer, read_prices
from bytepair.model import to_utf8
from bytepair.server._errors import invalid
from bytepair.server._http import Call, stream
from bytepair.server._playground import columns
from bytepair.server._schemas import (
    CompareAnswer,
    CompareRequest,
    CompareRow,
    CountAnswer,
    DecodeAnswer,
    DecodeRequest,
    DifferenceAnswer,
    EncodeAnswer,
    EncodeRequest,
    ExplainAnswer,
    ExplainRequest,
    IdRow,
    InspectAnswer,
    InspectRequest,
    PieceAnswer,
    StepAnswer,
    StopAnswer,
    TextRequest,
    WordAnswer,
    parse,
    parse_bytes,
    rows_of,
)
from bytepair.server._settings import Settings
from bytepair.server._tokenizers import Served, Tokenizers
from bytepair.server._work import Options, Work, as_text, n_bytes, special
from bytepair.tokenizer import Piece, StreamDecoder, WordSteps

_MOST_EXPLAINED = 20_000  # bytes: merges are replayed in Python
_MOST_LINE = 1 << 20  # bytes of a line of ids
_EVENT_IDS = 64  # of a row that is streamed
_ENCODE = msgspec.json.Decoder(EncodeRequest)
_DECODE = msgspec.json.Decoder(DecodeRequest)
_COUNT = msgspec.json.Decoder(TextRequest)
_INSPECT = msgspec.json.Decoder(InspectRequest)
_EXPLAIN = msgspec.json.Decoder(ExplainRequest)
_COMPARE = msgspec.json.Decoder(CompareRequest)
_LINE = msgspec.json.Decoder(int | list[int])
_json = msgspec.json.Encoder().encode


class OwnApi:
    """The endpoints, as functions of a call."""

    def __init__(self, tokenizers: Tokenizers, work: Work, settings: Settings) -> None:
        self._tokenizers = tokenizers
        self._work = work
        self._most_ids = settings.max_tokens

    def encode(self, call: Call) -> EncodeAnswer:
        """Text to ids."""
        request = parse(_ENCODE, call, as_read=True)
        served = self._tokenizers.get(request.tokenizer)
        options = Options(
            special(request.allowed_special),
            special(request.disallowed_special),
            request.add_special_tokens,
            request.max_length,
            request.truncation_side,
        )
        if request.offsets:
            return self._with_offsets(served, request.text, options)
        if not isinstance(request.text, list):
            ids, n_tokens = self._work.encode(served, call, request.text, options)
            return EncodeAnswer(tokenizer=served.name, ids=ids, n_tokens=n_tokens)
        rows, sizes = self._work.encode_batch(served, call, request.text, options)
        return EncodeAnswer(tokenizer=served.name, ids=rows, n_tokens=sizes)

    def _with_offsets(
        self, served: Served, text: str | list[str], options: Options
    ) -> EncodeAnswer:
        texts = text if isinstance(text, list) else [text]
        self._work.check_batch(len(texts))
        found = [self._work.offsets(served, as_text(one), options) for one in texts]
        ids, places = [row for row, _ in found], [row for _, row in found]
        if not isinstance(text, list):
            return EncodeAnswer(
                tokenizer=served.name, ids=ids[0], n_tokens=len(ids[0]), offsets=places[0]
            )
        sizes = [len(row) for row in ids]
        return EncodeAnswer(tokenizer=served.name, ids=ids, n_tokens=sizes, offsets=places)

    def decode(self, call: Call) -> Any:
        """Ids to text, at once or as events."""
        request = parse(_DECODE, call, as_read=True)
        served = self._tokenizers.get(request.tokenizer)
        rows, is_single = rows_of(request.ids, self._most_ids)
        if request.stream:
            if not is_single:
                raise invalid("only one row of ids can be streamed.", "stream")
            decoder = _stream_decoder(
                served, request.errors, request.skip_special_tokens, request.after
            )
            return stream(_events(served, decoder, rows[0]))
        texts = self._work.decode(
            served,
            call,
            rows,
            errors=request.errors,
            skip_special_tokens=request.skip_special_tokens,
        )
        return DecodeAnswer(served.name, texts[0] if is_single else texts)

    async def decode_stream(self, call: Call, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Ids as they come, a line of JSON each or several, to text as soon as it is certain."""
        options = _query(call.query, {"tokenizer", "skip_special_tokens", "errors"})
        served = self._tokenizers.get(options.get("tokenizer"))
        skip = options.get("skip_special_tokens", "false").lower() in {"1", "true"}
        decoder = _stream_decoder(served, options.get("errors", "replace"), skip)
        n_ids = 0
        async for line in _lines(pieces):
            ids = parse_bytes(_LINE, line)
            row = [ids] if isinstance(ids, int) else ids
            n_ids += len(row)
            if n_ids > self._most_ids:
                raise invalid(f"more than {self._most_ids} ids.", code="too_many_tokens")
            served.metrics.decoded.inc(len(row))
            text = decoder.push(row)
            if text:
                yield _event({"text": text})
        yield _event({"text": decoder.finish(), "n_tokens": n_ids})
        yield b"data: [DONE]\n\n"

    def count(self, call: Call) -> CountAnswer:
        """Text to numbers of tokens."""
        request = parse(_COUNT, call, as_read=True)
        served = self._tokenizers.get(request.tokenizer)
        texts = request.text if isinstance(request.text, list) else [request.text]
        counts = self._work.count(served, call, texts, special(request.allowed_special))
        sizes = [n_bytes(text) for text in texts]
        if not isinstance(request.text, list):
            return CountAnswer(served.name, counts[0], sizes[0])
        return CountAnswer(served.name, counts, sizes)

    def inspect(self, call: Call) -> InspectAnswer:
        """The tokens of a text, or of ids, one by one."""
        request = parse(_INSPECT, call, as_read=True)
        served = self._tokenizers.get(request.tokenizer)
        if (request.text is None) == (request.ids is None):
            raise invalid("send text or ids, one of the two.", "text")
        if request.text is not None and request.columns:
            quick = columns(served, request.text, request.allowed_special)
            if quick is not None:
                return quick
        if request.text is not None:
            allowed = special(request.allowed_special)
            text = as_text(request.text)
            pieces = served.tokenizer.inspect(text, allowed_special=allowed).pieces
        else:
            pieces = _pieces(
                served, [] if request.ids is None else [int(token) for token in request.ids]
            )
            text = b"".join(piece.data for piece in pieces).decode("utf-8", "replace")
        answer = InspectAnswer(
            tokenizer=served.name,
            n_tokens=len(pieces),
            n_bytes=pieces[-1].end if pieces else 0,
            n_characters=len(text),
            n_words=len(text.split()),
        )
        if request.columns:
            answer.ids = [piece.id for piece in pieces]
            answer.ends = [piece.end for piece in pieces]
            answer.special = [n for n, piece in enumerate(pieces) if piece.special]
        else:
            answer.pieces = [piece_answer(piece) for piece in pieces]
        return answer

    def explain(self, call: Call) -> ExplainAnswer:
        """Why a text became its tokens."""
        request = parse(_EXPLAIN, call)
        served = self._tokenizers.get(request.tokenizer)
        if n_bytes(request.text) > _MOST_EXPLAINED:
            raise invalid(f"longer than {_MOST_EXPLAINED} bytes.", "text", "text_too_long")
        allowed = special(request.allowed_special)
        found = served.tokenizer.explain(request.text, allowed_special=allowed)
        return ExplainAnswer(served.name, [_word(word) for word in found.words])

    def compare(self, call: Call) -> CompareAnswer:
        """Several tokenizers on one text."""
        request = parse(_COMPARE, call)
        self._work.check_batch(len(request.tokenizers))
        names: list[str | None] = [*request.tokenizers]
        chosen = [self._tokenizers.get(name, "tokenizers") for name in names]
        subjects = [
            OfTokenizer(served.tokenizer, served.name, threads=1)
            for served in chosen or self._tokenizers
        ]
        # As bytes: a `str` could name a file, which the library would ask about.
        found = evaluation.compare(subjects, [to_utf8(request.text)])
        prices = read_prices()
        rows = [
            CompareRow(
                row.name,
                {name: _number(value) for name, value in row.metrics.figures().items()},
                row.parity,
                prices.by_name.get(row.name, prices.by_name.get("*")),
            )
            for row in found.rows
        ]
        differences = [DifferenceAnswer(d.text, [*d.n_tokens]) for d in found.differences]
        return CompareAnswer(prices.currency, rows, differences)


# ---------------------------------------------------------------------- streams of text


def _stream_decoder(
    served: Served, errors: str, skip: bool, after: Sequence[int] = ()
) -> StreamDecoder:
    if errors not in {"replace", "strict", "ignore"}:
        raise invalid("errors must be replace, strict or ignore.", "errors")
    return served.tokenizer.stream_decoder(errors=errors, skip_special_tokens=skip, after=after)


async def _events(served: Served, decoder: StreamDecoder, row: IdRow) -> AsyncIterator[bytes]:
    for start in range(0, len(row), _EVENT_IDS):
        part = row[start : start + _EVENT_IDS]
        served.metrics.decoded.inc(len(part))
        text = decoder.push(part)
        if text:
            yield _event({"text": text})
    yield _event({"text": decoder.finish(), "n_tokens": len(row)})
    yield b"data: [DONE]\n\n"


def _event(members: dict[str, Any]) -> bytes:
    return b"data: " + _json(members) + b"\n\n"


async def _lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    rest = b""
    async for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        if len(rest) > _MOST_LINE:
            raise invalid(f"a line is longer than {_MOST_LINE} bytes.", code="line_too_long")
        for line in lines:
            if line.strip():
                yield line
    if rest.strip():
        yield rest


def _query(query: bytes, known: set[str]) -> dict[str, str]:
    from urllib.parse import parse_qsl

    options = dict(parse_qsl(query.decode("ascii", "replace"), max_num_fields=16))
    unknown = sorted(options.keys() - known)
    if unknown:
        raise invalid(f"{unknown[0]!r:.60} is not known here.", "query")
    return options


# ---------------------------------------------------------------------- what is shown


def piece_answer(piece: Piece) -> PieceAnswer:
    """A token as our API shows it."""
    return PieceAnswer(
        piece.id, piece.text, piece.data.hex(), piece.start, piece.end, piece.special
    )


def _pieces(served: Served, ids: list[int]) -> tuple[Piece, ...]:
    added = {token.id for token in served.tokenizer.spec.added_tokens}
    pieces: list[Piece] = []
    start = 0
    for token, data in zip(ids, served.tokenizer.decode_tokens_bytes(ids), strict=True):
        pieces.append(Piece(token, data, start, start + len(data), token in added))
        start += len(data)
    return tuple(pieces)


def _word(word: WordSteps) -> WordAnswer:
    return WordAnswer(
        word.data.hex(),
        word.how,
        [symbol.hex() for symbol in word.symbols],
        [StepAnswer(s.rank, s.place, s.left.hex(), s.right.hex(), s.joined) for s in word.steps],
        [piece_answer(piece) for piece in word.pieces],
        [StopAnswer(stop.left.hex(), stop.right.hex(), stop.token) for stop in word.stops],
        [residue.hex() for residue in word.residues],
        word.has_space,
        [*word.elsewhere],
    )


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
