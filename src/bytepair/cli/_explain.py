"""`bytepair explain`: why a text became its tokens."""

import os
from collections.abc import Iterator
from typing import Annotated, Literal

import typer

from bytepair import Tokenizer
from bytepair.cli import _streams
from bytepair.cli._options import (
    AllowSpecial,
    Json,
    LoadPattern,
    LoadSpecial,
    TokenizerPath,
    allowed,
    load_tokenizer,
)
from bytepair.tokenizer import MergeTree, WordSteps

_TREE_INDENT = 2

Special = Literal["all"] | frozenset[str]


def explain(
    tokenizer: TokenizerPath,
    text: Annotated[
        str,
        typer.Argument(
            metavar="TEXT", show_default=False, help="The text; none, or -: standard input."
        ),
    ] = "-",
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="TEXT", help="Another text: what changes, what stays."),
    ] = None,
    block_size: Annotated[
        int, typer.Option("--block-size", min=1, metavar="N", help="Tokens a cache block.")
    ] = 16,
    tree: Annotated[
        bool, typer.Option("--tree", help="Show what every token is made of as well.")
    ] = False,
    allow_special: AllowSpecial = False,
    as_json: Json = False,
    pattern: LoadPattern = None,
    special_token: LoadSpecial = None,
) -> None:
    """Show why a text became its tokens: pre-tokens, merges with their ranks, where they stopped.

    With --against the tokens of two texts stand side by side, with the beginning that they share:
    what a server that caches blocks of tokens need not compute again.

    For example:

        bytepair explain zen "better" --tree
    """
    tok = load_tokenizer(tokenizer, pattern, special_token)
    data = _streams.read_all("-") if text == "-" else os.fsencode(text)
    special = allowed(allow_special)
    if against is not None:
        _compare(tok, (data, os.fsencode(against)), block_size, special, as_json=as_json)
        return
    explanation = tok.explain(data, allowed_special=special)
    if as_json:
        _streams.write_json({"words": [_fields(word) for word in explanation.words]})
        return
    for word in explanation.words:
        for line in _lines(word):
            _streams.write_line(line)
        if tree:
            for line in _trees(tok, word):
                _streams.write_line(line)


def _compare(
    tok: Tokenizer, texts: tuple[bytes, bytes], size: int, special: Special, *, as_json: bool
) -> None:
    blocks = tok.cache_blocks(*texts, size, allowed_special=special)
    rows = [tok.inspect(text, allowed_special=special) for text in texts]
    fields = {
        "tokens": [row.ids for row in rows],
        "shared": blocks.shared,
        "shared_at_end": _shared_at_end(rows[0].ids, rows[1].ids, blocks.shared),
        "block_size": size,
        "blocks": blocks.blocks,
        "reused": blocks.reused,
        "computed": blocks.computed,
    }
    if as_json:
        _streams.write_json(fields)
        return
    for row in rows:
        _streams.write_line(_row([piece.data for piece in row], row.ids))
    for line in _comparison(fields):
        _streams.write_line(line)


def _shared_at_end(first: list[int], second: list[int], shared: int) -> int:
    most = min(len(first), len(second)) - shared
    pairs = zip(first[::-1], second[::-1], strict=False)
    return min(most, next((n for n, (a, b) in enumerate(pairs) if a != b), most))


def _comparison(fields: dict[str, object]) -> Iterator[str]:
    shared, at_end = fields["shared"], fields["shared_at_end"]
    yield f"{shared} tokens are shared at the beginning, {at_end} at the end"
    yield (
        f"in blocks of {fields['block_size']}: {fields['reused']} of the second text's tokens are "
        f"cached, {fields['computed']} are computed"
    )


def _row(parts: list[bytes], ids: list[int]) -> str:
    from bytepair.cli._render import visible

    n = len(ids)
    return f"{'│'.join(map(visible, parts))}  ({n} token{'' if n == 1 else 's'})"


def _lines(word: WordSteps) -> Iterator[str]:
    from bytepair.cli._render import visible

    yield _row([piece.data for piece in word.pieces], [piece.id for piece in word.pieces])
    if word.how == "added":
        yield "  an added token: matched in the text as a whole"
    elif word.how == "looked up":
        yield "  the whole pre-token is a token: looked up, nothing is merged"
    width = max((len(f"{step.rank:,}") for step in word.steps), default=0)
    for step in word.steps:
        left, right = visible(step.left), visible(step.right)
        yield f"  {step.rank:>{width},}  {left} + {right} → {visible(step.left + step.right)}"
    for stop in word.stops:
        also = "" if stop.token is None else f" (yet together they are token {stop.token})"
        yield f"  stop: no merge joins {visible(stop.left)} and {visible(stop.right)}{also}"
    for rest in word.residues:
        yield f"  {visible(rest)} is only a step to longer tokens: its parts stand for it"
    if word.elsewhere:
        where = "without the" if word.has_space else "with a"
        yield f"  {where} space before it: {_ids(word.elsewhere)}"


def _ids(ids: tuple[int, ...]) -> str:
    return f"{len(ids)} token{'' if len(ids) == 1 else 's'} ({' '.join(map(str, ids))})"


def _trees(tok: Tokenizer, word: WordSteps) -> Iterator[str]:
    for piece in word.pieces:
        if len(piece.data) > 1 and not piece.special:
            for line in _tree_lines(tok.merge_tree(piece.id)):
                yield " " * _TREE_INDENT + line


def _tree_lines(tree: MergeTree) -> Iterator[str]:
    from bytepair.cli._render import visible

    for indent, part in tree.rows():
        rank = "" if part.rank is None else f", rank {part.rank:,}"
        yield f"{indent}{visible(part.data)}  {part.id}{rank}"


def _fields(word: WordSteps) -> dict[str, object]:
    return {
        "bytes": word.data.hex(),
        "how": word.how,
        "symbols": [symbol.hex() for symbol in word.symbols],
        "merges": [
            {
                "rank": step.rank,
                "place": step.place,
                "left": step.left.hex(),
                "right": step.right.hex(),
                "id": step.joined,
            }
            for step in word.steps
        ],
        "tokens": [
            {"id": piece.id, "bytes": piece.data.hex(), "start": piece.start, "end": piece.end}
            for piece in word.pieces
        ],
        "stops": [
            {"left": stop.left.hex(), "right": stop.right.hex(), "token": stop.token}
            for stop in word.stops
        ],
        "residues": [rest.hex() for rest in word.residues],
        "has_space": word.has_space,
        "elsewhere": list(word.elsewhere),
    }
