"""Every kind of call of a tokenizer of transformers, and where two tokenizers answer differently.

The first is asked as the oracle: the stock class, loading the same folder.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from inputs import sources
from strings import FRAGMENTS

TEMPLATE = (
    "{{ bos_token }}{% if tools %}S{{ tools | tojson(indent=1) }}E{% endif %}"
    "{% for m in messages %}{{ {'user': 'U', 'tool': 'T'}.get(m.role, 'A') ~ '\n' }}"
    "{% if m.role == 'assistant' %}{% generation %}{{ m.content | trim }}E{% endgeneration %}"
    "{% else %}{{ m.content }}E{% endif %}\n"
    "{% endfor %}{% if add_generation_prompt %}A\n{% endif %}"
)
"""S, U, A, T and E stand for control tokens: see `template_of`."""

CALLS: list[dict[str, Any]] = [
    {},
    {"add_special_tokens": False},
    {"padding": True},
    {"padding": True, "padding_side": "left"},
    {"padding": True, "return_tensors": "np"},
    {"padding": True, "pad_to_multiple_of": 8, "padding_side": "left", "return_tensors": "np"},
    {"padding": "max_length", "max_length": 12, "truncation": True},
    {"padding": "max_length", "max_length": 12, "truncation": True, "return_tensors": "np"},
    {"padding": "max_length", "max_length": 3},
    {"padding": "max_length", "max_length": 3, "pad_to_multiple_of": 4},
    {"truncation": True, "max_length": 5},
    {"truncation": "longest_first", "max_length": 5, "return_attention_mask": False},
    {"truncation": "only_first", "max_length": 7},
    {"truncation": True, "max_length": 6, "stride": 1, "return_overflowing_tokens": True},
    {"split_special_tokens": True},
    {"return_offsets_mapping": True, "return_special_tokens_mask": True},
    {"return_token_type_ids": True, "return_length": True},
]
DECODING: list[dict[str, Any]] = [
    {},
    {"skip_special_tokens": True},
    {"clean_up_tokenization_spaces": True},
    {"clean_up_tokenization_spaces": False, "skip_special_tokens": True},
]
TOOLS = [{"type": "function", "function": {"name": "f", "description": "<b>'é'"}}]
CHATS = [
    [{"role": "user", "content": "low"}],
    [
        {"role": "user", "content": " é\n"},
        {"role": "assistant", "content": " lower "},
        {"role": "user", "content": "\t"},
        {"role": "assistant", "content": " é "},
    ],
    [
        {"role": "user", "content": "1234 don't"},
        {"role": "assistant", "content": "日本 👍🏽", "thinking": "hm"},
        {"role": "tool", "content": '{"t": 3}'},
    ],
]
CHAT_CALLS: list[dict[str, Any]] = [
    {},
    {"add_generation_prompt": True, "tools": TOOLS},
    {"continue_final_message": True},
    {"return_assistant_tokens_mask": True},
    {"padding": True, "return_tensors": "np"},
]


def template_of(markers: Sequence[str]) -> str:
    """`TEMPLATE` with these tokens for its five letters."""
    source = TEMPLATE
    for letter, marker in zip("SUATE", markers, strict=True):
        for before, after in (("'", "'"), ("}", "{"), ("}", "\n")):
            source = source.replace(before + letter + after, before + marker + after)
    return source


def texts_of(n: int, control: Sequence[str], seed: int = 0) -> list[str]:
    """Texts of words, lines of code, odd characters and control tokens; and the empty one."""
    draw = random.Random(seed)
    words = [*"\n".join(sources(60_000)).split(" "), *FRAGMENTS * 40, *list(control) * 20]
    made = ["", " ", *("".join(control[:2]) for _ in range(1))]
    while len(made) < n:
        glue = draw.choice([" ", " ", "", "\n"])
        made.append(glue.join(draw.choices(words, k=draw.randint(1, 9))))
    return made


def differences(stock: Any, fast: Any, texts: Sequence[str]) -> Iterator[str]:
    """The calls to which `fast` gives other keys, values or dtypes than `stock`."""
    half = min(len(texts) // 2, 1_000)  # the stock class answers pairs
    whole, first, second = list(texts), list(texts[:half]), list(texts[half : 2 * half])
    some = [text.split() for text in texts[:500]]
    for options in CALLS:
        yield from _differing(stock, fast, f"texts, {options}", (whole,), options)
        yield from _differing(stock, fast, f"pairs, {options}", (first, second), options)
        yield from _differing(stock, fast, f"one text, {options}", (texts[7],), options)
        yield from _differing(stock, fast, f"a list of one, {options}", ([texts[9]],), options)
    words = {"is_split_into_words": True}
    yield from _differing(stock, fast, "words", ([row for row in some if row],), words)
    for name in ("encode", "tokenize"):
        if any(getattr(stock, name)(text) != getattr(fast, name)(text) for text in texts[:500]):
            yield name


def decoding_differences(stock: Any, fast: Any, texts: Sequence[str]) -> Iterator[str]:
    """The same of `decode` and `batch_decode`, of whole rows, of their ends, and of odd ids."""
    rows = stock(list(texts))["input_ids"]
    rows += [row[1:-1] for row in rows[:500]] + [[1 << 30, *rows[3]]]  # halves of characters
    padded = stock(list(texts[:500]), padding=True, return_tensors="np")["input_ids"]
    for options in DECODING:
        if stock.batch_decode(rows, **options) != fast.batch_decode(rows, **options):
            yield f"batch_decode, {options}"
        for given in (rows[:500], padded, padded[0], rows[5], tuple(rows[5]), [], rows[5][:1]):
            if stock.decode(given, **options) != fast.decode(given, **options):
                yield f"decode of {given!r:.60}, {options}"


def chat_differences(stock: Any, fast: Any, ours: Any) -> Iterator[str]:
    """The same of `apply_chat_template`; `ours` is the tokenizer without transformers."""
    for chat in CHATS:
        for options in CHAT_CALLS:
            theirs = plain(stock.apply_chat_template(chat, **options))
            if plain(fast.apply_chat_template(chat, **options)) != theirs:
                yield f"apply_chat_template, {options}"
            if "padding" in options:
                continue
            result = ours.apply_chat_template(chat, **options)
            ids, mask = result if isinstance(result, tuple) else (result, None)
            if (ids, mask) != (theirs["input_ids"], theirs.get("assistant_masks")):
                yield f"ours, {options}"
            unmasked = {k: v for k, v in options.items() if not k.startswith("return_")}
            text = stock.apply_chat_template(chat, tokenize=False, **unmasked)
            if ours.apply_chat_template(chat, tokenize=False, **unmasked) != text:
                yield f"rendering, {options}"


def plain(encoding: Any) -> dict[str, object]:
    """A `BatchEncoding` as values that can be compared, arrays with their dtype; in order."""
    return {
        name: (value.dtype, value.tolist()) if isinstance(value, np.ndarray) else value
        for name, value in encoding.items()
    }


def _differing(
    stock: Any, fast: Any, title: str, args: tuple[Any, ...], options: dict[str, Any]
) -> Iterator[str]:
    ours, theirs = (_outcome(tokenizer, args, options) for tokenizer in (fast, stock))
    if ours != theirs:
        yield title


def _outcome(tokenizer: Any, args: tuple[Any, ...], options: dict[str, Any]) -> object:
    try:
        return list(plain(tokenizer(*args, **options)).items())
    except Exception as error:  # what it is must be the same too
        return type(error), str(error)
