"""How a GGUF model is spoken to: its chat templates, named tokens and context length.

The names of the entries are those of the `gguf` package (`gguf.Keys`).
"""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace

from bytepair.errors import BytepairWarning
from bytepair.model import Conventions, TokenizerSpec

CHAT_TEMPLATE = "tokenizer.chat_template"  # further ones: a dot and a name behind it
ARCHITECTURE = "general.architecture"
CONTEXT_LENGTH = ".context_length"  # behind the name of the architecture

_NAMES = {  # llama.cpp's word for a token -> transformers'
    "bos": "bos",
    "eos": "eos",
    "unknown": "unk",
    "seperator": "sep",  # spelt so
    "padding": "pad",
    "cls": "cls",
    "mask": "mask",
}


def with_gguf_conventions(spec: TokenizerSpec, entries: Mapping[str, object]) -> TokenizerSpec:
    """`spec` with what the entries of its file say about its use, by their full names.

    What is no text or no number is left out with a warning: no id depends on it.
    """
    length = entries.get(f"{entries.get(ARCHITECTURE)}{CONTEXT_LENGTH}")
    contents = {token.id: token.content for token in spec.added_tokens}
    named = {
        f"{name}_token": contents[number]
        for word, name in _NAMES.items()
        if isinstance(number := entries.get(f"tokenizer.ggml.{word}_token_id"), int)
        and number in contents
    }
    templates = dict(_templates(entries))
    max_length = length if isinstance(length, int) and length > 0 else None
    return replace(spec, conventions=Conventions(templates, named, max_length))


def _templates(entries: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for key, value in entries.items():
        if key != CHAT_TEMPLATE and not key.startswith(f"{CHAT_TEMPLATE}."):
            continue
        if isinstance(value, str):
            yield key.removeprefix(CHAT_TEMPLATE)[1:] or "default", value
        else:
            warnings.warn(f"left out: {key} is no text", BytepairWarning, stacklevel=6)
