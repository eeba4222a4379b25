"""What one call of a tokenizer of transformers returns, made by our core."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from transformers.tokenization_utils_base import PaddingStrategy, TruncationStrategy

from bytepair.errors import ArgumentError
from bytepair.tokenizer import Tokenizer

Lists = list[list[int]]


class Rows:
    """One call's options, and the data that goes into its `BatchEncoding`.

    Args:
        owner: the tokenizer of transformers.
        options: the arguments of its `_encode_plus`.
    """

    def __init__(self, owner: Any, core: Tokenizer, options: dict[str, Any]) -> None:
        get = options.get
        self._owner = owner
        self._core = core
        self._padding = get("padding_strategy", PaddingStrategy.DO_NOT_PAD)
        self._truncation = get("truncation_strategy", TruncationStrategy.DO_NOT_TRUNCATE)
        self._max_length = get("max_length")
        self._multiple_of = get("pad_to_multiple_of")
        self._is_left = (get("padding_side") or owner.padding_side) == "left"
        self._verbose = get("verbose", True)
        self._is_tensor = get("return_tensors") is not None
        mask = get("return_attention_mask")
        self._has_mask = "attention_mask" in owner.model_input_names if mask is None else mask
        splits = get("split_special_tokens")
        splits = owner.split_special_tokens if splits is None else splits
        self._encoding: dict[str, Any] = {
            "allowed_special": set() if splits else "all",
            "disallowed_special": (),
            "add_special_tokens": get("add_special_tokens", True),
        }

    def encoded(self, texts: Sequence[str], *, is_batch: bool) -> dict[str, Any] | None:
        """The data; None if the stock tokenizer has to be asked, for its errors among others."""
        if "token_type_ids" in self._owner.model_input_names or not self._set_length():
            return None
        try:
            if self._is_tensor:
                return self._arrays(texts)
            data = self._lists(texts)
        except ArgumentError:  # max_length leaves no room
            return None
        return data if is_batch else {name: rows[0] for name, rows in data.items()}

    def _set_length(self) -> bool:
        if self._truncation == TruncationStrategy.DO_NOT_TRUNCATE:
            return True
        self._encoding["max_length"] = self._max_length
        self._encoding["truncation_side"] = self._owner.truncation_side
        return self._truncation != TruncationStrategy.ONLY_SECOND and bool(self._max_length)

    def _width(self, longest: int) -> int:
        """Of the rows that are padded; longer ones stay as they are."""
        if self._padding == PaddingStrategy.DO_NOT_PAD:
            return 0
        is_fixed = self._padding == PaddingStrategy.MAX_LENGTH
        width = (self._max_length or 0) if is_fixed else longest
        step = self._multiple_of or 1
        return int(-(-width // step) * step)

    def _lists(self, texts: Sequence[str]) -> dict[str, Lists]:
        if len(texts) == 1:  # without what it takes to use threads
            rows = [self._core.encode(texts[0], **self._encoding)]
        else:
            rows = self._core.encode_batch(texts, threads=_threads(), **self._encoding)
        longest = max(map(len, rows))
        width = self._width(longest)
        self._warn(max(width, longest))
        data = {"input_ids": self._padded(rows, width, self._owner.pad_token_id)}
        if self._has_mask:
            data["attention_mask"] = self._padded([[1] * len(row) for row in rows], width, 0)
        return data

    def _padded(self, rows: Lists, width: int, value: int) -> Lists:
        if not width:
            return rows
        if self._is_left:
            return [[value] * (width - len(row)) + row for row in rows]
        return [row + [value] * (width - len(row)) for row in rows]

    def _arrays(self, texts: Sequence[str]) -> dict[str, NDArray[np.int64]] | None:
        """Of one shape, [texts, width]; None where the rows have several lengths."""
        ids, offsets = self._core.encode_batch_to_numpy(texts, threads=_threads(), **self._encoding)
        lengths = np.diff(offsets)
        longest, shortest = int(lengths.max()), int(lengths.min())
        width = self._width(longest) or longest
        if longest > width or (self._padding == PaddingStrategy.DO_NOT_PAD and shortest < width):
            return None
        self._warn(width)
        places = np.arange(width)[None, :]
        shift = (width - lengths)[:, None] if self._is_left else 0
        mask: NDArray[np.bool_] = (places >= shift) & (places < shift + lengths[:, None])
        rows = np.full((len(texts), width), self._owner.pad_token_id or 0, np.int64)
        rows[mask] = ids
        data = {"input_ids": rows}
        if self._has_mask:
            data["attention_mask"] = mask.astype(np.int64)
        return data

    def _warn(self, longest: int) -> None:
        self._owner._eventual_warn_about_too_long_sequence(
            range(longest), self._max_length, self._verbose
        )


_OFF = ("", "off", "false", "f", "no", "n", "0")


def _threads() -> int | None:
    """As many as `tokenizers` would use, which reads these variables at every call; None: all."""
    if os.environ.get("TOKENIZERS_PARALLELISM", "true").lower() in _OFF:
        return 1
    wanted = os.environ.get("RAYON_NUM_THREADS", "")
    return int(wanted) or None if wanted.isdecimal() else None
