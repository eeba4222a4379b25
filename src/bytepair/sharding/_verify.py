"""`verify`: read all shards again, and compare them with what the manifest says."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bytepair.data import Shards, open_shards
from bytepair.data.shards import Ids, Shard, ShardFacts, facts_of, open_shard
from bytepair.errors import BytepairError, ShardError
from bytepair.model import Progress, ProgressCallback, ProgressReporter, fingerprint
from bytepair.tokenizer import Tokenizer

_SHOWN = 10
_SAMPLED_IDS = 1000


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found to be right.

    Attributes:
        shards: they, open.
        n_bytes: of their files.
        samples: number of a document -> the beginning of its text; empty without a tokenizer.
    """

    shards: Shards
    n_bytes: int
    samples: dict[int, str]


def verify(
    folder: str | os.PathLike[str],
    tokenizer: Tokenizer | None = None,
    *,
    samples: int = 3,
    progress: ProgressCallback | None = None,
) -> Verification:
    """Read every byte of the shards: sizes, checksums, indices, ids, ends of documents.

    Args:
        tokenizer: the one that made them; decodes some documents.
        samples: how many, spread over all.
        progress: called with a `Progress`, about ten times a second.

    Raises:
        ShardError: they are not what the manifest says, not finished, or of another tokenizer.
            What is wrong with each shard is in the notes of the error.
    """
    shards = open_shards(folder)
    if tokenizer is not None:
        _require_tokenizer(shards, tokenizer)
    reporter = ProgressReporter(progress)
    facts = shards.manifest.shards
    total = sum(file.n_bytes for one in facts for file in one.files.values())
    wrong: list[str] = []
    done = 0
    for one in facts:
        reporter.tell(Progress("verify", done, total, "bytes", one.stem))
        wrong += _wrong(shards, one)
        done += sum(file.n_bytes for file in one.files.values())
    reporter.tell(Progress("verify", done, total, "bytes"))
    reporter.finish()
    if wrong:
        raise _error(shards, wrong)
    return Verification(shards, total, _samples(shards, tokenizer, samples))


def _require_tokenizer(shards: Shards, tokenizer: Tokenizer) -> None:
    options = shards.manifest.options
    if fingerprint(tokenizer.spec) != options.fingerprint:
        raise ShardError(
            f"{shards.folder}: was made by the tokenizer {options.tokenizer!r}, and "
            f"{tokenizer.name!r} gives other ids. Give the one it was made by."
        )


def _error(shards: Shards, wrong: list[str]) -> ShardError:
    n = len(wrong)
    error = ShardError(
        f"{shards.folder}: {n} {'thing is' if n == 1 else 'things are'} wrong with the shards. "
        "Remove the folder and shard the data set again."
    )
    for problem in wrong[:_SHOWN]:
        error.add_note(problem)
    if n > _SHOWN:
        error.add_note(f"and {n - _SHOWN} more")
    return error


def _wrong(shards: Shards, facts: ShardFacts) -> Iterator[str]:
    for name, wanted in facts.files.items():
        path = shards.folder / name
        try:
            found = facts_of(path)
        except OSError as error:
            yield f"{path}: cannot be read: {error.strerror or error}"
            return
        if found.n_bytes != wanted.n_bytes:
            yield f"{path}: has {found.n_bytes:,} bytes instead of {wanted.n_bytes:,}"
            return
        if found.sha256 != wanted.sha256:
            yield f"{path}: its content has changed: its SHA-256 is not that of the manifest"
    if facts.n_documents:
        yield from _wrong_content(shards, facts)


def _wrong_content(shards: Shards, facts: ShardFacts) -> Iterator[str]:
    try:
        shard = open_shard(shards.folder, shards.manifest, facts)
    except ShardError as error:
        yield str(error)
        return
    where = shards.folder / facts.stem
    n_vocab = shards.manifest.options.n_vocab
    if len(shard.ids) and int(shard.ids.max()) >= n_vocab:
        yield f"{where}: has the id {int(shard.ids.max()):,}, and the vocabulary {n_vocab:,}"
    for token, place, name in ((shards.bos, 0, "begin"), (shards.eos, -1, "end")):
        if token is not None and not _all_have(shard, token, place):
            yield f"{where}: not all documents {name} with {token}"


def _all_have(shard: Shard, token: int, place: int) -> bool:
    starts, ends = shard.offsets[:-1], shard.offsets[1:]
    at = starts if place == 0 else ends - 1
    return bool(np.all(ends > starts) and np.all(shard.ids[at] == token))


def _samples(shards: Shards, tokenizer: Tokenizer | None, n: int) -> dict[int, str]:
    if tokenizer is None or not len(shards) or n < 1:
        return {}
    numbers = {i * (len(shards) - 1) // max(n - 1, 1) for i in range(n)}
    return {number: _decoded(shards, tokenizer, number) for number in sorted(numbers)}


def _decoded(shards: Shards, tokenizer: Tokenizer, number: int) -> str:
    ids: Ids = shards[number]
    if shards.bos is not None:
        ids = ids[1:]
    if shards.eos is not None:
        ids = ids[:-1]
    try:
        return tokenizer.decode(ids[:_SAMPLED_IDS].tolist())
    except BytepairError as error:
        raise ShardError(
            f"{shards.folder}: document {number} cannot be decoded: {error}"
        ) from error
