"""`bytepair shard`: from a corpus to token ids on disk, and a second look at them."""

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import typer

import bytepair
from bytepair import Tokenizer
from bytepair.cli import _shard_options as of
from bytepair.cli import _streams
from bytepair.cli._messages import say
from bytepair.cli._options import AllowSpecial, Json, LoadPattern, LoadSpecial, load_tokenizer
from bytepair.cli._render import visible
from bytepair.cli._train_options import Address, Separator, files_of
from bytepair.data import Shards, open_shards
from bytepair.errors import BytepairError
from bytepair.sharding import Verification
from bytepair.sharding import verify as verify_shards

_SHOWN = 10
_SAMPLE_CELLS = 60


def shard(
    tokenizer: of.Tokenizer = None,
    corpus: of.Corpus = None,
    output: of.Output = None,
    format: of.Format = "flat",  # noqa: A002  # the name of the option
    shard_tokens: of.ShardTokens = 100_000_000,
    bos: of.Bos = None,
    eos: of.Eos = None,
    dtype: of.Dtype = None,
    shuffle: of.Shuffle = None,
    seed: of.Seed = 0,
    separator: Separator = None,
    text_field: of.TextField = "text",
    allow_special: AllowSpecial = False,
    on_error: of.OnError = "fail",
    parts: of.Parts = None,
    resume: of.Resume = False,
    threads: of.Threads = None,
    engine: of.Engine = None,
    address: Address = None,
    verify: of.Verify = None,
    pattern: LoadPattern = None,
    special_token: LoadSpecial = None,
    as_json: Json = False,
) -> None:
    """Tokenise CORPUS into shards of token ids that trainers read; or --verify some.

    For example:

        bytepair shard zen zen.txt --eos "<|endoftext|>" --output shards

        bytepair shard --verify shards
    """
    from bytepair.cli._progress import TrainingProgress

    if verify is not None:
        _refuse(corpus, "CORPUS", "has no place beside --verify.")
        _refuse(output, "--output", "has no place beside --verify.")
        _verify(verify, tokenizer, pattern, special_token, as_json=as_json)
        return
    if tokenizer is None or not corpus or output is None:
        raise typer.BadParameter("TOKENIZER, CORPUS and --output are needed, or --verify.")
    files = files_of(corpus)
    _refuse(files is None, "CORPUS", "standard input cannot be read again: give files.")
    tok = load_tokenizer(tokenizer, pattern, special_token)
    start = perf_counter()
    with _streams.no_results(), TrainingProgress() as progress:
        shards = bytepair.shard(
            tok,
            files or [],
            output,
            format=format,
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
            parts=parts,
            resume=resume,
            threads=threads,
            engine=engine,
            address=address,
            progress=progress,
            tokenizer_path=str(tokenizer.absolute()),
        )
    _report(shards, perf_counter() - start, as_json=as_json)


def _refuse(given: object, name: str, why: str) -> None:
    if given:
        raise typer.BadParameter(why, param_hint=name)


def _report(shards: Shards, seconds: float, *, as_json: bool) -> None:
    facts = _facts(shards) | {"seconds": round(seconds, 3)}
    if as_json:
        _streams.write_json(facts)
        return
    skipped = shards.manifest.skipped
    for one in skipped[:_SHOWN]:
        say("skipped", one.problem)
    if len(skipped) > _SHOWN:
        say("skipped", f"and {len(skipped) - _SHOWN:,} more; the manifest names all of them")
    for line in _lines(shards):
        _streams.write_line(line)
    _streams.write_line(f"{'time':<11}{seconds:.1f} s")
    _streams.write_line("")
    _streams.write_line("next:")
    _streams.write_line(f"  bytepair shard --verify {shards.folder}")


def _facts(shards: Shards) -> dict[str, Any]:
    manifest = shards.manifest
    return {
        "folder": str(shards.folder),
        "format": manifest.layout.name,
        "dtype": shards.dtype.name,
        "n_shards": shards.n_shards,
        "n_documents": len(shards),
        "n_tokens": shards.n_tokens,
        "bos": shards.bos,
        "eos": shards.eos,
        "skipped": [{"where": one.where, "problem": one.problem} for one in manifest.skipped],
    }


def _lines(shards: Shards) -> Iterator[str]:
    n_skipped = len(shards.manifest.skipped)
    skipped = f", {n_skipped:,} skipped" if n_skipped else ""
    ends = "" if shards.eos is None else f", documents end with {shards.eos}"
    yield f"{'documents':<11}{len(shards):,}{skipped}"
    yield f"{'ids':<11}{shards.n_tokens:,} {shards.dtype.name}{ends}"
    yield f"{'shards':<11}{shards.n_shards:,} {shards.manifest.layout.name} in {shards.folder}"


# ---------------------------------------------------------------------- verify


def _verify(
    folder: Path,
    tokenizer: Path | None,
    pattern: str | None,
    special_token: list[str] | None,
    *,
    as_json: bool,
) -> None:
    from bytepair.cli._progress import TrainingProgress

    if tokenizer is not None:
        tok: Tokenizer | None = load_tokenizer(tokenizer, pattern, special_token)
    else:
        tok = _named_tokenizer(open_shards(folder), pattern, special_token)
    with TrainingProgress() as progress:
        found = verify_shards(folder, tok, progress=progress)
    facts = _facts(found.shards) | {"n_bytes": found.n_bytes}
    if as_json:
        samples = [{"document": number, "text": text} for number, text in found.samples.items()]
        _streams.write_json(facts | {"samples": samples})
        return
    for line in _verified(found):
        _streams.write_line(line)


def _verified(found: Verification) -> Iterator[str]:
    yield from _lines(found.shards)
    yield f"{'verified':<11}{found.n_bytes:,} bytes: sizes, checksums, indices, ids"
    for number, text in found.samples.items():
        shown = visible(text[:_SAMPLE_CELLS].encode())
        yield f"{'document':<11}{number:,}: {shown}{'...' if len(text) > _SAMPLE_CELLS else ''}"


def _named_tokenizer(
    shards: Shards, pattern: str | None, special_token: list[str] | None
) -> Tokenizer | None:
    """The tokenizer that the manifest names, if it is still there."""
    path = shards.manifest.tokenizer_path
    try:
        if path is not None:
            return load_tokenizer(Path(path), pattern, special_token)
    except BytepairError as error:
        say("note", f"{error}")
    say("note", "no document is decoded: name the tokenizer as well to have some shown.")
    return None
