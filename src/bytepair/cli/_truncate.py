"""`bytepair truncate`: the beginning of a text that so many tokens hold."""

from typing import Annotated

import typer

from bytepair.cli import _streams
from bytepair.cli._messages import say
from bytepair.cli._options import (
    AllowSpecial,
    Files,
    Json,
    LoadPattern,
    LoadSpecial,
    TokenizerPath,
    allowed,
    load_tokenizer,
)
from bytepair.errors import CorpusError


def truncate(
    tokenizer: TokenizerPath,
    max_tokens: Annotated[
        int, typer.Argument(metavar="N", min=1, show_default=False, help="Most tokens.")
    ],
    files: Files = None,
    allow_special: AllowSpecial = False,
    as_json: Json = False,
    pattern: LoadPattern = None,
    special_token: LoadSpecial = None,
) -> None:
    """Print the beginning of a text, in whole characters, that N tokens hold.

    A note on stderr says if anything was cut off. With --json one object a file is printed: text,
    rest, n_tokens and truncated.

    For example:

        bytepair truncate zen 10 zen.txt
    """
    tok = load_tokenizer(tokenizer, pattern, special_token)
    for batch in _streams.read_documents(files, by_line=False):
        for document in batch:
            text = _text_of(document)
            kept = tok.truncate(text, max_tokens, allowed_special=allowed(allow_special))
            if as_json:
                fields = {"text": kept.text, "rest": kept.rest, "n_tokens": kept.n_tokens}
                _streams.write_json(document.place() | fields | {"truncated": kept.is_truncated})
                continue
            _streams.write_line(kept.text)
            if kept.is_truncated:
                place = document.label or "the text"
                say("note", f"{place}: {len(kept.rest):,} characters cut off.")


def _text_of(document: _streams.Document) -> str:
    try:
        return document.data.decode()
    except UnicodeDecodeError as error:
        place = document.label or "standard input"
        raise CorpusError(
            f"{place}: byte {error.start} is not UTF-8, so it has no characters to cut between."
        ) from error
