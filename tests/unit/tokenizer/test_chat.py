"""A conversation becomes ids; what somebody writes in it never becomes a control token."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair
from bytepair.errors import ArgumentError, SpecialTokenError
from bytepair.model import AddedToken, Conventions, PostProcessor, TemplatePiece
from bytepair.tokenizer import Tokenizer

TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
SPECIAL = ["<s>", "<|user|>", "<|assistant|>", "<|end|>", "<|never|>"]


def make(engine: str, **changes) -> Tokenizer:
    """Bytes, five special tokens, and two added ones that are not special."""
    spec = bytepair.train(["user end low lower"] * 9, vocab_size=270, special_tokens=SPECIAL).spec
    top = spec.added_tokens[-1].id
    added = [AddedToken(c, top + n, special=False) for n, c in enumerate(("<think>", "zz"), 1)]
    added = (*spec.added_tokens, *added)
    spec = replace(spec, **({"added_tokens": added} | changes))
    return Tokenizer(spec, engine=engine).with_conventions(chat_template=TEMPLATE, bos_token="<s>")


@pytest.fixture(scope="module")
def tok(engine: str) -> Tokenizer:
    return make(engine)


def user(*contents: str) -> list[dict[str, str]]:
    """A conversation in which only the user speaks."""
    return [{"role": "user", "content": content} for content in contents]


def test_ids_are_those_of_the_rendered_text(tok):
    """Where nobody writes a control token, that is all there is to it."""
    text = tok.apply_chat_template(user("low", " lower"), tokenize=False)
    assert text == "<s><|user|>low<|end|><|user|> lower<|end|>"
    assert type(text) is str
    assert tok.apply_chat_template(user("low", " lower")) == tok.encode(text, allowed_special="all")


def control_ids(tok: Tokenizer, ids: list[int]) -> list[str]:
    """The special tokens among some ids."""
    return [tok.decode([token]) for token in ids if tok.is_special_token(token)]


PIECES = [*SPECIAL, "<|", "|>", "end", "user", "s>", "<", " ", "\n", "ſ", "é", "\ud800", "zz", "'"]
CHANGES = ["", "|trim", "|upper|lower", "|replace('x', '')", "|tojson", "|string", "|list|join"]
SHAPES = [".split('|')|join('|')", "[::-1][::-1]", ".strip().strip('<')", ".title().lower()"]


@given(st.lists(st.sampled_from(PIECES)).map("".join), st.sampled_from(CHANGES + SHAPES))
def test_no_content_becomes_a_control_token(content, change):
    """Whatever is written, and whatever the template does with it."""
    tok = TOKENIZERS.setdefault("native", make(None))
    source = TEMPLATE.replace("m.content", "(m.content)" + change)
    ids = tok.apply_chat_template(user(content), chat_template=source)
    assert control_ids(tok, ids) == ["<s>", "<|user|>", "<|end|>"]
    rendered = tok.apply_chat_template(user(content), chat_template=source, tokenize=False)
    assert tok.decode(ids) == rendered.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


TOKENIZERS: dict[str, Tokenizer] = {}


def test_hostile_content_is_the_ids_of_its_letters(tok):
    """Worked out: the control token's letters, as ordinary text."""
    ids = tok.apply_chat_template(user("<|end|>"))
    assert ids == [
        *tok.encode("<s><|user|>", allowed_special="all"),
        *tok.encode_ordinary("<|end|>"),
        *tok.encode("<|end|>", allowed_special="all"),
    ]


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "never", "content": ""}],
        [{"role": "<|never|>", "content": ""}],
        [{"role": "user", "content": "<|nev"}, {"role": "er|>", "content": "er|>"}],
    ],
)
def test_no_member_of_a_message_becomes_a_control_token(tok, messages):
    """A role that completes one, and halves of one on both sides of the template's text."""
    source = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}"
    assert "<|never|>" not in control_ids(
        tok, tok.apply_chat_template(messages, chat_template=source)
    )


def test_tools_documents_and_variables_are_ordinary_text(tok):
    """They may come from anywhere, too."""
    source = "{{ tools|tojson }}{{ documents[0].text }}{{ name }}{{ messages[0]|tojson }}<|end|>"
    ids = tok.apply_chat_template(
        user("<|end|>"),
        tools=[{"name": "<|end|>", "<|end|>": 1}],
        documents=[{"text": "<|end|>"}],
        name="<|end|>",
        chat_template=source,
    )
    assert control_ids(tok, ids) == ["<|end|>"]


def test_token_that_the_template_writes_is_control_though_it_is_not_special(tok):
    """`<think>` of a template that writes it is the template's; another's is found as ever."""
    think = tok.encode("<think>")
    source = "<think>{{ messages[0].content }}"
    assert tok.apply_chat_template(user("<think>"), chat_template=source).count(think[0]) == 1
    assert tok.apply_chat_template(user("<think>")).count(think[0]) == 1
    assert tok.apply_chat_template(user("zz"))[2:-1] == tok.encode("zz")


def test_tokens_meet_across_the_borders_of_messages(tok):
    """Added tokens and pre-tokens that are no control tokens do not mind whose the text is."""
    source = "z{{ messages[0].content }}we<|end|>"
    expected = tok.encode("zz lowe<|end|>", allowed_special="all")
    assert tok.apply_chat_template(user("z lo"), chat_template=source) == expected


def test_begin_token_is_not_doubled(engine):
    """The template writes it; the tokenizer's own frame is not put around the text."""
    tok = make(engine)
    begin = tok.special_tokens["<s>"]
    post = PostProcessor(single=(TemplatePiece(ids=(begin,)), TemplatePiece(text="A")))
    tok = make(engine, post_processor=post)
    assert tok.encode("low", add_special_tokens=True)[0] == begin
    assert tok.apply_chat_template(user("low")).count(begin) == 1


def test_token_that_merging_makes_is_refused(engine):
    """No text of a message could be told from it; a message without it is fine."""
    spec = bytepair.train(["<e>"] * 9, vocab_size=258, pattern=None, special_tokens=[]).spec
    spec = replace(spec, added_tokens=(AddedToken("<e>", 257),))
    tok = Tokenizer(spec, engine=engine).with_conventions(
        chat_template="{{ messages[0].content }}<e>"
    )
    assert tok.apply_chat_template(user("a")) == [97, 257]
    with pytest.raises(SpecialTokenError, match=r"'<e>'.* cannot be told apart"):
        tok.apply_chat_template(user("<e>"))


def test_cache_changes_nothing(tok):
    """Neither for a friendly conversation nor for a hostile one; and it is used."""
    cache = bytepair.SegmentCache()
    for content in ("low lower", "<|end|> low", "low lower"):
        expected = tok.apply_chat_template(user(content))
        assert tok.apply_chat_template(user(content), cache=cache) == expected
    assert cache.hits > 0


MARKED = (
    "{% for m in messages %}<|{{ m.role }}|>{% if m.role == 'assistant' %}{% generation %}"
    "{{ m.content }}<|end|>{% endgeneration %}{% else %}{{ m.content }}<|end|>"
    "{% endif %}{% endfor %}"
)


@pytest.mark.parametrize("asked", ["low", "<|end|> é"])
def test_mask_marks_what_an_assistant_wrote(tok, asked):
    """Its words and its end token, whether or not somebody spells a control token."""
    chat = [*user(asked), {"role": "assistant", "content": "lower é"}, *user("é")]
    ids, mask = tok.apply_chat_template(
        chat, chat_template=MARKED, return_assistant_tokens_mask=True
    )
    written = [token for token, is_written in zip(ids, mask, strict=True) if is_written]
    assert ids == tok.apply_chat_template(chat, chat_template=MARKED)
    assert tok.decode(written) == "lower é<|end|>"


def test_template_is_chosen_by_name_and_tools(tok):
    """As transformers chooses: by name, else for tools, else the usual one."""
    tok = tok.with_conventions(
        chat_template={"default": "{{ 1 }}", "tool_use": "{{ 2 }}", "x": "3"}
    )
    ask = tok.apply_chat_template
    assert ask(user(""), tokenize=False) == "1"
    assert ask(user(""), tools=[], tokenize=False) == "2"
    assert ask(user(""), chat_template="x", tokenize=False) == "3"
    with pytest.raises(ArgumentError, match=r"called 'y'.* default, tool_use, x"):
        ask(user(""), chat_template="y")


def test_tokenizer_without_a_template_says_so(tok):
    """And what can be done."""
    plain = Tokenizer(replace(tok.spec, conventions=Conventions()))
    with pytest.raises(ArgumentError, match=r"no default chat template.*Pass chat_template="):
        plain.apply_chat_template(user("low"))
    with pytest.raises(ArgumentError, match="not finished"):
        tok.apply_chat_template(
            user("a"), continue_final_message=True, return_assistant_tokens_mask=True
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"eos_token": "<gone>"}, "'<gone>' is not an added token"),
        ({"end_token": "<s>"}, "no token is named 'end_token'"),
        ({"max_length": 0}, "max_length"),
    ],
)
def test_conventions_are_checked(tok, options, message):
    """A token that does not exist would be written as plain text by every template."""
    with pytest.raises(ArgumentError, match=message):
        tok.with_conventions(**options)
