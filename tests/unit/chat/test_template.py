"""Templates render as transformers' environment renders them, and show where they fail."""

import contextlib
import re
import sys
from datetime import datetime

import pytest

from bytepair.chat import ChatTemplate, template
from bytepair.errors import ArgumentError, ChatTemplateError, InputTypeError, MissingExtraError

HI = [{"role": "user", "content": "Hi"}]
EVIL = [{"role": "user", "content": " <|x|>\n"}]


def runs(source, messages=EVIL, **options):
    """What was rendered, by whose it is."""
    return template(source).render(messages, **options).runs()


RENDERED = {
    "{% if true %}\nA\n{% endif %}\n  {% if true %}B{% endif %}": "A\nB",
    "{{ {'é': '<b>'} | tojson }}": '{"é": "<b>"}',
    "{{ [1, 2] | tojson(indent=1) }}": "[\n 1,\n 2\n]",
    "{% for c in 'abc' %}{% if loop.index == 2 %}{% break %}{% endif %}{{ c }}{% endfor %}": "a",
    "{% set n = namespace(a=1) %}{% set n.a = 2 %}{{ n.a }}{{ dict(b=3).b }}": "23",
    "{{ bos_token }}{{ nothing }}{{ messages[0].content }}{{ x }}": "<s>Hi7",
    "{{ tools is none }}{{ documents is none }}{{ add_generation_prompt }}": "TrueTrueFalse",
    "{{ '{:>3}{}'.format(1, 'b') }}{{ '%s-%d' | format('a', 2) }}": "  1ba-2",
    "{{ 'a{x.y}b'.format_map({'x': {'y': 1}}) }}": "a1b",
    "{{ ['a', 'b'] | join(', ') | upper }}{{ 'x' ~ 1 ~ none }}": "A, Bx1None",
}


@pytest.mark.parametrize("source", RENDERED)
def test_template_renders_as_worked_out_by_hand(source):
    """The variables, filters, globals and tags that templates of current models use."""
    text = template(source).render(HI, named_tokens={"bos_token": "<s>"}, variables={"x": 7})
    assert text == RENDERED[source]


OWN_TEXT = {
    "{{ '<|a|>' + messages[0].content }}": [("<|a|>", True), (" <|x|>\n", False)],
    "{{ messages[0].content ~ '<|a|>' }}": [(" <|x|>\n", False), ("<|a|>", True)],
    "{{ messages[0].content | trim }}<|a|>": [("<|x|>", False), ("<|a|>", True)],
    "{{ messages[0].content | replace('x', 'y') }}": [(" <|y|>\n", False)],
    "{{ messages[0] | tojson }}": [('{"role": "user", "content": " <|x|>\\n"}', False)],
    "{{ messages[0].content | upper }}": [(" <|X|>\n", False)],
    "{{ '<|{}|>'.format(messages[0].content.strip()) }}": [
        ("<|", True),
        ("<|x|>", False),
        ("|>", True),
    ],
    "{% set t %}<|a|>{{ messages[0].content }}{% endset %}{{ t | trim }}": [
        ("<|a|>", True),
        (" <|x|>", False),
    ],
    "{% macro m(c) %}<|m|>{{ c }}{{ caller() }}{% endmacro %}"
    "{% call m(messages[0].content) %}<|k|>{% endcall %}": [
        ("<|m|>", True),
        (" <|x|>\n", False),
        ("<|k|>", True),
    ],
    "{{ ['<|a|>', messages[0].content, '<|b|>'] | join('<|,|>') }}": [
        ("<|a|><|,|>", True),
        (" <|x|>\n", False),
        ("<|,|><|b|>", True),
    ],
    "{% for part in messages[0].content.split('|') %}{{ part }}|{% endfor %}": [
        (" <", False),
        ("|", True),
        ("x", False),
        ("|", True),
        (">\n", False),
        ("|", True),
    ],
    "{% filter trim %} <|a|>{{ messages[0].content }}{% endfilter %}": [
        ("<|a|>", True),
        (" <|x|>", False),
    ],
    "{{ '<|' + messages[0].role + '|>' }}": [("<|user|>", True)],
    "{{ messages[0].content | safe }}{{ messages[0].content | e }}": [
        (" <|x|>\n &lt;|x|&gt;\n", False)
    ],
}


@pytest.mark.parametrize("source", OWN_TEXT)
def test_only_the_templates_text_is_its_own(source):
    """However it is put together; and contents stay what they are, however they are changed."""
    assert runs(source) == OWN_TEXT[source]


@pytest.mark.parametrize("role", ["endoftext", "user|>", "<|user|>", "", "System"])
def test_role_that_no_model_has_is_not_trusted(role):
    """A role completes control tokens like `<|user|>`: it must not complete any other."""
    source = "{{ '<|' + messages[0].role + '|>' }}"
    assert (role, False) in [*runs(source, [{"role": role, "content": ""}]), ("", False)]


FAILING = {
    "a\n{% if x %}": ("line 2", "{% if x %}"),
    "\n\n{{ raise_exception('no system') }}": ("line 3", "no system"),
    "\n{{ messages.append(1) }}": ("line 2", "unsafe"),
    "{{ messages.__class__.x }}": ("line 1", "unsafe"),
    "{{ namespace(__init__=1) }}": ("line 1", "'_'"),
    "\n{{ 1 / 0 }}": ("line 2", "division by zero"),
    "\n{{ gone.away }}": ("line 2", "'gone' is undefined"),
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}": ("calls itself",),
    "{% include 'x' %}": ("line 1",),
}


@pytest.mark.parametrize("source", FAILING)
def test_failing_template_shows_its_line(source):
    """Templates are long; one that refuses a conversation says so itself."""
    with pytest.raises(ChatTemplateError, match=FAILING[source][0]) as caught:
        template(source).render(HI)
    assert all(part in str(caught.value) for part in FAILING[source])


DOUBLED = (
    "{{% set n = namespace(x='ab') %}}"
    "{{% for i in range(60) %}}{{% set n.x = n.x {} n.x %}}{{% endfor %}}"
)
ENDLESS = {
    "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}": "steps",
    "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}": (
        "steps"
    ),
    DOUBLED.format("~"): "characters",
    "{% set n = namespace(x=9) %}{% for i in range(60) %}{% set n.x = n.x * n.x %}{% endfor %}": (
        "bits"
    ),
    DOUBLED.format("+"): "characters",
    "{{ 'a' * 10 ** 10 }}": "characters",
    "{{ [0] * 10 ** 10 }}": "characters",
    "{{ 9 ** 99999 }}": "bits",
    "{{ 'a'.ljust(10 ** 10) }}": "may not be given",
    "{{ 'a' | center(10 ** 10) }}": "may not be given",
    "{{ 'a' | indent(10 ** 10) }}": "may not be given",
    "{{ [1] | slice(10 ** 10) | list }}": "may not be given",
    "{{ lipsum(n=10 ** 10) }}": "may not be given",
    "{{ '%9999999999d' | format(1) }}": "six digits",
    "{{ '%9999999999d' % 1 }}": "six digits",
    "{{ '%*d' % (10 ** 10, 1) }}": "widths from values",
    "{{ '{:>9999999999}'.format('a') }}": "six digits",
    "{{ '{:>{}}'.format('a', 10 ** 9) }}": "given|digits",
    "{{ messages[0].content.format() }}{{ ('{:>9999999999}' ~ '').format(1) }}": "six digits",
    "{{ ('a' * 99999).replace('', 'b' * 99999) }}": "characters",
    "{{ ('a' * 99999) | replace('a', 'b' * 99999) }}": "characters",
    "{{ ('\t' * 99999).expandtabs(99999) }}": "characters",
    "{{ range(10 ** 10) | list }}": "may not be given|too big",
}


@pytest.mark.parametrize("source", ENDLESS)
def test_template_that_goes_on_for_ever_is_stopped(source, monkeypatch):
    """Before it takes minutes or the memory: a template is a stranger's program."""
    monkeypatch.setattr("bytepair.chat._limits.MOST_STEPS", 100_000)
    with pytest.raises(ChatTemplateError, match=ENDLESS[source]):
        template(source).render(HI)


ESCAPES = [
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ messages[0].content.__init__.__globals__ }}",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "{{ raise_exception.__globals__ }}",
    "{{ strftime_now.__globals__ }}",
    "{{ namespace.__init__.__globals__ }}",
    "{{ (messages[0]['content'] | attr('__class__')).x }}",
    "{{ [messages[0].content] | map(attribute='__class__') | list }}",
    "{{ '{0.__class__.__mro__}'.format(messages[0].content) }}",
    "{{ '{x.__class__}'.format_map({'x': 1}) }}",
    "{% set f = '{0.__class__}'.format %}{{ f(1) }}",
    "{{ self.__init__.__globals__ }}",
    "{{ self._TemplateReference__context.environment }}",
    "{{ dict.fromkeys.__self__ }}",
    "{{ namespace(**{'__class__': 1}) }}",
    "{{ messages.append(1) }}",
    "{{ messages[0].update(role='system') }}",
    "{{ messages[0].content._origin }}",
    "{% import 'os' as os %}",
    "{% extends '/etc/passwd' %}",
]


@pytest.mark.parametrize("source", ESCAPES)
def test_template_does_not_get_out_of_its_sandbox(source):
    """Refused, or nothing: never a class, a module, or the caller's own objects changed."""
    messages = [{"role": "user", "content": "Hi"}]
    with contextlib.suppress(ChatTemplateError):
        text = template(source).render(messages)
        assert not re.search("class|module|built-in|root|uid", text), text
    assert messages == HI


def test_ordinary_template_has_steps_enough():
    """Ten thousand messages of ten thousand characters."""
    messages = [{"role": "user", "content": "x" * 10_000}] * 10_000
    source = (
        "{% for m in messages %}{% if m.role == 'user' %}{{ m.content }}{% endif %}{% endfor %}"
    )
    assert len(template(source).render(messages)) == 100_000_000


def test_day_is_today():
    """`strftime_now` is how a template knows the date."""
    assert template("{{ strftime_now('%Y') }}").render(HI) == datetime.now().strftime("%Y")


@pytest.mark.parametrize(
    ("messages", "error"),
    [
        ("Hi", InputTypeError),
        ([], ArgumentError),
        (["Hi"], InputTypeError),
        (HI[0], InputTypeError),
    ],
)
def test_what_is_no_conversation_is_refused(messages, error):
    """A single message, or text, is a likely slip."""
    with pytest.raises(error):
        template("x").render(messages)


def test_members_that_are_none_are_as_if_missing():
    """Servers send `"tool_calls": null`, which templates would print."""
    messages = [{"role": "assistant", "content": None, "reasoning": "r", "tool_calls": None}]
    source = "{{ messages[0] | tojson }}"
    text = '{"thinking": "r", "role": "assistant", "reasoning": "r", "reasoning_content": "r"}'
    assert template(source).render(messages) == text


def test_objects_do_not_get_into_a_template():
    """Their methods could do anything."""
    message = {"role": "user", "content": [{"type": "image", "image": object()}]}
    assert template("{{ messages[0].content[0].image }}").render([message]) == "<object>"


TURN = "{% for m in messages %}[{{ m.content }}]<e>{% endfor %}"
TRIMMED = "{% for m in messages %}[{{ m.content | trim }}]<e>{% endfor %}"


@pytest.mark.parametrize(
    ("source", "content", "text"),
    [
        (TURN, "Hi ", "[Hi "),
        (TRIMMED, "Hi ", "[Hi"),
        ("{{ messages[0].content[0].text }}.", [{"type": "text", "text": "a"}], "a"),
    ],
)
def test_last_message_goes_on(source, content, text):
    """Nothing of what the template puts behind it, and no blanks that the template cuts off."""
    messages = [{"role": "assistant", "content": content}]
    assert template(source).render(messages, continue_final_message=True) == text
    assert messages[0]["content"] == content


def test_last_message_that_is_not_shown_cannot_go_on():
    """Or that is no text, or while another message is to begin."""
    with pytest.raises(ChatTemplateError, match="does not show"):
        template("x").render(HI, continue_final_message=True)
    with pytest.raises(ArgumentError, match="no text in 'thinking'"):
        template(TURN).render(HI, continue_final_message="thinking")
    with pytest.raises(ArgumentError, match="pass one of them"):
        template(TURN).render(HI, continue_final_message=True, add_generation_prompt=True)


@pytest.mark.parametrize(("module", "version"), [(None, ""), ("jinja2", "3.1.5")])
def test_missing_or_old_jinja_names_the_command(monkeypatch, module, version):
    """Older ones let templates out of the sandbox."""
    import jinja2

    from bytepair.chat import _template

    _template._environment.cache_clear()
    if module is None:
        monkeypatch.setitem(sys.modules, "jinja2", None)
    else:
        monkeypatch.setattr(jinja2, "__version__", version)
    with pytest.raises(MissingExtraError, match=r'pip install "bytepair\[chat\]"'):
        ChatTemplate("x")


def test_text_of_the_template_is_known():
    """That is where control tokens that are not special are found."""
    assert template("a{{ 'b' }}{% if x == 'c' %}d{% endif %}").own_text.split("\0") == [
        "a",
        "d",
        "b",
        "c",
    ]
