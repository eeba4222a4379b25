"""`resize_model`: a model's folder, written anew for a pruned tokenizer."""

import json
import os
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bytepair.errors import ArgumentError, BytepairError, FormatError, SaveError
from bytepair.models._config import Config, renumbered, text_part
from bytepair.models._safetensors import Tensor, TensorFile, read_header, write_rows
from bytepair.pruning import PruneResult

_CONFIGS = ("config.json", "generation_config.json")
_ONE, _INDEX = "model.safetensors", "model.safetensors.index.json"
# Endings of the names under which models keep what has a row for each token.
_ROWS = (
    *("embed_tokens.weight", "wte.weight", "word_embeddings.weight", "tok_embeddings.weight"),
    *("embed_in.weight", "embed_out.weight", "shared.weight", "embeddings.weight", "wte"),
    *("lm_head.weight", "lm_head.bias", "output.weight", "output_projection.weight"),
    *("embedding.weight", "embed_out.bias", "predictions.bias"),
    *("predictions.decoder.weight", "predictions.decoder.bias"),
)
# Those of them that have a row for each token in every model.
_SURE = (
    *("embed_tokens.weight", "wte.weight", "word_embeddings.weight", "tok_embeddings.weight"),
    *("embed_out.weight", "shared.weight", "lm_head.weight", "lm_head.bias"),
)
# Of the tokenizer before, and weights that would have the rows of before.
_LEFT = (
    *("tokenizer.json", "bytepair.json", "tokenizer.model", "vocab.json", "merges.txt"),
    *("vocab.txt", "added_tokens.json", "special_tokens_map.json", "tokenizer_config.json"),
    *("training.json", "chat_template.jinja", "tekken.json"),
    *("*.safetensors", "*.safetensors.index.json", "*.bin", "*.bin.index.json", "*.pt", "*.pth"),
    *("*.h5", "*.msgpack", "*.onnx", "*.gguf", "*.ckpt", "*.tiktoken"),
)


class ModelFolder:
    """A model as transformers saves it: `config.json`, and its weights as safetensors.

    Args:
        path: the folder. Only headers are read.
        rows: names of the tensors that have a row for each token; None: those of the usual names.

    Attributes:
        n_rows: tokens that the model has rows for; often more than its tokenizer has.

    Raises:
        FormatError: no such model, or damaged; names the file.
        ArgumentError: which tensors have rows for tokens cannot be told; names them.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, rows: Collection[str] | None = None
    ) -> None:
        self.path = Path(path)
        self._configs = {name: _read(self.path / name) for name in _configs_in(self.path)}
        self.n_rows = self._vocab_size()
        self._files = [read_header(file) for file in _weights(self.path)]
        tensors = {tensor.name: tensor for file in self._files for tensor in file.tensors}
        self._tensors = self._of_vocabulary(tensors, rows)

    @property
    def tensors(self) -> dict[str, tuple[int, ...]]:
        """Name -> shape of what has a row for each token."""
        return {tensor.name: tensor.shape for tensor in self._tensors}

    def require_rows(self, n_ids: int) -> None:
        """Refuse a tokenizer that has more ids than the model has rows.

        Raises:
            ArgumentError: names both numbers.
        """
        if n_ids > self.n_rows:
            raise ArgumentError(
                f"{self.path}: the model has rows for {self.n_rows} tokens, but the tokenizer has "
                f"{n_ids} ids. Is it another model's?"
            )

    def require_target(self, target: str | os.PathLike[str]) -> None:
        """Refuse a target that is there already, or lies within the model's folder.

        Raises:
            SaveError: says which.
        """
        path = Path(target)
        if path.exists() or path.is_symlink():
            raise SaveError(
                f"{path}: is there already. Name a new folder: no model is overwritten."
            )
        if path.absolute().parent.resolve().is_relative_to(self.path.resolve()):
            raise SaveError(
                f"{path}: lies within {self.path}, which is only read. Name another folder."
            )

    def write(self, target: str | os.PathLike[str], result: PruneResult) -> list[Path]:
        """The model and the tokenizer that `result` leaves, in a new folder; returns its files.

        Everything else in the folder is copied, but weights in other formats, which would keep the
        old rows, and folders within.

        Raises:
            ArgumentError: `result` is of a tokenizer with more ids than the model has rows.
            FormatError: an id in a configuration is no token any more.
            SaveError: as `require_target`; or it cannot be written to; nothing is left there.
            ExportError: the tokenizer cannot be saved.
        """
        self.require_rows(len(result.id_map))
        kept = result.kept_ids
        configs = {
            name: renumbered(config, result.id_map, len(kept), str(self.path / name))
            for name, config in self._configs.items()
        }
        self.require_target(target)
        with _new_folder(Path(target), self.path) as folder:
            sizes = [
                _write(folder / file.path.name, file, dict.fromkeys(self.tensors, kept))
                for file in self._files
            ]
            for name, config in configs.items():
                _dump(folder / name, config)
            self._write_index(folder, sum(sizes))
            for file in self._others():
                shutil.copyfile(file, folder / file.name)
            result.tokenizer.save(folder)
            names = sorted(file.name for file in folder.iterdir())
        return [Path(target) / name for name in names]

    def _vocab_size(self) -> int:
        size = text_part(self._configs["config.json"]).get("vocab_size")
        if type(size) is not int or size < 1:
            path = self.path / "config.json"
            raise FormatError(f"{path}: 'vocab_size' must be a number of tokens, got {size!r:.60}.")
        return size

    def _of_vocabulary(
        self, tensors: Mapping[str, Tensor], named: Collection[str] | None
    ) -> tuple[Tensor, ...]:
        """Those that have a row for each token."""
        if named is not None:
            return tuple(self._named(tensors, name) for name in named)
        others = {name: t for name, t in tensors.items() if "position" not in name}
        known = [tensor for name, tensor in others.items() if name.endswith(_ROWS)]
        chosen = [tensor for tensor in known if tensor.n_rows == self.n_rows]
        if not chosen:
            shown = ", ".join(f"{t.name} {list(t.shape)}" for t in known) or "none was found"
            raise ArgumentError(
                f"{self.path}: config.json says 'vocab_size' {self.n_rows}, and no embedding has "
                f"so many rows ({shown})."
            )
        for tensor in known:
            if tensor.name.endswith(_SURE) and tensor not in chosen:
                raise ArgumentError(
                    f"{self.path}: {tensor.name} is {list(tensor.shape)}, but config.json says "
                    f"'vocab_size' {self.n_rows}. If its numbers are packed (quantised), take the "
                    "model from before that; if it is about other tokens, name those that have "
                    "rows for these, with rows= or --rows."
                )
        for tensor in others.values():
            if self.n_rows in tensor.shape and tensor not in chosen:
                raise ArgumentError(
                    f"{self.path}: {tensor.name} is {list(tensor.shape)}, so it may have a row for "
                    f"each of the {self.n_rows} tokens, but its name is not known here. Name all "
                    f"that have, with rows= or --rows; so far: {', '.join(t.name for t in chosen)}."
                )
        return tuple(chosen)

    def _named(self, tensors: Mapping[str, Tensor], name: str) -> Tensor:
        if name not in tensors:
            raise ArgumentError(f"rows: {self.path} has no tensor {name!r:.80}.")
        if tensors[name].n_rows != self.n_rows:
            raise ArgumentError(
                f"{self.path}: {name} has {tensors[name].n_rows} rows, but config.json says "
                f"'vocab_size' {self.n_rows}."
            )
        return tensors[name]

    def _write_index(self, folder: Path, total_size: int) -> None:
        if (self.path / _INDEX).is_file():
            index = dict(_read(self.path / _INDEX))
            noted = index.get("metadata")
            metadata = dict(noted) if isinstance(noted, dict) else {}
            _dump(folder / _INDEX, index | {"metadata": metadata | {"total_size": total_size}})

    def _others(self) -> Iterator[Path]:
        for file in sorted(self.path.iterdir()):
            if file.is_file() and not any(file.match(left) for left in (*_LEFT, *_CONFIGS)):
                yield file


def resize_model(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    result: PruneResult,
    *,
    rows: Collection[str] | None = None,
) -> list[Path]:
    """Write a model anew without the rows of the tokens that `result` removed.

    Input and output embeddings, tied or not, and their biases; also weights in several files.
    `vocab_size` and the ids in `config.json` and `generation_config.json` follow. The tokenizer is
    saved with it. The source is only read.

    Args:
        source: a folder as transformers saves it, with safetensors.
        target: a folder that is not there yet.
        rows: see `ModelFolder`.

    Raises: as `ModelFolder` and `ModelFolder.write`.

    Cost: reads and writes the weights once, some megabytes at a time.
    """
    return ModelFolder(source, rows=rows).write(target, result)


def _configs_in(folder: Path) -> list[str]:
    if not (folder / "config.json").is_file():
        raise FormatError(f"{folder}: no config.json here, so this is no model's folder.")
    return [name for name in _CONFIGS if (folder / name).is_file()]


def _weights(folder: Path) -> list[Path]:
    if (folder / _INDEX).is_file():
        places = _read(folder / _INDEX).get("weight_map")
        if not isinstance(places, dict) or not places:
            raise FormatError(f"{folder / _INDEX}: weight_map must be an object: tensor -> file.")
        return [folder / Path(str(name)).name for name in sorted(set(map(str, places.values())))]
    if (folder / _ONE).is_file():
        return [folder / _ONE]
    raise FormatError(
        f"{folder}: no {_ONE} and no {_INDEX} here. Weights in another format are not read: load "
        "the model with transformers and save it with save_pretrained."
    )


def _read(path: Path) -> Config:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FormatError(f"{path}: cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise FormatError(f"{path}: must be an object, got {type(content).__name__}.")
    return content


def _dump(path: Path, content: Config) -> None:
    text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    path.write_text(text, encoding="utf-8")


def _write(path: Path, source: TensorFile, rows: Mapping[str, NDArray[np.int64]]) -> int:
    with path.open("wb") as file:
        size = write_rows(file, source, rows)
        file.flush()
        os.fsync(file.fileno())
    return size


@contextmanager
def _new_folder(target: Path, source: Path) -> Iterator[Path]:
    """A folder that is renamed to `target` at the end; whatever fails, nothing is left."""
    parent = target.absolute().parent
    try:
        parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=".bytepair-", suffix=".tmp", dir=parent))
    except OSError as error:
        raise SaveError(f"{target}: cannot be made: {error.strerror or error}.") from error
    try:
        yield temporary
        temporary.chmod(source.stat().st_mode & 0o777)
        temporary.rename(target)
    except OSError as error:
        if isinstance(error, BytepairError):
            raise
        raise SaveError(
            f"{target}: cannot be written: {error.strerror or error}. Nothing was left there."
        ) from error
    finally:
        with suppress(OSError):
            shutil.rmtree(temporary)
