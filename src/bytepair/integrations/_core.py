"""A tokenizer of `tokenizers` and the bytepair tokenizer that gives its ids."""

from typing import Any

from tokenizers import Tokenizer as Backend

from bytepair import formats
from bytepair.tokenizer import Tokenizer

_MODEL_FLAGS = ("dropout", "unk_token", "fuse_unk", "byte_fallback", "ignore_merges")


class Core:
    """Our half of a tokenizer, made from its backend as it is now.

    Attributes:
        tokenizer: encodes as the backend does.
        is_random: the backend leaves merges out at random, so no two calls need agree.

    Raises:
        FormatError: the backend is something that this version does not support.
    """

    def __init__(self, backend: Backend) -> None:
        self._state = _state_of(backend)
        spec = formats.parse_huggingface(backend.to_str().encode("utf-8", "surrogatepass"))
        self.tokenizer = Tokenizer(spec)
        self.is_random = bool(spec.dropout)

    def fits(self, backend: Backend) -> bool:
        """False once the backend's parts were replaced, or tokens added to it."""
        return self._state == _state_of(backend)


def _state_of(backend: Backend) -> tuple[object, ...]:
    """What can be changed in place; a few microseconds. The merges of a model cannot."""
    parts: list[Any] = [backend.normalizer, backend.pre_tokenizer, backend.post_processor]
    model = backend.model
    return (
        backend.get_vocab_size(with_added_tokens=True),
        *(part and part.__getstate__() for part in parts),
        *(getattr(model, flag, None) for flag in _MODEL_FLAGS),
    )
