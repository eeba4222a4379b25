"""`shard`: a corpus becomes a folder of shards."""

import os
from collections.abc import Mapping
from contextlib import closing
from itertools import accumulate
from pathlib import Path
from typing import Any

from bytepair._lock import FolderLock
from bytepair.data import Corpus, Place, Shards, open_shards
from bytepair.data.shards import (
    MANIFEST,
    Manifest,
    finished_shards,
    read_manifest,
    remove_left_overs,
)
from bytepair.distributed import Executor, require_cluster
from bytepair.errors import ArgumentError, CorpusError, InputTypeError
from bytepair.model import Progress, ProgressCallback, ProgressReporter
from bytepair.sharding._cluster import Work, write_on
from bytepair.sharding._part import write_part
from bytepair.sharding._plan import OnError, Plan, make_plan
from bytepair.sharding._rows import RowEncoder
from bytepair.tokenizer import Tokenizer


def shard(
    tokenizer: Tokenizer,
    corpus: Corpus,
    folder: str | os.PathLike[str],
    *,
    format: str = "flat",  # noqa: A002  # the word that `save` has for it
    shard_tokens: int = 100_000_000,
    bos: str | None = None,
    eos: str | None = None,
    dtype: str | None = None,
    shuffle: int | None = None,
    seed: int = 0,
    separator: str | bytes | None = None,
    text_field: str = "text",
    allow_special: bool = False,
    on_error: OnError = "fail",
    parts: int | None = None,
    resume: bool = False,
    threads: int | None = None,
    engine: str | None = None,
    address: str | None = None,
    progress: ProgressCallback | None = None,
    tokenizer_path: str | None = None,
) -> Shards:
    """Tokenise files into shards that trainers read.

    Documents are whole and in order. A shard is closed before a document that would make it larger
    than `shard_tokens`; one that is larger by itself has a shard to itself. The bytes depend on the
    files and the options, not on `threads`, nor on how often the work was interrupted and resumed.

    Args:
        corpus: files: a path, a glob, a folder or a URL, or several paths. Text, JSONL, Parquet,
            Arrow; gzip or zstd.
        folder: where the shards go; made if it is not there.
        format: "flat", "llmc", "megatron", "parquet" or "datatrove".
        shard_tokens: most ids of a shard.
        bos, eos: special tokens that begin, end each document.
        dtype: of the ids: "uint16", "uint32" or "int32", as the format has it; None: the smallest
            that holds the vocabulary.
        shuffle: documents that are put in a random order at a time; their ids are in memory.
        seed: of that order.
        separator: cuts text files into documents and is dropped; None: each is one document.
        text_field: the field or column that holds the text.
        allow_special: special tokens in the documents are encoded as such, not as text.
        on_error: what to do with a document that cannot be read or encoded: "fail", or "skip" and
            tell of it in the manifest.
        parts: runs of files with shards of their own, so that several machines can share the work.
            None: 1; with a cluster one for each file.
        resume: go on with what is in the folder, if anything is: only what is missing is done.
        threads: None: one a core; on a cluster, one for each part that is written.
        engine: "ray": the machines of a cluster write the parts, and the shards have the same bytes
            as if they had been written here. None: this one writes them.
        address: of the cluster, `host:port`. None: see `bytepair.distributed.RayExecutor`.
        progress: called with a `Progress`, about ten times a second.
        tokenizer_path: noted in the manifest, for those who look for the tokenizer.

    Raises:
        ArgumentError: an option that cannot be right; ids that do not fit the type; a folder that
            holds other shards, or other things.
        CorpusError: missing, damaged, not UTF-8, or without any document; names file and record.
        SaveError: a shard cannot be written. Finished ones stay, and can be resumed from.
        ClusterError: the cluster cannot be reached, or could not write a part, or its machines do
            not share `folder`. Finished shards stay.
        InputTypeError: not files.

    Cost: that of encoding. In memory are some batches of 8 MB of text; a document, up to 64 MB of
    text; of a longer text file the ids, as far as they fit a shard; and where the documents of a
    shard end, 8 bytes each.

    >>> import tempfile, bytepair
    >>> from pathlib import Path
    >>> tok = bytepair.train(["low lower"] * 9, vocab_size=259)
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("low--lower", encoding="utf-8")
    >>> shard(tok, folder / "a.txt", folder / "out", separator="--").n_tokens
    4
    """
    if not isinstance(tokenizer, Tokenizer):
        raise InputTypeError(f"tokenizer: expected a Tokenizer, got {type(tokenizer).__name__}.")
    cluster, engine = require_cluster(engine, address, threads)
    if engine is not None:
        raise ArgumentError(f"engine must be 'ray' or None, got {engine!r:.60}.")
    plan = make_plan(
        tokenizer,
        corpus,
        layout=format,
        shard_tokens=shard_tokens,
        bos=bos,
        eos=eos,
        dtype=dtype,
        shuffle=shuffle,
        seed=seed,
        separator=separator,
        text_field=text_field,
        allow_special=allow_special,
        on_error=on_error,
        parts=1 if parts is None and cluster is None else parts,
    )
    place = Path(folder)
    with closing(FolderLock(place, "is writing shards to it")):
        manifest = _begin(place, plan, resume=resume, tokenizer_path=tokenizer_path)
        if cluster is None:
            _write(place, plan, manifest, RowEncoder(tokenizer, plan, threads), progress)
        else:
            work = Work(plan, tokenizer, cluster.threads, place, manifest)
            with cluster.executor() as executor:
                _write_elsewhere(executor, work, progress)
        _finish(place, manifest)
    return open_shards(place)


def _write(
    folder: Path,
    plan: Plan,
    manifest: Manifest,
    encoder: RowEncoder,
    progress: ProgressCallback | None,
) -> None:
    reporter = ProgressReporter(progress)
    position = _Position(plan)

    def tell(place: Place, stem: str) -> None:
        done = position.of(place)
        reporter.tell(Progress("shard", done, position.total, "bytes", stem))

    finished = finished_shards(folder, manifest)
    for number in range(len(plan.parts)):
        write_part(plan, number, encoder, folder, finished, tell)
    reporter.tell(Progress("shard", position.end, position.total, "bytes"))
    reporter.finish()


def _write_elsewhere(executor: Executor, work: Work, progress: ProgressCallback | None) -> None:
    reporter = ProgressReporter(progress)
    position = _Position(work.plan)
    done = 0

    def tell(number: int) -> None:
        nonlocal done
        start, end = work.plan.parts[number]
        done += sum(one.n_bytes or 0 for one in work.plan.inputs[start:end])
        reporter.tell(Progress("shard", done, position.total, "bytes"))

    write_on(executor, work, tell)
    reporter.finish()


class _Position:
    """How far into the files, as they are stored, a place is."""

    def __init__(self, plan: Plan) -> None:
        self._sizes = [one.n_bytes or 0 for one in plan.inputs]
        self._before = [0, *accumulate(self._sizes)]
        self.end = self._before[-1]
        self.total = None if any(one.n_bytes is None for one in plan.inputs) else self.end

    def of(self, place: Place) -> int:
        """An estimate where files are compressed."""
        return self._before[place.file] + min(place.offset, self._sizes[place.file])


def _begin(folder: Path, plan: Plan, *, resume: bool, tokenizer_path: str | None) -> Manifest:
    """The manifest of the folder; a new one is written, an old one must be of the same plan."""
    identity = plan.identity()
    if not (folder / MANIFEST).exists():
        _require_empty(folder)
        manifest = Manifest(plan.layout, plan.options, identity, tokenizer_path=tokenizer_path)
        manifest.save(folder)
        return manifest
    if not resume:
        raise ArgumentError(
            f"{folder}: holds shards already. Pass resume=True (--resume) to go on with them, or "
            "give another folder."
        )
    manifest = read_manifest(folder)
    _require_same(folder, manifest.plan, identity)
    remove_left_overs(folder)
    return manifest


def _require_empty(folder: Path) -> None:
    there = sorted(path.name for path in folder.iterdir())
    if there:
        raise ArgumentError(
            f"{folder}: holds other things ({', '.join(there[:3])}), and no manifest of shards. "
            "Give an empty folder, or one that is not there yet."
        )


def _require_same(folder: Path, begun: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    names = [name for name in {**begun, **now} if begun.get(name) != now.get(name)]
    changed = [f"{n} was {begun.get(n)!r:.70}, not {now.get(n)!r:.70}" for n in names]
    if "inputs" in names:
        changed[names.index("inputs")] = _first_difference(begun["inputs"], now["inputs"])
    if changed:
        raise ArgumentError(
            f"{folder}: these shards were begun otherwise: {'; '.join(changed)}. Resume with the "
            "same tokenizer, files and options, or give another folder."
        )


def _first_difference(begun: list[list[Any]], now: list[list[Any]]) -> str:
    for old, new in zip(begun, now, strict=False):
        if old[0] != new[0]:
            return f"{old[0]} was there, and {new[0]} is in its place"
        if old != new:
            return f"{old[0]} has been written to since"
    return f"there were {len(begun)} files, and there are {len(now)}"


def _finish(folder: Path, manifest: Manifest) -> None:
    shards = finished_shards(folder, manifest).values()
    if not any(facts.n_documents for facts in shards):
        n_skipped = sum(len(facts.skipped) for facts in shards)
        raise CorpusError(f"no document was left to write: all {n_skipped:,} had to be skipped.")
    manifest.finished(folder)
