"""A function becomes the JSON schema that a model is shown; what cannot is said.

The right values were worked out from transformers' description of its `get_json_schema`; that its
code gives the same is tested where it is installed.
"""

from enum import Enum
from typing import Any, Literal, Optional

import pytest

from bytepair.chat import template, tool_schema
from bytepair.errors import ArgumentError, InputTypeError


class Unit(Enum):
    """Of temperature."""

    C = "celsius"
    K = 0


def weather(city: str, unit: Unit = Unit.C, days: int | None = None, *, at: float) -> list[str]:
    """The weather
    of a place.

    Args:
        city (str): its name,
            as on a map: any
        unit: of the temperatures
        days:
            how many

        at: the hour (choices: [6, 18.5])

    Returns:
        a line for each day

    Raises:
        OSError: nobody answers
    """


SCHEMA = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather\nof a place.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "its name, as on a map: any"},
                "unit": {
                    "type": ["string", "integer"],
                    "enum": ["celsius", 0],
                    "description": "of the temperatures",
                },
                "days": {"type": "integer", "nullable": True, "description": "how many"},
                "at": {"type": "number", "enum": [6, 18.5], "description": "the hour"},
            },
            "required": ["city", "at"],
        },
        "return": {
            "type": "array",
            "items": {"type": "string"},
            "description": "a line for each day",
        },
    },
}


def test_function_becomes_its_schema():
    """Every part of a docstring, and in the order in which models were shown them."""
    assert repr(tool_schema(weather)) == repr(SCHEMA)


class Clock:
    """Has a method."""

    def tell(self, zone: str):
        """The time.

        Args:
            zone: where
        """


def test_receiver_of_a_method_is_no_argument():
    """Whether or not it is bound; the model cannot give it."""
    for method in (Clock().tell, Clock.tell):
        parameters = tool_schema(method)["function"]["parameters"]
        assert (list(parameters["properties"]), parameters["required"]) == (["zone"], ["zone"])


TYPES = {
    "Any": {},
    "dict[str, list[int]]": {
        "type": "object",
        "additionalProperties": {"type": "array", "items": {"type": "integer"}},
    },
    "tuple[int, bool]": {
        "type": "array",
        "prefixItems": [{"type": "integer"}, {"type": "boolean"}],
    },
    "str | int": {"type": ["integer", "string"]},
    "list | tuple": {"type": "array"},
    "list[int] | str": {
        "anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "string"}]
    },
    "Optional[Literal['a', 1]]": {
        "type": ["string", "integer"],
        "enum": ["a", 1],
        "nullable": True,
    },
    "None": {"type": "null"},
}


def function_of(signature: str, doc: str) -> Any:
    """A function that does nothing."""
    scope = {"Any": Any, "Literal": Literal, "Optional": Optional, "Unit": Unit, "Clock": Clock}
    exec(f"def f({signature}):\n    {doc!r}", scope)
    return scope["f"]


@pytest.mark.parametrize("hint", TYPES)
def test_annotation_becomes_a_type_of_json(hint):
    """As JSON Schema writes them, with "nullable" for what may be left out."""
    f = function_of(f"x: {hint}", "Do.\n\n    Args:\n        x: it")
    described = {**TYPES[hint], "description": "it"}
    assert tool_schema(f)["function"]["parameters"]["properties"] == {"x": described}


DOC = "Do.\n\n    Args:\n        x: it"
REFUSED = {
    ("x: int", ""): "it has no docstring",
    ("x", DOC): "its argument 'x' has no type annotation",
    ("x: int, y: int", DOC): "its docstring says nothing about 'y' under 'Args:'",
    ("x: Clock", DOC): "its argument 'x' is Clock, which JSON has no type for",
    ("x: tuple[int, ...]", DOC): r"its argument 'x' is tuple\[int, ...\]; write list",
    ("x: Literal[b'a']", DOC): "not all values are numbers",
    ("x: 'Gone'", DOC): "an annotation cannot be read .*Gone",
    ("x: str", DOC + " (choices: a, b)"): "the choices of 'x' are no JSON list: a, b",
}


@pytest.mark.parametrize(("signature", "doc"), REFUSED)
def test_function_that_says_too_little_is_refused(signature, doc):
    """And what would help: better words, or the schema itself."""
    with pytest.raises(ArgumentError, match=REFUSED[signature, doc]) as caught:
        tool_schema(function_of(signature, doc))
    assert str(caught.value).startswith("no JSON schema can be made of the tool f: ")
    assert "pass the JSON schema itself" in str(caught.value)


def test_what_a_function_returns_is_left_out_where_json_cannot_say_it():
    """A model never writes it."""
    f = function_of("x: int", DOC)
    f.__annotations__["return"] = Clock
    schema = tool_schema(f)
    assert list(schema["function"]) == ["name", "description", "parameters"]


def test_templates_take_functions_for_tools():
    """Beside schemas; their text is no template's own."""
    chat = [{"role": "user", "content": "Hi"}]
    rendered = template("{{ tools[0].function.name }}{{ tools[1].x }}").render(
        chat, tools=[weather, {"x": 1}]
    )
    assert rendered.runs() == [("weather1", False)]


@pytest.mark.parametrize("tools", [weather, {"type": "function"}, "weather", [len], ["weather"]])
def test_what_is_no_list_of_tools_is_refused(tools):
    """One tool instead of a list is a likely slip; builtins have no annotations."""
    with pytest.raises(InputTypeError, match="tools"):
        template("x").render([{"role": "user", "content": "Hi"}], tools=tools)
