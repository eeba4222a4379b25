"""Write a tokenizer as a tiktoken rank file, with a sidecar for what such a file cannot hold."""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise

from bytepair.errors import ExportError
from bytepair.formats._hf_patterns import portable_or_refuse
from bytepair.formats._hf_write import dump
from bytepair.formats._replay import Making, replay_all
from bytepair.formats._tiktoken_read import SIDECAR_VERSION
from bytepair.model import TokenizerSpec
from bytepair.patterns import name_of

_WHOLE_DOCUMENT = r"[\s\S]+"


def rank_file(spec: TokenizerSpec) -> bytes:
    """The content of the rank file.

    Raises:
        ExportError: tiktoken would give other ids; the message names the tokens.
    """
    check_ranks(spec)
    tokens = sorted(spec.vocabulary.tokens.items())
    return b"".join(b"%s %d\n" % (b64encode(token), number) for number, token in tokens)


def sidecar_json(spec: TokenizerSpec, ranks: bytes) -> bytes:
    """The content of the sidecar.

    `name`, `pat_str` and `special_tokens` are arguments of `tiktoken.Encoding`; `pattern` is the
    pattern as bytepair reads it back. `ranks` is the rank file: two files cannot be replaced at
    once, so the sidecar says which one it belongs to.

    Raises:
        ExportError: tiktoken would read the pattern differently.
    """
    return dump(
        {
            "version": SIDECAR_VERSION,
            "name": spec.name,
            "pat_str": tiktoken_pattern(spec.rules.pattern),
            "pattern": spec.rules.pattern,
            "special_tokens": {token.content: token.id for token in spec.added_tokens},
            "ranks_sha256": sha256(ranks).hexdigest(),
        }
    )


def tiktoken_pattern(pattern: str | None) -> str:
    r"""The pattern by which tiktoken cuts as `pattern` does here.

    tiktoken drops the text between matches; here it is a pre-token. Named patterns leave nothing
    between matches. Any other is continued: from where it does not match to where it does again.

    >>> tiktoken_pattern("[a-z]+")
    '[a-z]+|(?:(?!(?:[a-z]+))[\\s\\S])+'
    """
    if pattern is None:
        return _WHOLE_DOCUMENT
    spelled = portable_or_refuse(pattern)
    return spelled if name_of(pattern) else rf"{spelled}|(?:(?!(?:{spelled}))[\s\S])+"


def check_ranks(spec: TokenizerSpec) -> None:
    """Refuse merges that tiktoken would do otherwise, given the tokens in the order of their ids.

    Raises:
        ExportError: it would; the message names the tokens.
    """
    _check_distinct(spec)
    _check_merges(spec)


def _check_distinct(spec: TokenizerSpec) -> None:
    number_by_token: dict[bytes, int] = {}
    for number, token in spec.vocabulary.tokens.items():
        if (other := number_by_token.setdefault(token, number)) != number:
            raise ExportError(f"tokens {other} and {number} are both {token[:60]!r}")


def _check_merges(spec: TokenizerSpec) -> None:
    # tiktoken joins any two neighbours whose bytes together are a token, the token with the lowest
    # id first. That is what the merges do exactly if each token comes out of merging its own
    # bytes, and in the order of the ids; why, says docs/decisions/0003-merge-lists-and-ranks.md.
    made: list[Making] = []
    for making in replay_all(spec):
        if making.is_made:
            made.append(making)
        else:
            _check_orphan(spec, making)
    made.sort(key=lambda making: making.rank)
    for one, other in pairwise(made):
        if one.rank == other.rank or one.token > other.token:
            raise ExportError(
                f"{_shown(spec, one)} is merged before {_shown(spec, other)}, but tiktoken merges "
                "in the order of the ids. Save as 'huggingface', which keeps the order."
            )


def _check_orphan(spec: TokenizerSpec, making: Making) -> None:
    if len(making.parts) == 2:
        raise ExportError(
            f"{_shown(spec, making)} is never made by merging, but tiktoken would make it from "
            f"{_parts(spec, making.parts)}. Save as 'huggingface', which keeps the merges."
        )
    if not spec.ignore_merges:
        raise ExportError(
            f"{_shown(spec, making)} is never made by merging, but tiktoken would use it for a "
            "pre-token of just these bytes. Save as 'huggingface', which keeps the merges."
        )


def _shown(spec: TokenizerSpec, making: Making) -> str:
    return f"token {making.token} ({spec.vocabulary.tokens[making.token][:60]!r})"


def _parts(spec: TokenizerSpec, parts: Sequence[int]) -> str:
    return " and ".join(repr(spec.vocabulary.tokens[part][:60]) for part in parts)
