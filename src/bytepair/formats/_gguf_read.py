"""Read the tokenizer in the metadata of a GGUF model, with the `gguf` package's reader.

Two kinds are BPE: "gpt2", byte-level tokens with merges, and "llama", SentencePiece's scored
pieces. Sources, also for what holds where a file does not say: llama.cpp's `llama-vocab.cpp` and
`convert_hf_to_gguf.py`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from struct import Struct
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bytepair.errors import FormatError
from bytepair.formats._byte_level import (
    merge_list,
    ordinary_vocabulary,
    spelt_ids,
)
from bytepair.formats._entries import core
from bytepair.formats._gguf_conventions import (
    ARCHITECTURE,
    CHAT_TEMPLATE,
    CONTEXT_LENGTH,
    with_gguf_conventions,
)
from bytepair.formats._gguf_patterns import CUTTING_BY_NAME, Cutting
from bytepair.formats._pieces import SPACE, Kind, PieceList, TextRules, pieces_spec
from bytepair.formats._sentencepiece_read import char_map_of, extra
from bytepair.model import (
    AddedToken,
    PostProcessor,
    Split,
    SplitRules,
    TemplatePiece,
    TokenId,
    TokenizerSpec,
)
from bytepair.patterns import check_cuts, resolve_steps

GGUF_MAGIC = b"GGUF"

_PREFIX = "tokenizer.ggml."
T = TypeVar("T", bool, int, float, str)
# What begins and ends a text where the file does not say.
_LLAMA_BOS, _LLAMA_EOS = 1, 2
_NOT_BPE = {
    "bert": "WordPiece",
    "t5": "a unigram model",
    "rwkv": "RWKV's greedy trie",
    "plamo2": "PLaMo's table",
    "gemma4": "BPE on characters with merges in another spelling",
    "no_vocab": "no tokenizer at all",
    "none": "no tokenizer at all",
}


@dataclass(frozen=True)
class Metadata:
    """The tokenizer's entries of a GGUF file, by their names behind "tokenizer.ggml."."""

    source: str
    entries: Mapping[str, object]

    def error(self, key: str, problem: str) -> FormatError:
        """The complaint about one entry."""
        return FormatError(f"{self.source}: {_PREFIX}{key} {problem}")

    def get(self, key: str, kind: type[T], default: T | None = None) -> T | None:
        """An entry of this type, or the default if it is missing.

        Raises:
            FormatError: it is of another type.
        """
        value = self.entries.get(key, default)
        if value is None or type(value) is kind:
            return value
        raise self.error(key, f"must be of type {kind.__name__}, got {str(value)[:60]!r}")

    def array(self, key: str, kind: type[T]) -> list[T] | None:
        """An entry that is a list of values of this type; None if it is missing.

        Raises:
            FormatError: it is something else.
        """
        values = self.entries.get(key)
        if values is None:
            return None
        if not isinstance(values, list) or not set(map(type, values)) <= {kind}:
            raise self.error(key, f"must be an array of type {kind.__name__}")
        return values


def read_gguf(path: Path, *, pattern: str | None = None) -> TokenizerSpec:
    """The tokenizer in a `.gguf` file; tensors are not read.

    Args:
        pattern: a name or a regex, instead of what `tokenizer.ggml.pre` names; only for "gpt2".

    Raises:
        FormatError: damaged, not BPE, or cut in a way that is not known here.
        MissingExtraError: the `gguf` package is not installed.
    """
    entries = _entries(path)
    ours = {
        key.removeprefix(_PREFIX): value
        for key, value in entries.items()
        if key.startswith(_PREFIX)
    }
    if not ours:
        raise FormatError(f"{path}: this GGUF file holds no tokenizer")
    spec = _spec(Metadata(str(path), ours), path.stem, pattern)
    return with_gguf_conventions(spec, entries)


def _spec(metadata: Metadata, name: str, pattern: str | None) -> TokenizerSpec:
    kind = metadata.get("model", str)
    if kind == "gpt2":
        return _byte_level_spec(metadata, name, pattern)
    if kind != "llama":
        what = _NOT_BPE.get(str(kind), "a kind that is not known here")
        raise metadata.error("model", f"is {kind!r}: {what} (known: gpt2, llama)")
    if pattern is not None:
        raise metadata.error("model", "is 'llama', which cuts no text: leave pattern= out")
    return _pieces_spec(metadata, name)


def _entries(path: Path) -> dict[str, object]:
    try:
        fields = _reader(path).fields
        return {key: _contents(field) for key, field in fields.items() if _is_wanted(key)}
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error}") from error
    except (ValueError, IndexError, KeyError, OverflowError, MemoryError) as error:
        raise FormatError(f"{path}: not a readable GGUF file: {error}") from error


def _is_wanted(key: str) -> bool:
    is_template = key == CHAT_TEMPLATE or key.startswith(f"{CHAT_TEMPLATE}.")
    return (
        is_template
        or key == ARCHITECTURE
        or key.startswith(_PREFIX)
        or (key.endswith(CONTEXT_LENGTH))
    )


def _contents(field: Any) -> object:
    values = field.parts[-1]
    return values if isinstance(values, list) else field.contents()


def _reader(path: Path) -> Any:  # an object of a module without types
    types = extra("gguf").GGUFValueType

    class Reader(extra("gguf").GGUFReader):  # type: ignore[misc]  # likewise
        """The package's reader, which makes several arrays for each value of an array (seconds for
        a large vocabulary), and reads on behind the end of a file that was cut short.
        """

        data: Any

        def _get(self, offset: int, dtype: Any, count: int = 1, *options: Any, **more: Any) -> Any:
            if isinstance(self.data, np.memmap):  # whose slices are made with much ado
                self.data = np.asarray(self.data)
            if offset + int(count) * np.dtype(dtype).itemsize > len(self.data):
                raise ValueError("it ends amid its metadata")
            return super()._get(offset, dtype, count, *options, **more)

        def _get_field_parts(self, orig_offs: int, raw_type: int) -> Any:
            if raw_type != types.ARRAY:
                return super()._get_field_parts(orig_offs, raw_type)
            kind, n = self._get(orig_offs, np.uint32), self._get(orig_offs + 4, np.uint64)
            start, item_type = orig_offs + 12, types(kind[0])
            if item_type == types.STRING:
                values, size = _strings(self.data[start:], int(n[0]), self.endianess)
            else:
                values = self._get(start, self.gguf_scalar_to_np[item_type], n[0])
                size = values.nbytes
            return 12 + size, [kind, n, values], [2], [types.ARRAY, item_type]

    return Reader(path)


def _strings(array: NDArray[np.uint8], n: int, endian: Any) -> tuple[list[Any], int]:
    """(n strings behind their lengths, how many bytes that is)."""
    is_little = endian.name == "LITTLE"
    if (compiled := core()) is not None:
        strings: tuple[list[Any], int] = compiled.strings(array, n, is_little)
        return strings
    data = array.data
    size_of = Struct("<Q" if is_little else ">Q").unpack_from
    values: list[str] = []
    at = 0
    for _ in range(n):
        if (start := at + 8) > len(data):
            raise ValueError("it ends amid its metadata")
        at = start + size_of(data, at)[0]
        if at > len(data):
            raise ValueError("it ends amid its metadata")
        values.append(str(data[start:at], "utf-8"))
    return values, at


def _pieces(metadata: Metadata) -> PieceList:
    """Tokens with score and type; llama.cpp's names for tokens that are empty."""
    tokens = metadata.array("tokens", str)
    if not tokens:
        raise metadata.error("tokens", "is missing")
    scores = metadata.array("scores", float) or [0.0] * len(tokens)
    kinds = metadata.array("token_type", int) or [Kind.NORMAL.value] * len(tokens)
    for key, values in (("scores", scores), ("token_type", kinds)):
        if len(values) != len(tokens):
            raise metadata.error(key, f"has {len(values)} values for {len(tokens)} tokens")
    known = {kind.value for kind in Kind}
    for number, kind in enumerate(kinds):
        if kind not in known:
            raise metadata.error("token_type", f"of token {number} is {kind}, which is no type")
    for number, token in enumerate(tokens):
        if not token:
            tokens[number], scores[number] = f"[EMPTY_{number}]", 0.0
            kinds[number] = Kind.UNUSED.value
    return PieceList(metadata.source, tokens, scores, kinds)


# ---------------------------------------------------------------------- SentencePiece


def _pieces_spec(metadata: Metadata, name: str) -> TokenizerSpec:
    if "scores" not in metadata.entries:
        raise metadata.error("scores", "is missing: without scores no merge comes before another")
    rules = TextRules(
        char_map_of(metadata.source, _char_map(metadata)),
        dummy_prefix=bool(metadata.get("add_space_prefix", bool, default=True)),
        remove_extra_spaces=bool(metadata.get("remove_extra_whitespaces", bool, default=False)),
    )
    pieces = _pieces(metadata)
    texts = list(pieces.texts)
    # llama.cpp's converter writes spaces into user-defined tokens, SentencePiece its sign for them.
    for number in pieces.of(Kind.USER_DEFINED):
        texts[number] = texts[number].replace(" ", SPACE)
    around = _post_processor(metadata, add_bos=True, bos=_LLAMA_BOS, eos=_LLAMA_EOS)
    return pieces_spec(replace(pieces, texts=texts), rules, name=name, post_processor=around)


def _char_map(metadata: Metadata) -> bytes:
    values = metadata.array("precompiled_charsmap", int) or []
    return bytes(value % 256 for value in values)  # some files say so in signed bytes


# ---------------------------------------------------------------------- byte-level


def _byte_level_spec(metadata: Metadata, name: str, pattern: str | None) -> TokenizerSpec:
    cutting = _cutting(metadata, pattern)
    if metadata.get("add_space_prefix", bool):
        raise metadata.error("add_space_prefix", "is true, which programs read differently here")
    pieces = _pieces(metadata)
    added = tuple(_added_tokens(pieces))
    ordinary = pieces.of(Kind.NORMAL)
    plain = {pieces.texts[number]: number for number in ordinary}
    if len(plain) < len(ordinary):
        raise metadata.error("tokens", "has a token twice")
    ids = spelt_ids(metadata.source, {**plain, **{token.content: token.id for token in added}})
    merges = merge_list(
        dict(enumerate(_merges(metadata))),
        lambda place: f"{metadata.source}: {_PREFIX}merges[{place}]",
        ids,
    )
    return TokenizerSpec(
        ordinary_vocabulary(metadata.source, ids, merges, added),
        merges,
        _rules(cutting, added),
        added,
        ignore_merges=cutting.ignore_merges,
        post_processor=_post_processor(metadata, add_bos=cutting.add_bos),
        name=name,
    )


def _cutting(metadata: Metadata, pattern: str | None) -> Cutting:
    name = metadata.get("pre", str)
    known = CUTTING_BY_NAME.get(name or "")
    if pattern is not None:
        steps = resolve_steps(pattern)
        for step in steps:
            check_cuts(step.pattern)
        return (known or Cutting(()))._replace(steps=steps)
    if name is None:
        raise metadata.error("pre", "is missing: how text is cut would be a guess. Pass pattern=.")
    if known is None:
        raise metadata.error(
            "pre",
            f"{name!r} is not known here (known: {', '.join(CUTTING_BY_NAME)}). Pass pattern=.",
        )
    return known


def _rules(cutting: Cutting, added: tuple[AddedToken, ...]) -> SplitRules:
    specials = tuple(token.content for token in added if token.special)
    match cutting.steps:
        case [Split(pattern, "isolated", False)]:
            return SplitRules(pattern, special_tokens=specials)
    return SplitRules(special_tokens=specials, steps=cutting.steps)


def _added_tokens(pieces: PieceList) -> Iterator[AddedToken]:
    """Control tokens are special; user-defined ones are matched in every text."""
    symbols = set(pieces.of(Kind.USER_DEFINED))
    for number in pieces.of(Kind.CONTROL, Kind.UNKNOWN, Kind.USER_DEFINED):
        yield AddedToken(pieces.texts[number], number, special=number not in symbols)


def _merges(metadata: Metadata) -> list[str]:
    merges = metadata.array("merges", str)
    if merges is None:
        raise metadata.error("merges", "is missing")
    return merges


def _post_processor(
    metadata: Metadata, *, add_bos: bool, bos: TokenId | None = None, eos: TokenId | None = None
) -> PostProcessor:
    """What surrounds a text: begin and end tokens, as the file or the default says."""
    before = _surrounding(metadata, "bos", bos, asked=add_bos)
    after = _surrounding(metadata, "eos", eos, asked=False)
    if not before and not after:
        return PostProcessor()
    return PostProcessor(single=(*before, TemplatePiece("A"), *after))


def _surrounding(
    metadata: Metadata, name: str, default: TokenId | None, *, asked: bool
) -> tuple[TemplatePiece, ...]:
    if not metadata.get(f"add_{name}_token", bool, default=asked):
        return ()
    number = metadata.get(f"{name}_token_id", int, default)
    tokens = metadata.array("tokens", str) or []
    if number is None or not 0 <= number < len(tokens):
        raise metadata.error(
            f"{name}_token_id", f"is {number}, but {name} is added to texts and must have an id"
        )
    return (TemplatePiece(ids=(number,)),)
