"""`TrainingRecord`: what a tokenizer was trained on, with which options, and what it found."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bytepair.model._skipped import Skipped


@dataclass(frozen=True)
class TrainingRecord:
    """The evidence kept beside a trained tokenizer (`training.json`).

    Attributes:
        options: the learner's options by name, as given.
        corpus_bytes, corpus_documents: size of the corpus.
        pretokens, distinct_pretokens: pre-tokens with and without repetition.
        merge_counts: for each merge, in order, how often its pair occurred when it was joined.
        stopped: why learning ended: "vocab_size" or "min_frequency".
        version: the version of bytepair that learned it.
        n_skipped: how much of the corpus could not be read and was left out; `skipped` is the first
            of that, by name.
        pruned: what became of it since, one entry a pruning: "strategy", "vocab_before" and
            "vocab_after". The options stay those of the training, as do the counts of the merges
            that are left.
    """

    options: Mapping[str, object] = field(default_factory=dict)
    corpus_bytes: int = 0
    corpus_documents: int = 0
    pretokens: int = 0
    distinct_pretokens: int = 0
    merge_counts: tuple[int, ...] = ()
    stopped: str = "vocab_size"
    version: str = ""
    n_skipped: int = 0
    skipped: tuple[Skipped, ...] = ()
    pruned: tuple[Mapping[str, object], ...] = ()
