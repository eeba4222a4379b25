"""What a file of `WordCounts` holds beside its rows, in JSON's values."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from bytepair.model._counts import WordCounts
from bytepair.model._rules import SplitRules
from bytepair.model._skipped import Skipped
from bytepair.model._steps import (
    CharMap,
    Metaspace,
    PrefixSpace,
    Prepend,
    Replace,
    Split,
    Strip,
)

_STEPS: dict[str, type] = {
    step.__name__: step
    for step in (CharMap, Metaspace, PrefixSpace, Prepend, Replace, Split, Strip)
}


def header_of(counts: WordCounts) -> dict[str, object]:
    """Size of the corpus, how it was cut, and what was left out."""
    skipped = [[one.where, one.problem] for one in counts.skipped]
    left_out = {"n_skipped": counts.n_skipped, "skipped": skipped} if counts.n_skipped else {}
    return {
        **left_out,
        "n_words": len(counts),
        "n_bytes": counts.n_bytes,
        "n_documents": counts.n_documents,
        "rules": {
            "pattern": counts.rules.pattern,
            "normalizer": [_plain(step) for step in counts.rules.normalizer],
            "special_tokens": counts.rules.special_tokens,
            "steps": [_plain(step) for step in counts.rules.steps],
        },
    }


def _plain(step: object) -> object:
    if isinstance(step, str):
        return step
    values = {field.name: getattr(step, field.name) for field in fields(step)}  # type: ignore[arg-type]  # a step
    return {"step": type(step).__name__, **values}


def rules_of(plain: Mapping[str, Any]) -> SplitRules:
    """The rules of such a header.

    Raises:
        KeyError, TypeError: it is no such header.
    """
    normalizer = tuple(map(_step, plain["normalizer"]))
    steps = tuple(map(_step, plain["steps"]))
    return SplitRules(plain["pattern"], normalizer, tuple(plain["special_tokens"]), steps)


def skips_of(header: Mapping[str, Any]) -> tuple[int, tuple[Skipped, ...]]:
    """How much was left out, and the first of it.

    Raises:
        TypeError, ValueError: it is no such header.
    """
    named = (Skipped(where, problem) for where, problem in header.get("skipped", ()))
    return header.get("n_skipped", 0), tuple(named)


def _step(plain: str | dict[str, Any]) -> Any:
    if isinstance(plain, str):
        return plain
    values = {name: value for name, value in plain.items() if name != "step"}
    if "rules" in values:
        values["rules"] = tuple(map(tuple, values["rules"]))
    return _STEPS[plain["step"]](**values)
