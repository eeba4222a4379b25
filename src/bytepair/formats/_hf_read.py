"""Read a Hugging Face `tokenizer.json` whose model is BPE."""

import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bytepair.errors import BytepairWarning, FormatError
from bytepair.formats._added import (
    added_only,
    check_flags,
    check_shared,
    compact_added,
    read_added,
)
from bytepair.formats._conventions import attach_conventions
from bytepair.formats._entries import CoreEntries, read_tables
from bytepair.formats._hf_decoder import read_decoder
from bytepair.formats._hf_model import read_model
from bytepair.formats._hf_normalizer import read_normalizer
from bytepair.formats._hf_postprocessor import read_post_processor
from bytepair.formats._hf_pretokenizer import read_pre_tokenizer
from bytepair.formats._json import Section, decoded, parse_object, read_array
from bytepair.formats._kind import SUPPORTED
from bytepair.formats._names import tokenizer_name
from bytepair.formats._training import attach_training
from bytepair.formats._vocab import read_vocabulary
from bytepair.model import SplitRules, TokenizerSpec


def read_huggingface(path: Path) -> TokenizerSpec:
    """The tokenizer in a `tokenizer.json`, with what stands beside it if there is anything.

    Ids in the file are kept as they are, gaps and added tokens beyond the end included.

    Raises:
        FormatError: the file is damaged, contradicts itself, or holds something that would change
            ids and is not supported; the message names file and member.
    """
    spec = _parsed(path, read_array(path))
    if path.name == "tokenizer.json":
        spec = attach_conventions(spec, path.parent)
    return attach_training(spec, path.with_name("training.json"))


def parse_huggingface(data: bytes, name: str = "tokenizer.json") -> TokenizerSpec:
    """The tokenizer in the content of a `tokenizer.json`; `name` is for messages.

    Raises:
        FormatError: as for a file.
    """
    return _parsed(Path(name), np.frombuffer(data, np.uint8))


def spec_of_section(root: Section, name: str) -> TokenizerSpec:
    """The tokenizer in an object that is what a `tokenizer.json` is.

    Raises:
        FormatError: as for a file.
    """
    _check_frame(root)
    spec = _spec(root, None, name)
    _warn_of_unasked(root)
    return spec


def _parsed(path: Path, data: NDArray[np.uint8]) -> TokenizerSpec:
    entries, root = _root(path, data)
    _check_frame(root)
    spec = _spec(root, entries, tokenizer_name(path))
    _warn_of_unasked(root)
    return spec


def _root(path: Path, data: NDArray[np.uint8]) -> tuple[CoreEntries | None, Section]:
    """What the core reads in a file, and the rest of it."""
    tables = read_tables(data)
    if tables is not None:
        try:
            return tables[0], parse_object(path, tables[1], compact_added)
        except FormatError:
            del tables  # the complaint is to be about the whole file
    return None, parse_object(path, decoded(path, data.data), compact_added)


def _spec(root: Section, entries: CoreEntries | None, name: str) -> TokenizerSpec:
    normalizing = read_normalizer(root)
    splitting = read_pre_tokenizer(root, is_spelled=normalizing.spells_bytes)
    model = read_model(root, entries, is_byte_level=splitting.is_byte_level)
    added = read_added(root, model.ids, model.spelling)
    if normalizing.spells_bytes:
        check_flags(root, added)
    left_out = added_only(model, added)
    vocabulary = read_vocabulary(model.section, model.ids, model.spelling, left_out)
    check_shared(model.section, added, vocabulary)
    special = tuple(token.content for token in added if token.special)
    id_by_content = {token.content: token.id for token in added}
    return TokenizerSpec(
        vocabulary,
        model.merges,
        SplitRules(splitting.pattern, normalizing.steps, special, splitting.steps),
        added,
        alphabet="bytes" if splitting.is_byte_level else "chars",
        end_of_word=model.spelling.suffix or None,
        continuing_prefix=model.spelling.prefix or None,
        ignore_merges=model.ignore_merges,
        unk_id=model.unk_id,
        fuse_unk=model.fuse_unk,
        dropout=model.dropout,
        post_processor=read_post_processor(
            root, lambda content: id_by_content.get(content, model.ids.get(content))
        ),
        decoder=read_decoder(root, model.spelling, model.ids),
        name=name,
    )


def _check_frame(root: Section) -> None:
    if "model" not in root.members:
        keys = ", ".join(sorted(root.members)[:5]) or "nothing"
        raise root.error(
            f"this is not a tokenizer.json: it has no 'model' (it holds: {keys[:200]}). "
            f"Supported: {SUPPORTED}."
        )
    version = root.optional("version", str)
    if version not in {None, "1.0"}:
        raise root.error(f"version {version!r:.60} is not supported (known: 1.0)")
    # What a program last set; bytepair takes these with each call.
    root.ignore("truncation", "padding")


def _warn_of_unasked(root: Section) -> None:
    unknown = sorted(set(root.unasked()))
    if unknown:
        shown = ", ".join(key[:60] for key in unknown[:8]) + (", …" if len(unknown) > 8 else "")
        warnings.warn(
            f"{root.source}: ignored members this version does not know: {shown}",
            BytepairWarning,
            stacklevel=5,
        )
