"""What a format can say at all: refusals that do not need a trained tokenizer."""

import warnings
from collections.abc import Mapping, Sequence
from itertools import pairwise

from bytepair.errors import BytepairWarning, ExportError
from bytepair.formats._gguf_patterns import known_cutting
from bytepair.formats._hf_normalizer import normalizer_json
from bytepair.formats._hf_patterns import portable_or_refuse
from bytepair.formats._sentencepiece_read import extra
from bytepair.formats._target import Format, known_format
from bytepair.model import (
    BYTE_TO_CHAR,
    AddedToken,
    Alphabet,
    NormalizerStep,
    Split,
    SplitRules,
    TokenizerSpec,
)
from bytepair.patterns import NAMED, Digits, cuts_alike, digit_steps, resolve

_WHOLE = r"[\s\S]+"
_BYTES_ONLY: tuple[Format, ...] = ("tiktoken", "gpt2", "tekken")
_DROPS = (
    "huggingface silently drops characters that have no token, where bytepair raises an error. "
    "Train with byte_fallback=True or with alphabet='bytes', or give the specification an unk_id."
)


def require_format(
    format: str,  # noqa: A002  # the public name
    *,
    alphabet: Alphabet = "bytes",
    end_of_word: str | None = None,
    byte_fallback: bool = True,
    pattern: str | None = None,
    normalizer: Sequence[NormalizerStep] = (),
    special_tokens: Sequence[str] = (),
    digits: Digits | None = None,
) -> None:
    """Refuse, before any training, options whose result the format could not express.

    Passing does not promise that the trained tokenizer can be saved: that also depends on its
    tokens (`write` checks them).

    Args:
        format: one of `FORMATS`.
        alphabet, end_of_word, byte_fallback, normalizer, special_tokens, digits: as for training.
        pattern: a name, a regex, or None.

    Raises:
        ArgumentError: the format is unknown.
        ExportError: it cannot express the options; the message says what can.
        MissingExtraError: the package that writes such files is not installed.
        PatternError: `pattern` is not a known name.

    >>> require_format("tiktoken", pattern="gpt2")
    """
    kind, regex = known_format(format), resolve(pattern)
    if kind == "bytepair":
        kind = "huggingface"  # whose file is in it
    if kind == "sentencepiece":
        raise ExportError(
            "SentencePiece reads '\u2581' as a space, which no tokenizer that is trained here "
            "does. Save as 'huggingface'."
        )
    if kind == "gguf":
        extra("gguf")
    if regex is not None:
        portable_or_refuse(regex)
    require_options(
        kind,
        alphabet=alphabet,
        end_of_word=end_of_word,
        byte_fallback=byte_fallback,
        normalizer=normalizer,
        special_tokens=special_tokens,
    )
    rules = SplitRules(regex)
    if digits is not None:
        rest = () if regex is None else (Split(regex),)
        rules = SplitRules(steps=(*digit_steps(digits), *rest))
    require_cut(kind, rules, alphabet)


def require_options(
    kind: Format,
    *,
    alphabet: Alphabet,
    end_of_word: str | None,
    byte_fallback: bool,
    normalizer: Sequence[NormalizerStep],
    special_tokens: Sequence[str],
) -> None:
    """As `require_format`, without the pattern."""
    if end_of_word is not None:
        raise ExportError(
            f"{kind} cannot express the end mark {end_of_word!r}: here it is a symbol of its "
            "own, there a part of the last character. Train without end_of_word, with a pattern."
        )
    if _is_plain(kind, alphabet):
        _require_plain(kind, alphabet, normalizer)
    elif kind == "huggingface":
        if alphabet == "chars" and not byte_fallback:
            raise ExportError(_DROPS)
        normalizer_json(normalizer)
        _check_spelling(alphabet, special_tokens)
    elif alphabet == "bytes":  # sentencepiece; gguf has both
        raise ExportError(
            "SentencePiece merges characters, not bytes. Save as 'huggingface', or as 'tiktoken' "
            "or 'gguf', which merge bytes."
        )
    if kind == "tiktoken":
        _check_prefixes(special_tokens)


def require_cut(kind: Format, rules: SplitRules, alphabet: Alphabet) -> None:
    """Refuse a way to cut text that the format does not know.

    Raises:
        ExportError: it does not; the message says what it knows.
    """
    if kind == "gpt2" and not cuts_alike(NAMED["gpt2"], rules.pattern or _WHOLE):
        raise ExportError(
            "vocab.json and merges.txt do not say how text is cut, and all that reads them cuts by "
            "the pattern 'gpt2', this tokenizer by another. Save as 'huggingface', or train with "
            "pattern='gpt2'."
        )
    if kind in ("tiktoken", "tekken") and rules.steps:
        raise ExportError(
            f"{kind} has no pre-tokenisers other than one pattern. Save as 'huggingface'."
        )
    if kind == "gguf" and alphabet == "bytes":
        known_cutting(rules)


def require_residues(format: Format) -> None:  # noqa: A002  # the public name
    """Refuse, before any work, a format that has no room for residues.

    Raises:
        ExportError: it has none. In a folder or a .json file bytepair's own form takes them.
    """
    if format not in ("huggingface", "bytepair"):
        raise ExportError(
            f"{format} knows no merges of what is no token, which residues are. Save in a folder "
            "or a .json file."
        )


def require_sayable(kind: Format, spec: TokenizerSpec) -> None:
    """Refuse what only a loaded tokenizer can have and the format does not know.

    Raises:
        ExportError: the format cannot express it; the message says what.
    """
    if kind == "huggingface":
        _require_huggingface(spec)
        return
    for what, there_is in _unknown_elsewhere(kind, spec).items():
        if there_is:
            raise ExportError(f"{kind} has no {what}. Save as 'huggingface'.")
    around = spec.post_processor
    if kind != "gguf" and (around.single or around.pair):
        warnings.warn(
            f"{kind} has no post-processor: the tokens that surround a text where special tokens "
            "are asked for are not in the file.",
            BytepairWarning,
            stacklevel=4,
        )


def _unknown_elsewhere(kind: Format, spec: TokenizerSpec) -> Mapping[str, object]:
    """What only Hugging Face's files can say, or some others too -> whether it is there."""
    borders = any(t.lstrip or t.rstrip or t.single_word for t in spec.added_tokens)
    has_words = spec.vocabulary.ends_word or spec.continuing_prefix
    unknown: dict[str, object] = {
        "tokens that begin or end words": has_words,
        "dropout": spec.dropout,
        "added tokens that take white space or stand between words": borders,
    }
    if kind == "gpt2":
        del unknown["added tokens that take white space or stand between words"]
    if _is_plain(kind, spec.alphabet):
        unknown |= {
            "bytes without a token": not spec.vocabulary.byte_ids,
            "decoders": spec.decoder,
        }
    if kind in ("tiktoken", "tekken"):
        unknown["added tokens looked for one after the other kind"] = _differs(spec.added_tokens)
    return unknown


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


def _is_plain(kind: Format, alphabet: Alphabet) -> bool:
    """True for what holds bytes and takes texts as they are."""
    return kind in _BYTES_ONLY or (kind == "gguf" and alphabet == "bytes")


def _require_plain(kind: Format, alphabet: Alphabet, steps: Sequence[NormalizerStep]) -> None:
    if alphabet == "chars":
        raise ExportError(
            f"{kind} merges bytes, not characters. Train with alphabet='bytes', or save as "
            "'huggingface'."
        )
    if steps:
        raise ExportError(
            f"{kind} cannot normalise text ({', '.join(map(str, steps))}). Train without a "
            "normaliser, or save as 'huggingface'."
        )


def _check_spelling(alphabet: Alphabet, special_tokens: Sequence[str]) -> None:
    for content in special_tokens:
        if alphabet == "bytes" and content in BYTE_TO_CHAR:
            raise ExportError(
                f"huggingface writes {content!r} for the byte 0x{BYTE_TO_CHAR.index(content):02X}: "
                "no special token can be spelt that way. Choose a longer one."
            )


def _check_prefixes(special_tokens: Sequence[str]) -> None:
    ordered = sorted(special_tokens)  # a prefix sorts right before what it begins
    for one, other in pairwise(ordered):
        if other.startswith(one):
            raise ExportError(
                f"the special token {other!r} begins with another, {one!r}: tiktoken may find "
                "either one, bytepair finds the longest. Rename one, or save as 'huggingface'."
            )
