"""`VocabularyPruner`: from a tokenizer and word counts to a smaller tokenizer."""

import operator
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from bytepair.engines import Pruner, PruneStrategy, PruneTask, Removal, select
from bytepair.engines.python import SymbolTable, all_ids
from bytepair.errors import (
    ArgumentError,
    CorpusError,
    InputTypeError,
    UnknownTokenError,
)
from bytepair.model import (
    Progress,
    ProgressCallback,
    ProgressReporter,
    SplitRules,
    TokenId,
    TokenizerSpec,
    WordCounts,
    at_least_one,
    to_utf8,
)
from bytepair.pruning._apply import map_ids, take_out
from bytepair.pruning._borders import Words, cut_at_borders
from bytepair.pruning._idle import IdleTokens
from bytepair.pruning._measure import Usage, n_tokens
from bytepair.pruning._report import Compression, PruneReport, RemovedToken
from bytepair.pruning._result import PruneResult

STRATEGIES: tuple[PruneStrategy, ...] = get_args(PruneStrategy)

_NO_LIMIT = 2**62


class VocabularyPruner:
    """`TokenizerSpec` + `WordCounts` → a smaller `TokenizerSpec`, id map and report.

    The cheapest token goes first, of several that cost the same the one with the largest id, until
    the first limit is met. With "leaves" all that merging cannot make without it goes with it, if
    there is room for that, and what counts is the cost of all of them per token. Bytes, or the
    characters of the alphabet, the token of unknown characters and all added tokens stay.

    Args:
        vocab_size: tokens to be left, added ones among them.
        max_loss: tokens that the corpus may gain in all.
        max_cost: tokens that it may gain by one removal, or per token of those that go together;
            0: what costs nothing goes.
        strategy: "leaves", "whole-words" or "residues"; see `bytepair.pruning`.
        keep: tokens that stay, as text, bytes or id; a string is one token. With "leaves"
            so do all they are made of.
        engine: "native" or "python"; None: the one `bytepair.engine()` names.

    Raises:
        ArgumentError: an option out of range, or no limit at all.

    >>> from bytepair import MergeLearner, WordCounts
    >>> counts = WordCounts.from_mapping({"low": 5, "lower": 2, "newest": 6})
    >>> spec = MergeLearner(vocab_size=264).learn(counts)
    >>> result = VocabularyPruner(max_loss=3).prune(spec, counts)
    >>> [(token.data, token.cost) for token in result.report.removed]
    [(b'wer', 2)]
    """

    def __init__(
        self,
        *,
        vocab_size: int | None = None,
        max_loss: int | None = None,
        max_cost: int | None = None,
        strategy: PruneStrategy = "leaves",
        keep: Iterable[str | bytes | TokenId] = (),
        engine: str | None = None,
    ) -> None:
        if vocab_size is None and max_loss is None and max_cost is None:
            raise ArgumentError(
                "nothing says how far to prune: pass vocab_size (tokens to be left), max_loss "
                "(tokens that the corpus may gain in all) or max_cost (by one removal)."
            )
        if strategy not in STRATEGIES:
            raise ArgumentError(
                f"strategy must be one of {', '.join(STRATEGIES)}, got {strategy!r:.60}."
            )
        self.vocab_size = None if vocab_size is None else at_least_one("vocab_size", vocab_size)
        self.max_loss = _limit("max_loss", max_loss)
        self.max_cost = _limit("max_cost", max_cost)
        self.strategy: PruneStrategy = strategy
        self.keep = (keep,) if isinstance(keep, str | bytes) else tuple(keep)
        self._engine_name = engine
        self._engine = select(engine)

    def require_room(self, spec: TokenizerSpec) -> None:
        """Fail before a corpus is counted if the tokens that must stay are too many.

        Raises:
            ArgumentError: `vocab_size` is smaller than they are, or larger than the vocabulary; or
                the strategy cannot be used.
            UnknownTokenError: a token to keep is not in the vocabulary.
        """
        self._plan(spec)

    def prune(
        self,
        spec: TokenizerSpec,
        counts: WordCounts,
        *,
        held_out: WordCounts | None = None,
        progress: ProgressCallback | None = None,
    ) -> PruneResult:
        """Remove tokens until a limit is met. It is no error if another is met before `vocab_size`.

        Args:
            counts: the pre-tokens of a corpus, cut as `spec` cuts text.
            held_out: those of text that is only measured, before and after.

        Raises:
            InputTypeError: not a specification, or not `WordCounts`.
            ArgumentError: `vocab_size` cannot be reached, or the words were cut by other rules.
            UnknownTokenError: a token to keep is not in the vocabulary.
            CorpusError: not one word in which a token that may go is used.
            EncodeError: a character without a token.
        """
        _check_types(spec, counts, held_out)
        plan = self._plan(spec)
        pruner = self._engine.pruner(self._task(plan, counts))
        usage = Usage.of(pruner)
        self._check_usage(plan, usage, counts)
        before = pruner.n_tokens()
        removals = self._remove(pruner, plan, progress)
        id_map = map_ids(spec, (plan.table.ids[symbol] for symbol, _ in removals))
        keeps_steps = self.strategy == "residues"
        smaller = take_out(
            plan.table,
            id_map,
            ignore_merges=plan.looks_up,
            made_of=usage.made_of if keeps_steps else None,
        )
        smaller = self._recorded(smaller, plan.n_tokens, plan.n_tokens - len(removals))
        report = PruneReport(
            strategy=self.strategy,
            vocab_before=plan.n_tokens,
            vocab_after=plan.n_tokens - len(removals),
            corpus=Compression(_n_bytes(counts), before, pruner.n_tokens()),
            held_out=self._measured(spec, smaller, held_out),
            removed=_removed(plan.table, usage, removals),
            idle=IdleTokens.of(plan.table, usage, self._engine),
        )
        return PruneResult(smaller, id_map, report, self._engine_name)

    def _recorded(self, spec: TokenizerSpec, n_before: int, n_after: int) -> TokenizerSpec:
        """The record of a training says that this is no longer what was trained."""
        if spec.training is None:
            return spec
        entry = {"strategy": self.strategy, "vocab_before": n_before, "vocab_after": n_after}
        pruned = (*spec.training.pruned, entry)
        return replace(spec, training=replace(spec.training, pruned=pruned))

    # ------------------------------------------------------------------ before

    def _plan(self, spec: TokenizerSpec) -> "_Plan":
        table = SymbolTable(spec)
        stays = {token.id for token in spec.added_tokens}
        post = spec.post_processor
        stays.update(i for piece in (*post.single, *post.pair) for i in piece.ids)
        stays.update(_id_of(spec, token) for token in self.keep)
        removable = ~table.first & ~np.isin(table.ids, list(stays))
        looks_up = spec.ignore_merges or self.strategy == "whole-words"
        if looks_up and not spec.ignore_merges:
            _check_looks_up(spec)
        plan = _Plan(table, removable.astype(np.uint8), len(all_ids(spec)), looks_up)
        if self.vocab_size is not None:
            _check_room(self.vocab_size, plan)
        return plan

    def _task(self, plan: "_Plan", counts: WordCounts) -> PruneTask:
        table = plan.table
        contents, content_offsets = table.contents()
        words = Words(
            *table.words(counts),
            np.ascontiguousarray(counts.counts, np.int64),
            table.whole(counts, looks_up=plan.looks_up),
        )
        return PruneTask(
            *cut_at_borders(words, contents, content_offsets[1:]),
            table.merges,
            contents,
            content_offsets,
            # What is looked up and made of characters without a token cannot be replaced.
            plan.removable & (np.diff(content_offsets) > 0) if plan.looks_up else plan.removable,
            self.strategy,
        )

    def _check_usage(self, plan: "_Plan", usage: Usage, counts: WordCounts) -> None:
        if not np.any(usage.uses[plan.removable > 0]):
            raise CorpusError(
                f"none of the {len(counts)} distinct words of the corpus uses a token that may be "
                "removed, so nothing tells what the tokens are worth. Is it the right corpus?"
            )
        if plan.looks_up and not plan.table.spec.ignore_merges:
            _check_made(plan.table, usage)

    # ------------------------------------------------------------------ the work

    def _remove(
        self, pruner: Pruner, plan: "_Plan", progress: ProgressCallback | None
    ) -> list[Removal]:
        reporter = ProgressReporter(progress)
        wanted = plan.n_tokens - (self.vocab_size or 0)
        total = None if self.vocab_size is None else wanted
        budget = self.max_loss
        removals: list[Removal] = []
        while len(removals) < wanted:
            group = pruner.advance(wanted - len(removals), self.max_cost, budget)
            if not group:
                break
            removals += group
            budget -= sum(cost for _, cost in group)
            newest = plan.table.content(group[-1].symbol).decode("utf-8", "backslashreplace")
            reporter.tell(Progress("prune", len(removals), total, "tokens", newest))
        reporter.finish()
        has_other_limit = self.max_loss < _NO_LIMIT or self.max_cost < _NO_LIMIT
        if total is not None and len(removals) < total and not has_other_limit:
            raise ArgumentError(
                f"vocab_size={self.vocab_size} cannot be reached: what is to be kept is made of "
                f"other tokens, which stay with it, so {plan.n_tokens - len(removals)} are left. "
                "Keep fewer, or use strategy='residues'."
            )
        return removals

    # ------------------------------------------------------------------ after

    def _measured(
        self, before: TokenizerSpec, after: TokenizerSpec, text: WordCounts | None
    ) -> Compression | None:
        if text is None:
            return None
        counted = [n_tokens(spec, text, self._engine) for spec in (before, after)]
        return Compression(_n_bytes(text), *counted)


class _Plan(NamedTuple):
    """What is to be done, before a corpus is seen.

    Attributes:
        removable: uint8[symbols]: 1 for those that may go.
        n_tokens: number of all tokens, added ones among them.
        looks_up: whether whole words are looked up before they are merged.
    """

    table: SymbolTable
    removable: NDArray[np.uint8]
    n_tokens: int
    looks_up: bool


def _limit(name: str, value: object) -> int:
    if value is None:
        return _NO_LIMIT
    try:
        number = -1 if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]  # caught
    except TypeError:
        number = -1
    if number < 0:
        raise ArgumentError(
            f"{name} must be a number of tokens, a whole number of 0 or more, got {value!r:.60}."
        )
    return min(number, _NO_LIMIT)


def _check_types(spec: object, counts: object, held_out: object) -> None:
    if not isinstance(spec, TokenizerSpec):
        raise InputTypeError(
            f"expected a TokenizerSpec (Tokenizer.spec), got {type(spec).__name__}."
        )
    if spec.residues:
        raise ArgumentError(
            "this tokenizer was pruned by strategy 'residues' before: prune the one it came from."
        )
    for name, words in (("counts", counts), ("held_out", held_out)):
        if words is None and name == "held_out":
            continue
        if not isinstance(words, WordCounts):
            raise InputTypeError(
                f"{name}: expected WordCounts, got {type(words).__name__}. Count a corpus with "
                "FrequencyAnalyzer, or let Tokenizer.prune do it."
            )
        if not len(words):
            what = "corpus" if name == "counts" else "held-out text"
            raise CorpusError(
                f"the {what} is empty: there is no word in it, so nothing tells what the tokens "
                "are worth. Check the paths, the field and the separator."
            )
        _check_rules(name, words.rules, spec.rules)


def _check_rules(name: str, rules: SplitRules, wanted: SplitRules) -> None:
    cut = (rules.pattern, rules.normalizer, rules.steps)
    is_handmade = cut == (None, (), ())
    if not is_handmade and cut != (wanted.pattern, wanted.normalizer, wanted.steps):
        raise ArgumentError(
            f"{name}: these words were cut by other rules than the tokenizer's: pattern "
            f"{rules.pattern!r:.60} where it has {wanted.pattern!r:.60}, normaliser "
            f"{rules.normalizer!r:.60} where it has {wanted.normalizer!r:.60}. Count them anew."
        )


def _check_room(vocab_size: int, plan: _Plan) -> None:
    n_must = plan.n_tokens - int(plan.removable.sum())
    if vocab_size < n_must:
        raise ArgumentError(
            f"vocab_size={vocab_size} is too small: {n_must} tokens stay (bytes or alphabet, added "
            "tokens, and those to keep)."
        )
    if vocab_size > plan.n_tokens:
        raise ArgumentError(
            f"vocab_size={vocab_size} is larger than the vocabulary, which has {plan.n_tokens} "
            "tokens: pruning only makes it smaller."
        )


def _check_looks_up(spec: TokenizerSpec) -> None:
    is_marked = spec.end_of_word is not None or spec.continuing_prefix is not None
    if spec.alphabet != "bytes" or is_marked:
        raise ArgumentError(
            "strategy 'whole-words' makes a tokenizer that looks whole pre-tokens up before "
            "merging, which one of characters or with marks at words cannot do exactly. Use "
            "'leaves' or 'residues'."
        )


def _check_made(table: SymbolTable, usage: Usage) -> None:
    is_first = table.first
    for symbol in range(len(table)):
        if not is_first[symbol] and symbol not in usage.made_of:
            raise ArgumentError(
                f"token {table.ids[symbol]} ({table.content(symbol)!r:.60}) is never made by "
                "merging. Looked up as a whole pre-token, as strategy 'whole-words' needs it, it "
                "would change what text becomes. Use 'leaves' or 'residues'."
            )


def _id_of(spec: TokenizerSpec, token: object) -> TokenId:
    """The id of a token to keep."""
    found: TokenId | None = None
    if isinstance(token, str | bytes):
        data = to_utf8(token) if isinstance(token, str) else token
        found = spec.vocabulary.id_by_bytes.get(data)
        if found is None:
            added = {to_utf8(added.content): added.id for added in spec.added_tokens}
            found = added.get(data)
    elif isinstance(token, int | np.integer) and not isinstance(token, bool):
        found = int(token) if int(token) in all_ids(spec) else None
    else:
        raise InputTypeError(f"keep: expected tokens as text, bytes or ids, got {token!r:.60}.")
    if found is None:
        raise UnknownTokenError(f"keep: {token!r:.60} is no token of the vocabulary.")
    return found


def _n_bytes(counts: WordCounts) -> int:
    return int(np.diff(counts.offsets) @ counts.counts)


def _removed(table: SymbolTable, usage: Usage, removals: list[Removal]) -> tuple[RemovedToken, ...]:
    return tuple(
        RemovedToken(int(table.ids[symbol]), table.content(symbol), int(usage.uses[symbol]), cost)
        for symbol, cost in removals
    )
