"""Write a tokenizer as Mistral's `tekken.json`."""

import json
from base64 import b64encode

from bytepair.errors import ExportError
from bytepair.formats._tiktoken_write import check_ranks, tiktoken_pattern
from bytepair.model import AddedToken, TokenizerSpec

# The first version whose files list their special tokens; later ones differ in how chats are
# put together, not in the ids of a text.
_VERSION = "v7"


def tekken_json(spec: TokenizerSpec) -> bytes:
    """The content of `tekken.json`.

    Raises:
        ExportError: `mistral_common` would give other ids; the message says why.
    """
    check_ranks(spec)
    n_special = _n_special(spec)
    tokens = list(spec.vocabulary.tokens.values())
    config = {
        "pattern": tiktoken_pattern(spec.rules.pattern),
        "num_vocab_tokens": len(tokens),
        "default_vocab_size": len(tokens) + n_special,
        "default_num_special_tokens": n_special,
        "version": _VERSION,
    }
    content = {
        "config": config,
        "vocab": [_entry(rank, token) for rank, token in enumerate(tokens)],
        "special_tokens": [_special(token) for token in spec.added_tokens],
    }
    return json.dumps(content, ensure_ascii=False, indent=1).encode() + b"\n"


def _n_special(spec: TokenizerSpec) -> int:
    """How many ids stand before those of the tokens; all of these are special tokens."""
    ids = list(spec.vocabulary.tokens)
    n_special = ids[0]
    if ids != list(range(n_special, n_special + len(ids))):
        raise ExportError(
            "in tekken.json ids have no gaps, and here they have. Save as 'tiktoken' or "
            "'huggingface'."
        )
    if spec.vocabulary.byte_ids != tuple(range(n_special, n_special + 256)):
        raise ExportError(
            "in tekken.json the first 256 tokens are the bytes in their order, and here they are "
            "not. Save as 'tiktoken' or 'huggingface'."
        )
    for place, token in enumerate(spec.added_tokens):
        if token.id != place:
            raise _misplaced(token, n_special)
    if len(spec.added_tokens) < n_special:
        raise ExportError(
            f"id {len(spec.added_tokens)} is free, and in tekken.json each id before those of the "
            "tokens is a special token. Save as 'tiktoken' or 'huggingface'."
        )
    return n_special


def _misplaced(token: AddedToken, n_special: int) -> ExportError:
    return ExportError(
        f"the special token {token.content!r} has id {token.id}; in tekken.json special tokens "
        f"stand before all others without gaps (here: 0 to {n_special - 1}). Save as 'tiktoken' "
        "or 'huggingface'."
    )


def _entry(rank: int, token: bytes) -> dict[str, object]:
    try:
        text = token.decode()
    except UnicodeDecodeError:
        text = None
    return {"rank": rank, "token_bytes": b64encode(token).decode(), "token_str": text}


def _special(token: AddedToken) -> dict[str, object]:
    return {"rank": token.id, "token_str": token.content, "is_control": True}
