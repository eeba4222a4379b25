"""Save a tokenizer: choose the format, build every file in memory, then write all or nothing."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from bytepair._atomic import write_all_atomically
from bytepair.errors import ExportError, SaveError
from bytepair.formats._conventions import conventions_files, stale_files
from bytepair.formats._expressible import require_cut, require_options, require_sayable
from bytepair.formats._gguf_write import gguf_file
from bytepair.formats._gpt2_write import gpt2_contents
from bytepair.formats._hf_write import dump, tokenizer_json
from bytepair.formats._kind import OWN_FILE
from bytepair.formats._own import own_json
from bytepair.formats._path import path_of
from bytepair.formats._sentencepiece_write import sentencepiece_model
from bytepair.formats._target import Format, format_for, main_file
from bytepair.formats._tekken_write import tekken_json
from bytepair.formats._tiktoken_read import sidecar_path
from bytepair.formats._tiktoken_write import rank_file, sidecar_json
from bytepair.formats._training import training_json
from bytepair.model import TokenizerSpec, residues_as_tokens, to_utf8

_TRAINING = "training.json"
_RANKS: tuple[Format, ...] = ("tiktoken", "tekken")
_PIECES: tuple[Format, ...] = ("sentencepiece", "gguf")
_MAIN: Mapping[Format, str] = {"huggingface": "tokenizer.json", "bytepair": OWN_FILE}
_JSON: Mapping[Format, Callable[[TokenizerSpec], bytes]] = {
    "huggingface": tokenizer_json,
    "bytepair": own_json,
}


def write(
    spec: TokenizerSpec,
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002  # the public name
) -> list[Path]:
    """Save a tokenizer so that the format's own library gives the same ids.

    Args:
        spec: the tokenizer.
        path: for "huggingface" and "bytepair" a folder, made if missing, or a file ending in
            `.json`; for "gpt2" a folder or its `vocab.json`; for "tekken" a folder or its
            `tekken.json`; for "tiktoken", "gguf" and "sentencepiece" a file ending in `.tiktoken`,
            `.gguf`, `.model`. Files that are there are replaced.
        format: one of `FORMATS`; by default what `path` looks like, and "bytepair" for a tokenizer
            with residues, which no other can say.

    Returns:
        The files written; the first one is the one to load.

    Raises:
        InputTypeError: `path` is none.
        ArgumentError: an empty path, an unknown format, or one that does not go with `path`.
        ExportError: the format cannot express the tokenizer exactly; nothing is written.
        MissingExtraError: the package that writes such files is not installed.
        SaveError: the disk refused; nothing is left behind.
    """
    target = path_of(path)
    kind = format_for(target, format)
    if format is None and kind == "huggingface" and spec.residues:
        kind = "bytepair"
    _require(kind, spec)
    files = _files(kind, spec, target)
    with _existing(next(iter(files)).parent):
        write_all_atomically(files)
    if kind in _JSON:
        others = (_TRAINING, *_MAIN.values())
        for stale in {*(target / name for name in others), *stale_files(target)} - set(files):
            with suppress(OSError):  # of the tokenizer that was just replaced
                stale.unlink()
    return list(files)


def _files(kind: Format, spec: TokenizerSpec, target: Path) -> dict[Path, bytes]:
    main = main_file(kind, target)
    match kind:
        case "tiktoken":
            ranks = rank_file(spec)
            return {main: ranks, sidecar_path(main): sidecar_json(spec, ranks)}
        case "gpt2":
            return gpt2_contents(spec, main.parent)
        case "tekken":
            return {main: tekken_json(spec)}
        case "gguf":
            return {main: gguf_file(spec)}
        case "sentencepiece":
            return {main: sentencepiece_model(spec)}
    if target.suffix.lower() == ".json":
        return {target: _JSON[kind](spec)}
    return _folder(kind, spec, target)


def huggingface_json(spec: TokenizerSpec) -> bytes:
    """The content of the `tokenizer.json` that `write` would write.

    Raises:
        ExportError: the format cannot express the tokenizer exactly.
    """
    _require("huggingface", spec)
    return tokenizer_json(spec)


def _folder(kind: Format, spec: TokenizerSpec, folder: Path) -> dict[Path, bytes]:
    files = {folder / _MAIN[kind]: _JSON[kind](spec)}
    for name, content in conventions_files(spec).items():
        files[folder / name] = dump(content) if isinstance(content, dict) else to_utf8(content)
    if spec.training is not None:
        files[folder / _TRAINING] = training_json(spec, spec.training)
    return files


def _require(kind: Format, spec: TokenizerSpec) -> None:
    if kind == "bytepair":
        kind, spec = "huggingface", residues_as_tokens(spec)
    if spec.residues:
        raise ExportError(
            f"{kind} knows no merges of what is no token, and this tokenizer has "
            f"{len(spec.residues)} of them (it was pruned by strategy 'residues'). Save as "
            "'bytepair', in a folder or a .json file, which bytepair alone reads; or prune by "
            "'leaves', or by 'whole-words' where whole pre-tokens are looked up."
        )
    _check_added(kind, spec)
    is_symbol = spec.vocabulary.end_of_word_id is not None
    require_options(
        kind,
        alphabet=spec.alphabet,
        end_of_word=spec.end_of_word if is_symbol else None,
        byte_fallback=True,
        normalizer=spec.rules.normalizer,
        # What Hugging Face makes of an added token depends on its id: `tokenizer_json` looks.
        special_tokens=[t.content for t in spec.added_tokens] if kind == "tiktoken" else (),
    )
    require_cut(kind, spec.rules, spec.alphabet)
    require_sayable(kind, spec)


def _check_added(kind: str, spec: TokenizerSpec) -> None:
    contents = Counter(token.content for token in spec.added_tokens)
    ids = Counter(token.id for token in spec.added_tokens)
    for token in spec.added_tokens:
        shown = f"the added token {token.content!r}"
        if contents[token.content] > 1 or ids[token.id] > 1:
            raise ExportError(f"{shown}, or its id {token.id}, appears twice")
        # In a tokenizer.json an added token may also be one that merging makes.
        other = spec.vocabulary.tokens.get(token.id)
        if other is not None and (kind in _RANKS or other != token.content.encode()):
            raise ExportError(f"id {token.id} is given to both {shown} and {other[:60]!r}")
        if token.verbatim and spec.rules.normalizer and kind not in _PIECES:
            raise ExportError(
                f"{shown} is looked for in normalised text as it stands, which no format but "
                "SentencePiece's own can say"
            )
        if kind in _RANKS and not token.special:
            raise ExportError(
                f"{kind} knows only special tokens, but {shown} is not special: it is always "
                "matched. Save as 'huggingface'."
            )


@contextmanager
def _existing(folder: Path) -> Iterator[None]:
    """Make `folder` for the time of the block; if the block fails, it is as it was before."""
    made: list[Path] = []
    try:
        made = [place for place in (folder, *folder.parents) if not place.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException as error:
        with suppress(OSError):
            for place in made:
                place.rmdir()
        if isinstance(error, SaveError) or not isinstance(error, OSError):
            raise
        raise SaveError(f"{folder}: cannot be made a folder: {error.strerror or error}") from error
