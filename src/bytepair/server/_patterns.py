"""Which patterns clients may have run: a regex engine that tracks back may never end, and a thread
that it runs on cannot be stopped.
"""

import warnings
from collections.abc import Iterator

import bytepair
from bytepair import TokenizerSpec
from bytepair.errors import BytepairWarning
from bytepair.model import Replace, Split
from bytepair.patterns import NAMED, automaton, name_of
from bytepair.server._errors import invalid


def require_named(pattern: str | None) -> None:
    """Refuse patterns of a client's own.

    Compiling one takes time and memory, even where running it would not.

    Raises:
        ApiError: not one of those that have a name.
    """
    if pattern is not None and pattern not in NAMED:
        raise invalid(f"pattern must be one of {', '.join(NAMED)}, or null.", "pattern")


def require_linear(spec: TokenizerSpec) -> None:
    """Refuse a tokenizer of a client's that needs a regex engine which tracks back.

    Raises:
        ApiError: names the pattern.
    """
    for pattern, is_for_twin in _patterns(spec):
        if name_of(pattern) is None and (is_for_twin or not _compiles(pattern)):
            raise invalid(
                f"its pattern {pattern!r:.200} would run on a regex engine that can take for ever "
                "on some texts; only the operator can serve it.",
                code="pattern",
            )


def _patterns(spec: TokenizerSpec) -> Iterator[tuple[str, bool]]:
    """(pattern, the Python engine runs it even where there is another)."""
    twin_alone = bytepair.engine() == "python"
    if spec.rules.pattern is not None:
        yield spec.rules.pattern, twin_alone
    for step in (*spec.rules.steps, *spec.rules.normalizer):
        match step:
            case Split(pattern, by_bytes=by_bytes):
                yield pattern, twin_alone or by_bytes
            case Replace(pattern, is_regex=True):
                yield pattern, True


def _compiles(pattern: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BytepairWarning)
        return automaton(pattern) is not None
