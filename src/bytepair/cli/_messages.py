"""What the command line says on stderr."""

import re
import sys

# The library names keyword arguments, the command line has options. Plain words are replaced only
# before "=", since they are ordinary English too; nothing inside a path or quotes is.
_ARGUMENTS = (
    "max_cost",
    "max_loss",
    "max_token_length",
    "min_frequency",
    "on_error",
    "prune_from",
    "prune_strategy",
    "residue_threshold",
    "shard_tokens",
    "text_field",
    "vocab_size",
)
_WORDS = (
    "alphabet",
    "bos",
    "dtype",
    "eos",
    "format",
    "normalizer",
    "parts",
    "pattern",
    "separator",
    "special_tokens",
    "ties",
)
_KEYWORD = re.compile(
    rf"(?<![\w/.'\"-])(?:({'|'.join(_ARGUMENTS)})(?![\w/-])(=?)|({'|'.join(_WORDS)})(=))"
    r"(?:(?<==)'([\w.+-]+)')?"  # a value that needs no quotes in a shell
)


_STYLE_BY_KIND = {"note": "bold", "warning": "bold yellow"}


def say(kind: str, message: str = "") -> None:
    """Print `kind: message` on stderr, the kind in colour on a terminal."""
    if sys.stderr is None:  # closed by whoever started us
        return
    from rich.console import Console
    from rich.text import Text

    text = Text(kind, style=_STYLE_BY_KIND.get(kind, "bold red"))
    if message:
        text = Text.assemble(text, f": {printable(as_options(message))}")
    Console(stderr=True).print(text, soft_wrap=True, highlight=False)


def printable(text: str) -> str:
    r"""`text` with every character a terminal might obey, or not show, as an escape.

    >>> print(printable("a\x1b[31mb"))
    a\x1b[31mb
    """
    return "".join(
        c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text
    )


def as_options(message: str) -> str:
    """A message of the library in the words of the command line.

    >>> as_options("vocab_size=9 is too small. Pass pattern= (a regex), or alphabet='bytes'.")
    '--vocab-size 9 is too small. Pass --pattern (a regex), or --alphabet bytes.'
    """
    return _KEYWORD.sub(_option, message)


def _option(match: re.Match[str]) -> str:
    name = match[1] or match[3]
    option = "--" + name.replace("special_tokens", "special-token").replace("_", "-")
    if match[5]:
        return f"{option} {match[5]}"
    follows = match.string[match.end() : match.end() + 1]
    has_value = (match[2] or match[4]) and follows.strip(" .,)")
    return f"{option} " if has_value else option
