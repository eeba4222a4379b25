"""Write a tokenizer as a SentencePiece `.model`, with the `sentencepiece` package's own message."""

from typing import Any

from bytepair.formats._pieces import Kind
from bytepair.formats._pieces_write import piece_list, text_form
from bytepair.formats._sentencepiece_read import BPE, char_map_blob, extra
from bytepair.model import TokenizerSpec

_TOKENS = {"bos_token": "bos_id", "eos_token": "eos_id", "pad_token": "pad_id"}


def sentencepiece_model(spec: TokenizerSpec) -> bytes:
    """The content of the `.model` file.

    Raises:
        ExportError: SentencePiece would give other ids; the message says why.
        MissingExtraError: the `sentencepiece` or the `protobuf` package is not installed.
    """
    form = text_form(spec)
    pieces = piece_list(spec, form, has_unknown=True, has_symbols=True)
    proto = extra("sentencepiece.sentencepiece_model_pb2").ModelProto()
    for text, score, kind in zip(pieces.texts, pieces.scores, pieces.kinds, strict=True):
        proto.pieces.add(piece=text, score=score, type=int(kind))
    normalizer = proto.normalizer_spec
    normalizer.name = "bytepair"
    normalizer.precompiled_charsmap = char_map_blob(form.rules.char_map)
    normalizer.add_dummy_prefix = form.rules.dummy_prefix
    normalizer.remove_extra_whitespaces = form.rules.remove_extra_spaces
    normalizer.escape_whitespaces = True
    _train_spec(proto.trainer_spec, spec, unknown=pieces.of(Kind.UNKNOWN)[0])
    data: bytes = proto.SerializeToString(deterministic=True)
    return data


def _train_spec(trainer: Any, spec: TokenizerSpec, unknown: int) -> None:
    contents = {token.id: token.content for token in spec.added_tokens}
    trainer.model_type = BPE
    trainer.vocab_size = max([*spec.vocabulary.tokens, *contents, unknown]) + 1
    trainer.byte_fallback = bool(spec.vocabulary.byte_ids)
    trainer.unk_id = unknown
    surface = spec.vocabulary.tokens.get(unknown)
    trainer.unk_surface = contents.get(unknown) or (surface.decode() if surface else "")
    id_by_content = {content: number for number, content in contents.items()}
    for name, field in _TOKENS.items():
        content = spec.conventions.named_tokens.get(name, "")
        setattr(trainer, field, id_by_content.get(content, -1))
