"""`bytepair count`: how many tokens."""

import shlex

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


def count(
    tokenizer: TokenizerPath,
    files: Files = None,
    lines: Lines = False,
    allow_special: AllowSpecial = False,
    as_json: Json = False,
    pattern: LoadPattern = None,
    special_token: LoadSpecial = None,
) -> None:
    """Count the tokens of files.

    One row for each file, or with --lines for each line, and a total; without file names the bare
    number. With --json one object is printed: n_tokens, n_bytes, and documents with the same
    for each.

    For example:

        bytepair count zen zen.txt

        echo "Simple is better" | bytepair count zen
    """
    tok = load_tokenizer(tokenizer, pattern, special_token)
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
