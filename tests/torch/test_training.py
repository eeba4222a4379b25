"""What people do with a tokenizer of transformers and PyTorch, with ours in its place.

In a group of its own, because PyTorch is large: `make test-torch` installs it and runs them.
"""

from typing import Any

import pytest

pytest.importorskip("torch", reason="run 'make test-torch', which installs it")
pytest.importorskip("datasets", reason="run 'make test-torch', which installs it")
pytest.importorskip("accelerate", reason="run 'make test-torch', which installs it")
pytest.importorskip("transformers", reason="run 'make test-torch', which installs it")

import datasets
import torch
import transformers
from datasets.fingerprint import Hasher

import bytepair
from bytepair.integrations.transformers import BytepairTokenizer, accelerate
from inputs import medley

pytestmark = pytest.mark.filterwarnings("default")  # theirs, about things that are not ours
SPECIAL = ["<s>", "<pad>", "<|end|>", "<mask>"]
TEXTS = ["low lower", "don't  stop\n\n日本語", "é <|end|>", "x" * 50] * 30


@pytest.fixture(scope="module")
def tok() -> bytepair.Tokenizer:
    trained = bytepair.train(medley(), vocab_size=600, special_tokens=SPECIAL)
    return trained.with_conventions(bos_token="<s>", eos_token="<|end|>", pad_token="<pad>",
                                    mask_token="<mask>", max_length=64)  # fmt: skip


@pytest.fixture(scope="module")
def stock(tok: bytepair.Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Any:
    tok.save_pretrained(tmp_path_factory.mktemp("saved") / "mine")
    folder = tmp_path_factory.getbasetemp() / "saved0" / "mine"
    return transformers.PreTrainedTokenizerFast.from_pretrained(folder)


@pytest.fixture(params=["own class", "accelerated"])
def fast(request: pytest.FixtureRequest, tok: bytepair.Tokenizer, stock: Any) -> Any:
    if request.param == "own class":
        return BytepairTokenizer.from_pretrained(stock.name_or_path)
    return accelerate(transformers.AutoTokenizer.from_pretrained(stock.name_or_path))


@pytest.fixture(scope="module")
def model() -> Any:
    config = transformers.LlamaConfig(
        vocab_size=600, hidden_size=16, intermediate_size=32, num_hidden_layers=1,
        num_attention_heads=2, max_position_embeddings=64, pad_token_id=None,
    )  # fmt: skip
    torch.manual_seed(0)
    return transformers.LlamaForCausalLM(config)


def same(ours: Any, theirs: Any) -> bool:
    """Keys, values, dtypes and kinds of tensors."""
    return list(ours) == list(theirs) and all(
        ours[key].dtype == theirs[key].dtype and torch.equal(ours[key], theirs[key])
        for key in theirs
    )


@pytest.mark.parametrize(
    "options", [{"padding": True}, {"padding": "max_length", "max_length": 9, "truncation": True}]
)
def test_tensors_are_those_of_the_stock_class(fast, stock, options):
    """Of one text and of many, and moved to a device."""
    for given in (TEXTS, TEXTS[0], TEXTS[:1]):
        theirs = stock(given, return_tensors="pt", **options)
        assert same(fast(given, return_tensors="pt", **options).to("cpu"), theirs)


def test_decoding_takes_tensors(fast, stock):
    """What a model generates is one, of one row or several, or a list of them."""
    ids = stock(TEXTS, padding=True, return_tensors="pt")["input_ids"]
    for given in (ids, ids[1], list(ids[:5])):
        for skip in (True, False):
            theirs = stock.decode(given, skip_special_tokens=skip)
            assert fast.decode(given, skip_special_tokens=skip) == theirs
    assert fast.batch_decode(ids) == stock.batch_decode(ids)


def collators(tokenizer: Any) -> dict[str, Any]:
    """The collators of transformers, and one that masks at random, with a seed."""
    return {
        "padding": transformers.DataCollatorWithPadding(tokenizer, pad_to_multiple_of=8),
        "language modelling": transformers.DataCollatorForLanguageModeling(tokenizer, mlm=False),
        "masked": transformers.DataCollatorForLanguageModeling(tokenizer, mlm=True, seed=3),
        "sequences": transformers.DataCollatorForSeq2Seq(tokenizer),
    }


@pytest.mark.parametrize("name", ["padding", "language modelling", "masked", "sequences"])
def test_collators_make_the_same_batches(fast, stock, name):
    """They call `pad`, ask for masks of special tokens, and read the padding's id and side."""
    batches = []
    for tokenizer in (fast, stock):
        rows = [dict(tokenizer(text)) for text in TEXTS[:8]]
        if name == "sequences":
            rows = [{**row, "labels": row["input_ids"][:5]} for row in rows]
        batches.append(dict(collators(tokenizer)[name](rows)))
    assert same(*batches)


def encode(batch: dict[str, Any], tokenizer: Any) -> Any:
    """As in everybody's script."""
    return tokenizer(batch["text"], truncation=True, max_length=32)


def test_datasets_are_mapped_by_two_processes(fast, stock, tmp_path):
    """The tokenizer is pickled to them; and its fingerprint stays, so that the cache is found."""
    data = datasets.Dataset.from_dict({"text": TEXTS})
    before = Hasher.hash(fast)
    mapped = data.map(
        encode, batched=True, batch_size=16, num_proc=2, fn_kwargs={"tokenizer": fast}
    )
    assert mapped["input_ids"][:] == stock(TEXTS, truncation=True, max_length=32)["input_ids"]
    assert Hasher.hash(fast) == before


def test_trainer_trains_and_saves_it(fast, model, tmp_path):
    """A few steps, with a checkpoint that plain transformers loads."""
    data = datasets.Dataset.from_dict({"text": TEXTS}).map(
        encode, batched=True, fn_kwargs={"tokenizer": fast}, remove_columns=["text"]
    )
    arguments = transformers.TrainingArguments(
        tmp_path, max_steps=3, per_device_train_batch_size=4, save_steps=3, report_to=[],
        use_cpu=True, disable_tqdm=True,
    )  # fmt: skip
    collator = transformers.DataCollatorForLanguageModeling(fast, mlm=False)
    trainer = transformers.Trainer(
        model, arguments, train_dataset=data, data_collator=collator, processing_class=fast
    )
    assert trainer.train().global_step == 3
    saved = transformers.PreTrainedTokenizerFast.from_pretrained(tmp_path / "checkpoint-3")
    assert saved(TEXTS)["input_ids"] == fast(TEXTS)["input_ids"]


def test_pipeline_and_streamer_say_what_they_say_with_the_stock_class(fast, stock, model):
    """Greedy text, whole and as it comes."""
    texts, streams = [], []
    for tokenizer in (fast, stock):
        generate = transformers.pipeline("text-generation", model=model, tokenizer=tokenizer)
        texts.append(generate(TEXTS[0], max_new_tokens=8, do_sample=False))
        streamer = transformers.TextIteratorStreamer(tokenizer, skip_prompt=True)
        prompt = tokenizer(TEXTS[0], return_tensors="pt")
        model.generate(**prompt, max_new_tokens=8, do_sample=False, streamer=streamer)
        streams.append(list(streamer))
    assert texts[0] == texts[1]
    assert streams[0] == streams[1]
