"""`tool_schema`: a Python function as the JSON schema that chat templates show to a model.

The JSON is what transformers' `get_json_schema` makes of the same function, as
https://huggingface.co/docs/transformers/chat_extras describes it.
"""

import inspect
import json
import re
from collections.abc import Callable, Mapping
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

from bytepair.errors import ArgumentError

Schema = dict[str, Any]

_KINDS: dict[Any, str] = {
    int: "integer",
    float: "number",
    str: "string",
    bool: "boolean",
    NoneType: "null",
    list: "array",
    tuple: "array",
    dict: "object",
}
_SCALARS = (int, float, str, bool, NoneType)  # what JSON writes as a value by itself

_HEADING = re.compile(r"Args:|Returns:|Raises:")
_ARGUMENTS = re.compile(r"\n\s*Args:\n")
_RETURNS = re.compile(r"\n\s*Returns:\n")
_ENTRY = re.compile(r"(?P<indent>[ \t]*)(?P<name>\w+)(?:[ \t]*\([^()]*\))?:\s*(?P<text>.*)")
_CHOICES = re.compile(r"\(choices:\s*(.*?)\)\s*$", re.IGNORECASE)


def tool_schema(function: Callable[..., Any]) -> Schema:
    """The schema of a function, by its annotations and its docstring in Google's form.

    An argument's description may end with `(choices: ["a", "b"])`, which becomes its "enum".

    Raises:
        ArgumentError: it has no docstring, or an argument no annotation that JSON can express or
            no description; says which.

    >>> def weather(city: str) -> str:
    ...     '''The weather of a place.
    ...
    ...     Args:
    ...         city: its name
    ...     '''
    >>> tool_schema(weather)["function"]["parameters"]["properties"]
    {'city': {'type': 'string', 'description': 'its name'}}
    """
    name = getattr(function, "__name__", "operation")
    text = (inspect.getdoc(function) or "").strip()
    if not text:
        _refuse(name, "it has no docstring")
    hints, receiver = _hints(name, function)
    described = _arguments(text)
    properties = {}
    for argument in (each for each in hints if each not in ("return", receiver)):
        if argument not in described:
            _refuse(name, f"its docstring says nothing about {argument!r} under 'Args:'")
        properties[argument] = _property(name, argument, hints[argument], described[argument])
    parameters: Schema = {"type": "object", "properties": properties}
    if required := _required(function, receiver):
        parameters["required"] = required
    schema: Schema = {"name": name, "description": _summary(text), "parameters": parameters}
    returned = _returned(hints, text)
    if returned is not None:
        schema["return"] = returned
    return {"type": "function", "function": schema}


def _refuse(name: str, reason: str) -> NoReturn:
    raise ArgumentError(
        f"no JSON schema can be made of the tool {name}: {reason}. Annotate every argument, "
        "describe each in the docstring ('Args:', then 'name: what it is'), or pass the JSON "
        "schema itself as a dict."
    )


# ---------------------------------------------------------------------- annotations


def _hints(name: str, function: Callable[..., Any]) -> tuple[Mapping[str, Any], str | None]:
    """The annotations, and the first argument's name if it is the receiver of a method."""
    parameters = inspect.signature(function).parameters
    bare = [
        each for each, parameter in parameters.items() if parameter.annotation is inspect._empty
    ]
    receiver = next((each for each in list(parameters)[:1] if each in ("self", "cls")), None)
    if receiver not in bare:
        receiver = None
    for argument in bare:
        if argument != receiver:
            _refuse(name, f"its argument {argument!r} has no type annotation")
    try:
        return get_type_hints(function), receiver
    except NameError as error:
        _refuse(name, f"an annotation cannot be read ({error})")


def _required(function: Callable[..., Any], receiver: str | None) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    required = [each.name for each in parameters if each.default is each.empty]
    return [name for name in required if name != receiver]


def _property(name: str, argument: str, hint: Any, text: str) -> Schema:
    try:
        schema = _schema(hint)
    except _InexpressibleError as error:
        _refuse(name, f"its argument {argument!r} is {error}")
    if choices := _CHOICES.search(text):
        try:
            values = json.loads(choices[1])
        except ValueError:
            _refuse(name, f"the choices of {argument!r} are no JSON list: {choices[1]:.60}")
        schema["enum"] = [each.strip() if isinstance(each, str) else each for each in values]
        text = text[: choices.start()].strip()
    schema["description"] = text
    return schema


def _returned(hints: Mapping[str, Any], text: str) -> Schema | None:
    """A model never writes what a function returns: it is left out where JSON cannot say it."""
    if "return" not in hints:
        return None
    try:
        schema = _schema(hints["return"])
    except _InexpressibleError:
        return None
    if found := _RETURNS.search(text):
        rest = text[found.end() :]
        schema["description"] = rest.partition("Raises:")[0].strip()
    return schema


class _InexpressibleError(Exception):
    """An annotation that is no JSON schema; says what it is."""


def _schema(hint: Any) -> Schema:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _union(arguments)
    if origin is Literal:
        return _enum(list(arguments), hint)
    if isinstance(hint, type) and issubclass(hint, Enum) and len(hint):
        return _enum([member.value for member in hint], hint)
    if hint is Any:
        return {}
    kind = _KINDS.get(origin or hint)
    if kind is None:
        raise _InexpressibleError(f"{_shown(hint)}, which JSON has no type for")
    if origin is tuple and (len(arguments) == 1 or ... in arguments):
        raise _InexpressibleError(f"{_shown(hint)}; write list[...] for any number of values")
    return {"type": kind, **_inner(origin, arguments)}


def _inner(origin: Any, arguments: tuple[Any, ...]) -> Schema:
    """What is known of the values within."""
    if origin is list and arguments:
        return {"items": _schema(arguments[0])}
    if origin is tuple and arguments:
        return {"prefixItems": [_schema(each) for each in arguments]}
    if origin is dict and len(arguments) == 2:  # of a key and a value
        return {"additionalProperties": _schema(arguments[1])}
    return {}


def _union(arguments: tuple[Any, ...]) -> Schema:
    """One of several; null is said with "nullable"."""
    parts = [_schema(each) for each in arguments if each is not NoneType]
    names = sorted({str(part.get("type")) for part in parts})
    schema: Schema = {"anyOf": parts}
    if len(parts) == 1:
        schema = parts[0]
    elif all(part.keys() == {"type"} and isinstance(part["type"], str) for part in parts):
        schema = {"type": names[0] if len(names) == 1 else names}
    if NoneType in arguments:
        schema["nullable"] = True
    return schema


def _enum(values: list[Any], hint: Any) -> Schema:
    if any(type(value) not in _SCALARS for value in values):
        raise _InexpressibleError(
            f"{_shown(hint)}, of which not all values are numbers, text or None"
        )
    kinds = list(dict.fromkeys(_KINDS[type(value)] for value in values))
    return {"type": kinds[0] if len(kinds) == 1 else kinds, "enum": values}


def _shown(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) else str(hint)


# ---------------------------------------------------------------------- docstrings


def _summary(text: str) -> str:
    """All before the first heading."""
    found = _HEADING.search(text)
    return text[: found.start() if found else None].strip()


def _arguments(text: str) -> dict[str, str]:
    """What `Args:` says of each; lines that are indented deeper go on with what is above."""
    found = _ARGUMENTS.search(text)
    if found is None:
        return {}
    block = re.split("Returns:|Raises:", text[found.end() :], maxsplit=1)[0]
    described: dict[str, str] = {}
    name, indent = "", ""
    for line in filter(str.strip, block.split("\n")):
        entry = _ENTRY.match(line)
        goes_on = line.startswith((indent + " ", indent + "\t")) or not described.get(name)
        if entry and not (name and goes_on):
            name, indent = entry["name"], entry["indent"]
            described[name] = entry["text"].strip()
        elif name:
            described[name] = f"{described[name]} {line.strip()}".strip()
    return described
