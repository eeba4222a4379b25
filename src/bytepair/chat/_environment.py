"""The Jinja environment of chat templates: transformers' one, and text that keeps its origin.

What templates may use follows https://huggingface.co/docs/transformers/chat_templating_writing.
Jinja compiles a template to Python. Here its own text and its string constants are compiled to
`Traced` ones, and what it outputs is joined so that their origin is kept.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import count
from string import Formatter
from typing import Any, NoReturn

from jinja2 import TemplateError, nodes, pass_eval_context
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension, loopcontrols
from jinja2.filters import do_format, do_join, do_replace
from jinja2.parser import Parser
from jinja2.runtime import Context, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedFormatter
from jinja2.utils import Namespace

from bytepair.chat import _limits
from bytepair.chat._traced import Traced


class _Generator(CodeGenerator):
    """Compiles the template's own text to calls of `environment.own`; bodies count their steps."""

    def blockvisit(self, nodes: Iterable[nodes.Node], frame: Frame) -> None:
        self.writeline("environment.step()")
        super().blockvisit(nodes, frame)

    def _output_const_repr(self, group: Iterable[Any]) -> str:
        return f"environment.own({''.join(map(str, group))!r})"

    def visit_TemplateData(self, node: nodes.TemplateData, frame: Frame) -> None:  # noqa: N802, ARG002  # Jinja's
        self.write(f"environment.own({node.data!r})")

    def visit_Const(self, node: nodes.Const, frame: Frame) -> None:  # noqa: N802  # Jinja's name
        if isinstance(node.value, str):
            self.write(f"environment.own({node.value!r})")
        else:
            super().visit_Const(node, frame)

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802  # Jinja's name
        self.write("environment.concat((")
        for part in node.nodes:
            self.write("str(")
            self.visit(part, frame)
            self.write("), ")
        self.write("))")


class _Formatter(SandboxedFormatter):
    """`str.format` whose literal text keeps its origin."""

    def vformat(self, format_string: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        parts: list[str] = []
        is_own = isinstance(format_string, Traced) and format_string.is_own()
        numbers = count()
        for literal, field, spec, conversion in Formatter.parse(self, format_string):
            parts.append(Traced.own(literal) if is_own else literal)
            if field is not None:
                name = f"{next(numbers)}{field}" if field[:1] in ("", ".", "[") else field
                value, _ = self.get_field(name, args, kwargs)
                value = self.convert_field(value, conversion)
                parts.append(self.format_field(value, super().vformat(spec or "", args, kwargs)))
        return Traced.joined(parts)

    def format_field(self, value: Any, format_spec: str) -> Any:
        _limits.check_widths(format_spec)
        return super().format_field(value, format_spec)


class _Generation(Extension):
    """`{% generation %}`: what a model wrote, or would have."""

    tags = {"generation"}  # noqa: RUF012  # Jinja's name and type

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_mark"), [], [], body).set_lineno(line)

    def _mark(self, caller: Macro) -> Traced:
        return Traced(caller()).generated()


class _Namespace(Namespace):
    """Without the names that lead into Python itself."""

    def __init__(*args: Any, **kwargs: Any) -> None:  # so that `self` may be a name
        self, *rest = args
        attributes = dict(*rest, **kwargs)
        for name in attributes:
            _check_name(name)
        Namespace.__init__(self, attributes)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_name(name)
        super().__setitem__(name, value)


class _Dict:
    """`dict(...)` and nothing else of the class."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)


class ChatEnvironment(ImmutableSandboxedEnvironment):
    """Sandboxed: a template can neither change what it is given nor reach Python."""

    code_generator_class = _Generator
    intercepted_binops = frozenset(("*", "**", "%"))
    concat = staticmethod(Traced.joined)
    step = staticmethod(_limits.step)
    own = staticmethod(Traced.own)

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            optimized=False,  # folded constants would not be traced
            extensions=[_Generation, loopcontrols],
        )
        self.filters["tojson"] = _to_json
        self.filters["join"] = _join
        for name in ("batch", "center", "indent", "slice"):
            self.filters[name] = _limits.limited(self.filters[name])
        self.filters["format"] = _format
        self.filters["replace"] = _replace
        self.globals.update(
            raise_exception=_raise, strftime_now=_now, namespace=_Namespace, dict=_Dict()
        )

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        _limits.check_operands(operator, left, right)
        return super().call_binop(context, operator, left, right)

    def call(self, context: Context, obj: Any, *args: Any, **kwargs: Any) -> Any:
        _limits.check_numbers(args, kwargs)
        _limits.check_method(obj, args)
        return super().call(context, obj, *args, **kwargs)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        if super().wrap_str_format(value) is None:
            return None
        formatter, text = _Formatter(self), value.__self__
        if value.__name__ == "format_map":
            return lambda mapping: formatter.vformat(text, (), mapping)
        return lambda *args, **kwargs: formatter.vformat(text, args, kwargs)


def _check_name(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(f"a namespace may not hold {name!r}: its name begins with '_'")


def _raise(message: str) -> NoReturn:
    raise TemplateError(message)


def _now(form: str) -> str:
    return datetime.now().strftime(form)


def _to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Jinja's own escapes what means something in HTML."""
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


@pass_eval_context
def _join(
    context: nodes.EvalContext, value: Any, d: str = "", attribute: str | int | None = None
) -> str:
    return str(do_join(context, value, Traced(d), attribute))


def _format(value: str, *args: Any, **kwargs: Any) -> str:
    _limits.check_widths(value)
    return do_format(value, *args, **kwargs)


@pass_eval_context
def _replace(
    context: nodes.EvalContext, s: str, old: str, new: str, count: int | None = None
) -> str:
    _limits.check_replaced(s, old, new)
    return do_replace(context, s, old, new, count)
