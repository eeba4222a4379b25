"""What `train()` does with a vocabulary that is to be better than the first so many merges."""

import os
import warnings
from dataclasses import dataclass

from bytepair.checkpoint import Checkpoint
from bytepair.engines import PruneStrategy
from bytepair.errors import ArgumentError, BytepairWarning, warn_caller
from bytepair.learning import MergeLearner
from bytepair.model import Alphabet, ProgressCallback, TokenizerSpec, WordCounts
from bytepair.pruning import VocabularyPruner, without_intermediate


@dataclass(frozen=True)
class Refining:
    """The options of `train()` that take tokens out again; see there."""

    vocab_size: int
    prune_from: int | None
    strategy: PruneStrategy
    threshold: float | None
    engine: str | None

    def check(
        self, alphabet: Alphabet, checkpoint: str | os.PathLike[str] | None, *, resume: bool
    ) -> None:
        """Refuse what cannot be before anything is counted.

        Raises:
            ArgumentError: an option that is out of range, or does not go with another.
        """
        if self.prune_from is not None:
            self._check_pruning(alphabet)
        if self.threshold is None:
            return
        is_number = isinstance(self.threshold, int | float) and not isinstance(self.threshold, bool)
        if not is_number or not 0 < self.threshold <= 1:
            raise ArgumentError(
                f"residue_threshold must be a share, above 0 and at most 1 (0.9, say), got "
                f"{self.threshold!r:.60}."
            )
        others = {"prune_from": self.prune_from, "checkpoint": checkpoint, "resume": resume or None}
        for name, value in others.items():
            if value is not None:
                raise ArgumentError(f"residue_threshold and {name} do not go together.")

    def _check_pruning(self, alphabet: Alphabet) -> None:
        VocabularyPruner(vocab_size=self.vocab_size, strategy=self.strategy, engine=self.engine)
        if not isinstance(self.prune_from, int) or self.prune_from <= self.vocab_size:
            raise ArgumentError(
                f"prune_from={self.prune_from!r:.60} must be larger than "
                f"vocab_size={self.vocab_size}: that many are learned, so many are left."
            )
        if self.strategy == "whole-words" and alphabet != "bytes":
            raise ArgumentError(
                "prune_strategy 'whole-words' needs alphabet='bytes'. Use 'leaves' or 'residues'."
            )

    def learner(self, learner: MergeLearner) -> MergeLearner:
        """The learner of the vocabulary that is pruned."""
        return learner if self.prune_from is None else learner.with_size(self.prune_from)

    def learned(
        self,
        learner: MergeLearner,
        counts: WordCounts,
        *,
        name: str,
        progress: ProgressCallback | None,
        checkpoint: str | os.PathLike[str] | Checkpoint | None = None,
        resume: bool = False,
    ) -> TokenizerSpec:
        """Learn, and take out what is asked for."""
        if self.threshold is not None:
            return self._learn_more(learner, counts, self.threshold, name, progress)
        spec = learner.learn(
            counts, name=name, progress=progress, checkpoint=checkpoint, resume=resume
        )
        return self._prune(spec, counts, progress)

    def _learn_more(
        self,
        learner: MergeLearner,
        counts: WordCounts,
        threshold: float,
        name: str,
        progress: ProgressCallback | None,
    ) -> TokenizerSpec:
        """Learn more and more tokens until enough of them are left."""
        wanted = self.vocab_size
        size, n_tokens = wanted, wanted - wanted // 8
        while True:
            size += (wanted - n_tokens) * 5 // 4 + 16
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", BytepairWarning)  # more are asked for than wanted
                spec = learner.with_size(size).learn(counts, name=name, progress=progress)
            refined = without_intermediate(
                spec, counts, threshold, vocab_size=wanted, engine=self.engine
            )
            n_tokens = _n_tokens(refined)
            if n_tokens == wanted:
                return refined
            if _n_tokens(spec) < size:
                _warn_of_fewer(n_tokens, wanted)
                return refined

    def _prune(
        self, spec: TokenizerSpec, counts: WordCounts, progress: ProgressCallback | None
    ) -> TokenizerSpec:
        """Prune a vocabulary that is larger than wanted, if that was asked for."""
        if self.prune_from is None or _n_tokens(spec) <= self.vocab_size:
            return spec
        pruner = VocabularyPruner(
            vocab_size=self.vocab_size, strategy=self.strategy, engine=self.engine
        )
        return pruner.prune(spec, counts, progress=progress).spec


def _n_tokens(spec: TokenizerSpec) -> int:
    return len(spec.vocabulary) + len(spec.added_tokens)


def _warn_of_fewer(n_tokens: int, wanted: int) -> None:
    warn_caller(
        f"no other pair is frequent enough: without the tokens that are only passed through the "
        f"vocabulary has {n_tokens} tokens, not {wanted}. Use a larger corpus, a lower "
        "min_frequency or a higher residue_threshold."
    )
