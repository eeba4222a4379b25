"""What a format can say at all: refusals that do not need a trained tokenizer."""

import warnings
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import Literal, get_args

from bytepair.errors import ArgumentError, BytepairWarning, ExportError
from bytepair.formats._hf_normalizer import normalizer_json
from bytepair.formats._hf_patterns import portable_or_refuse
from bytepair.model import BYTE_TO_CHAR, AddedToken, Alphabet, NormalizerStep, TokenizerSpec
from bytepair.patterns import resolve

Format = Literal["huggingface", "tiktoken"]

FORMATS: tuple[Format, ...] = get_args(Format)

_SUFFIX = ".tiktoken"
_DROPS = (
    "huggingface silently drops characters that have no token, where bytepair raises an error. "
    "Train with byte_fallback=True or with alphabet='bytes', or give the specification an unk_id."
)
# Endings of other tools' files: certainly no names of folders.
_FOREIGN = (".bin", ".gguf", ".model", ".pickle", ".pkl", ".txt", ".vocab")


def format_for(path: str | Path, format: str | None = None) -> Format:  # noqa: A002  # the public name
    """The format a tokenizer is saved in: the one named, or else by the ending of `path`.

    Raises:
        ArgumentError: an unknown format, or an ending that does not go with it.

    >>> format_for("out/x.tiktoken"), format_for("out/my-tokenizer")
    ('tiktoken', 'huggingface')
    """
    suffix = Path(path).suffix.lower()
    if format is None:
        if suffix in _FOREIGN:
            raise ArgumentError(
                f"{path}: no format is known that ends in {suffix} (give a folder or a name ending "
                f"in .json for huggingface, one ending in {_SUFFIX} for tiktoken)"
            )
        return "tiktoken" if suffix == _SUFFIX else "huggingface"
    known = _known(format)
    if (known == "tiktoken") != (suffix == _SUFFIX):
        wanted = f"ends in {_SUFFIX}" if known == "tiktoken" else "is a folder or ends in .json"
        raise ArgumentError(f"{path}: format {known!r} needs a path that {wanted}")
    return known


def _known(name: str) -> Format:
    for known in FORMATS:
        if name == known:
            return known
    near = get_close_matches(name, FORMATS, 1, 0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ArgumentError(f"unknown format {name!r} (known: {', '.join(FORMATS)}).{hint}")


def require_format(
    format: str,  # noqa: A002  # the public name
    *,
    alphabet: Alphabet = "bytes",
    end_of_word: str | None = None,
    byte_fallback: bool = True,
    pattern: str | None = None,
    normalizer: Sequence[NormalizerStep] = (),
    special_tokens: Sequence[str] = (),
) -> None:
    """Refuse, before any training, options whose result the format could not express.

    Passing does not promise that the trained tokenizer can be saved: that also depends on its
    tokens (`write` checks them).

    Args:
        format: "huggingface" or "tiktoken".
        alphabet, end_of_word, byte_fallback, normalizer, special_tokens: as for training.
        pattern: a name, a regex, or None.

    Raises:
        ArgumentError: the format is unknown.
        ExportError: it cannot express the options; the message says what can.
        PatternError: `pattern` is not a known name.

    >>> require_format("tiktoken", pattern="gpt2")
    """
    is_tiktoken = _known(format) == "tiktoken"
    if end_of_word is not None:
        raise ExportError(
            f"{format} cannot express the end mark {end_of_word!r}: here it is a symbol of its "
            "own, there a part of the last character. Train without end_of_word, with a pattern."
        )
    if alphabet == "chars":
        _check_chars(format, byte_fallback=byte_fallback)
    if (regex := resolve(pattern)) is not None:
        portable_or_refuse(regex)
    if is_tiktoken:
        _check_tiktoken(normalizer, special_tokens)
    else:
        normalizer_json(normalizer)
        _check_spelling(alphabet, special_tokens)


def require_sayable(kind: Format, spec: TokenizerSpec) -> None:
    """Refuse what only a loaded tokenizer can have and the format does not know.

    Raises:
        ExportError: the format cannot express it; the message says what.
    """
    if kind == "huggingface":
        _require_huggingface(spec)
        return
    borders = any(t.lstrip or t.rstrip or t.single_word for t in spec.added_tokens)
    unknown_to_tiktoken = {
        "pre-tokenisers other than one pattern": spec.rules.steps,
        "tokens that begin or end words": spec.vocabulary.ends_word or spec.continuing_prefix,
        "bytes without a token": not spec.vocabulary.byte_ids,
        "a dropout": spec.dropout,
        "decoders": spec.decoder,
        "added tokens that take white space or stand between words": borders,
        "added tokens looked for one after the other kind": _differs(spec.added_tokens),
    }
    for what, there_is in unknown_to_tiktoken.items():
        if there_is:
            raise ExportError(f"tiktoken has no {what}. Save as 'huggingface'.")
    if spec.post_processor.single or spec.post_processor.pair:
        warnings.warn(
            "tiktoken has no post-processor: the tokens that surround a text where special tokens "
            "are asked for are not in the file.",
            BytepairWarning,
            stacklevel=4,
        )


def _require_huggingface(spec: TokenizerSpec) -> None:
    falls_back = spec.alphabet == "chars" and bool(spec.vocabulary.byte_ids)
    if not spec.vocabulary.byte_ids and spec.unk_id is None:
        raise ExportError(_DROPS)
    if (spec.end_of_word or spec.continuing_prefix) and (spec.ignore_merges or falls_back):
        raise ExportError(
            "huggingface reads ignore_merges and byte fallback differently where tokens say that "
            "they begin or end a word"
        )


def _differs(added: Sequence[AddedToken]) -> bool:
    return len({token.normalized for token in added}) > 1


def _check_chars(format: str, *, byte_fallback: bool) -> None:  # noqa: A002  # the public name
    if format == "tiktoken":
        raise ExportError(
            "tiktoken merges bytes, not characters. Train with alphabet='bytes', or save as "
            "'huggingface'."
        )
    if not byte_fallback:
        raise ExportError(_DROPS)


def _check_spelling(alphabet: Alphabet, special_tokens: Sequence[str]) -> None:
    for content in special_tokens:
        if alphabet == "bytes" and content in BYTE_TO_CHAR:
            raise ExportError(
                f"huggingface writes {content!r} for the byte 0x{BYTE_TO_CHAR.index(content):02X}: "
                "no special token can be spelt that way. Choose a longer one."
            )


def _check_tiktoken(normalizer: Sequence[NormalizerStep], special_tokens: Sequence[str]) -> None:
    if normalizer:
        raise ExportError(
            f"tiktoken cannot normalise text ({', '.join(map(str, normalizer))}). Train without a "
            "normaliser, or save as 'huggingface'."
        )
    ordered = sorted(special_tokens)  # a prefix sorts right before what it begins
    for one, other in pairwise(ordered):
        if other.startswith(one):
            raise ExportError(
                f"the special token {other!r} begins with another, {one!r}: tiktoken may find "
                "either one, bytepair finds the longest. Rename one, or save as 'huggingface'."
            )
