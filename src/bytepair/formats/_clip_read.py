"""Read CLIP's vocabulary: byte-level BPE whose tokens say by "</w>" that a word ends with them.

Sources: `tokenizer.py` of open_clip for the ids, Hugging Face's files of CLIP for the normalisers
(open_clip moreover repairs texts with ftfy and unescapes HTML before).
"""

import gzip
import zlib
from collections.abc import Collection, Mapping
from itertools import islice
from pathlib import Path

from bytepair.errors import FormatError
from bytepair.formats._byte_level import merge_list, ordinary_vocabulary
from bytepair.formats._json import read_bytes
from bytepair.model import (
    BYTE_TO_CHAR,
    AddedToken,
    MergeTable,
    PostProcessor,
    Split,
    SplitRules,
    TemplatePiece,
    TokenId,
    TokenizerSpec,
    WordEnds,
)
from bytepair.patterns import NAMED

_END_OF_WORD = "</w>"
_HEADER = b'"bpe_simple_vocab_16e6.txt#version:'
_N_MERGES = 49152 - 256 - 2  # the file goes on, but CLIP does not
_SPECIALS = ("<start_of_text>", "<end_of_text>")
_GZIP = b"\x1f\x8b"


def is_clip_merges(head: bytes) -> bool:
    """True if a file is CLIP's list of merges, by its beginning (unpacked)."""
    return head.startswith(_HEADER)


def unpacked_head(head: bytes) -> bytes:
    """What the first bytes of a file begin with once it is unpacked, if gzip packed it."""
    if not head.startswith(_GZIP):
        return head
    try:
        return zlib.decompressobj(wbits=31).decompress(head, len(_HEADER))
    except zlib.error:
        return head


def read_clip(path: Path) -> TokenizerSpec:
    """The tokenizer that CLIP makes of its list of merges, packed or not.

    Ids: the 256 bytes in the order of their stand-ins, the same at the end of a word, the merges,
    `<start_of_text>`, `<end_of_text>`.

    Raises:
        FormatError: the file is damaged.
    """
    merges = _merges(_text(path))
    chars = sorted(BYTE_TO_CHAR)
    spellings = chars + [char + _END_OF_WORD for char in chars]
    spellings += [line.replace(" ", "") for line in merges.values()]
    ids = {spelling: number for number, spelling in enumerate(spellings)}
    if len(ids) < len(spellings):
        raise FormatError(f"{path}: two merges give the same token")
    added = tuple(AddedToken(content, len(ids) + n) for n, content in enumerate(_SPECIALS))
    table = merge_list(merges, lambda number: f"{path}:{number}", ids)
    return clip_spec(str(path), ids, table, added, "clip")


def _text(path: Path) -> str:
    data = read_bytes(path)
    try:
        return (gzip.decompress(data) if data.startswith(_GZIP) else data).decode("utf-8")
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(f"{path}: a damaged gzip file: {error}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 text: {error}") from error


def is_clip(ids: Collection[str]) -> bool:
    """True if a vocabulary has each byte also as the end of a word."""
    return all(char + _END_OF_WORD in ids for char in BYTE_TO_CHAR)


def clip_spec(
    source: str,
    ids: Mapping[str, TokenId],
    merges: MergeTable,
    added: tuple[AddedToken, ...],
    name: str,
) -> TokenizerSpec:
    """The tokenizer in CLIP's manner with these tokens.

    Raises:
        FormatError: a token that stands for no bytes, or a byte without a token.
    """
    return TokenizerSpec(
        ordinary_vocabulary(source, ids, merges, added, _END_OF_WORD),
        merges,
        SplitRules(
            normalizer=("nfc", "collapse-whitespace", "lowercase"),
            special_tokens=tuple(token.content for token in added if token.special),
            steps=(Split(NAMED["clip"], "removed", invert=True),),
        ),
        added,
        end_of_word=_END_OF_WORD,
        post_processor=_post_processor(added),
        decoder=(WordEnds(),),
        name=name,
    )


def _post_processor(added: tuple[AddedToken, ...]) -> PostProcessor:
    """Begin and end around a text, where there are two special tokens that can be these."""
    specials = [token.id for token in added if token.special]
    if len(specials) != len(_SPECIALS):
        return PostProcessor()
    begin, end = (TemplatePiece(ids=(number,)) for number in specials)
    return PostProcessor(single=(begin, TemplatePiece("A"), end))


def _merges(text: str) -> dict[int, str]:
    lines = enumerate(text.split("\n"), 1)
    return {number: line.removesuffix("\r") for number, line in islice(lines, 1, 1 + _N_MERGES)}
