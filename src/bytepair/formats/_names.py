"""What a tokenizer is called that does not say so itself."""

import re
from pathlib import Path

_ENDING = re.compile(r"\.(?:model\.v\w+|[^.]+)$")  # Mistral's files end in .model.v3
_GENERIC = ("tokenizer", "tekken", "vocab", "merges", "spiece")


def tokenizer_name(path: Path) -> str:
    """The name of the file without its ending, or of its folder where files are always called so.

    >>> tokenizer_name(Path("mine/tokenizer.model")), tokenizer_name(Path("mine/gpt2.tiktoken"))
    ('mine', 'gpt2')
    """
    name = _ENDING.sub("", path.name) or path.name
    return (path.absolute().parent.name or "bytepair") if name in _GENERIC else name
