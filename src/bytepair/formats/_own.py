"""bytepair's own form, for what no other can say: a `tokenizer.json` within, and its residues.

The root is no tokenizer.json, so that no other library reads the file and gives other ids.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from bytepair.formats._conventions import attach_conventions
from bytepair.formats._hf_read import spec_of_section
from bytepair.formats._hf_write import tokenizer_json
from bytepair.formats._json import Section, read_object
from bytepair.formats._kind import OWN_FILE
from bytepair.formats._names import tokenizer_name
from bytepair.formats._training import attach_training
from bytepair.model import TokenId, TokenizerSpec, residues_as_tokens, tokens_as_residues

_VERSION = 1


def own_json(spec: TokenizerSpec) -> bytes:
    """The content of such a file; the same bytes whenever the tokenizer is the same.

    Raises:
        ExportError: the tokenizer within cannot be said; the message says why.
    """
    within = tokenizer_json(residues_as_tokens(spec)).decode()
    rows = ",\n".join(
        f"    {json.dumps([n, *parts])}" for n, parts in sorted(spec.residues.items())
    )
    listed = f"[\n{rows}\n  ]" if rows else "[]"
    head = f'"format": "bytepair",\n  "version": {_VERSION},\n  "residues": {listed}'
    return f'{{\n  {head},\n  "tokenizer": {within.rstrip()}\n}}\n'.encode(
        "utf-8", "backslashreplace"
    )


def read_own(path: Path) -> TokenizerSpec:
    """The tokenizer in such a file, with what stands beside it if there is anything.

    Raises:
        FormatError: damaged, of a later version, or residues that are not the last of the ids or
            whose parts are not their bytes.
    """
    root = read_object(path)
    root.ignore("format")
    version = root.get("version", int)
    if version != _VERSION:
        raise root.error(f"version {version} is not supported (known: {_VERSION}). Update bytepair")
    residues = dict(_residue(root, place, row) for place, row in enumerate(_rows(root)))
    spec = spec_of_section(root.section("tokenizer"), tokenizer_name(path))
    _check(root, spec, residues)
    if path.name == OWN_FILE:
        spec = attach_conventions(spec, path.parent)
    return tokens_as_residues(attach_training(spec, path.with_name("training.json")), residues)


def _rows(root: Section) -> list[object]:
    rows: list[object] = root.get("residues", list)
    return rows


def _residue(root: Section, place: int, row: object) -> tuple[int, tuple[TokenId, ...]]:
    if isinstance(row, list) and len(row) > 2 and all(type(n) is int and n >= 0 for n in row):
        return row[0], tuple(row[1:])
    raise root.error(
        f"residues[{place}] must be a number and the two or more ids that stand for it, "
        f"got {row!r:.60}"
    )


def _check(root: Section, spec: TokenizerSpec, residues: Mapping[int, tuple[TokenId, ...]]) -> None:
    tokens = spec.vocabulary.tokens
    others = {*tokens, *(token.id for token in spec.added_tokens)} - set(residues)
    for number, parts in residues.items():
        if number not in tokens or number < max(others, default=-1):
            raise root.error(f"residue {number} is not among the last ids of the vocabulary")
        if (
            not others.issuperset(parts)
            or b"".join(tokens.get(part, b"") for part in parts) != tokens[number]
        ):
            raise root.error(
                f"residue {number} ({tokens[number][:60]!r}) is not what the tokens {list(parts)} "
                "are together"
            )
