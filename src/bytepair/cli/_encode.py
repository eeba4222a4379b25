"""`bytepair encode`: text to ids."""

import shlex

import numpy as np
from numpy.typing import NDArray

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

_IDS_AT_ONCE = 1 << 16  # as text, so that a long document does not become a long string


def encode(
    tokenizer: TokenizerPath,
    files: Files = None,
    lines: Lines = False,
    allow_special: AllowSpecial = False,
    as_json: Json = False,
    pattern: LoadPattern = None,
    special_token: LoadSpecial = None,
) -> None:
    """Turn text into token ids.

    Each document, which is a file or with --lines a line, becomes one line of ids separated by
    spaces. With --json that line is an object with source, line, n_tokens and ids.

    For example:

        bytepair encode zen zen.txt > zen.ids

        echo "Simple is better" | bytepair encode zen --lines
    """
    tok = load_tokenizer(tokenizer, pattern, special_token)
    command = f"bytepair encode {shlex.quote(str(tokenizer))}"
    for batch in _streams.read_texts(files, by_line=lines, command=command):
        ids, offsets = tok.encode_batch_to_numpy(
            [document.data for document in batch],
            allowed_special=allowed(allow_special),
            disallowed_special=(),
        )
        for document, row in zip(batch, np.split(ids, offsets[1:-1]), strict=True):
            if as_json:
                fields = {"n_tokens": len(row), "ids": row.tolist()}
                _streams.write_json(document.place() | fields)
            else:
                _write_ids(row)
                _streams.write(b"\n" if document.is_ended else b"")
        _streams.flush()


def _write_ids(ids: NDArray[np.uint32]) -> None:
    for start in range(0, len(ids), _IDS_AT_ONCE):
        some = " ".join(map(str, ids[start : start + _IDS_AT_ONCE].tolist()))
        _streams.write((" " if start else "").encode() + some.encode())
