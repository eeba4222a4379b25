"""Conversations of several APIs to ids, by the tokenizer's own chat template."""

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from bytepair.server._apart import render_apart
from bytepair.server._errors import invalid
from bytepair.server._http import Call
from bytepair.server._schemas import parse
from bytepair.server._settings import Settings
from bytepair.server._tokenizers import Served, Tokenizers
from bytepair.server._work import Work

Object = dict[str, Any]
Messages = Annotated[
    list[Object], Meta(min_length=1, description="Messages with role and content.")
]
_OWN_NAMES = frozenset(
    {"messages", "tools", "documents", "chat_template", "add_generation_prompt",
     "continue_final_message", "tokenize", "return_assistant_tokens_mask", "cache", "self"}
)  # fmt: skip
_TEXT_PARTS = frozenset({"text", "input_text", "output_text", "refusal"})


class ChatRequest(Struct, kw_only=True):
    """A conversation, as vLLM takes it."""

    messages: Messages
    model: str | None = None
    tools: list[Object] | None = None
    documents: list[Object] | None = None
    add_generation_prompt: bool = True
    continue_final_message: bool = False
    chat_template: str | None = None
    chat_template_kwargs: Object | None = None


class TemplateAnswer(Struct):
    """The text of a conversation."""

    prompt: str


class CountTokensRequest(Struct, kw_only=True):
    """A conversation, as Anthropic's clients send it."""

    messages: Messages
    model: str
    system: str | list[Object] | None = None
    tools: list[Object] | None = None


class CountTokensAnswer(Struct):
    """Its number of tokens."""

    input_tokens: int


class InputTokensRequest(Struct, kw_only=True):
    """A conversation, as OpenAI's clients send it to the Responses API."""

    input: str | list[Object] | None = None
    model: str | None = None
    instructions: str | None = None
    tools: list[Object] | None = None
    previous_response_id: str | None = None
    conversation: str | Object | None = None


class InputTokensAnswer(Struct):
    """Its number of tokens."""

    input_tokens: int
    object: Literal["response.input_tokens"] = "response.input_tokens"


_CHAT = msgspec.json.Decoder(ChatRequest)
_COUNT = msgspec.json.Decoder(CountTokensRequest)
_INPUT = msgspec.json.Decoder(InputTokensRequest)


class Conversations:
    """The endpoints that take messages, as functions of a call."""

    def __init__(self, tokenizers: Tokenizers, work: Work, settings: Settings) -> None:
        self._tokenizers = tokenizers
        self._work = work
        self._settings = settings

    def apply_template(self, call: Call) -> TemplateAnswer:
        """Messages to the text that a model would be given."""
        request = parse(_CHAT, call)
        served = self._tokenizers.get(request.model, "model")
        messages, options = self._prepared(served, request)
        text: str = served.tokenizer.apply_chat_template(messages, tokenize=False, **options)
        return TemplateAnswer(text)

    def count_tokens(self, call: Call) -> CountTokensAnswer:
        """Anthropic's count of a conversation."""
        request = parse(_COUNT, call)
        served = self._tokenizers.get(request.model, "model")
        chat = ChatRequest(
            messages=[*_system(request.system), *_of_anthropic(request.messages)],
            tools=[_tool_of_anthropic(tool) for tool in request.tools or []] or None,
        )
        return CountTokensAnswer(len(self.ids(served, chat)))

    def input_tokens(self, call: Call) -> InputTokensAnswer:
        """OpenAI's count of the input of a response."""
        request = parse(_INPUT, call)
        if request.previous_response_id or request.conversation:
            raise invalid(
                "this service keeps no conversations: send the whole input.",
                "previous_response_id" if request.previous_response_id else "conversation",
            )
        served = self._tokenizers.get(request.model, "model")
        messages = _system(request.instructions)
        if isinstance(request.input, str):
            messages.append({"role": "user", "content": request.input})
        else:
            messages += _of_responses(request.input or [])
        if not messages:
            raise invalid("the input is empty.", "input")
        tools = [_tool_of_responses(tool) for tool in request.tools or []] or None
        chat = ChatRequest(messages=messages, tools=tools)
        return InputTokensAnswer(len(self.ids(served, chat)))

    def ids(self, served: Served, request: ChatRequest) -> list[int]:
        """The ids of a conversation: control tokens come from the template alone."""
        messages, options = self._prepared(served, request)
        started = perf_counter()
        ids: list[int] = served.tokenizer.apply_chat_template(
            messages, cache=served.cache, **options
        )
        served.count_cache()
        texts = [content for m in messages if isinstance(content := m.get("content"), str)]
        self._work.note(served, texts, len(ids), started)
        return ids

    def _prepared(self, served: Served, request: ChatRequest) -> tuple[list[Object], Object]:
        """(messages, the other arguments) for the tokenizer."""
        if request.add_generation_prompt and request.continue_final_message:
            raise invalid(
                "add_generation_prompt and continue_final_message contradict each other.",
                "continue_final_message",
            )
        variables = request.chat_template_kwargs or {}
        reserved = sorted(_OWN_NAMES & variables.keys())
        if reserved:
            raise invalid(f"{reserved[0]} is a member of its own.", "chat_template_kwargs")
        options: Object = {
            **variables,
            "tools": request.tools,
            "documents": request.documents,
            "add_generation_prompt": request.add_generation_prompt,
            "continue_final_message": request.continue_final_message,
        }
        if request.chat_template is None:
            source = _template_of(served)
            return [_fitted(message, source) for message in request.messages], options
        return self._with_own_template(served, request.messages, request.chat_template, options)

    def _with_own_template(
        self, served: Served, messages: list[Object], source: str, options: Object
    ) -> tuple[list[Object], Object]:
        """A client's template is rendered in a process of its own, which may not take much."""
        if source in served.tokenizer.spec.conventions.chat_templates:
            return messages, {**options, "chat_template": source}
        if not self._settings.request_templates:
            raise invalid(
                "templates from clients are refused here; the operator can allow them.",
                "chat_template",
                "template_refused",
            )
        named = dict(served.tokenizer.spec.conventions.named_tokens)
        messages = [_fitted(message, source) for message in messages]
        task = {"source": source, "messages": messages, "named": named, "options": options}
        return render_apart(task)


# ---------------------------------------------------------------------- their forms of a message


def _template_of(served: Served) -> str:
    templates = served.tokenizer.spec.conventions.chat_templates
    if not templates:
        raise invalid(
            f"{served.name!r:.60} has no chat template. Serve a folder that holds one "
            "(chat_template.jinja or tokenizer_config.json).",
            "model",
            "no_chat_template",
        )
    return templates.get("default") or next(iter(templates.values()))


def _fitted(message: Object, source: str) -> Object:
    """Parts of text as one text, for templates that do not look into parts."""
    content = message.get("content")
    if not isinstance(content, list) or "content[" in source or "in message.content" in source:
        return message
    if "in message['content']" in source or 'in message["content"]' in source:
        return message
    return {**message, "content": "\n".join(_texts(content, "messages"))}


def _texts(content: object, param: str) -> list[str]:
    """The texts of a content that is a string or a list of parts of text."""
    if content is None:
        return []
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        raise invalid("content must be a string or a list of parts.", param)
    texts = []
    for part in content:
        kind = part.get("type", "text") if isinstance(part, dict) else None
        text = part.get("text", part.get("refusal")) if isinstance(part, dict) else None
        if kind not in _TEXT_PARTS or not isinstance(text, str):
            raise invalid(f"only text can be counted, not a part of type {kind!r:.40}.", param)
        texts.append(text)
    return texts


def _joined(content: object, param: str = "messages") -> str:
    return "\n".join(_texts(content, param))


def _system(content: object) -> list[Object]:
    text = _joined(content, "system")
    return [{"role": "system", "content": text}] if text else []


def _of_anthropic(messages: Sequence[Object]) -> list[Object]:
    found: list[Object] = []
    for message in messages:
        role, content = message.get("role"), message.get("content")
        if not isinstance(role, str):
            raise invalid("a message needs a role.", "messages")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        found += _of_blocks(role, blocks)
    return found


def _of_blocks(role: str, blocks: Sequence[object]) -> list[Object]:
    """One message for the texts and calls of a message's blocks, one for each tool's result."""
    results: list[Object] = []
    texts: list[str] = []
    message: Object = {"role": role}
    for block in blocks:
        if not isinstance(block, dict):
            raise invalid("a block must be an object.", "messages")
        kind = block.get("type")
        if kind == "tool_use":
            call = _call(block.get("name"), block.get("input"), block.get("id"))
            message.setdefault("tool_calls", []).append(call)
        elif kind == "tool_result":
            result = {"role": "tool", "content": _joined(block.get("content"))}
            results.append({**result, "tool_call_id": block.get("tool_use_id")})
        elif kind == "thinking":
            message["reasoning_content"] = str(block.get("thinking", ""))
        else:
            texts += _texts([block], "messages")
    if texts or len(message) > 1:
        return [*results, {**message, "content": "\n".join(texts)}]
    return results or [{**message, "content": ""}]


def _of_responses(items: Sequence[Object]) -> list[Object]:
    messages: list[Object] = []
    for item in items:
        kind = item.get("type", "message")
        if kind == "message":
            role = item.get("role")
            if not isinstance(role, str):
                raise invalid("a message needs a role.", "input")
            role = "system" if role == "developer" else role
            messages.append({"role": role, "content": _joined(item.get("content"), "input")})
        elif kind == "function_call":
            call = _call(item.get("name"), item.get("arguments"), item.get("call_id"))
            messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        elif kind == "function_call_output":
            text = _joined(item.get("output"), "input")
            messages.append({"role": "tool", "content": text, "tool_call_id": item.get("call_id")})
        elif kind != "reasoning":  # not given to the model again
            raise invalid(f"an item of type {kind!r:.40} cannot be counted.", "input")
    return messages


def _call(name: object, arguments: object, identifier: object) -> Object:
    function: Object = {"name": name, "arguments": arguments if arguments is not None else {}}
    return {"id": identifier, "type": "function", "function": function}


def _tool_of_anthropic(tool: Mapping[str, Any]) -> Object:
    members = {"name": tool.get("name"), "description": tool.get("description")}
    return _function({**members, "parameters": tool.get("input_schema")})


def _tool_of_responses(tool: Mapping[str, Any]) -> Object:
    if tool.get("type") != "function":
        raise invalid(f"a tool of type {tool.get('type')!r:.40} cannot be counted.", "tools")
    members = {name: tool.get(name) for name in ("name", "description", "parameters")}
    return _function(members)


def _function(members: Object) -> Object:
    return {"type": "function", "function": {k: v for k, v in members.items() if v is not None}}
