"""Read `vocab.json` and `merges.txt`, the two files of GPT-2, with what may stand beside them."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from bytepair.errors import ArgumentError, FormatError
from bytepair.formats._byte_level import (
    merge_list,
    ordinary_vocabulary,
    spelt_ids,
)
from bytepair.formats._clip_read import clip_spec, is_clip
from bytepair.formats._json import Section, read_object, read_text
from bytepair.formats._names import tokenizer_name
from bytepair.formats._vocab import check_id
from bytepair.model import AddedToken, SplitRules, TokenId, TokenizerSpec
from bytepair.patterns import NAMED, check_cuts, resolve

_NAMES = (("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe"))
_END = "<|endoftext|>"
_CLASSES = ("GPT2Tokenizer", "GPT2TokenizerFast")
_HEADER = "#version:"


def gpt2_files(path: Path) -> tuple[Path, Path] | None:
    """The two files that a folder holds, or of which `path` is one; None if there is none.

    >>> gpt2_files(Path("mine-merges.txt"))
    (PosixPath('mine-vocab.json'), PosixPath('mine-merges.txt'))
    """
    if path.is_dir():
        pairs = [(path / vocab, path / merges) for vocab, merges in _NAMES]
        return next((pair for pair in pairs if all(file.is_file() for file in pair)), None)
    for pair in _NAMES:
        for ending in pair:
            if path.name.endswith(ending):
                before = path.name.removesuffix(ending)
                vocab, merges = (path.with_name(before + name) for name in pair)
                return vocab, merges
    return None


def read_gpt2(
    vocab: Path,
    merges: Path,
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, TokenId] | None = None,
) -> TokenizerSpec:
    """The tokenizer in the two files.

    They do not say how text is cut: by GPT-2's pattern, unless `pattern` or a
    `tokenizer_config.json` beside them says otherwise. Added tokens are those of that file, of
    `added_tokens.json` and `special_tokens_map.json`; by default `<|endoftext|>` alone.

    Args:
        special_tokens: content -> id; replaces what stands beside the files.

    Raises:
        FormatError: a file is damaged or contradicts itself, or its pattern is not GPT-2's.
        PatternError: the pattern is not a known name, or not a usable regex.
    """
    root = read_object(vocab)
    ids = spelt_ids(root.source, root.members)
    table = merge_list(_merges(merges), lambda number: f"{merges}:{number}", ids)
    found = (
        _added_beside(vocab.parent, ids) if special_tokens is None else _added_given(special_tokens)
    )
    added = tuple(sorted(found, key=lambda token: token.id))
    name = tokenizer_name(vocab)
    if pattern is None and is_clip(ids):
        return clip_spec(root.source, ids, table, added, name)
    regex = NAMED["gpt2"] if pattern is None else resolve(pattern)
    if pattern is None:
        _check_class(vocab.parent)
    elif regex is not None:
        check_cuts(regex)
    return TokenizerSpec(
        ordinary_vocabulary(root.source, ids, table, added),
        table,
        SplitRules(regex, special_tokens=tuple(t.content for t in added if t.special)),
        added,
        name=name,
    )


def _merges(path: Path) -> dict[int, str]:
    # Lines end with "\n" alone and parts with " " alone: tokens may hold other white space.
    lines = (line.removesuffix("\r") for line in read_text(path).split("\n"))
    return {
        number: line
        for number, line in enumerate(lines, 1)
        if line and not (number == 1 and line.startswith(_HEADER))
    }


# ---------------------------------------------------------------------- what stands beside


def _check_class(folder: Path) -> None:
    config = _beside(folder, "tokenizer_config.json")
    kind = config.optional("tokenizer_class", str) if config else None
    if config and kind is not None and kind not in _CLASSES:
        raise config.error(
            f"tokenizer_class {kind!r} may cut text in another way than GPT-2. "
            f"Pass pattern= (a regex, or one of: {', '.join(NAMED)})."
        )


def _beside(folder: Path, name: str) -> Section | None:
    return read_object(folder / name) if (folder / name).is_file() else None


def _added_given(special_tokens: Mapping[str, TokenId]) -> list[AddedToken]:
    for content, number in special_tokens.items():
        if type(number) is not int or number < 0:
            raise ArgumentError(f"special_tokens: {number!r}, for {content!r}, is no id")
    return [AddedToken(content, number) for content, number in special_tokens.items()]


def _added_beside(folder: Path, ids: Mapping[str, TokenId]) -> list[AddedToken]:
    config = _beside(folder, "tokenizer_config.json")
    if config and config.any("added_tokens_decoder") is not None:
        return list(_decoder_tokens(config.section("added_tokens_decoder")))
    id_by_content: dict[str, TokenId] = {}
    if (added := _beside(folder, "added_tokens.json")) is not None:
        id_by_content = {c: check_id(added, repr(c[:60]), n) for c, n in added.members.items()}
    specials = dict.fromkeys(_special_contents(folder, ids))
    for content in specials:
        if content not in id_by_content and content not in ids:
            raise FormatError(f"{folder / 'special_tokens_map.json'}: {content!r} has no id")
        id_by_content.setdefault(content, ids.get(content, -1))
    return [AddedToken(c, n, special=c in specials) for c, n in id_by_content.items()]


def _special_contents(folder: Path, ids: Mapping[str, TokenId]) -> Iterator[str]:
    known = _beside(folder, "special_tokens_map.json")
    if known is None:
        yield from (content for content in (_END,) if content in ids)
        return
    for key in known.members:
        value = known.any(key)
        for place, item in enumerate(value if isinstance(value, list) else [value]):
            match item:
                case str(content) | {"content": str(content)}:
                    yield content
                case _:
                    raise known.error(f"{key}[{place}] is no token")


def _decoder_tokens(section: Section) -> Iterator[AddedToken]:
    for number in section.members:
        if not (number.isdigit() and number.isascii()):
            raise section.error(f"{section.path(number[:60])}: no id")
        token = section.section(number)
        yield AddedToken(
            token.get("content", str),
            check_id(section, section.path(number), int(number)),
            special=token.get("special", bool, False),
            lstrip=token.get("lstrip", bool, False),
            rstrip=token.get("rstrip", bool, False),
            single_word=token.get("single_word", bool, False),
            normalized=token.get("normalized", bool, False),
        )
