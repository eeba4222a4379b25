"""How text is cut before any merging: the part of a tokenizer that training and use share."""

from dataclasses import dataclass

from bytepair.errors import ArgumentError
from bytepair.model._steps import NormalizerStep, PreTokenizerStep


@dataclass(frozen=True, slots=True)
class SplitRules:
    """Special tokens, normalisers and pre-token pattern.

    Text is first cut at `special_tokens`, then normalised, then split by `pattern`.

    Attributes:
        pattern: the pre-tokenisation regex itself (never its name), or None: a document is one
            pre-token.
        normalizer: the normalisers, in the order they run.
        special_tokens: in the order of their ids.
        steps: what a loaded tokenizer does instead of one regex; `pattern` is None then.

    Raises:
        ArgumentError: a special token that is not text, is empty, or is given twice; or both a
            pattern and steps.
    """

    pattern: str | None = None
    normalizer: tuple[NormalizerStep, ...] = ()
    special_tokens: tuple[str, ...] = ()
    steps: tuple[PreTokenizerStep, ...] = ()

    def __post_init__(self) -> None:
        if self.pattern is not None and self.steps:
            raise ArgumentError("SplitRules: pass either a pattern or steps, not both.")
        if isinstance(self.special_tokens, str):
            raise ArgumentError(
                f"special_tokens must be several strings, got the string {self.special_tokens!r}. "
                "Put it into a list."
            )
        seen = set()
        for token in self.special_tokens:
            check_special(token)
            if token in seen:
                raise ArgumentError(f"special token {token!r} is given twice.")
            seen.add(token)


def check_special(content: object) -> None:
    """Refuse what cannot be found in any text, or would be found everywhere.

    Raises:
        ArgumentError: `content` is not a str, is empty, or holds a lone surrogate.
    """
    if not isinstance(content, str) or not content:
        raise ArgumentError(f"special tokens must be non-empty strings, got {content!r:.60}.")
    try:
        content.encode()
    except UnicodeEncodeError:
        raise ArgumentError(
            f"special token {content!r:.60} holds a surrogate. In texts these are repaired before "
            "anything is looked for, so it would never be found."
        ) from None
