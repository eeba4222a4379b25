"""The tokenizers that benchmarks are given: opened by bytepair, and put into every other form."""

from pathlib import Path

import bytepair
from bytepair.cli._forms import forms_of
from bytepair.cli._peers import Source


def name_of(path: Path) -> str:
    """What the results call it: the name of the folder, or of the file."""
    return path.parent.name if path.name == "tokenizer.json" else path.stem


def open_vocabulary(path: Path, folder: Path) -> tuple[bytepair.Tokenizer, Source]:
    """The tokenizer, and its forms for other libraries; new files go to `folder`.

    Raises:
        bytepair.errors.FormatError: bytepair cannot read it.
    """
    tok = bytepair.load(path)
    forms = folder / f"forms-{name_of(path)}"
    forms.mkdir(exist_ok=True)
    return tok, forms_of(tok, path, forms)


def reference_library(source: Source) -> str:
    """The library that a format comes from says which ids are right."""
    return "tiktoken" if source.is_ranks else "tokenizers"
