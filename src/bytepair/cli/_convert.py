"""`bytepair convert`: from one format to another, and proof that nothing changed."""

import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

import bytepair
from bytepair import Tokenizer
from bytepair.cli import _streams
from bytepair.cli._consumers import LibraryError, consumer_of, package_of
from bytepair.cli._options import Json, LoadPattern, LoadSpecial, TokenizerPath, load_tokenizer
from bytepair.cli._output import require_apart
from bytepair.cli._proof import (
    difference_in,
    first_difference,
    lost_special,
    texts_to_compare,
)
from bytepair.errors import BytepairWarning, FormatError
from bytepair.formats import FORMATS, Format, format_for


def convert(
    source: TokenizerPath,
    target: Annotated[
        Path,
        typer.Argument(
            metavar="TARGET",
            show_default=False,
            help="A folder or .json file (huggingface, bytepair), x.tiktoken, vocab.json (gpt2), "
            "tekken.json, x.gguf, or x.model (sentencepiece).",
        ),
    ],
    format_: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="NAME", help=f"If TARGET does not say: {', '.join(FORMATS)}."
        ),
    ] = None,
    pattern: LoadPattern = None,
    special_token: LoadSpecial = None,
    as_json: Json = False,
) -> None:
    """Save a tokenizer in another format.

    Then TARGET is loaded and compared with TOKENIZER, by bytepair and by the library that the
    format is of, if that is installed: every token, every special token, every byte and texts in
    many scripts must give the same ids. With --json one object is printed: saved, n_texts,
    n_tokens, library (null if it is not installed), n_library_texts.

    For example:

        bytepair convert zen zen.tiktoken
    """
    tok = load_tokenizer(source, pattern, special_token)
    require_apart(source, target)
    kind = format_for(target, format_)
    saved = tok.save(target, kind)
    proof = _prove(tok, kind, saved[0])
    if as_json:
        _streams.write_json({"saved": [str(path) for path in saved], **asdict(proof)})
        return
    for path in saved:
        _streams.write_line(f"saved     {path}")
    _streams.write_line(
        f"compared  {proof.n_texts:,} texts and {tok.vocab_size:,} tokens: 0 differences"
    )
    if proof.library:
        _streams.write_line(
            f"compared  {proof.n_library_texts:,} texts with {proof.library}: 0 differences"
        )
    else:
        package = package_of(kind)
        _streams.write_line(
            f"not asked {package}, which is not installed: bytepair's own reader alone was "
            f"(pip install {package})"
        )


@dataclass(frozen=True)
class _Proof:
    """How much was compared."""

    n_texts: int
    n_tokens: int
    library: str | None
    n_library_texts: int


def _prove(tok: Tokenizer, kind: Format, path: Path) -> _Proof:
    again = bytepair.load(path)
    texts = texts_to_compare(tok)
    _refuse(path, first_difference(tok, again, texts))
    if lost := lost_special(tok, again):
        warnings.warn(
            f"{kind} finds no special token {lost[0]!r} in a text; its id is kept.",
            BytepairWarning,
            stacklevel=2,
        )
    try:
        consumer = consumer_of(kind, path)
    except LibraryError as error:
        raise FormatError(f"{path}: {package_of(kind)} does not load it: {error}") from error
    if consumer is None:
        return _Proof(len(texts), tok.vocab_size, None, 0)
    # Other libraries take text only: what is no text in these becomes U+FFFD.
    known = list(dict.fromkeys(text.decode("utf-8", "replace") for text in texts))
    _refuse(path, difference_in(consumer, tok, known), f" to {consumer.name}")
    return _Proof(len(texts), tok.vocab_size, consumer.name, len(known))


def _refuse(path: Path, difference: str | None, whom: str = "") -> None:
    if difference:
        raise FormatError(f"{path}: not the same tokenizer{whom}, do not use it: {difference}")
