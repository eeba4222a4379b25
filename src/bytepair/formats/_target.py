"""Where a tokenizer is saved, and in which format: what names of files say."""

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, get_args

from bytepair.errors import ArgumentError
from bytepair.formats._kind import OWN_FILE

Format = Literal["huggingface", "bytepair", "tiktoken", "gpt2", "tekken", "gguf", "sentencepiece"]

FORMATS: tuple[Format, ...] = get_args(Format)

_BY_SUFFIX: Mapping[str, Format] = {
    ".tiktoken": "tiktoken",
    ".gguf": "gguf",
    ".model": "sentencepiece",
}
_WANTED: Mapping[Format, str] = {
    "huggingface": "is a folder or ends in .json",
    "bytepair": "is a folder or ends in .json",
    "tiktoken": "ends in .tiktoken",
    "gpt2": "is a folder or a file named vocab.json",
    "tekken": "is a folder, or ends in .json and has 'tekken' in its name",
    "gguf": "ends in .gguf",
    "sentencepiece": "ends in .model",
}
_ANY_JSON: tuple[Format, ...] = ("huggingface", "bytepair")
_IN_FOLDER: Mapping[Format, str] = {"gpt2": "vocab.json", "tekken": "tekken.json"}
# Endings of other tools' files: certainly no names of folders.
_FOREIGN = (".bin", ".pickle", ".pkl", ".txt", ".vocab")


def format_for(path: str | Path, format: str | None = None) -> Format:  # noqa: A002  # the public name
    """The format a tokenizer is saved in: the one named, or else by the name of `path`.

    Raises:
        ArgumentError: an unknown format, or a name that does not go with it.

    >>> format_for("out/x.tiktoken"), format_for("out/vocab.json"), format_for("out/my-tokenizer")
    ('tiktoken', 'gpt2', 'huggingface')
    """
    likely, suffix = _by_name(Path(path)), Path(path).suffix.lower()
    if format is None:
        if suffix in _FOREIGN:
            known = "; ".join(f"{name}: what {wanted}" for name, wanted in _WANTED.items())
            raise ArgumentError(f"{path}: no format is known that ends in {suffix} ({known})")
        return likely or "huggingface"
    kind = known_format(format)
    is_folder = likely is None and suffix != ".json"
    fits = likely is None if kind in _ANY_JSON else is_folder and kind in _IN_FOLDER
    if likely != kind and not fits:
        raise ArgumentError(f"{path}: format {kind!r} needs a path that {_WANTED[kind]}")
    return kind


def known_format(name: str) -> Format:
    """`name`, if it is one of `FORMATS`.

    Raises:
        ArgumentError: it is not.
    """
    for known in FORMATS:
        if name == known:
            return known
    near = get_close_matches(name, FORMATS, 1, 0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ArgumentError(f"unknown format {name!r} (known: {', '.join(FORMATS)}).{hint}")


def main_file(kind: Format, path: Path) -> Path:
    """The file that a target means: itself, or the one that a folder of this format holds.

    >>> main_file("tekken", Path("out")).as_posix()
    'out/tekken.json'
    """
    name = _IN_FOLDER.get(kind)
    return path if name is None or _by_name(path) == kind else path / name


def _by_name(path: Path) -> Format | None:
    name = path.name.lower()
    if name == OWN_FILE:
        return "bytepair"
    if name == "vocab.json":
        return "gpt2"
    if "tekken" in name and name.endswith(".json"):
        return "tekken"
    return _BY_SUFFIX.get(path.suffix.lower())
