"""Residues told as tokens and back: so that what knows only tokens can carry them."""

from collections.abc import Mapping
from dataclasses import replace

from bytepair.model._spec import TokenizerSpec
from bytepair.model._types import TokenId
from bytepair.model._vocabulary import Vocabulary


def residues_as_tokens(spec: TokenizerSpec) -> TokenizerSpec:
    """The same tokenizer if its residues were tokens, under their numbers."""
    if not spec.residues:
        return spec
    tokens = dict(spec.vocabulary.tokens)
    for number, parts in spec.residues.items():
        tokens[number] = b"".join(spec.vocabulary.tokens[part] for part in parts)
    return replace(spec, vocabulary=_with(spec.vocabulary, tokens), residues={})


def tokens_as_residues(
    spec: TokenizerSpec, residues: Mapping[int, tuple[TokenId, ...]]
) -> TokenizerSpec:
    """The same tokenizer if these tokens, the last of its ids, were residues."""
    kept = {
        number: data for number, data in spec.vocabulary.tokens.items() if number not in residues
    }
    return replace(spec, vocabulary=_with(spec.vocabulary, kept), residues=dict(residues))


def _with(old: Vocabulary, tokens: Mapping[TokenId, bytes]) -> Vocabulary:
    return Vocabulary(tokens, old.byte_ids, old.end_of_word_id, old.ends_word, old.continues_word)
