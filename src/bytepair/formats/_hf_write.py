"""Write a tokenizer as Hugging Face's `tokenizer.json`, so that `tokenizers` gives the same ids."""

import json
import warnings
from collections.abc import Mapping

from bytepair.errors import BytepairWarning, ExportError
from bytepair.formats._added import added_json
from bytepair.formats._hf_decoder import decoder_json
from bytepair.formats._hf_normalizer import normalizer_json
from bytepair.formats._hf_postprocessor import post_processor_json
from bytepair.formats._hf_pretokenizer import Splitting, pre_tokenizer_json
from bytepair.formats._json import Object
from bytepair.formats._replay import as_merge_list
from bytepair.formats._spell import added_vocab, check_not_looked_up, spell
from bytepair.formats._vocab import Spelling, bytes_of
from bytepair.model import AddedToken, TokenId, TokenizerSpec


def tokenizer_json(spec: TokenizerSpec) -> bytes:
    """The content of `tokenizer.json`; the same bytes whenever the tokenizer is the same.

    Raises:
        ExportError: Hugging Face's library would give other ids; the message says why.
    """
    spelling = _spelling(spec)
    splitting = Splitting(spec.rules.pattern, spec.rules.steps, spelling.is_byte_level)
    spellings = spell(spec.vocabulary, spelling)
    contents = spellings | {token.id: token.content for token in spec.added_tokens}
    root: Object = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [added_json(token) for token in spec.added_tokens],
        "normalizer": normalizer_json(spec.rules.normalizer),
        "pre_tokenizer": pre_tokenizer_json(splitting),
        "post_processor": post_processor_json(spec.post_processor, contents),
        "decoder": decoder_json(spec.decoder, spelling),
        "model": _model(spec, spelling, spellings),
    }
    if spelling.is_byte_level:
        _warn_of_garbled(spec.added_tokens)
    return dump(root)


def token_spellings(spec: TokenizerSpec) -> dict[TokenId, str]:
    """Id -> how a `tokenizer.json` writes the token; what Hugging Face calls its tokens.

    Raises:
        ExportError: a token that it cannot write.
    """
    contents = {token.id: token.content for token in spec.added_tokens}
    return spell(spec.vocabulary, _spelling(spec)) | contents


def _spelling(spec: TokenizerSpec) -> Spelling:
    is_byte_level = spec.alphabet == "bytes"
    return Spelling(
        is_byte_level,
        has_fallback=not is_byte_level and bool(spec.vocabulary.byte_ids),
        prefix=spec.continuing_prefix or "",
        suffix=spec.end_of_word or "",
    )


def dump(value: Object) -> bytes:
    """JSON as this package writes it: indented, UTF-8, a line feed at the end."""
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    # A name may come from a file name that is not UTF-8; JSON has an escape for what is in it.
    return text.encode("utf-8", "backslashreplace")


def _model(spec: TokenizerSpec, spelling: Spelling, spellings: Mapping[TokenId, str]) -> Object:
    vocab = {token: number for number, token in spellings.items()}
    extra = added_vocab(spellings, spec.added_tokens)
    unk_token = _unk_token(spec, spellings)
    if unk_token is not None and spec.unk_id is not None and unk_token not in vocab:
        extra = extra | {unk_token: spec.unk_id}  # Hugging Face looks for it here only
    check_not_looked_up(extra, spelling, ignore_merges=spec.ignore_merges)
    vocab |= extra
    return {
        "type": "BPE",
        "dropout": spec.dropout,
        "unk_token": unk_token,
        "continuing_subword_prefix": spelling.prefix or None,
        "end_of_word_suffix": spelling.suffix or None,
        "fuse_unk": spec.fuse_unk,
        "byte_fallback": spelling.has_fallback,
        "ignore_merges": spec.ignore_merges,
        "vocab": dict(sorted(vocab.items(), key=lambda item: item[1])),
        "merges": merge_pairs(spec, spelling, spellings),
    }


def _unk_token(spec: TokenizerSpec, spellings: Mapping[TokenId, str]) -> str | None:
    if spec.unk_id is None:
        return None
    contents = {token.id: token.content for token in spec.added_tokens}
    content = contents.get(spec.unk_id, spellings.get(spec.unk_id))
    if content is None:
        raise ExportError(f"the id of the unknown token, {spec.unk_id}, is no token")
    return content


def merge_pairs(
    spec: TokenizerSpec, spelling: Spelling, spellings: Mapping[TokenId, str]
) -> list[list[str]]:
    """The merges as two spellings each, the first one first.

    Raises:
        ExportError: an order cannot say the ranks, or the spellings do not say the result.
    """
    pairs: list[list[str]] = []
    for left, right, joined in as_merge_list(spec):
        # The file names only the parts; the result is the token that is spelt like both together.
        behind = spellings[right].removeprefix(spelling.prefix)
        if spellings[left] + behind != spellings[joined]:
            raise ExportError(
                f"the merge of {spellings[left]!r} and {spellings[right]!r} gives "
                f"{spellings[joined]!r}, which a tokenizer.json cannot say"
            )
        pairs.append([spellings[left], spellings[right]])
    return pairs


def _warn_of_garbled(added: tuple[AddedToken, ...]) -> None:
    garbled = [t.content for t in added if bytes_of(t.content) not in {None, t.content.encode()}]
    if garbled:
        warnings.warn(
            f"Hugging Face's byte-level decoder will not give back the added token {garbled[0]!r}: "
            "it takes its letters for bytes. Ids are not affected, nor is bytepair.",
            BytepairWarning,
            stacklevel=5,
        )
