r"""Pre-token patterns by name.

Published patterns, in the spelling that Python's `regex`, Oniguruma (Hugging Face) and
fancy-regex (tiktoken) read alike. Sources: the encoder of GPT-2 (gpt2); tiktoken's
`openai_public.py` (cl100k, o200k); the `tokenizer.json` of Llama 3 and Qwen 2 (llama3, qwen2).
"""

from collections.abc import Mapping
from types import MappingProxyType

from bytepair.errors import PatternError

_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_PUNCTUATION = r" ?[^\s\p{L}\p{N}]+"
_SPACE = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"

_WORDS = rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}|{_PUNCTUATION}[\r\n]*"
_LLAMA3 = rf"{_WORDS}|{_SPACE}"
# White space that ends the text stays whole, line ends included. tiktoken has it so since 0.8;
# files for Hugging Face made from older versions, and Llama 3, do not.
_CL100K = rf"{_WORDS}|\s+(?![\s\S])|{_SPACE}"

NAMED: Mapping[str, str] = MappingProxyType(
    {
        "gpt2": rf"'s|'t|'re|'ve|'m|'ll|'d| ?\p{{L}}+| ?\p{{N}}+|{_PUNCTUATION}|\s+(?!\S)|\s+",
        "cl100k": _CL100K,
        "o200k": rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTIONS}?"
        rf"|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CONTRACTIONS}?"
        rf"|\p{{N}}{{1,3}}|{_PUNCTUATION}[\r\n/]*|{_SPACE}",
        "llama3": _LLAMA3,
        "qwen2": _LLAMA3.replace("{1,3}", ""),
        "whitespace": r"\S+|\s+",
    }
)


def resolve(pattern: str | None) -> str | None:
    r"""The regex behind a name; a regex (or None) stays as it is.

    A word without any regex sign is taken for a misspelt name, not for a regex.

    Raises:
        PatternError: not a known name, or not a str.

    >>> resolve("whitespace")
    '\\S+|\\s+'
    """
    if pattern is None:
        return None
    if not isinstance(pattern, str):
        raise PatternError(
            f"pattern must be a name, a regex as a str, or None, got {pattern!r:.60}."
        )
    if pattern in NAMED:
        return NAMED[pattern]
    if pattern.replace("_", "").replace("-", "").isalnum():
        raise PatternError(
            f"pattern {pattern!r} is not a known name (known: {', '.join(NAMED)}). "
            "For a regex that is a plain word, write it as a group: '(?:word)'."
        )
    return pattern


def name_of(regex: str | None) -> str | None:
    """The (first) name a regex has, or None."""
    return next((name for name, known in NAMED.items() if known == regex), None)
