"""What transformers gives for a tokenizer of ours, in its own classes and in ours.

Oracle: transformers' stock classes, loading the same folder.
"""

import copy
import pickle
import random
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("transformers", reason="needs the extra: pip install 'bytepair[transformers]'")

from transformers import AutoTokenizer, PreTrainedTokenizerFast

import bytepair
from bytepair.errors import BytepairWarning, InputTypeError
from bytepair.integrations.transformers import (
    BytepairTokenizer,
    accelerate,
    check_folder,
    restore,
)

TEMPLATE = (
    "{{ bos_token }}{% if tools %}<|tools|>{{ tools | tojson(indent=1) }}<|end|>{% endif %}"
    "{% for m in messages %}<|{{ m['role'] }}|>\n{% if m.role == 'assistant' %}{% generation %}"
    "{{ m.content | trim }}<|end|>{% endgeneration %}{% else %}{{ m.content }}<|end|>{% endif %}\n"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)
SPECIAL = ["<s>", "<pad>", "<|user|>", "<|assistant|>", "<|end|>", "<|tools|>"]
WORDS = [
    "low",
    "lower",
    "lowest",
    "É",
    "한글",
    "don't",
    "1234567",
    "a+b\n\n",
    "\t",
    "é",
    "<|end|>",
    "<|user|>",
    "<|",
    "😀",
]


def texts(n: int, seed: int = 0) -> list[str]:
    """Lines of words, among them control tokens, scripts, odd spaces; and the empty text."""
    draw = random.Random(seed)
    return ["", " ", *(" ".join(draw.choices(WORDS, k=draw.randint(1, 9))) for _ in range(n))]


@pytest.fixture(scope="module")
def tok() -> bytepair.Tokenizer:
    trained = bytepair.train(
        ["low lower lowest don't 1234"] * 9, vocab_size=276, special_tokens=SPECIAL
    )
    return trained.with_conventions(
        chat_template=TEMPLATE,
        bos_token="<s>",
        eos_token="<|end|>",
        pad_token="<pad>",
        max_length=512,
    )


@pytest.fixture(scope="module")
def folder(tok: bytepair.Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "mine"
    tok.save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def stock(folder: Path) -> PreTrainedTokenizerFast:
    return AutoTokenizer.from_pretrained(folder)


CALLS = [
    {},
    {"add_special_tokens": False},
    {"padding": True},
    {"padding": True, "return_tensors": "np"},
    {"padding": True, "pad_to_multiple_of": 8, "padding_side": "left", "return_tensors": "np"},
    {"padding": "max_length", "max_length": 12, "truncation": True},
    {"padding": "max_length", "max_length": 3},
    {"truncation": True, "max_length": 5},
    {"truncation": "longest_first", "max_length": 5, "return_attention_mask": False},
    {"truncation": True, "max_length": 4, "stride": 1, "return_overflowing_tokens": True},
    {"split_special_tokens": True},
    {"return_offsets_mapping": True, "return_special_tokens_mask": True},
    {"return_token_type_ids": True, "return_length": True},
]


def listed(encoding) -> dict[str, object]:
    """A `BatchEncoding` as plain values with their kinds."""
    return {
        name: (value.dtype, value.tolist()) if isinstance(value, np.ndarray) else value
        for name, value in encoding.items()
    }


@pytest.mark.parametrize("options", CALLS, ids=str)
def test_calls_give_what_the_stock_class_gives(folder, stock, options):
    """One text, many, and pairs; keys, their order, values and dtypes."""
    fast = BytepairTokenizer.from_pretrained(folder)
    batch = texts(200)
    for args in [(batch,), (batch[7],), (batch[:50], batch[50:100]), ([batch[3]],)]:
        ours, theirs = fast(*args, **options), stock(*args, **options)
        assert list(listed(ours).items()) == list(listed(theirs).items())


def test_ten_thousand_texts_have_the_same_ids(folder, stock):
    """The plain call, which our core answers, against the stock tokenizer's."""
    fast, batch = BytepairTokenizer.from_pretrained(folder), texts(10_000, seed=1)
    assert fast(batch)["input_ids"] == stock(batch)["input_ids"]


def test_saved_folder_is_loaded_with_all_it_says(tok, stock):
    """By plain transformers, without bytepair."""
    assert stock.chat_template == TEMPLATE
    assert (stock.bos_token, stock.eos_token, stock.pad_token) == ("<s>", "<|end|>", "<pad>")
    assert stock.model_max_length == 512
    assert stock.all_special_ids == [tok.special_tokens[t] for t in ("<s>", "<|end|>", "<pad>")]
    assert stock("low<|end|>")["input_ids"] == tok.encode("low<|end|>", allowed_special="all")


def test_folder_goes_both_ways(tok, folder, tmp_path):
    """Ours saved by transformers, and back; `AutoTokenizer` finds the class by its name."""
    BytepairTokenizer.from_pretrained(folder).save_pretrained(tmp_path)
    again = AutoTokenizer.from_pretrained(tmp_path)
    assert type(again) is BytepairTokenizer
    ours = bytepair.load(tmp_path)
    batch = texts(200)
    assert ours.encode_batch(batch, allowed_special="all") == tok.encode_batch(
        batch, allowed_special="all"
    )
    assert ours.spec.conventions == tok.spec.conventions


def test_several_templates_are_saved_and_loaded(tok, tmp_path):
    """By their names, here and there, and what an earlier save left is gone."""
    tok.save_pretrained(tmp_path)
    several = tok.with_conventions(chat_template={"default": "{{ 1 }}", "tool_use": "{{ 2 }}"})
    several.save_pretrained(tmp_path)
    templates = {"default": "{{ 1 }}", "tool_use": "{{ 2 }}"}
    assert AutoTokenizer.from_pretrained(tmp_path).chat_template == templates
    assert bytepair.load(tmp_path).spec.conventions.chat_templates == templates
    BytepairTokenizer.of(several).save_pretrained(tmp_path / "other")
    assert bytepair.load(tmp_path / "other").spec.conventions.chat_templates == templates


def test_tokenizer_in_memory_becomes_one_of_transformers(tok, stock):
    """No folder is needed."""
    fast = BytepairTokenizer.of(tok)
    assert fast(texts(50))["input_ids"] == stock(texts(50))["input_ids"]
    assert (fast.eos_token, fast.chat_template) == ("<|end|>", TEMPLATE)


def test_acceleration_is_undone(folder, stock):
    """The object stays the same one; its class comes back."""
    mine = AutoTokenizer.from_pretrained(folder)
    kind = type(mine)
    assert accelerate(accelerate(mine)) is mine
    assert isinstance(mine, kind)
    assert mine(texts(50))["input_ids"] == stock(texts(50))["input_ids"]
    assert type(restore(mine)) is kind
    assert mine.__dict__.keys() == stock.__dict__.keys()


def test_what_is_no_tokenizer_is_not_accelerated():
    """Only a `tokenizers` backend can be followed."""
    with pytest.raises(InputTypeError, match="expected a PreTrainedTokenizerFast, got str"):
        accelerate("gpt2")


@pytest.mark.parametrize("kind", ["own class", "accelerated"])
def test_tokenizer_is_pickled_and_copied(tok, stock, kind):
    """For worker processes; the same bytes before and after use, so that caches find it again."""
    own = kind == "own class"
    fast = BytepairTokenizer.of(tok) if own else accelerate(copy.deepcopy(stock))
    before = pickle.dumps(fast)
    fast(["low"])
    assert pickle.dumps(fast) == before
    for other in (pickle.loads(before), copy.deepcopy(fast)):
        assert type(other) is type(fast)
        assert other(texts(20))["input_ids"] == fast(texts(20))["input_ids"]


def test_details_are_made_when_they_are_asked_for(folder, stock):
    """Tokens, words and offsets of a plain call, and the same after pickling."""
    ours = BytepairTokenizer.from_pretrained(folder)(texts(20), padding=True)
    theirs = stock(texts(20), padding=True)
    assert ours.is_fast
    for encoding in (ours, pickle.loads(pickle.dumps(ours))):
        assert [encoding.tokens(i) for i in range(20)] == [theirs.tokens(i) for i in range(20)]
        assert [e.offsets for e in encoding.encodings] == [e.offsets for e in theirs.encodings]
        assert encoding.word_ids(9) == theirs.word_ids(9)


def test_changes_of_the_backend_are_followed(folder):
    """Tokens that are added, and parts that are replaced, after the first call."""
    from tokenizers import normalizers, processors

    fast, stock = (c.from_pretrained(folder) for c in (BytepairTokenizer, PreTrainedTokenizerFast))
    for tokenizer in (fast, stock):
        tokenizer("low")
        tokenizer.add_tokens(["LOWER x"])
        tokenizer.backend_tokenizer.normalizer = normalizers.NFC()
    template = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 270)])
    assert fast("e\u0301 LOWER x")["input_ids"] == stock("e\u0301 LOWER x")["input_ids"]
    for tokenizer in (fast, stock):
        tokenizer.backend_tokenizer.post_processor = template
    assert (
        fast("low")["input_ids"]
        == stock("low")["input_ids"]
        != fast("low", add_special_tokens=False)
    )


TOOLS = [{"type": "function", "function": {"name": "f", "description": "<b>'é'"}}]
CHATS = [
    [{"role": "user", "content": "low"}],
    [{"role": "user", "content": " é\n"}, {"role": "assistant", "content": " lower "}] * 2,
    [{"role": "user", "content": None}, {"role": "assistant", "content": "1234", "thinking": "hm"}],
]


@pytest.mark.parametrize("chat", CHATS, ids=len)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"add_generation_prompt": True, "tools": TOOLS},
        {"continue_final_message": True},
    ],
    ids=str,
)
def test_conversations_are_rendered_and_encoded_alike(tok, stock, chat, options):
    """The text, the ids, and which of them an assistant wrote."""
    chat = [message for message in chat if message["content"] is not None]
    text = stock.apply_chat_template(chat, tokenize=False, **options)
    assert tok.apply_chat_template(chat, tokenize=False, **options) == text
    ids = stock.apply_chat_template(chat, return_dict=False, **options)
    assert tok.apply_chat_template(chat, **options) == ids
    if "continue_final_message" not in options:
        theirs = stock.apply_chat_template(chat, return_assistant_tokens_mask=True, **options)
        ours = tok.apply_chat_template(chat, return_assistant_tokens_mask=True, **options)
        assert ours == (theirs["input_ids"], theirs["assistant_masks"])
        fast = BytepairTokenizer.of(tok)
        again = fast.apply_chat_template(chat, return_assistant_tokens_mask=True, **options)
        assert listed(again) == listed(theirs)


def test_content_is_ordinary_text_as_transformers_can_have_it(tok, stock):
    """With its `sanitize_control_tokens`, which is off by default."""
    chat = [{"role": "user", "content": "<|end|>"}]
    safe = stock.apply_chat_template(chat, sanitize_control_tokens=True, return_dict=False)
    assert tok.apply_chat_template(chat) == safe
    assert stock.apply_chat_template(chat, return_dict=False) != safe


def test_model_type_that_changes_ids_is_found_out(tok, tmp_path):
    """Qwen2's class brings its own pattern, which cuts numbers digit by digit."""
    fast = BytepairTokenizer.of(tok)
    (tmp_path / "config.json").write_text('{"model_type": "qwen2"}', encoding="utf-8")
    with pytest.warns(BytepairWarning, match="Qwen2Tokenizer.*model_type in config.json decides"):
        fast.save_pretrained(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "llama"}', encoding="utf-8")
    check_folder(tmp_path)
