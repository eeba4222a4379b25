"""How text is cut before any merging: the part of a tokenizer that training and use share."""

from dataclasses import dataclass

from bytepair.errors import ArgumentError


@dataclass(frozen=True, slots=True)
class SplitRules:
    """Special tokens, normalisers and pre-token pattern.

    Text is first cut at `special_tokens`, then normalised, then split by `pattern`.

    Attributes:
        pattern: the pre-tokenisation regex itself (never its name), or None: a document is one
            pre-token.
        normalizer: names of the normalisers, in the order they run.
        special_tokens: in the order of their ids.

    Raises:
        ArgumentError: a special token that is empty, given twice, or not a str.
    """

    pattern: str | None = None
    normalizer: tuple[str, ...] = ()
    special_tokens: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.special_tokens, str):
            raise ArgumentError(
                f"special_tokens must be several strings, got the string {self.special_tokens!r}. "
                "Put it into a list."
            )
        seen = set()
        for token in self.special_tokens:
            if not isinstance(token, str) or not token:
                raise ArgumentError(f"special tokens must be non-empty strings, got {token!r}.")
            if token in seen:
                raise ArgumentError(f"special token {token!r} is given twice.")
            seen.add(token)
