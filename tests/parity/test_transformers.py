"""What transformers gives for a tokenizer of ours, in its own classes and in ours.

Oracle: transformers' stock classes, loading the same folder.
"""

import copy
import inspect
import json
import pickle
from pathlib import Path
from typing import Any, Literal

import pytest

pytest.importorskip("transformers", reason="needs the extra: pip install 'bytepair[transformers]'")

import transformers
from transformers import AutoTokenizer, PreTrainedTokenizerFast, Qwen2Tokenizer
from transformers.utils import get_json_schema

import bytepair
from bytepair.chat import tool_schema
from bytepair.errors import BytepairWarning, FormatError, InputTypeError
from bytepair.integrations.transformers import (
    BytepairTokenizer,
    accelerate,
    check_folder,
    restore,
)
from hf_calls import (
    CHATS,
    chat_differences,
    decoding_differences,
    differences,
    template_of,
    texts_of,
)
from inputs import medley

SPECIAL = ["<|tools|>", "<|user|>", "<|assistant|>", "<tool>", "<|end|>", "<s>", "<pad>"]
TEMPLATE = template_of(SPECIAL[:5])


def texts(n: int, seed: int = 0) -> list[str]:
    """Texts with our control tokens, and with what looks like them."""
    return texts_of(n, [*SPECIAL, "<|x|>", "<|"], seed)


@pytest.fixture(scope="module")
def tok() -> bytepair.Tokenizer:
    trained = bytepair.train(medley(), vocab_size=1_200, special_tokens=SPECIAL)
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


@pytest.mark.parametrize("kind", ["own class", "accelerated"])
def test_calls_give_what_the_stock_class_gives(folder, stock, kind):
    """Ten thousand texts; keys, their order, values and dtypes of every option, and errors."""
    fast = BytepairTokenizer.from_pretrained(folder)
    if kind == "accelerated":
        fast = accelerate(AutoTokenizer.from_pretrained(folder))
    batch = texts(10_000 if kind == "own class" else 500)
    assert list(differences(stock, fast, batch)) == []
    assert list(decoding_differences(stock, fast, batch)) == []


TRAINED = {
    "gpt2": {"pattern": "gpt2", "normalizer": "nfc"},
    "no pattern": {"pattern": None},
    "characters": {"alphabet": "chars", "pattern": "gpt2"},
}


@pytest.mark.parametrize("options", TRAINED.values(), ids=TRAINED)
def test_other_kinds_of_tokenizers_give_what_the_stock_class_gives(options, tmp_path):
    """Normalised, without a pattern, of characters with bytes for the rest."""
    tok = bytepair.train(medley(), vocab_size=1_000, special_tokens=SPECIAL, **options)
    tok = tok.with_conventions(pad_token="<pad>", eos_token="<|end|>", chat_template=TEMPLATE)
    tok.save_pretrained(tmp_path / "mine")
    stock = PreTrainedTokenizerFast.from_pretrained(tmp_path / "mine")
    fast = BytepairTokenizer.from_pretrained(tmp_path / "mine")
    assert list(differences(stock, fast, texts(1_000))) == []
    assert list(decoding_differences(stock, fast, texts(1_000))) == []
    assert list(chat_differences(stock, fast, tok)) == []


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


class OwnEncoding(PreTrainedTokenizerFast):
    """As CodeLlama's, LUKE's and others, which take more than texts."""

    def _encode_plus(self, text, *args, suffix=None, **kwargs):
        return super()._encode_plus(text + (suffix or ""), *args, **kwargs)


class OwnDecoding(PreTrainedTokenizerFast):
    """As Whisper's, which may leave out time stamps."""

    def _decode(self, token_ids, **kwargs):
        return super()._decode(token_ids, **kwargs).upper()


def test_class_that_encodes_in_its_own_way_is_not_accelerated(folder):
    """It could take arguments that ours knows nothing of."""
    with pytest.raises(FormatError, match="OwnEncoding encodes in a way of its own"):
        accelerate(OwnEncoding.from_pretrained(folder))


def test_class_that_decodes_in_its_own_way_goes_on_doing_so(folder, stock):
    """Only its encoding becomes faster."""
    fast = accelerate(OwnDecoding.from_pretrained(folder))
    ids = fast(texts(50))["input_ids"]
    assert ids == stock(texts(50))["input_ids"]
    assert fast.batch_decode(ids) == [text.upper() for text in stock.batch_decode(ids)]
    assert type(restore(fast)) is OwnDecoding


def test_core_answers_where_it_can(folder, monkeypatch):
    """Else the comparisons would say nothing; and what it does not know is left to the class."""
    fast = BytepairTokenizer.from_pretrained(folder)
    asked = []

    def ask(*args, **kwargs):
        asked.append(1)

    for name in ("_encode_plus", "_decode"):
        monkeypatch.setattr(PreTrainedTokenizerFast, name, ask)
    row = fast("low lower", padding=True, return_tensors="np")["input_ids"]
    assert fast.batch_decode(row, skip_special_tokens=True) == ["low lower"]
    assert (fast.decode(row[0]), asked) == ("low lower", [])
    fast.decode([1 << 30])
    fast("low", return_offsets_mapping=True)
    assert asked == [1, 1]


@pytest.mark.parametrize(
    ("name", "value", "threads"),
    [
        ("TOKENIZERS_PARALLELISM", "false", 1),
        ("TOKENIZERS_PARALLELISM", "true", None),
        ("RAYON_NUM_THREADS", "3", 3),
        ("RAYON_NUM_THREADS", "0", None),
        ("RAYON_NUM_THREADS", "many", None),
    ],
)
def test_threads_are_as_many_as_the_stock_class_would_use(monkeypatch, name, value, threads):
    """Programs that fork, or that share a machine, set these variables."""
    from bytepair.integrations._rows import _threads

    monkeypatch.delenv("TOKENIZERS_PARALLELISM", raising=False)
    monkeypatch.delenv("RAYON_NUM_THREADS", raising=False)
    monkeypatch.setenv(name, value)
    assert _threads() == threads


def weather(city: str, days: int | None = None, *, unit: Literal["C", "F"] = "C") -> dict[str, Any]:
    """The weather of a place.

    Args:
        city: its name,
            as on a map
        days: how many
        unit: of the temperatures (choices: ["C", "F"])

    Returns:
        all that is known
    """


def test_function_is_shown_to_a_model_as_transformers_shows_it(tok, stock):
    """The schema, down to the order of its members, and so the prompt."""
    assert json.dumps(tool_schema(weather)) == json.dumps(get_json_schema(weather))
    ids = stock.apply_chat_template(CHATS[0], tools=[weather], return_dict=False)
    assert tok.apply_chat_template(CHATS[0], tools=[weather]) == ids


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
    begin = stock.convert_tokens_to_ids("<s>")
    for tokenizer in (fast, stock):
        tokenizer("low")
        tokenizer.add_tokens(["LOWER x"])
        tokenizer.backend_tokenizer.normalizer = normalizers.NFC()
    template = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", begin)])
    assert fast("e\u0301 LOWER x")["input_ids"] == stock("e\u0301 LOWER x")["input_ids"]
    for tokenizer in (fast, stock):
        tokenizer.backend_tokenizer.post_processor = template
    assert (
        fast("low")["input_ids"]
        == stock("low")["input_ids"]
        != fast("low", add_special_tokens=False)
    )


@pytest.mark.parametrize("kind", ["own class", "accelerated"])
def test_conversations_are_rendered_and_encoded_alike(tok, stock, folder, kind):
    """The text, the ids, and which of them an assistant wrote."""
    fast = BytepairTokenizer.of(tok)
    if kind == "accelerated":
        fast = accelerate(AutoTokenizer.from_pretrained(folder))
    assert list(chat_differences(stock, fast, tok)) == []


def test_content_is_ordinary_text_as_transformers_can_have_it(tok, stock):
    """With its `sanitize_control_tokens`, which is off by default."""
    chat = [{"role": "user", "content": "<|end|>"}]
    if "sanitize_control_tokens" not in inspect.signature(stock.apply_chat_template).parameters:
        pytest.skip(f"transformers {transformers.__version__} cannot")
    safe = stock.apply_chat_template(chat, sanitize_control_tokens=True, return_dict=False)
    assert tok.apply_chat_template(chat) == safe
    assert stock.apply_chat_template(chat, return_dict=False) != safe


def test_model_type_that_changes_ids_is_found_out(tok, tmp_path):
    """Qwen2's class brings its own pattern, which cuts numbers digit by digit."""
    fast = BytepairTokenizer.of(tok)
    (tmp_path / "config.json").write_text('{"model_type": "qwen2"}', encoding="utf-8")
    tok.save_pretrained(tmp_path)
    if type(AutoTokenizer.from_pretrained(tmp_path)) is not Qwen2Tokenizer:
        pytest.skip(f"transformers {transformers.__version__} makes the class that is named")
    with pytest.warns(BytepairWarning, match="Qwen2Tokenizer.*model_type in config.json decides"):
        fast.save_pretrained(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "llama"}', encoding="utf-8")
    check_folder(tmp_path)


def test_file_decides_and_not_the_name_of_a_class(tok, stock, tmp_path):
    """LLaMA's class cuts at spaces only; a tokenizer.json of bytes says otherwise."""
    tok.save_pretrained(tmp_path)
    config = json.loads((tmp_path / "tokenizer_config.json").read_text("utf-8"))
    config["tokenizer_class"] = "LlamaTokenizer"
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    batch = texts(50)
    expected = stock(batch)["input_ids"]
    assert bytepair.load(tmp_path).encode_batch(batch, allowed_special="all") == expected
    assert BytepairTokenizer.from_pretrained(tmp_path)(batch)["input_ids"] == expected
