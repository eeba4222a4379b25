"""`training.json`: what a tokenizer was trained on, with which options, and what it found."""

import json
import warnings
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

from bytepair.errors import BytepairWarning, FormatError
from bytepair.formats._json import Object, Section, read_object
from bytepair.model import Skipped, TokenizerSpec, TrainingRecord, residues_as_tokens

_VERSION = 1
_FACTS = ("corpus_bytes", "corpus_documents", "pretokens", "distinct_pretokens")


def training_json(spec: TokenizerSpec, record: TrainingRecord) -> bytes:
    """The content of `training.json`: the facts, then one line for each merge and its count."""
    head: Object = {"version": _VERSION, "bytepair_version": record.version, "name": spec.name}
    head["options"] = dict(record.options)
    head |= {fact: getattr(record, fact) for fact in _FACTS}
    head["stopped"] = record.stopped
    if record.n_skipped:
        head["n_skipped"] = record.n_skipped
        head["skipped"] = [asdict(one) for one in record.skipped]
    if record.pruned:
        head["pruned"] = [dict(entry) for entry in record.pruned]
    text = json.dumps(head, ensure_ascii=False, indent=2, default=str)
    rows = ",\n".join("    " + json.dumps(row, ensure_ascii=False) for row in _rows(spec, record))
    merges = f"[\n{rows}\n  ]" if rows else "[]"
    unclosed = text.removesuffix("\n}")
    return f'{unclosed},\n  "merges": {merges}\n}}\n'.encode("utf-8", "backslashreplace")


def _rows(spec: TokenizerSpec, record: TrainingRecord) -> list[list[object]]:
    """[left, right, count] of each merge, in order; a token as readable text."""
    known = len(record.merge_counts) == len(spec.merges)
    counts = record.merge_counts if known else (None,) * len(spec.merges)
    pairs = _readable_pairs(spec)
    return [[left, right, count] for (left, right), count in zip(pairs, counts, strict=True)]


def _readable_pairs(spec: TokenizerSpec) -> list[tuple[str, str]]:
    items = residues_as_tokens(spec).vocabulary.tokens.items()
    text = {number: token.decode("utf-8", "backslashreplace") for number, token in items}
    mark = spec.vocabulary.end_of_word_id
    if mark is not None and spec.end_of_word:
        text[mark] = spec.end_of_word
    return [(text[left], text[right]) for left, right, _, _ in spec.merges]


def attach_training(spec: TokenizerSpec, path: Path) -> TokenizerSpec:
    """`spec` with the record in `path`, if there is one and it describes this tokenizer.

    A record that is damaged or belongs to another tokenizer is left out with a warning: it is
    evidence, and no id depends on it.
    """
    if not path.is_file():
        return spec
    try:
        root = read_object(path)
        record = _record(root, spec)
        return replace(spec, training=record, name=root.name(spec.name))
    except FormatError as error:
        warnings.warn(f"left out the training record: {error}", BytepairWarning, stacklevel=5)
        return spec


def _record(root: Section, spec: TokenizerSpec) -> TrainingRecord:
    rows: list[object] = root.get("merges", list)
    options: Mapping[str, object] = root.get("options", dict)
    facts = {fact: root.get(fact, int) for fact in _FACTS}
    counts = [row[2] for row in rows if isinstance(row, list) and len(row) == 3]
    pairs = [row[:2] for row in rows if isinstance(row, list)]
    if pairs != [list(pair) for pair in _readable_pairs(spec)] or len(counts) != len(rows):
        raise root.error("its merges are not those of the tokenizer beside it")
    merge_counts = tuple(count for count in counts if type(count) is int)
    return TrainingRecord(
        options,
        **facts,
        merge_counts=merge_counts,
        stopped=root.get("stopped", str),
        version=root.get("bytepair_version", str),
        n_skipped=root.get("n_skipped", int, 0),
        skipped=_skipped(root),
        pruned=_prunings(root),
    )


def _skipped(root: Section) -> tuple[Skipped, ...]:
    entries: list[object] = root.get("skipped", list, [])
    try:
        return tuple(Skipped(**entry) for entry in entries)  # type: ignore[arg-type]  # or TypeError
    except TypeError as error:
        raise root.error("skipped must be a list of objects with where and problem") from error


def _prunings(root: Section) -> tuple[Mapping[str, object], ...]:
    entries: list[object] = root.get("pruned", list, [])
    if not all(isinstance(entry, dict) for entry in entries):
        raise root.error("pruned must be a list of objects")
    return tuple(entry for entry in entries if isinstance(entry, dict))
