"""`TokenizerSpec`: everything that decides which ids a text gets, as one value."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bytepair.model._conventions import Conventions
from bytepair.model._merges import MergeTable
from bytepair.model._rules import SplitRules, check_special
from bytepair.model._steps import DecoderStep, PostProcessor
from bytepair.model._training import TrainingRecord
from bytepair.model._types import Alphabet, TokenId
from bytepair.model._vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class AddedToken:
    """A token matched in the text before BPE and never made by merging.

    A *special* one obeys `allowed_special`; one that is not special is always matched. Where
    several begin at a place the longest is taken.

    Attributes:
        lstrip, rstrip: the white space before, behind a match belongs to it.
        single_word: matched only where no word character (letter, digit, connector) stands beside.
        normalized: looked for, normalised itself, in the normalised text that lies between the
            tokens that are looked for in the text as it is.
        verbatim: with `normalized`, looked for there as it stands, not normalised itself
            (SentencePiece's user-defined symbols).

    Raises:
        ArgumentError: a content that is empty or not text.
    """

    content: str
    id: TokenId
    special: bool = True
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False
    normalized: bool = False
    verbatim: bool = False

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
        end_of_word: how files spell the end mark, or the last part of the tokens that end a word.
        continuing_prefix: how files spell the beginning of the tokens that continue a word.
        unk_id: the token of characters that have none, where there is no byte fallback; None:
            such a character is an error.
        fuse_unk: neighbours without a token become one `unk_id`.
        ignore_merges: a pre-token that is itself a token becomes that id without merging
            (Llama 3, tiktoken).
        dropout: the chance (0 to 1) that a merge is left out, where a call does not say.
        post_processor: what surrounds a text when special tokens are asked for.
        decoder: what decoding does beyond joining the tokens' bytes.
        residues: symbols that merges make and go on from but that are no tokens -> the tokens that
            stand for one where it is left over. They are numbered beyond all ids.
        name: shown to people.
        conventions: how its models are spoken to, if known; not part of equality.
        training: evidence of the training, if known; not part of equality.
    """

    vocabulary: Vocabulary
    merges: MergeTable
    rules: SplitRules = field(default_factory=SplitRules)
    added_tokens: tuple[AddedToken, ...] = ()
    alphabet: Alphabet = "bytes"
    end_of_word: str | None = None
    continuing_prefix: str | None = None
    ignore_merges: bool = False
    unk_id: TokenId | None = None
    fuse_unk: bool = False
    dropout: float | None = None
    post_processor: PostProcessor = field(default_factory=PostProcessor)
    decoder: tuple[DecoderStep, ...] = ()
    residues: Mapping[int, tuple[TokenId, ...]] = field(default_factory=dict)
    name: str = "bytepair"
    conventions: Conventions = field(default_factory=Conventions, compare=False)
    training: TrainingRecord | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        n_tokens, n_added = len(self.vocabulary.tokens), len(self.added_tokens)
        return (
            f"<TokenizerSpec {self.name!r}: {n_tokens:,} tokens, {len(self.merges):,} merges, "
            f"{n_added:,} added tokens>"
        )
