"""What `bytepair train` says when it is done."""

import shlex
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from bytepair import Tokenizer
from bytepair.data import InputFile, read_chunks
from bytepair.errors import CorpusError
from bytepair.model import TrainingRecord

_SAMPLED_FILES = 16
_SAMPLED_BYTES = 64 << 10
_EXAMPLE = "The quick brown fox jumps over the lazy dog."


def facts_of(tok: Tokenizer, files: Sequence[InputFile] | None, text_field: str) -> dict[str, Any]:
    """The trained tokenizer and its corpus in numbers; `files`: None for standard input."""
    record = tok.spec.training or TrainingRecord()
    return {
        "name": tok.name,
        "vocab_size": tok.vocab_size,
        "n_merges": len(tok.merges),
        "n_special_tokens": len(tok.special_tokens),
        "n_files": None if files is None else len(files),
        "n_documents": record.corpus_documents,
        "n_bytes": record.corpus_bytes,
        "n_pretokens": record.pretokens,
        "n_distinct_pretokens": record.distinct_pretokens,
        "n_skipped": record.n_skipped,
        "skipped": [asdict(one) for one in record.skipped],
        "stopped": record.stopped,
        "bytes_per_token": _bytes_per_token(tok, files or [], text_field),
    }


def _bytes_per_token(tok: Tokenizer, files: Sequence[InputFile], text_field: str) -> float | None:
    """Of the beginnings of some files, taken evenly; None for what can be read only once."""
    step = max(1, len(files) // _SAMPLED_FILES)
    sample = [data for path in files[::step] for data in _beginning(path, text_field)]
    n_tokens = sum(tok.count_batch(sample, allowed_special="all"))
    return sum(map(len, sample)) / n_tokens if n_tokens else None


def _beginning(path: InputFile, text_field: str) -> list[bytes]:
    """The first chunk of a file, unless it is a pipe, or gone since it was trained on."""
    if not path.is_file():
        return []
    read = partial(read_chunks, text_field=text_field, block_bytes=_SAMPLED_BYTES, on_error="skip")
    try:
        with warnings.catch_warnings(action="ignore"):  # issued when it was trained on
            return [chunk.data for chunk in islice(read(path), 1)]
    except CorpusError:
        return []


def report(
    facts: Mapping[str, Any], target: Path, files: Sequence[InputFile] | None
) -> Iterator[str]:
    """Lines for people, from `facts_of` and what the command knows: engine, seconds, files."""
    n_alphabet = facts["vocab_size"] - facts["n_merges"] - facts["n_special_tokens"]
    yield (
        f"{facts['name']}: {facts['vocab_size']:,} tokens (alphabet {n_alphabet:,}, "
        f"merges {facts['n_merges']:,}, special {facts['n_special_tokens']:,})"
    )
    yield ""
    n_files = "standard input" if files is None else number(facts["n_files"], "file")
    n_documents = number(facts["n_documents"], "document")
    yield f"corpus       {n_files}, {n_documents}, {_size(facts['n_bytes'])}"
    yield (
        f"pre-tokens   {facts['n_pretokens']:,}, "
        f"of which {facts['n_distinct_pretokens']:,} distinct"
    )
    yield f"time         {_time(facts)}"
    if facts["n_skipped"]:
        yield f"skipped      {_skipped(facts)}"
    if facts["bytes_per_token"] is not None:
        yield f"compression  {facts['bytes_per_token']:.2f} bytes a token on a sample of the corpus"
    first, *others = facts["saved"]
    yield f"saved        {first}{' (replaced)' if facts['replaced'] else ''}"
    yield from (f"{'':<12} {path}" for path in others)
    yield ""
    yield "next:"
    yield f'  bytepair inspect {shlex.quote(str(target))} "{_EXAMPLE}"'
    if files:
        yield f"  bytepair count {shlex.quote(str(target))} {shlex.quote(str(files[0]))}"


def _time(facts: Mapping[str, Any]) -> str:
    count_s, learn_s = facts["count_s"], facts["learn_s"]
    counting = f"counting {count_s:.2f} s ({facts['n_bytes'] / 1e6 / max(count_s, 1e-9):,.1f} MB/s)"
    return f"{count_s + learn_s:.2f} s: {counting}, learning {learn_s:.2f} s"


def _skipped(facts: Mapping[str, Any]) -> str:
    """How much of the corpus was left out, and where to read what it was."""
    what = f"{number(facts['n_skipped'], 'record')} or rests of files, which could not be read"
    named = [name for name in facts["saved"] if Path(name).name == "training.json"]
    return f"{what}, named in {named[0]}" if named else f"{what}; --json names them"


def _size(n_bytes: int) -> str:
    if n_bytes < 1000:
        return f"{n_bytes} bytes"
    return f"{n_bytes / 1e3:.1f} kB" if n_bytes < 1e6 else f"{n_bytes / 1e6:,.1f} MB"


def number(n: int, noun: str) -> str:
    """A number of things, as people write it.

    >>> number(1, "text"), number(1200, "byte")
    ('1 text', '1,200 bytes')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
