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
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from bytepair import formats
from bytepair.errors import (
    BytepairError,
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
except ImportError as error:
    raise MissingExtraError(
        'transformers is not installed. Install it with: pip install "bytepair[transformers]"'
    ) from error

from bytepair.integrations._core import Core
from bytepair.integrations._rows import Rows

__all__ = ["BytepairTokenizer", "accelerate", "check_folder", "restore"]

_T = TypeVar("_T", bound=PreTrainedTokenizerFast)

_PLAIN = frozenset(  # arguments of a call that our core knows, whatever their values
    (
        "add_special_tokens",
        "max_length",
        "pad_to_multiple_of",
        "padding_side",
        "padding_strategy",
        "return_attention_mask",
        "return_tensors",
        "split_special_tokens",
        "stride",  # of what overflows
        "truncation_strategy",
        "verbose",
    )
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
    """What is put in front of a stock class; its methods are called where ours have no answer."""

    def _encode_plus(self, text: Any, *args: Any, **options: Any) -> BatchEncoding:
        stock = super()._encode_plus
        texts = [text] if isinstance(text, str) else text
        if args or not _is_plain(texts, options):
            return stock(text, *args, **options)
        core = _core(self)
        if core is None or core.is_random:
            return stock(text, **options)
        rows = Rows(self, core.tokenizer, options)
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


class _FastDecoding(PreTrainedTokenizerFast):
    """The same for decoding, apart: some classes (Whisper's) decode in ways of their own."""

    def decode(self, token_ids: Any, skip_special_tokens: bool = False, **kwargs: Any) -> Any:
        """The text of ids, or the texts of several rows of them."""
        result = self._quickly(token_ids, skip_special_tokens, kwargs, rows_only=False)
        if result is None:
            return super().decode(token_ids, skip_special_tokens=skip_special_tokens, **kwargs)
        return result

    def batch_decode(
        self, sequences: Any, skip_special_tokens: bool = False, *args: Any, **kwargs: Any
    ) -> list[str]:
        """The texts of rows of ids."""
        result: Any = None
        if not args:
            result = self._quickly(sequences, skip_special_tokens, kwargs, rows_only=True)
        if result is None:
            result = super().batch_decode(sequences, skip_special_tokens, *args, **kwargs)
        texts: list[str] = result
        return texts

    def _quickly(self, given: Any, skips: bool, options: dict[str, Any], *, rows_only: bool) -> Any:
        """By our core; None if the stock tokenizer has to be asked, for its errors among others."""
        if self._cleans(options.get("clean_up_tokenization_spaces")):
            return None
        ids = given.tolist() if hasattr(given, "tolist") else given
        if not isinstance(ids, (list, tuple)) or not ids:
            return None
        if hasattr(ids[0], "tolist"):
            ids = [each.tolist() for each in ids]
        core = _core(self)
        if core is None:
            return None
        try:
            if isinstance(ids[0], (list, tuple)):
                return core.tokenizer.decode_batch(ids, skip_special_tokens=skips)
            return None if rows_only else core.tokenizer.decode(ids, skip_special_tokens=skips)
        except BytepairError:  # ids that do not exist, which are left out there
            return None

    def _cleans(self, wanted: bool | None) -> bool:
        """Does the stock class take spaces out? Not for BPE, unless it is old or told twice."""
        wanted = self.clean_up_tokenization_spaces if wanted is None else wanted
        name = "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output"
        return bool(wanted and getattr(self, name, True))


class BytepairTokenizer(_FastDecoding, _Fast):
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
        FormatError: its model, or a part of it, is something bytepair does not support, or its
            class encodes in a way of its own.
    """
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise InputTypeError(
            f"expected a PreTrainedTokenizerFast, got {type(tokenizer).__name__}: only those have "
            "a tokenizer.json."
        )
    if not isinstance(tokenizer, _Fast):
        stock: Any = type(tokenizer)
        if not _is_backends_own(stock, "_encode_plus"):
            raise FormatError(
                f"{stock.__name__} encodes in a way of its own, not as its tokenizer.json says: "
                "use it as it is."
            )
        tokenizer.__dict__["_bytepair"] = Core(tokenizer.backend_tokenizer)
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
    decodes_alike = _is_backends_own(stock, "_decode", "decode", "batch_decode")
    fast = (_FastDecoding, _Fast) if decodes_alike else (_Fast,)
    return type(stock.__name__, (*fast, stock), names)


def _is_backends_own(stock: Any, *methods: str) -> bool:
    backend = PreTrainedTokenizerFast
    return all(getattr(stock, name) is getattr(backend, name) for name in methods)


def _unpickled(stock: Any, state: dict[str, Any]) -> Any:
    fast: Any = _fast_class(stock)
    tokenizer = fast.__new__(fast)
    tokenizer.__dict__.update(state)
    return tokenizer


def check_folder(folder: str | os.PathLike[str]) -> None:
    """Load a folder as most programs do, with `AutoTokenizer`, and compare ids.

    The `model_type` of a `config.json`, or the `tokenizer_class` of a `tokenizer_config.json`, can
    decide which class is made, and some classes put a pre-tokeniser of their own in the place of
    the file's.

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
                "in config.json decides the class, or else the tokenizer_class in "
                "tokenizer_config.json, and that class has a pre-tokeniser of its own. Load it "
                "with PreTrainedTokenizerFast.from_pretrained, or change what decides."
            )


_TELLING = (
    "In 1984, 12345678 people",
    "don't we'LL\r\n\n  two  spaces\tand a tab ",
    "naïve Ångström ﬁ e\u0301 \u00a0 한글 漢字 हिन्दी",
    "x=3;\n\tif(a!=b){return\u2028}",
)


# ---------------------------------------------------------------------- within


def _core(tokenizer: Any) -> Core | None:
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
        and not any(options[name] for name in options.keys() - _PLAIN)
    )
