"""The tokenizers that benchmarks are given: opened by bytepair, and put into every other form."""

from pathlib import Path
from typing import Any

import bytepair
from bytepair.cli._forms import forms_of
from bytepair.cli._peers import Source

_FIM = {"<|fim_prefix|>": 100258, "<|fim_middle|>": 100259, "<|fim_suffix|>": 100260}
KNOWN: dict[str, dict[str, Any]] = {
    "cl100k_base": {
        "pattern": "cl100k",
        "special_tokens": {"<|endoftext|>": 100257, **_FIM, "<|endofprompt|>": 100276},
    },
    "o200k_base": {
        "pattern": "o200k",
        "special_tokens": {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
    },
}
"""What tiktoken files of these names do not hold; as in tiktoken_ext/openai_public.py."""


def name_of(path: Path) -> str:
    """What the results call it: the name of the folder, or of the file."""
    return path.parent.name if path.name == "tokenizer.json" else path.stem


def open_vocabulary(path: Path, folder: Path) -> tuple[bytepair.Tokenizer, Source]:
    """The tokenizer, and its forms for other libraries; new files go to `folder`.

    Raises:
        bytepair.errors.FormatError: bytepair cannot read it.
    """
    options = KNOWN.get(path.stem, {}) if path.suffix == ".tiktoken" else {}
    tok = bytepair.load(path, **options)
    forms = folder / f"forms-{name_of(path)}"
    forms.mkdir(exist_ok=True)
    return tok, forms_of(tok, path, forms)


def reference_library(source: Source) -> str:
    """The library that a format comes from says which ids are right."""
    return "tiktoken" if source.is_ranks else "tokenizers"
