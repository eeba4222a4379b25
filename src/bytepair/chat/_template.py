"""`ChatTemplate`: messages to one text, with the errors of a template shown where they are."""

import inspect
import re
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from bytepair.chat._tools import tool_schema
from bytepair.chat._traced import Traced
from bytepair.errors import ArgumentError, ChatTemplateError, InputTypeError, MissingExtraError

if TYPE_CHECKING:
    from jinja2 import Environment

Message = Mapping[str, Any]
Tool = Mapping[str, Any] | Callable[..., Any]
"""A JSON schema, or a function of which one is made."""

_ROLES = frozenset(
    ("system", "developer", "user", "assistant", "model", "tool", "function", "ipython")
)
"""Names of roles that may be a part of a control token, as in `<|user|>`."""

_REASONING = ("reasoning_content", "thinking", "reasoning")
_OLDEST_JINJA = (3, 1, 6)  # earlier ones let templates out of the sandbox
_INSTALL = 'Install it with: pip install "bytepair[chat]"'
_FAILURES = (
    ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError,
)  # fmt: skip  # what Python raises for what templates do wrong
_FILE = "<template>"  # what Jinja calls a template that is no file


class ChatTemplate:
    """A compiled chat template; safe to share between threads.

    Args:
        source: Jinja, as in `tokenizer_config.json` or `chat_template.jinja`.

    Raises:
        ChatTemplateError: it is not valid Jinja; says where.
        MissingExtraError: jinja2 is not installed, or too old.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._environment = _environment()
        from jinja2 import TemplateSyntaxError

        try:
            self._template = self._environment.from_string(source)
        except TemplateSyntaxError as error:
            raise ChatTemplateError(self._at(error.lineno, error)) from error

    @cached_property
    def own_text(self) -> str:
        """The text and the string constants of the template, NUL between them."""
        from jinja2 import nodes

        tree = self._environment.parse(self.source)
        texts = [node.data for node in tree.find_all(nodes.TemplateData)]
        constants = (node.value for node in tree.find_all(nodes.Const))
        return "\0".join(texts + [value for value in constants if isinstance(value, str)])

    def render(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] | None = None,
        documents: Sequence[Mapping[str, Any]] | None = None,
        named_tokens: Mapping[str, str] | None = None,
        add_generation_prompt: bool = False,
        continue_final_message: bool | str = False,
        variables: Mapping[str, Any] | None = None,
    ) -> Traced:
        """The text of a conversation.

        Args:
            named_tokens: "bos_token", … -> content; what the template may write as its own.
            continue_final_message: end the text within the last message (in its "content", or the
                member named), for the model to go on.
            variables: whatever else the template asks for.

        Raises:
            ArgumentError, InputTypeError: no conversation.
            ChatTemplateError: the template fails, or refuses the conversation itself.
        """
        chat = [_message(number, message) for number, message in enumerate(_checked(messages))]
        tag = None
        if continue_final_message:
            if add_generation_prompt:
                raise ArgumentError(
                    "add_generation_prompt begins another message, continue_final_message goes on "
                    "with the last one: pass one of them."
                )
            member = "content" if continue_final_message is True else continue_final_message
            tag = _mark_end(chat[-1], member)
        own = {name: Traced.own(content) for name, content in (named_tokens or {}).items()}
        text = self._run(
            {
                **own,
                **{name: _plain(value) for name, value in (variables or {}).items()},
                "messages": chat,
                "tools": _objects("tools", _schemas(tools)),
                "documents": _objects("documents", documents),
                "add_generation_prompt": add_generation_prompt,
            }
        )
        return text if tag is None else _until(text, tag)

    def _run(self, variables: dict[str, Any]) -> Traced:
        from jinja2 import TemplateError

        from bytepair.chat import _limits

        _limits.begin()
        try:
            return Traced(self._template.render(variables))
        except (TemplateError, *_FAILURES) as error:
            frames = traceback.extract_tb(error.__traceback__)
            lines = [frame.lineno for frame in frames if frame.filename == _FILE]
            raise ChatTemplateError(self._at(lines[-1] if lines else None, error)) from error
        except RecursionError as error:
            raise ChatTemplateError("chat template: it calls itself without an end.") from error

    def _at(self, line: int | None, error: Exception) -> str:
        message = str(error) or type(error).__name__
        lines = self.source.splitlines()
        if line is None or not 0 < line <= len(lines):
            return f"chat template: {message}"
        return f"chat template, line {line}: {message}\n    {lines[line - 1].strip():.120}"


@lru_cache(maxsize=64)
def template(source: str) -> ChatTemplate:
    """The template, compiled the first time it is asked for."""
    return ChatTemplate(source)


@lru_cache(maxsize=1)
def _environment() -> "Environment":
    try:
        import jinja2
    except ImportError as error:
        raise MissingExtraError(f"chat templates need jinja2. {_INSTALL}") from error
    version = tuple(int(part) for part in re.findall(r"\d+", jinja2.__version__)[:3])
    if version < _OLDEST_JINJA:
        raise MissingExtraError(
            f"jinja2 {jinja2.__version__} lets templates out of their sandbox; 3.1.6 or newer is "
            f"needed. {_INSTALL}"
        )
    from bytepair.chat._environment import ChatEnvironment

    return ChatEnvironment()


# ---------------------------------------------------------------------- what a template is given


def _checked(messages: Sequence[Message]) -> Sequence[Message]:
    if isinstance(messages, (str, bytes, Mapping)) or not isinstance(messages, Iterable):
        raise InputTypeError(
            f"expected a list of messages like {{'role': 'user', 'content': '…'}}, got "
            f"{type(messages).__name__}: {messages!r:.60}."
        )
    if not messages:
        raise ArgumentError("a conversation needs at least one message; got an empty list.")
    return messages


def _message(number: int, message: object) -> dict[str, Any]:
    """A message as templates expect it: nothing that is None, reasoning by all of its names."""
    if not isinstance(message, Mapping):
        raise InputTypeError(
            f"message {number}: expected a dict like {{'role': 'user', 'content': '…'}}, got "
            f"{type(message).__name__}: {message!r:.60}."
        )
    plain = {key: _plain(value) for key, value in message.items() if value is not None}
    if plain.get("role") in _ROLES:
        plain["role"] = Traced.own(plain["role"])
    reasoning = next((plain[name] for name in _REASONING if name in plain), None)
    if reasoning is not None:
        plain = {"thinking": reasoning, **plain, "reasoning_content": reasoning}
    return plain


def _schemas(tools: Sequence[Tool] | None) -> Sequence[Any] | None:
    if isinstance(tools, (str, bytes, Mapping)) or callable(tools):
        raise InputTypeError(f"tools must be a list, got {type(tools).__name__}: {tools!r:.60}.")
    return tools and [
        tool_schema(tool) if inspect.isfunction(tool) or inspect.ismethod(tool) else tool
        for tool in tools
    ]


def _objects(option: str, values: Sequence[Mapping[str, Any]] | None) -> list[Any] | None:
    if values is None:
        return None
    for number, value in enumerate(values):
        if not isinstance(value, Mapping):
            raise InputTypeError(
                f"{option}[{number}] must be a dict (of a tool: its JSON schema, or a function "
                f"with annotations and a docstring), got {type(value).__name__}: {value!r:.60}."
            )
    return [_plain(value) for value in values]


def _plain(value: Any) -> Any:
    """As JSON could say it: no object's methods get into a template."""
    if value is None or type(value) in (str, bool, int, float):
        return value
    if isinstance(value, Mapping):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    for kind in (str, int, float):
        if isinstance(value, kind):  # of a subclass
            return kind.__str__(value) if kind is str else kind(value)
    return f"<{type(value).__name__}>"


# ---------------------------------------------------------------------- the message that goes on


def _mark_end(message: dict[str, Any], member: str) -> str:
    """Put a mark behind the text that is to go on; returns the mark."""
    tag = f"{uuid4().hex} "  # the space tells whether the template trims what it is given
    content = message.get(member)
    texts = [part for part in content if "text" in part] if isinstance(content, list) else []
    if texts:
        texts[-1]["text"] += tag
    elif isinstance(content, str):
        names = _REASONING if member in _REASONING else (member,)
        message |= {name: content + tag for name in names if message.get(name) == content}
    else:
        raise ArgumentError(
            f"continue_final_message: the last message has no text in {member!r} to go on with."
        )
    return tag


def _until(text: Traced, tag: str) -> Traced:
    place = text.rfind(tag.strip())
    if place < 0:
        raise ChatTemplateError(
            "continue_final_message: the template does not show the last message, so nothing can "
            "be continued."
        )
    was_trimmed = text[place : place + len(tag)] != tag
    return text[:place].rstrip() if was_trimmed else text[:place]
