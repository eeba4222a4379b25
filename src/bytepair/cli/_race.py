"""Libraries encode the same texts in turns: first what they answer, then how long they take."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Any

from bytepair.cli import _peers
from bytepair.cli._peers import Library, LibraryError, Ragged, Source

SHORT_TEXT = "hello world"
_LEAST_ROUNDS = 3
_CALLS = 2_000  # with the short text, in each round


@dataclass
class Runner:
    """A library in the race.

    Attributes:
        version: None: it is not installed.
        reason: why it takes no part; "": it does.
        n_differing: texts whose ids are not those of the reference.
        load_s, first_s: from the file to a tokenizer, imports not counted; its first pass over
            the texts.
        rounds_s: its further passes.
        short_s: one call with a short text, a mean in each round.
    """

    name: str
    version: str | None
    reason: str = ""
    n_differing: int = 0
    load_s: float = 0.0
    first_s: float = 0.0
    rounds_s: list[float] = field(default_factory=list)
    short_s: list[float] = field(default_factory=list)
    library: Library | None = None

    @property
    def median_s(self) -> float:
        """Of its further passes."""
        return median(self.rounds_s)

    @property
    def spread(self) -> float:
        """The middle half of its further passes spans so large a part of the median."""
        low, _, high = quantiles(self.rounds_s)
        return (high - low) / self.median_s

    def facts(self) -> Mapping[str, Any]:
        """What `--json` shows."""
        facts: dict[str, Any] = {"name": self.name, "version": self.version}
        if self.reason:
            return facts | {"reason": self.reason}
        return facts | {
            "n_differing": self.n_differing,
            "load_s": self.load_s,
            "first_s": self.first_s,
            "median_s": self.median_s,
            "rounds_s": self.rounds_s,
            "short_s": median(self.short_s),
        }


def race(
    names: Sequence[str], source: Source, texts: list[str], *, threads: int, seconds: float
) -> tuple[list[Runner], str]:
    """(one runner a name, the library whose ids are taken for the right ones).

    Args:
        names: the first is bytepair; what it raises is raised.
        seconds: time for all further passes together; there are at least three.
    """
    runners = [Runner(name, _peers.installed_version(name)) for name in names]
    rows_by_name = dict(_first_passes(runners, source, texts, threads))
    preferred = ("tiktoken", "tokenizers") if source.is_ranks else ("tokenizers", "tiktoken")
    reference = next(name for name in (*preferred, *rows_by_name) if name in rows_by_name)
    for runner in runners:
        if runner.library:
            rows = rows_by_name[runner.name]
            runner.n_differing = _peers.n_differing(rows, rows_by_name[reference])
    _further_passes([runner for runner in runners if runner.library], texts, seconds)
    return runners, reference


def ratio(runner: Runner, to: Runner) -> float:
    """How many times longer its further passes take, round by round; the median."""
    pairs = zip(runner.rounds_s, to.rounds_s, strict=True)
    return median(theirs / ours for theirs, ours in pairs)


def _first_passes(
    runners: Sequence[Runner], source: Source, texts: list[str], threads: int
) -> Iterator[tuple[str, Ragged]]:
    for runner in runners:
        if runner.version is None:
            runner.reason = "not installed"
            continue
        try:
            _peers.import_library(runner.name)
            started = time.perf_counter()
            library = _peers.load(runner.name, source, threads)
            loaded = time.perf_counter()
            with nullcontext() if runner is runners[0] else _peers.answers():
                rows = library.encode_batch(texts)
            runner.load_s, runner.first_s = loaded - started, time.perf_counter() - loaded
        except LibraryError as error:
            runner.reason = str(error)
            continue
        runner.library = library
        yield runner.name, _peers.ragged(rows)


def _further_passes(runners: Sequence[Runner], texts: list[str], seconds: float) -> None:
    """Each round another one goes first, so that what else the machine does hits all."""
    end = time.perf_counter() + seconds
    number = 0
    while number < _LEAST_ROUNDS or time.perf_counter() < end:
        shift = number % len(runners)
        for runner in [*runners[shift:], *runners[:shift]]:
            library = runner.library
            if library is None:
                continue
            started = time.perf_counter()
            rows = library.encode_batch(texts)
            runner.rounds_s.append(time.perf_counter() - started)
            del rows  # given back before the next one starts
            runner.short_s.append(_short_call(library))
        number += 1


def _short_call(library: Library) -> float:
    encode = library.encode
    started = time.perf_counter()
    for _ in range(_CALLS):
        encode(SHORT_TEXT)
    return (time.perf_counter() - started) / _CALLS
