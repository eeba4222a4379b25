"""`bytepair count`: how many tokens."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from bytepair import Tokenizer
from bytepair.cli import _streams
from bytepair.cli._options import (
    AllowSpecial,
    Files,
    Json,
    Lines,
    LoadPattern,
    LoadSpecial,
    TokenizerPath,
    allowed,
    load_tokenizer,
)
from bytepair.cli._output import require_writable_file
from bytepair.cli._train_options import files_of
from bytepair.pipeline import count_words

Words = Annotated[
    Path | None,
    typer.Option(
        "--words",
        metavar="FILE",
        help="Save how often each pre-token occurs, instead: in a .tsv, .parquet or .arrow table, "
        "else binary.",
    ),
]


def count(
    tokenizer: TokenizerPath,
    files: Files = None,
    lines: Lines = False,
    words: Words = None,
    allow_special: AllowSpecial = False,
    as_json: Json = False,
    pattern: LoadPattern = None,
    special_token: LoadSpecial = None,
) -> None:
    """Count the tokens of files, or with --words their pre-tokens.

    One row for each file, or with --lines for each line, and a total; without file names the bare
    number. With --json one object is printed: n_tokens, n_bytes, and documents with the same
    for each.

    For example:

        bytepair count zen zen.txt

        echo "Simple is better" | bytepair count zen

        bytepair count zen zen.txt --words zen.tsv
    """
    tok = load_tokenizer(tokenizer, pattern, special_token)
    if words is not None:
        _save_words(tok, files or ["-"], words, as_json=as_json)
        return
    rows: list[dict[str, str | int]] = []
    n_tokens = n_bytes = n_rows = 0
    command = f"bytepair count {shlex.quote(str(tokenizer))}"
    for batch in _streams.read_texts(files, by_line=lines, command=command):
        texts = [document.data for document in batch]
        counts = tok.count_batch(texts, allowed_special=allowed(allow_special))
        for document, n in zip(batch, counts, strict=True):
            if as_json:
                rows.append(document.place() | {"n_tokens": n, "n_bytes": len(document.data)})
            else:
                _streams.write_line(_row(n, document.label))
        n_rows += len(batch)
        n_tokens += sum(counts)
        n_bytes += sum(map(len, texts))
        _streams.flush()
    if as_json:
        total = {"n_tokens": n_tokens, "n_bytes": n_bytes, "documents": rows}
        _streams.write_json(total)
    elif n_rows != 1:
        _streams.write_line(_row(n_tokens, "total"))


def _row(n_tokens: int, label: str) -> str:
    return f"{n_tokens:>8}  {label}" if label else str(n_tokens)


def _save_words(tok: Tokenizer, files: list[str], target: Path, *, as_json: bool) -> None:
    require_writable_file(target, "--words")
    found = files_of(files)
    counts = count_words(tok.spec, "-" if found is None else found)
    counts.save(target)
    if as_json:
        facts = {"n_words": len(counts), "n_pretokens": counts.total, "saved": str(target)}
        _streams.write_json(facts)
    else:
        _streams.write_line(f"{target}: {counts.total:,} pre-tokens, {len(counts):,} distinct")
