"""What a tokenizer is called that does not say so itself."""

from pathlib import Path

_GENERIC = ("tokenizer", "tekken", "vocab", "merges", "spiece")


def tokenizer_name(path: Path) -> str:
    """The name of the file without its ending, or of its folder where files are always called so.

    >>> tokenizer_name(Path("mine/tokenizer.model")), tokenizer_name(Path("mine/gpt2.tiktoken"))
    ('mine', 'gpt2')
    """
    if path.stem in _GENERIC:
        return path.absolute().parent.name or "bytepair"
    return path.stem
