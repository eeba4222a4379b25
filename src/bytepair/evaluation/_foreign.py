"""Tokenizers of other libraries as subjects: they run in their own library, as it is."""

import importlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bytepair.errors import (
    ArgumentError,
    BytepairError,
    EncodeError,
    FormatError,
    MissingExtraError,
)
from bytepair.evaluation._subject import Encoded, OfTokenizer, Subject
from bytepair.model import BYTE_TO_CHAR, byte_positions
from bytepair.tokenizer import load

_BYTE_OF_CHAR = {char: byte for byte, char in enumerate(BYTE_TO_CHAR)}
_LIBRARIES = ("hf", "sentencepiece", "tiktoken")


class OfHuggingFace:
    """A `tokenizers.Tokenizer`, of any kind that library knows."""

    def __init__(self, tokenizer: Any, name: str) -> None:
        self.name = name
        self.kind = f"{type(tokenizer.model).__name__} (tokenizers)"
        self.vocab_size: int = tokenizer.get_vocab_size()
        root = json.loads(tokenizer.to_str())
        self.unknown_id = _unknown_id(root["model"])
        self._is_byte_level = '"ByteLevel"' in json.dumps(root["decoder"])
        self._tokenizer = tokenizer

    def encode(self, texts: Sequence[bytes]) -> Encoded:
        """By its `encode_batch`, without special tokens around."""
        chars = list(map(_chars, texts))
        repaired = list(map(_repaired, chars))
        with answers(f"{self.name}: tokenizers cannot encode the text", EncodeError):
            rows = self._tokenizer.encode_batch(repaired, add_special_tokens=False)
        ends = [[end for _, end in row.offsets] for row in rows]
        return _encoded([row.ids for row in rows], chars, ends, texts)

    def contents(self) -> dict[int, bytes]:
        """As far as the spelling of tokens says it."""
        read = _bytes_of if self._is_byte_level else _content
        return {i: read(piece) for piece, i in self._tokenizer.get_vocab().items()}


class OfSentencePiece:
    """A `sentencepiece.SentencePieceProcessor`."""

    def __init__(self, processor: Any, name: str, kind: str) -> None:
        self.name = name
        self.kind = f"{kind} (sentencepiece)"
        self.vocab_size: int = processor.vocab_size()
        self.unknown_id: int | None = processor.unk_id()
        self._processor = processor

    def encode(self, texts: Sequence[bytes]) -> Encoded:
        """With the places that the library tells."""
        repaired = [_repaired(_chars(text)) for text in texts]
        with answers(f"{self.name}: sentencepiece cannot encode the text", EncodeError):
            rows = self._processor.encode(repaired, return_type="proto")
        ids, offsets = _flat([[piece.id for piece in row.pieces] for row in rows])
        ends: list[int] = []
        begin = 0
        for text, row in zip(texts, rows, strict=True):
            # In bytes already; those of a repaired text can be beyond the end of the original.
            ends += [begin + min(piece.end, len(text)) for piece in row.pieces]
            begin += len(text)
        return Encoded(ids, offsets, np.array(ends, np.int64))

    def contents(self) -> dict[int, bytes]:
        """As far as the spelling of pieces says it."""
        return {i: _content(self._processor.id_to_piece(i)) for i in range(self.vocab_size)}


class OfTiktoken:
    """A `tiktoken.Encoding`."""

    def __init__(self, encoding: Any, name: str) -> None:
        self.name = name
        self.kind = "BPE (tiktoken)"
        self.vocab_size: int = encoding.n_vocab
        self.unknown_id: int | None = None
        self._encoding = encoding
        self._contents = _contents_of_encoding(encoding)
        self._sizes = np.zeros(encoding.n_vocab, np.int64)
        for token, content in self._contents.items():
            self._sizes[token] = len(content)

    def encode(self, texts: Sequence[bytes]) -> Encoded:
        """By its `encode_ordinary_batch`."""
        repaired = [_repaired(_chars(text)) for text in texts]
        with answers(f"{self.name}: tiktoken cannot encode the text", EncodeError):
            rows = self._encoding.encode_ordinary_batch(repaired)
        ids, offsets = _flat(rows)
        ends = np.minimum(np.cumsum(self._sizes[ids]), sum(map(len, texts)))
        return Encoded(ids, offsets, ends)

    def contents(self) -> dict[int, bytes]:
        """The bytes of each token."""
        return self._contents


def open_subject(source: str, threads: int | None = None) -> Subject:
    """A tokenizer by its path, run by this library if it can, else by the one that made it.

    Args:
        source: a path; `hf:PATH`, `sentencepiece:PATH` or `tiktoken:NAME` ask for that library.

    Raises:
        ArgumentError: nothing behind the colon.
        FormatError: nothing reads it; says why.
        MissingExtraError: the library that would read it is not installed.
    """
    library, _, rest = source.partition(":")
    if library in _LIBRARIES and source != library:
        if not rest:
            raise ArgumentError(f"{source} names no tokenizer: write one behind the colon.")
        return _OPEN[library](rest)
    path = Path(source)
    try:
        return OfTokenizer(load(path), _name(path), threads)
    except FormatError:
        foreign = _library_for(path)
        if foreign is None:
            raise
    return _OPEN[foreign](source)


def require(module: str, package: str) -> Any:
    """Import an optional package.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{package} is not installed, and this tokenizer runs in it: pip install {package}"
        ) from error


def _open_hugging_face(source: str) -> Subject:
    file = _json_file(Path(source))
    tokenizers = require("tokenizers", "tokenizers")
    with answers(f"{file}: tokenizers cannot read it", FormatError):
        tokenizer = tokenizers.Tokenizer.from_file(str(file))
    return OfHuggingFace(tokenizer, _name(Path(source)))


def _open_sentencepiece(source: str) -> Subject:
    sentencepiece = require("sentencepiece", "sentencepiece")
    with answers(f"{source}: sentencepiece cannot read it", FormatError):
        processor = sentencepiece.SentencePieceProcessor(model_file=source)
    return OfSentencePiece(processor, _name(Path(source)), "Unigram or BPE")


def _open_tiktoken(source: str) -> Subject:
    tiktoken = require("tiktoken", "tiktoken")
    with answers(f"{source}: tiktoken has no such encoding, or cannot fetch it", FormatError):
        encoding = tiktoken.get_encoding(source)
    return OfTiktoken(encoding, source)


_OPEN = {
    "hf": _open_hugging_face,
    "sentencepiece": _open_sentencepiece,
    "tiktoken": _open_tiktoken,
}


@contextmanager
def answers(what: str, error: type[BytepairError]) -> Iterator[None]:
    """Whatever another library raises inside becomes this error, of one line.

    Args:
        what: begins the message: what was wanted of whom.
    """
    try:
        yield
    except (BytepairError, KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as reason:  # what a library in Rust raises in a panic is no Exception
        # SentencePiece puts the place in its source before what it says.
        line = str(reason).strip().partition("\n")[0].rpartition("] ")[2].rstrip(" .")
        raise error(f"{what}: {line[:200] or type(reason).__name__}.") from reason


def _library_for(path: Path) -> str | None:
    """Which library reads a file that this one does not."""
    if path.suffix == ".model":
        return "sentencepiece"
    file = _json_file(path)
    try:
        kind = json.loads(file.read_text(encoding="utf-8"))["model"]["type"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return "hf" if kind in {"Unigram", "WordPiece", "WordLevel"} else None


def _json_file(path: Path) -> Path:
    return path / "tokenizer.json" if path.is_dir() else path


def _name(path: Path) -> str:
    """That of the folder, or of the file without its ending.

    >>> _name(Path("models/small/tokenizer.json")), _name(Path("zen"))
    ('small', 'zen')
    """
    return path.parent.name if path.name == "tokenizer.json" and path.parent.name else path.stem


def _chars(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


def _repaired(text: str) -> str:
    """A byte that belongs to no character becomes U+FFFD: other libraries take no bytes."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _unknown_id(model: dict[str, Any]) -> int | None:
    """Of a model as `tokenizers` writes it: Unigram has an id there, the others a spelling."""
    if "unk_id" in model:
        return cast(int | None, model["unk_id"])
    return cast(int | None, model["vocab"].get(model.get("unk_token")))


def _content(spelling: str) -> bytes:
    r"""The bytes that a piece stands for amid a text.

    >>> _content("▁the"), _content("##ing"), _content("<0x0A>")
    (b' the', b'ing', b'\n')
    """
    if len(spelling) == 6 and spelling.startswith("<0x") and spelling.endswith(">"):
        return bytes([int(spelling[3:5], 16)])
    return spelling.replace("▁", " ").removeprefix("##").encode()


def _bytes_of(spelling: str) -> bytes:
    """The same for a piece each of whose characters is a byte; an added token is text.

    >>> _bytes_of("Ġthe")
    b' the'
    """
    try:
        return bytes(map(_BYTE_OF_CHAR.__getitem__, spelling))
    except KeyError:
        return spelling.encode()


def _encoded(
    rows: list[list[int]], chars: list[str], ends: list[list[int]], texts: Sequence[bytes]
) -> Encoded:
    """Ends in characters of each text -> in bytes of all of them."""
    places: list[int] = []
    begin = 0
    for text, row, data in zip(chars, ends, texts, strict=True):
        places += [begin + place for place in byte_positions(text, row)]
        begin += len(data)
    ids, offsets = _flat(rows)
    return Encoded(ids, offsets, np.array(places, np.int64))


def _flat(rows: list[list[int]]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    ids = np.fromiter((token for row in rows for token in row), np.uint32, int(offsets[-1]))
    return ids, offsets


def _contents_of_encoding(encoding: Any) -> dict[int, bytes]:
    contents: dict[int, bytes] = {}
    for token in range(encoding.n_vocab):
        try:
            contents[token] = encoding.decode_single_token_bytes(token)
        except KeyError:  # ids may have gaps
            continue
    return contents


def checked_size(vocab_size: int) -> int:
    """A size at which other libraries' trainers work.

    Raises:
        ArgumentError: too small.
    """
    if vocab_size < 300:
        raise ArgumentError(
            f"a baseline of {vocab_size} tokens cannot be trained: 256 of them are bytes. Compare "
            "with a vocabulary of 300 or more."
        )
    return vocab_size
