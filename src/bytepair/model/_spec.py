"""`TokenizerSpec`: everything that decides which ids a text gets, as one value."""

from dataclasses import dataclass, field

from bytepair.model._merges import MergeTable
from bytepair.model._rules import SplitRules, check_special
from bytepair.model._training import TrainingRecord
from bytepair.model._types import Alphabet, TokenId
from bytepair.model._vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class AddedToken:
    """A token matched in the text before BPE and never made by merging.

    A *special* one obeys `allowed_special`; one that is not special is always matched.

    Raises:
        ArgumentError: a content that is empty or not text.
    """

    content: str
    id: TokenId
    special: bool = True

    def __post_init__(self) -> None:
        check_special(self.content)


@dataclass(frozen=True)
class TokenizerSpec:
    """A tokenizer as a value: what the learner makes, formats read and write, engines run.

    Attributes:
        vocabulary: ordinary tokens.
        merges: which neighbours join, and in which order.
        rules: pattern, normalisers, and (for training) the special tokens to cut at.
        added_tokens: special and other added tokens, by ascending id.
        alphabet: what a pre-token is made of before merging.
        ignore_merges: a pre-token that is itself a token becomes that id without merging
            (Llama 3, tiktoken).
        name: shown to people.
        training: evidence of the training, if known; not part of equality.
    """

    vocabulary: Vocabulary
    merges: MergeTable
    rules: SplitRules = field(default_factory=SplitRules)
    added_tokens: tuple[AddedToken, ...] = ()
    alphabet: Alphabet = "bytes"
    end_of_word: str | None = None
    ignore_merges: bool = False
    name: str = "bytepair"
    training: TrainingRecord | None = field(default=None, compare=False)
