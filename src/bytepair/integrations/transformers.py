"""Hugging Face transformers: its tokenizers, with bytepair's core on the way that is taken most.

The stock tokenizer stays where it is and answers whatever is not plain encoding, so everything a
tokenizer of transformers can do is as it was; files too. Needs `pip install
"bytepair[transformers]"`; made for transformers 5, tried with 5.24.

>>> from bytepair.integrations.transformers import BytepairTokenizer
>>> import bytepair
>>> tok = bytepair.train(["low lower lowest"] * 9, vocab_size=264, special_tokens=["<end>"])
>>> BytepairTokenizer.of(tok)(["low", "lowest<end>"])["input_ids"]
[[257], [257, 101, 260, 263]]
"""

import os
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bytepair import formats
from bytepair.errors import (
    ArgumentError,
    BytepairWarning,
    ExportError,
    FormatError,
    InputTypeError,
    MissingExtraError,
)
from bytepair.tokenizer import Tokenizer

try:
    from tokenizers import Tokenizer as Backend
    from transformers import AutoTokenizer, BatchEncoding, PreTrainedTokenizerFast
    from transformers.tokenization_utils_base import PaddingStrategy, TruncationStrategy
except ImportError as error:
    raise MissingExtraError(
        'transformers is not installed. Install it with: pip install "bytepair[transformers]"'
    ) from error

from bytepair.integrations._core import Core

__all__ = ["BytepairTokenizer", "accelerate", "check_folder", "restore"]

_T = TypeVar("_T", bound=PreTrainedTokenizerFast)

_PLAIN = (  # arguments of a call, and the values with which our core answers it
    ("text_pair", (None,)),
    ("is_split_into_words", (False,)),
    ("return_token_type_ids", (None, False)),
    ("return_overflowing_tokens", (False,)),
    ("return_special_tokens_mask", (False,)),
    ("return_offsets_mapping", (False,)),
    ("return_length", (False,)),
    ("sanitize_control_tokens", (None, False)),
)


class LazyEncoding(BatchEncoding):
    """A `BatchEncoding` whose details (tokens, words, offsets) are made when they are asked for."""

    def __init__(self, data: dict[str, Any], make: Callable[[], BatchEncoding]) -> None:
        self._make = make
        self._made: Any = None
        super().__init__(data, n_sequences=1)

    @property
    def _encodings(self) -> Any:
        if self._made is None:
            self._made = self._make().encodings
        return self._made

    @_encodings.setter
    def _encodings(self, value: Any) -> None:
        self._made = value

    @property
    def is_fast(self) -> bool:
        """As of every tokenizer that can give details."""
        return True

    def __reduce__(self) -> tuple[Any, ...]:
        return _plain_encoding, (dict(self.data), self._encodings)


def _plain_encoding(data: dict[str, Any], encodings: Any) -> BatchEncoding:
    return BatchEncoding(data, encodings, n_sequences=1)


class _Fast(PreTrainedTokenizerFast):
    """What is put in front of a stock class; its methods are called where ours has no answer."""

    def _encode_plus(self, text: Any, *args: Any, **options: Any) -> BatchEncoding:
        stock = super()._encode_plus
        texts = [text] if isinstance(text, str) else text
        if args or not _is_plain(texts, options):
            return stock(text, *args, **options)
        core = _core(self)
        if core is None or core.is_random:
            return stock(text, **options)
        rows = _Rows(self, core.tokenizer, options)
        data = rows.encoded(texts, is_batch=not isinstance(text, str))
        if data is None:
            return stock(text, **options)
        quiet = {**options, "return_tensors": None, "verbose": False}
        result = LazyEncoding(data, lambda: stock(text, **quiet))
        return result.convert_to_tensors(options.get("return_tensors"))

    def tokenize(
        self, text: str, pair: str | None = None, add_special_tokens: bool = False, **kwargs: Any
    ) -> list[str]:
        """The tokens as the vocabulary spells them."""
        options = {"text_pair": pair, "add_special_tokens": add_special_tokens, **kwargs}
        tokens: list[str] = super()._encode_plus(text, **options).tokens()
        return tokens

    def __getstate__(self) -> dict[str, Any]:  # the core is rebuilt; a pickle stays the same
        return {name: value for name, value in self.__dict__.items() if name != "_bytepair"}

    def save_pretrained(
        self, save_directory: str | os.PathLike[str], *args: Any, **kwargs: Any
    ) -> tuple[str, ...]:
        """As transformers' own; then, beside a `config.json`, the folder is tried: `check_folder`.

        Warns:
            BytepairWarning: `AutoTokenizer` would give other ids for this folder; says why.
        """
        files: tuple[str, ...] = super().save_pretrained(save_directory, *args, **kwargs)
        if (Path(save_directory) / "config.json").is_file():
            try:
                check_folder(save_directory)
            except ExportError as error:
                warnings.warn(str(error), BytepairWarning, stacklevel=2)
        return files


class BytepairTokenizer(_Fast):
    """A `PreTrainedTokenizerFast` that encodes with bytepair's core.

    Calls give what the stock class gives. `from_pretrained` and `save_pretrained` read and write
    the same files, which plain transformers loads without bytepair. `AutoTokenizer` finds this
    class by name once this module is imported.

    A text that holds a lone surrogate, which the stock class refuses, is encoded with U+FFFD.
    """

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> "BytepairTokenizer":
        """The same tokenizer for transformers, with its named tokens and chat templates.

        Raises:
            ExportError: `tokenizers` could not give the same ids; says why.
        """
        spec = tokenizer.spec
        backend = Backend.from_str(formats.huggingface_json(spec).decode())
        use = spec.conventions
        templates: Any = dict(use.chat_templates)
        if set(templates) == {"default"}:
            templates = templates["default"]
        options = dict(use.named_tokens)
        if use.max_length is not None:
            options["model_max_length"] = use.max_length  # type: ignore[assignment]  # a number
        return cls(tokenizer_object=backend, chat_template=templates or None, **options)


AutoTokenizer.register(BytepairTokenizer, tokenizer_class=BytepairTokenizer, exist_ok=True)


def accelerate(tokenizer: _T) -> _T:
    """Let bytepair's core answer the plain calls of a tokenizer; `restore` undoes it.

    The object stays the same one, an instance of its class, and gives what it gave.

    Raises:
        InputTypeError: no tokenizer of transformers with a `tokenizers` backend.
        FormatError: its model, or a part of it, is something bytepair does not support.
    """
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise InputTypeError(
            f"expected a PreTrainedTokenizerFast, got {type(tokenizer).__name__}: only those have "
            "a tokenizer.json."
        )
    if not isinstance(tokenizer, _Fast):
        tokenizer.__dict__["_bytepair"] = Core(tokenizer.backend_tokenizer)
        stock: Any = type(tokenizer)
        tokenizer.__class__ = _fast_class(stock)
    return tokenizer


def restore(tokenizer: _T) -> _T:
    """Undo `accelerate`; a tokenizer that was not accelerated is left as it is."""
    stock = type(tokenizer).__dict__.get("_stock")
    if stock is not None:
        tokenizer.__class__ = stock
        tokenizer.__dict__.pop("_bytepair", None)
    return tokenizer


@cache
def _fast_class(stock: Any) -> Any:
    def reduced(self: Any) -> tuple[Any, ...]:
        return _unpickled, (stock, self.__getstate__())

    names = {"_stock": stock, "__reduce__": reduced, "__module__": stock.__module__}
    return type(stock.__name__, (_Fast, stock), names)


def _unpickled(stock: Any, state: dict[str, Any]) -> Any:
    fast: Any = _fast_class(stock)
    tokenizer = fast.__new__(fast)
    tokenizer.__dict__.update(state)
    return tokenizer


def check_folder(folder: str | os.PathLike[str]) -> None:
    """Load a folder as most programs do, with `AutoTokenizer`, and compare ids.

    A `config.json` can decide which class is made, and some classes put a pre-tokeniser of their
    own in the place of the file's.

    Raises:
        ExportError: the ids are not those of `tokenizer.json`; shows a text.
    """
    own = PreTrainedTokenizerFast.from_pretrained(folder)
    loaded = AutoTokenizer.from_pretrained(folder)
    for text in _TELLING:
        ids, others = (tok.encode(text, add_special_tokens=False) for tok in (own, loaded))
        if ids != others:
            raise ExportError(
                f"{os.fspath(folder)}: AutoTokenizer makes a {type(loaded).__name__}, which gives "
                f"{others[:12]} for {text!r} where tokenizer.json gives {ids[:12]}: the model_type "
                "in config.json decides the class, and that class has a pre-tokeniser of its own. "
                "Load it with PreTrainedTokenizerFast.from_pretrained, or change model_type."
            )


_TELLING = (
    "In 1984, 12345678 people",
    "don't we'LL\r\n\n  two  spaces\tand a tab ",
    "naïve Ångström ﬁ e\u0301 \u00a0 한글 漢字 हिन्दी",
    "x=3;\n\tif(a!=b){return\u2028}",
)


# ---------------------------------------------------------------------- within


def _core(tokenizer: _Fast) -> Core | None:
    """Our half, as the backend is now; None if there can be none."""
    backend = tokenizer._tokenizer
    found: Core | None = tokenizer.__dict__.get("_bytepair")
    if found is None or not found.fits(backend):
        try:
            found = Core(backend)
        except FormatError as error:
            warnings.warn(
                f"bytepair cannot speed this tokenizer up: {error}", BytepairWarning, stacklevel=4
            )
            return None
        tokenizer.__dict__["_bytepair"] = found
    return found


def _is_plain(texts: Any, options: dict[str, Any]) -> bool:
    return (
        isinstance(texts, (list, tuple))
        and len(texts) > 0
        and {str}.issuperset(map(type, texts))
        and all(options.get(name, values[0]) in values for name, values in _PLAIN)
    )


class _Rows:
    """One call's options, and the data that goes into its `BatchEncoding`."""

    def __init__(self, owner: _Fast, core: Tokenizer, options: dict[str, Any]) -> None:
        get = options.get
        self._owner = owner
        self._core = core
        self._padding = get("padding_strategy", PaddingStrategy.DO_NOT_PAD)
        self._truncation = get("truncation_strategy", TruncationStrategy.DO_NOT_TRUNCATE)
        self._max_length = get("max_length")
        self._multiple_of = get("pad_to_multiple_of")
        self._side = get("padding_side") or owner.padding_side
        self._verbose = get("verbose", True)
        self._tensors = get("return_tensors")
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
            if self._padding == PaddingStrategy.DO_NOT_PAD and self._tensors is None:
                rows = self._lists(texts)
                self._warn(max(rows, key=len))
                data: dict[str, Any] = {"input_ids": rows}
                if self._has_mask:
                    data["attention_mask"] = [[1] * len(row) for row in rows]
            else:
                arrays = self._arrays(texts)
                if arrays is None:
                    return None
                data = arrays
        except ArgumentError:  # max_length leaves no room
            return None
        if is_batch or self._tensors is not None:
            return data
        return {name: rows[0] for name, rows in data.items()}

    def _lists(self, texts: Sequence[str]) -> list[list[int]]:
        if len(texts) == 1:  # without what it takes to use threads
            return [self._core.encode(texts[0], **self._encoding)]
        return self._core.encode_batch(texts, **self._encoding)

    def _set_length(self) -> bool:
        if self._truncation == TruncationStrategy.DO_NOT_TRUNCATE:
            return True
        self._encoding["max_length"] = self._max_length
        self._encoding["truncation_side"] = self._owner.truncation_side
        return self._truncation != TruncationStrategy.ONLY_SECOND and bool(self._max_length)

    def _arrays(self, texts: Sequence[str]) -> dict[str, Any] | None:
        """Rows of one length, int64[n, width]; lists of them where no tensors are wanted."""
        ids, offsets = self._core.encode_batch_to_numpy(texts, **self._encoding)
        lengths = np.diff(offsets)
        longest = int(lengths.max())
        is_fixed = self._padding == PaddingStrategy.MAX_LENGTH
        width = (self._max_length or 0) if is_fixed else longest
        if self._padding != PaddingStrategy.DO_NOT_PAD and self._multiple_of:
            width = -(-width // self._multiple_of) * self._multiple_of
        if longest > width or (
            self._padding == PaddingStrategy.DO_NOT_PAD and longest > lengths.min()
        ):
            return None  # rows of several lengths
        self._warn(range(width))
        places = np.arange(width)[None, :]
        shift = (width - lengths)[:, None] if self._side == "left" else 0
        mask: NDArray[np.bool_] = (places >= shift) & (places < shift + lengths[:, None])
        pad_id = self._owner.pad_token_id if width > int(lengths.min()) else 0
        rows = np.full((len(texts), width), pad_id, np.int64)
        rows[mask] = ids
        data = {"input_ids": rows}
        if self._has_mask:
            data["attention_mask"] = mask.astype(np.int64)
        return data if self._tensors else {name: array.tolist() for name, array in data.items()}

    def _warn(self, row: Sequence[int]) -> None:
        self._owner._eventual_warn_about_too_long_sequence(row, self._max_length, self._verbose)
