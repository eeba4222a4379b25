"""Write a tokenizer as Hugging Face's `tokenizer.json`, so that `tokenizers` gives the same ids."""

import json
import warnings
from collections.abc import Mapping

from bytepair.errors import BytepairWarning, ExportError
from bytepair.formats._components import (
    Splitting,
    decoder_json,
    normalizer_json,
    pre_tokenizer_json,
)
from bytepair.formats._json import Object
from bytepair.formats._replay import as_merge_list
from bytepair.formats._vocab import added_vocab, bytes_of, spell
from bytepair.model import AddedToken, TokenId, TokenizerSpec

_END_OF_TEXT = "<|endoftext|>"


def tokenizer_json(spec: TokenizerSpec) -> bytes:
    """The content of `tokenizer.json`; the same bytes whenever the tokenizer is the same.

    Raises:
        ExportError: Hugging Face's library would give other ids; the message says why.
    """
    is_byte_level = spec.alphabet == "bytes"
    root: Object = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added_token(token) for token in spec.added_tokens],
        "normalizer": normalizer_json(spec.rules.normalizer),
        "pre_tokenizer": pre_tokenizer_json(Splitting(spec.rules.pattern, is_byte_level)),
        "post_processor": None,
        "decoder": decoder_json(is_byte_level=is_byte_level),
        "model": _model(spec, is_byte_level=is_byte_level),
    }
    if is_byte_level:
        _warn_of_garbled(spec.added_tokens)
    return dump(root)


def config_json(spec: TokenizerSpec) -> bytes:
    """The content of `tokenizer_config.json`: what `transformers` has to know beyond the above."""
    config: Object = {
        "clean_up_tokenization_spaces": False,
        "tokenizer_class": "PreTrainedTokenizerFast",
    }
    if any(token.content == _END_OF_TEXT and token.special for token in spec.added_tokens):
        config["eos_token"] = _END_OF_TEXT
    return dump(config)


def dump(value: Object) -> bytes:
    """JSON as this package writes it: indented, UTF-8, a line feed at the end."""
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    # A name may come from a file name that is not UTF-8; JSON has an escape for what is in it.
    return text.encode("utf-8", "backslashreplace")


def _model(spec: TokenizerSpec, *, is_byte_level: bool) -> Object:
    spellings = spell(spec.vocabulary, is_byte_level=is_byte_level)
    vocab = {spelling: number for number, spelling in spellings.items()}
    extra = added_vocab(spellings, spec.added_tokens)
    if is_byte_level and spec.ignore_merges:
        _check_not_looked_up(extra)
    vocab |= extra
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": not is_byte_level,
        "ignore_merges": spec.ignore_merges,
        "vocab": dict(sorted(vocab.items(), key=lambda item: item[1])),
        "merges": _merges(spec, spellings),
    }


def _check_not_looked_up(extra: Mapping[str, TokenId]) -> None:
    for content, number in extra.items():
        if bytes_of(content) not in {None, content.encode()}:
            raise ExportError(
                f"added token {content!r} (id {number}): Hugging Face would also give its id to "
                f"the text {bytes_of(content)!r}, which its vocabulary spells the same"
            )


def _merges(spec: TokenizerSpec, spellings: Mapping[TokenId, str]) -> list[object]:
    pairs: list[object] = []
    for left, right, joined in as_merge_list(spec):
        # The file names only the parts; the result is the token that is spelt like both together.
        if spellings[left] + spellings[right] != spellings[joined]:
            raise ExportError(
                f"the merge of {spellings[left]!r} and {spellings[right]!r} gives "
                f"{spellings[joined]!r}, which a tokenizer.json cannot say"
            )
        pairs.append([spellings[left], spellings[right]])
    return pairs


def _added_token(token: AddedToken) -> Object:
    return {
        "id": token.id,
        "content": token.content,
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": token.special,
    }


def _warn_of_garbled(added: tuple[AddedToken, ...]) -> None:
    garbled = [t.content for t in added if bytes_of(t.content) not in {None, t.content.encode()}]
    if garbled:
        warnings.warn(
            f"Hugging Face's byte-level decoder will not give back the added token {garbled[0]!r}: "
            "it takes its letters for bytes. Ids are not affected, nor is bytepair.",
            BytepairWarning,
            stacklevel=5,
        )
