"""`bytepair decode`: ids to text."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Annotated

import typer

from bytepair import Tokenizer
from bytepair.cli import _streams
from bytepair.cli._options import LoadPattern, LoadSpecial, TokenizerPath, load_tokenizer
from bytepair.errors import InputTypeError, UnknownTokenError

_IDS_AT_ONCE = 1 << 16
_LONGEST_NUMBER = 18  # digits that surely fit into 64 bits


def decode(
    tokenizer: TokenizerPath,
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", show_default=False, help="Ids; none, or -: standard input."),
    ] = "-",
    lines: Annotated[
        bool, typer.Option("--lines", help="Each line is a document; ends it with a newline.")
    ] = False,
    pattern: LoadPattern = None,
    special_token: LoadSpecial = None,
) -> None:
    """Turn token ids back into the exact bytes.

    Ids are separated by spaces or newlines. Nothing is added to the bytes they stand for, not even
    a newline at the end; with --lines, one for each line of ids: that undoes `encode --lines`.

    For example:

        bytepair encode zen zen.txt | bytepair decode zen

        bytepair decode zen zen.ids > zen-again.txt
    """
    tok = load_tokenizer(tokenizer, pattern, special_token)
    for batch in _streams.read_documents([file], by_line=True):
        for document in batch:
            for first, words in _words(document.data):
                _streams.write(_decoded(tok, words, document, first))
            _streams.write(b"\n" if lines and document.is_ended else b"")
        _streams.flush()


def _words(line: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """(position of the first one from 1, some words of the line)."""
    matches = re.finditer(rb"\S+", line)
    first = 1
    while words := [match[0] for match in islice(matches, _IDS_AT_ONCE)]:
        yield first, words
        first += len(words)


def _decoded(tok: Tokenizer, words: list[bytes], line: _streams.Document, first: int) -> bytes:
    """Bytes of the ids written as `words`.

    Raises:
        InputTypeError: a word is not a number.
        UnknownTokenError: a number is not in the vocabulary.
    """
    ids = []
    for position, word in enumerate(words, first):
        if not word.isdigit() or len(word) > _LONGEST_NUMBER:
            text = word[:40].decode("utf-8", "backslashreplace")
            raise InputTypeError(
                f"{_place(line, position)}: {text!r} is not a token id. Wanted whole numbers, "
                "separated by spaces or newlines."
            )
        ids.append(int(word))
    try:
        return tok.decode_bytes(ids)
    except UnknownTokenError:
        known = tok.spec.vocabulary.tokens.keys() | {token.id for token in tok.spec.added_tokens}
        wrong = next(index for index, token in enumerate(ids) if token not in known)
        raise UnknownTokenError(
            f"{_place(line, first + wrong)}: {ids[wrong]} is not in the vocabulary (largest id: "
            f"{tok.max_token_value}). Decode with the tokenizer that made the ids."
        ) from None


def _place(line: _streams.Document, position: int) -> str:
    name = "standard input" if line.source == "-" else line.source
    return f"{name}, line {line.line}, id {position}"
