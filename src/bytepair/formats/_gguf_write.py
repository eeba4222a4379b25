"""Write a tokenizer as the metadata of a GGUF model, with the `gguf` package's writer.

The file holds no tensors: it is what llama.cpp calls a vocabulary-only model, and what its tools
copy metadata from.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bytepair.errors import ExportError
from bytepair.formats._gguf_patterns import known_cutting
from bytepair.formats._hf_write import merge_pairs
from bytepair.formats._pieces import Kind
from bytepair.formats._pieces_write import piece_list, text_form
from bytepair.formats._replay import orphan
from bytepair.formats._sentencepiece_read import extra
from bytepair.formats._spell import all_outside, check_not_looked_up, spell
from bytepair.formats._vocab import Spelling
from bytepair.model import AddedToken, TemplatePiece, TokenId, TokenizerSpec

_SPELLING = Spelling(is_byte_level=True)
_ARCHITECTURE = "llama"  # a file must name one; no id depends on it
_NAMED = ("bos", "eos", "unk", "sep", "pad", "mask")

Entries = dict[str, Any]
"""What the package's writer takes: NAME of its method `add_NAME` -> value."""


def gguf_file(spec: TokenizerSpec) -> bytes:
    """The content of the `.gguf` file.

    Raises:
        ExportError: llama.cpp would give other ids; the message says why.
        MissingExtraError: the `gguf` package is not installed.
    """
    _check_no_overlap(spec.added_tokens)
    _check_one_pass(spec.added_tokens)
    entries = _byte_level(spec) if spec.alphabet == "bytes" else _pieces(spec)
    entries |= _around(spec)
    entries |= dict(_named_ids(spec))
    if "default" in spec.conventions.chat_templates:
        entries["chat_template"] = spec.conventions.chat_templates["default"]
    return _written(spec.name, entries)


def _written(name: str, entries: Mapping[str, Any]) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder, "x.gguf")
        writer = extra("gguf").GGUFWriter(path, _ARCHITECTURE)
        writer.add_name(name.encode("utf-8", "backslashreplace").decode())
        for key, value in entries.items():
            getattr(writer, f"add_{key}")(value)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.close()
        return path.read_bytes()


# ---------------------------------------------------------------------- byte-level


def _byte_level(spec: TokenizerSpec) -> Entries:
    spellings = spell(spec.vocabulary, _SPELLING)
    extra_tokens = all_outside(spellings, spec.added_tokens)
    check_not_looked_up(extra_tokens, _SPELLING, ignore_merges=spec.ignore_merges)
    merges = merge_pairs(spec, _SPELLING, spellings)
    if not merges:
        raise ExportError("a GGUF file needs one merge at least, and this tokenizer has none")
    spellings |= {token.id: token.content for token in spec.added_tokens}
    kinds = dict.fromkeys(spellings, Kind.NORMAL)
    for token in spec.added_tokens:
        kinds[token.id] = Kind.CONTROL if token.special else Kind.USER_DEFINED
    numbers = range(max(spellings) + 1)
    return {
        "tokenizer_model": "gpt2",
        "tokenizer_pre": _cutting_name(spec),
        "token_list": [spellings.get(number, f"[PAD{number}]") for number in numbers],
        "token_types": [int(kinds.get(number, Kind.UNUSED)) for number in numbers],
        "token_merges": [f"{left} {right}" for left, right in merges],
        "add_space_prefix": False,
    }


def _cutting_name(spec: TokenizerSpec) -> str:
    """The name of the cut, which also says whether pieces are looked up before they are merged."""
    try:
        return known_cutting(spec.rules, looks_up=spec.ignore_merges)[0]
    except ExportError:
        name, cutting = known_cutting(spec.rules)
        if (token := orphan(spec)) is None:
            return name  # looking up finds what merging makes
        does = "looks" if cutting.ignore_merges else "does not look"
        raise ExportError(
            f"token {token[:60]!r} is never made by merging, only by looking whole pre-tokens up, "
            f"and llama.cpp {does} them up with the cut {name!r}. Save as 'huggingface'."
        ) from None


# ---------------------------------------------------------------------- SentencePiece


def _pieces(spec: TokenizerSpec) -> Entries:
    form = text_form(spec)
    if not spec.vocabulary.byte_ids:
        raise ExportError(
            "llama.cpp falls back on bytes for characters without a token, and this tokenizer has "
            "no tokens for them. Save as 'sentencepiece' or 'huggingface'."
        )
    # Behind a user-defined piece llama.cpp puts a space again, where it puts one before a text.
    has_symbols = not form.rules.dummy_prefix
    pieces = piece_list(spec, form, has_unknown=False, has_symbols=has_symbols)
    entries: Entries = {
        "tokenizer_model": "llama",
        "tokenizer_pre": "default",
        "token_list": list(pieces.texts),
        "token_scores": list(pieces.scores),
        "token_types": [int(kind) for kind in pieces.kinds],
        "add_space_prefix": form.rules.dummy_prefix,
    }
    if form.rules.char_map or form.rules.remove_extra_spaces:
        raise ExportError(
            "llama.cpp knows neither character maps nor the removal of spaces in such a tokenizer. "
            "Save as 'sentencepiece'."
        )
    return entries


# ---------------------------------------------------------------------- both


def _around(spec: TokenizerSpec) -> Entries:
    """Whether a text begins and ends with a token, and with which."""
    single = spec.post_processor.single or (TemplatePiece("A"),)
    place = next((i for i, piece in enumerate(single) if piece.text == "A"), len(single))
    before, after = single[:place], single[place + 1 :]
    entries: Entries = {}
    for name, pieces in (("bos", before), ("eos", after)):
        ids = [number for piece in pieces for number in piece.ids]
        if len(ids) > 1 or any(piece.text for piece in pieces):
            raise ExportError(
                "in a GGUF file one token at most stands before a text and one behind it, and "
                "here there are more. Save as 'huggingface'."
            )
        entries[f"add_{name}_token"] = bool(ids)
        if ids:
            entries[f"{name}_token_id"] = ids[0]
    return entries


def _named_ids(spec: TokenizerSpec) -> Iterator[tuple[str, TokenId]]:
    """Ids of tokens with a part to play, but for those that stand around texts."""
    around = _around(spec)
    id_by_content = {token.content: token.id for token in spec.added_tokens}
    for name in _NAMED:
        content = spec.conventions.named_tokens.get(f"{name}_token")
        key = f"{name}_token_id"
        if content in id_by_content and key not in around:
            yield key, id_by_content[content]


def _check_no_overlap(added: tuple[AddedToken, ...]) -> None:
    """llama.cpp looks for the longest in the whole text first, bytepair from left to right."""
    contents = [token.content for token in added]
    beginnings = {text[:n]: text for text in contents for n in range(1, len(text))}
    for text in contents:
        for start in range(1, len(text)):
            other = beginnings.get(text[start:])
            if other is not None:
                raise ExportError(
                    f"the added token {text!r} ends as {other!r} begins: where both overlap in a "
                    "text llama.cpp may find the other one. Save as 'huggingface'."
                )


def _check_one_pass(added: tuple[AddedToken, ...]) -> None:
    """Bytepair looks for those of the second kind in what those of the first have left."""
    first = [token.content for token in added if not token.normalized]
    second = [token.content for token in added if token.normalized]
    texts = "\0".join(second)
    for content in first if second else ():
        if content in texts:
            raise ExportError(
                f"the added token {content!r} is part of another, which is only looked for where "
                "it is not found; llama.cpp looks for the longer one first. Save as 'huggingface'."
            )
