"""Read a SentencePiece `.model` whose model is BPE, with the `sentencepiece` package's readers."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from bytepair.errors import ExportError, FormatError, MissingExtraError
from bytepair.formats._json import read_bytes
from bytepair.formats._names import tokenizer_name
from bytepair.formats._pieces import PieceList, TextRules, pieces_spec
from bytepair.model import TokenizerSpec

BPE = 2
_OTHER_MODELS = {1: "unigram", 3: "word", 4: "char"}


def read_sentencepiece(path: Path) -> TokenizerSpec:
    """The tokenizer in a `.model` file.

    The ids of a text are those of `SentencePieceProcessor.encode`; control pieces (`<s>`), which
    that never finds in a text, are special tokens.

    Raises:
        FormatError: damaged, not BPE, or with an option that this package has not.
        MissingExtraError: the `sentencepiece` or the `protobuf` package is not installed.
    """
    proto = _parsed(path)
    _check_supported(path, proto)
    pieces = PieceList(
        str(path),
        texts=[piece.piece for piece in proto.pieces],
        scores=[piece.score for piece in proto.pieces],
        kinds=[piece.type for piece in proto.pieces],
    )
    _check_texts(path, pieces.texts, proto.trainer_spec.unk_surface)
    normalizer = proto.normalizer_spec
    rules = TextRules(
        _char_map(path, normalizer),
        dummy_prefix=normalizer.add_dummy_prefix,
        remove_extra_spaces=normalizer.remove_extra_whitespaces,
    )
    return pieces_spec(
        pieces,
        rules,
        name=tokenizer_name(path),
        unk_surface=proto.trainer_spec.unk_surface,
    )


def char_map_of(source: str, blob: bytes) -> tuple[tuple[str, str], ...]:
    """The rules of a compiled character map, as `sentencepiece` decompiles them.

    Raises:
        FormatError: it is damaged.
    """
    if not blob:
        return ()
    spec = extra("sentencepiece.sentencepiece_model_pb2").NormalizerSpec(precompiled_charsmap=blob)
    try:
        rules = extra("sentencepiece").SentencePieceNormalizer(normalizer_spec=spec).Decompile()
    except RuntimeError as error:
        raise FormatError(f"{source}: the character map is damaged: {error}") from error
    return tuple((str(key), str(replacement)) for key, replacement in rules)


def char_map_blob(rules: tuple[tuple[str, str], ...]) -> bytes:
    """The rules as `sentencepiece` compiles them; b"" for none.

    Raises:
        ExportError: it does not take them.
    """
    if not rules:
        return b""
    table = "".join(f"{_hexadecimal(key)}\t{_hexadecimal(new)}\n" for key, new in rules)
    sentencepiece, model = extra("sentencepiece"), extra("sentencepiece.sentencepiece_model_pb2")
    with TemporaryDirectory() as folder:
        path = Path(folder, "rules.tsv")
        path.write_text(table, encoding="ascii")
        try:
            normalizer = sentencepiece.SentencePieceNormalizer(rule_tsv=str(path))
        except RuntimeError as error:
            raise ExportError(f"SentencePiece cannot compile the character map: {error}") from error
    spec = model.NormalizerSpec.FromString(normalizer.serialized_normalizer_spec())
    blob: bytes = spec.precompiled_charsmap
    return blob


def _hexadecimal(text: str) -> str:
    return " ".join(f"{ord(char):X}" for char in text)


def extra(module: str) -> ModuleType:
    """A module of an optional package that this room reads with.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"such a file needs {module.partition('.')[0]!r}, which cannot be imported ({error}). "
            f"Install it with: pip install 'bytepair[formats]'"
        ) from error


def _parsed(path: Path) -> Any:  # a message of a module without types
    data = read_bytes(path)
    proto = extra("sentencepiece.sentencepiece_model_pb2").ModelProto()
    damage = extra("google.protobuf.message").DecodeError
    try:
        proto.ParseFromString(data)
    except (damage, UnicodeDecodeError) as error:  # the latter from the parser in Python only
        raise FormatError(f"{path}: not a SentencePiece model: {error}") from error
    if not proto.pieces:
        raise FormatError(f"{path}: not a SentencePiece model: it has no pieces")
    return proto


def _check_texts(path: Path, texts: Sequence[Any], unk_surface: Any) -> None:
    # What is not UTF-8 comes from the parser as bytes.
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise FormatError(f"{path}: piece {number} is not UTF-8: {text[:60]!r}")
    if not isinstance(unk_surface, str):
        raise FormatError(f"{path}: trainer_spec.unk_surface is not UTF-8: {unk_surface!r}")


def _check_supported(path: Path, proto: Any) -> None:
    trainer, normalizer = proto.trainer_spec, proto.normalizer_spec
    if trainer.model_type != BPE:
        kind = _OTHER_MODELS.get(trainer.model_type, str(trainer.model_type))
        raise FormatError(f"{path}: a SentencePiece model of the type {kind!r} is not BPE")
    refused = {
        "treat_whitespace_as_suffix is set: words end with their space": (
            trainer.treat_whitespace_as_suffix
        ),
        "escape_whitespaces is not set: spaces are spelt as they are": (
            not normalizer.escape_whitespaces
        ),
        "denormalizer_spec has rules: decoding changes characters": (
            proto.denormalizer_spec.precompiled_charsmap
        ),
    }
    for what, is_so in refused.items():
        if is_so:
            raise FormatError(f"{path}: {what}, which is not supported")


def _char_map(path: Path, normalizer: Any) -> tuple[tuple[str, str], ...]:
    rules = char_map_of(str(path), normalizer.precompiled_charsmap)
    for key, replacement in rules:
        if "  " in replacement and normalizer.remove_extra_whitespaces:
            raise FormatError(
                f"{path}: the character map makes {replacement!r} of {key!r}: two spaces, which "
                "are kept in it and nowhere else, which is not supported"
            )
    return rules
