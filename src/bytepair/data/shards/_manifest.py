"""`Manifest`: what a folder of shards holds, from which files and by which tokenizer it was made.

`_manifest.json` is written when sharding begins and again when it ends. In between each shard that
is finished has a file of its own in `_shards`: it is written last, so that what it names is there.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from bytepair._atomic import write_atomically
from bytepair.data.shards._files import FileFacts
from bytepair.data.shards._layout import LAYOUTS, Layout
from bytepair.data.shards._writer import ShardOptions
from bytepair.errors import SaveError, ShardError
from bytepair.model import Skipped

MANIFEST = "_manifest.json"
_RECORDS = "_shards"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place between two documents of a part.

    Attributes:
        file, number, offset: where the batch begins that the next document is in; see `Place`.
        n_done: documents of the batch that lie before.
    """

    file: int
    number: int = 1
    offset: int = 0
    n_done: int = 0


@dataclass(frozen=True, slots=True)
class ShardFacts:
    """A shard that is finished.

    Attributes:
        stem: its files' names without their endings.
        files: by name.
        start, end: where its documents are; None: they are the last of their part.
    """

    stem: str
    n_documents: int
    n_tokens: int
    files: Mapping[str, FileFacts]
    start: Cursor
    end: Cursor | None
    skipped: tuple[Skipped, ...] = ()


@dataclass(frozen=True)
class Manifest:
    """What a folder of shards holds.

    Attributes:
        plan: all that its bytes depend on, in JSON's values; see `bytepair.shard`.
        options: what all shards share.
        shards: those that are finished; in order.
        is_complete: nothing is missing.
        tokenizer_path: where the tokenizer was, if that was said.
    """

    layout: Layout
    options: ShardOptions
    plan: Mapping[str, Any] = field(default_factory=dict)
    shards: tuple[ShardFacts, ...] = ()
    is_complete: bool = False
    tokenizer_path: str | None = None

    @property
    def n_documents(self) -> int:
        """Of all shards."""
        return sum(shard.n_documents for shard in self.shards)

    @property
    def n_tokens(self) -> int:
        """Of all shards."""
        return sum(shard.n_tokens for shard in self.shards)

    @property
    def skipped(self) -> list[Skipped]:
        """Documents that were left out."""
        return [skipped for shard in self.shards for skipped in shard.skipped]

    def save(self, folder: Path) -> None:
        """Write it to its place.

        Raises:
            SaveError: that is not possible.
        """
        options = asdict(self.options) | {"dtype": self.options.dtype.name}
        content = {
            "bytepair_shards": _VERSION,
            "is_complete": self.is_complete,
            "layout": self.layout.name,
            "tokenizer_path": self.tokenizer_path,
            **options,
            "n_documents": self.n_documents,
            "n_tokens": self.n_tokens,
            "n_skipped": len(self.skipped),
            "plan": self.plan,
            "shards": [asdict(shard) for shard in self.shards],
        }
        write_atomically(folder / MANIFEST, _json(content))

    def finished(self, folder: Path) -> "Manifest":
        """With the shards that are there, everything done; the records of single ones are gone.

        Raises:
            SaveError: it cannot be written.
        """
        shards = sorted(finished_shards(folder, self).items())
        done = replace(self, shards=tuple(facts for _, facts in shards), is_complete=True)
        done.save(folder)
        shutil.rmtree(folder / _RECORDS, ignore_errors=True)
        return done


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder.

    Raises:
        ShardError: there is none, or it is damaged.
    """
    path = folder / MANIFEST
    try:
        content = json.loads(path.read_bytes())
        if content["bytepair_shards"] != _VERSION:
            raise ShardError(
                f"{path}: written by another version of bytepair ({content['bytepair_shards']!r}). "
                "Read it with that one."
            )
        options = {name: content[name] for name in ShardOptions.__dataclass_fields__}
        options["dtype"] = np.dtype(options["dtype"]).newbyteorder("<")
        shards = tuple(map(_shard, content["shards"]))
        layout = LAYOUTS[content["layout"]]
        complete = bool(content["is_complete"])
        return Manifest(
            layout,
            ShardOptions(**options),
            content["plan"],
            shards,
            complete,
            content["tokenizer_path"],
        )
    except FileNotFoundError as error:
        raise ShardError(
            f"{folder}: no folder of shards: it has no {MANIFEST}. Give the folder that "
            "'bytepair shard' wrote to."
        ) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, ShardError):
            raise
        raise ShardError(
            f"{path}: damaged: {error!r:.200}. Shard the data set anew into another folder."
        ) from error


def write_record(folder: Path, shard: ShardFacts) -> None:
    """Say that a shard is finished.

    Raises:
        SaveError: that cannot be written.
    """
    try:
        (folder / _RECORDS).mkdir(exist_ok=True)
    except OSError as error:
        raise SaveError(
            f"{folder / _RECORDS}: cannot be made: {error.strerror or error}."
        ) from error
    write_atomically(folder / _RECORDS / f"{shard.stem}.json", _json(asdict(shard)))


def finished_shards(
    folder: Path, manifest: Manifest, *, part: int | None = None
) -> dict[str, ShardFacts]:
    """The shards that are finished, by stem; one whose files are not as they were is not.

    With `part` those of one part that has been begun, and no others are looked at.

    Sizes are compared. That contents are right is for `bytepair.sharding.verify` to say.
    """
    recorded = [facts for path in _records(folder, part) if (facts := _read_record(path))]
    return {
        facts.stem: facts
        for facts in (*manifest.shards, *recorded)
        if _is_there(folder, facts.files)
    }


def shard_stem(part: int, index: int) -> str:
    """The name of a shard: its part, and its place in there."""
    return f"{_part_stem(part)}{index:05d}"


def _part_stem(part: int) -> str:
    return f"shard_{part:05d}_"


def _records(folder: Path, part: int | None = None) -> list[Path]:
    stem = "" if part is None else _part_stem(part)
    return sorted((folder / _RECORDS).glob(f"{stem}*.json"))


def _read_record(path: Path) -> ShardFacts | None:
    try:
        return _shard(json.loads(path.read_bytes()))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _is_there(folder: Path, files: Mapping[str, FileFacts]) -> bool:
    paths = {folder / name: facts.n_bytes for name, facts in files.items()}
    return all(path.is_file() and path.stat().st_size == size for path, size in paths.items())


def _shard(content: Mapping[str, Any]) -> ShardFacts:
    end = content["end"]
    skipped: Sequence[Mapping[str, str]] = content["skipped"]
    return ShardFacts(
        content["stem"],
        int(content["n_documents"]),
        int(content["n_tokens"]),
        {name: FileFacts(**facts) for name, facts in content["files"].items()},
        Cursor(**content["start"]),
        None if end is None else Cursor(**end),
        tuple(Skipped(**one) for one in skipped),
    )


def _json(content: object) -> bytes:
    text = json.dumps(content, ensure_ascii=False, indent=1)
    return text.encode("utf-8", "backslashreplace") + b"\n"
