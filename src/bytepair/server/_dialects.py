"""`/tokenize` and its kin as vLLM, SGLang, llama.cpp and TEI speak them, told by the body.

The shapes are those of vllm/entrypoints/serve/tokenize/protocol.py, SGLang's and llama.cpp's server
documentation, and text-embeddings-inference's router/src/http/types.rs.
"""

from time import perf_counter
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import UNSET, Meta, Struct, UnsetType
from numpy.typing import NDArray

from bytepair.server._conversations import ChatRequest, Conversations
from bytepair.server._errors import invalid
from bytepair.server._http import Call
from bytepair.server._schemas import IdRow, Ids, Rows, Texts, parse, rows_of
from bytepair.server._settings import Settings
from bytepair.server._tokenizers import Served, Tokenizers
from bytepair.server._work import Options, Row, Text, Work, text_json

_EVERY_SPECIAL = "all"


class VllmTokenize(Struct, kw_only=True):
    """vLLM; with a list of prompts SGLang."""

    prompt: Texts
    model: str | None = None
    add_special_tokens: bool = True
    return_token_strs: bool | None = False


class ChatTokenize(ChatRequest, kw_only=True):
    """vLLM, a conversation."""

    add_special_tokens: bool = False
    return_token_strs: bool | None = False


class LlamaTokenize(Struct, kw_only=True):
    """llama.cpp; in a list, ids stand for themselves."""

    content: str | list[str | int]
    add_special: bool = False
    parse_special: bool = True
    with_pieces: bool = False


class TeiTokenize(Struct, kw_only=True):
    """text-embeddings-inference."""

    inputs: Texts
    add_special_tokens: bool = True
    prompt_name: str | None = None


class VllmTokens(Struct):
    """vLLM's answer."""

    count: int
    max_model_len: int
    tokens: Rows
    token_strs: list[str] | None = None


class SglangTokens(Struct):
    """SGLang's answer."""

    tokens: Rows
    count: int | list[int]
    max_model_len: int


class LlamaPiece(Struct):
    """A token of llama.cpp: its text or, if it is no text, its bytes."""

    id: int
    piece: str | list[int]


class LlamaTokens(Struct):
    """llama.cpp's answer: ids, or pieces."""

    tokens: Rows


class TeiToken(Struct):
    """A token of TEI: what it stands for, and where (in characters)."""

    id: int
    text: str
    special: bool
    start: int | None
    stop: int | None


class Detokenize(Struct, kw_only=True):
    """Ids for vLLM, SGLang or llama.cpp."""

    tokens: Ids
    model: str | UnsetType | None = UNSET
    skip_special_tokens: bool | UnsetType = UNSET


class Detokenized(Struct, omit_defaults=True):
    """The text, by the name that the asker knows: of vLLM, llama.cpp, SGLang."""

    prompt: str | UnsetType = UNSET
    content: str | UnsetType = UNSET
    text: Texts | UnsetType = UNSET


class TeiDecode(Struct, kw_only=True):
    """Ids for text-embeddings-inference."""

    ids: Annotated[Ids, Meta(min_length=1)]
    skip_special_tokens: bool = True


class _Keys(Struct):
    """By which members of a body its dialect is told."""

    prompt: msgspec.Raw | UnsetType = UNSET
    messages: msgspec.Raw | UnsetType = UNSET
    content: msgspec.Raw | UnsetType = UNSET
    inputs: msgspec.Raw | UnsetType = UNSET


_KEYS = msgspec.json.Decoder(_Keys)
_VLLM = msgspec.json.Decoder(VllmTokenize)
_CHAT = msgspec.json.Decoder(ChatTokenize)
_LLAMA = msgspec.json.Decoder(LlamaTokenize)
_TEI = msgspec.json.Decoder(TeiTokenize)
_DETOKENIZE = msgspec.json.Decoder(Detokenize)
_DECODE = msgspec.json.Decoder(TeiDecode)
_QUOTED = tuple(f'"{name}"'.encode() for name in _Keys.__struct_fields__)
_SHORT = 65_536  # bytes
_MANY_IDS = 2048  # at a time, so that other threads get their turn
TeiTokens = list[list[TeiToken]]
TextList = list[str]


class Dialects:
    """The endpoints that other servers have too, as functions of a call."""

    def __init__(
        self, tokenizers: Tokenizers, work: Work, chats: Conversations, settings: Settings
    ) -> None:
        self._tokenizers = tokenizers
        self._work = work
        self._chats = chats
        self._dialect = settings.dialect
        self._most_ids = settings.max_tokens

    def tokenize(self, call: Call) -> Any:
        """The body's own dialect decides what the answer looks like."""
        found = _members(call)
        if found == ["prompt"]:
            return self._prompt(call)
        if len(found) != 1:
            raise invalid(
                "one of prompt or messages (vLLM, SGLang), content (llama.cpp) or inputs (TEI) is "
                f"needed, got {', '.join(found) or 'none of them'}."
            )
        answer = {
            "messages": self._messages,
            "content": self._content,
            "inputs": self._inputs,
        }
        return answer[found[0]](call)

    def sglang_tokenize(self, call: Call) -> SglangTokens:
        """SGLang's own path."""
        request = parse(_VLLM, call, as_read=True)
        served = self._tokenizers.get(request.model, "model")
        options = Options(_EVERY_SPECIAL, frozenset(), request.add_special_tokens)
        if not isinstance(request.prompt, list):
            row, n_tokens = self._work.encode(served, call, request.prompt, options)
            return SglangTokens(row, n_tokens, served.max_length)
        rows, sizes = self._work.encode_batch(served, call, request.prompt, options)
        return SglangTokens(rows, sizes, served.max_length)

    def _prompt(self, call: Call) -> Any:
        request = parse(_VLLM, call, as_read=True)
        if isinstance(request.prompt, list) or self._dialect == "sglang":
            return self.sglang_tokenize(call)
        served = self._tokenizers.get(request.model, "model")
        options = Options(_EVERY_SPECIAL, frozenset(), request.add_special_tokens)
        row, n_tokens = self._work.encode(served, call, request.prompt, options)
        return self._vllm(served, row, n_tokens, request.return_token_strs)

    def _messages(self, call: Call) -> VllmTokens:
        request = parse(_CHAT, call)
        served = self._tokenizers.get(request.model, "model")
        ids = self._chats.ids(served, request)
        if request.add_special_tokens:
            ids = _surrounded(served, ids)
        return self._vllm(served, ids, len(ids), request.return_token_strs)

    def _vllm(self, served: Served, row: Row, n: int, with_strings: bool | None) -> VllmTokens:
        strings = None
        if with_strings:
            ids = (
                msgspec.json.decode(row.json, type=list[int]) if not isinstance(row, list) else row
            )
            strings = [served.spellings[token] for token in ids]
        return VllmTokens(n, served.max_length, row, strings)

    def _content(self, call: Call) -> LlamaTokens:
        request = parse(_LLAMA, call, as_read=True)
        served = self._tokenizers.default
        parts = _content_parts(request.content)
        allowed = _EVERY_SPECIAL if request.parse_special else frozenset()
        ids: list[int] = []
        row: Row = ids
        for number, part in enumerate(parts):
            if not isinstance(part, int):
                options = Options(allowed, frozenset(), request.add_special and number == 0)
                row, _ = self._work.encode(served, call, part, options)
                if len(parts) == 1 and not request.with_pieces:
                    return LlamaTokens(row)
                ids += msgspec.json.decode(row.json) if not isinstance(row, list) else row
            else:
                ids.append(part)
        if not request.with_pieces:
            return LlamaTokens(ids)
        contents = served.tokenizer.decode_tokens_bytes(ids)
        return LlamaTokens([_piece(i, data) for i, data in zip(ids, contents, strict=True)])

    def _inputs(self, call: Call) -> TeiTokens:
        request = parse(_TEI, call)
        served = self._tokenizers.default
        if request.prompt_name is not None:
            raise invalid("no prompts are named here.", "prompt_name")
        texts = [request.inputs] if isinstance(request.inputs, str) else request.inputs
        if not texts:
            raise invalid("`inputs` cannot be empty.", "inputs")
        self._work.check_batch(len(texts))
        rows = []
        for text in texts:
            call.check()
            rows.append(self._tei(served, text, request.add_special_tokens))
        return rows

    def _tei(self, served: Served, text: str, surrounded: bool) -> list[TeiToken]:
        started = perf_counter()
        ids, places = served.tokenizer.encode_with_offsets(
            text, allowed_special="all", disallowed_special=()
        )
        self._work.note(served, [text], len(ids), started)
        row = [
            TeiToken(token, text[start:stop], False, start, stop)
            for token, (start, stop) in zip(ids, places, strict=True)
        ]
        if not surrounded:
            return row
        before, after = served.frame
        return [*_specials(served, before), *row, *_specials(served, after)]

    # ------------------------------------------------------------------ ids to text

    def detokenize(self, call: Call) -> Detokenized:
        """Ids to text; what vLLM and llama.cpp would both understand is answered for both."""
        request = parse(_DETOKENIZE, call, as_read=True)
        served = self._tokenizers.get(request.model or None, "model")
        rows, is_single = rows_of(request.tokens, self._most_ids)
        is_sglang = request.skip_special_tokens is not UNSET or not is_single
        if is_sglang or self._dialect == "sglang":
            skip = request.skip_special_tokens is not False
            return self._sglang_text(served, call, rows, is_single, skip)
        answer = Detokenized()
        if self._dialect != "llama.cpp":
            answer.prompt = self._work.decode(served, call, rows)[0]
        if self._dialect == "llama.cpp" or (self._dialect == "auto" and request.model is UNSET):
            answer.content = _as_pieces(served, rows[0])
        return answer

    def sglang_detokenize(self, call: Call) -> Detokenized:
        """SGLang's own path."""
        request = parse(_DETOKENIZE, call, as_read=True)
        served = self._tokenizers.get(request.model or None, "model")
        rows, is_single = rows_of(request.tokens, self._most_ids)
        skip = request.skip_special_tokens is not False
        return self._sglang_text(served, call, rows, is_single, skip)

    def _sglang_text(
        self, served: Served, call: Call, rows: list[IdRow], is_single: bool, skip: bool
    ) -> Detokenized:
        texts = self._work.decode(served, call, rows, skip_special_tokens=skip)
        return Detokenized(text=texts[0] if is_single else texts)

    def decode(self, call: Call) -> list[str]:
        """TEI's own path."""
        request = parse(_DECODE, call, as_read=True)
        rows, _ = rows_of(request.ids, self._most_ids)
        served = self._tokenizers.default
        skip = request.skip_special_tokens
        return self._work.decode(served, call, rows, skip_special_tokens=skip)


def _members(call: Call) -> list[str]:
    """Which of the members that tell a dialect a body has."""
    # In JSON `"prompt"` is a whole string, never a part of one. Where only one of these occurs and
    # the body is short, that spares a look at all of it.
    body = call.body
    if len(body) < _SHORT and [key for key in _QUOTED if key in body] == [_QUOTED[0]]:
        return ["prompt"]
    keys = parse(_KEYS, call)
    return [name for name in keys.__struct_fields__ if getattr(keys, name) is not UNSET]


def _content_parts(content: str | list[str | int] | bytes | NDArray[np.uint32]) -> list[Text | int]:
    if isinstance(content, np.ndarray):
        ids: list[Text | int] = content.tolist()
        return ids
    return [*content] if isinstance(content, list) else [content]


def _as_pieces(served: Served, row: IdRow) -> Any:
    """Each token's own bytes, one after the other."""
    parts = (row[start : start + _MANY_IDS] for start in range(0, len(row), _MANY_IDS))
    data = b"".join([b"".join(served.tokenizer.decode_tokens_bytes(part)) for part in parts])
    return text_json(data) or data.decode("utf-8", "replace")


def _piece(token: int, data: bytes) -> LlamaPiece:
    try:
        return LlamaPiece(token, data.decode())
    except UnicodeDecodeError:
        return LlamaPiece(token, [*data])


def _specials(served: Served, ids: list[int]) -> list[TeiToken]:
    contents = served.tokenizer.decode_tokens_bytes(ids)
    return [
        TeiToken(token, content.decode("utf-8", "replace"), True, None, None)
        for token, content in zip(ids, contents, strict=True)
    ]


def _surrounded(served: Served, ids: list[int]) -> list[int]:
    before, after = served.frame
    return [*before, *ids, *after]
