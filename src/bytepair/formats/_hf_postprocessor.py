"""The "post_processor" of a `tokenizer.json`: what surrounds a text, and how offsets read."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from bytepair.errors import BytepairWarning, ExportError
from bytepair.formats._hf_pretokenizer import byte_level_json, leaves
from bytepair.formats._json import Object, Section
from bytepair.formats._vocab import check_id
from bytepair.model import PostProcessor, TemplatePiece, TokenId

_KNOWN = ("TemplateProcessing", "BertProcessing", "RobertaProcessing", "ByteLevel")
_Template = tuple[TemplatePiece, ...]

_MOST_PIECES = 1_000  # of a template
IdOf = Callable[[str], TokenId | None]
"""What a token is called -> its id."""


def read_post_processor(root: Section, id_of: IdOf) -> PostProcessor:
    """What is put around texts.

    Tokens are found by what they are called: an id that does not belong to the name (a file that
    was edited by hand) is replaced, with a warning.

    Raises:
        FormatError: a component that is not known, two that put tokens around a text or trim
            offsets, or a token that is in no vocabulary.
    """
    section = root.optional_section("post_processor")
    single: list[_Template] = []
    pair: list[_Template] = []
    prefix_by_trim: list[bool] = []
    for leaf in leaves(section, "processors", _KNOWN):
        kind = leaf.get("type", str)
        if kind != "ByteLevel":
            templates = _templates(leaf, kind, id_of)
            single.append(templates[0])
            pair.append(templates[1])
        if kind in {"ByteLevel", "RobertaProcessing"}:
            leaf.ignore("use_regex", "add_prefix_space")
            if leaf.get("trim_offsets", bool, True):
                prefix_by_trim.append(leaf.get("add_prefix_space", bool, True))
    if section is not None and (len(single) > 1 or len(prefix_by_trim) > 1):
        twice = "puts tokens around a text" if len(single) > 1 else "trims offsets"
        raise section.error(f"{section.where} {twice} twice, which is not supported")
    return PostProcessor(
        single[0] if single else (),
        pair[0] if pair else (),
        trim_offsets=bool(prefix_by_trim),
        prefix_space=prefix_by_trim == [True],
    )


def _templates(leaf: Section, kind: str, id_of: IdOf) -> tuple[_Template, _Template]:
    if kind == "TemplateProcessing":
        ids = _special_ids(leaf, id_of)
        return _template(leaf, "single", ids), _template(leaf, "pair", ids)
    sep, cls = (TemplatePiece(ids=(_named_id(leaf, k, id_of),)) for k in ("sep", "cls"))
    one = TemplatePiece("A")
    if kind == "RobertaProcessing":
        return (cls, one, sep), (cls, one, sep, sep, TemplatePiece("B"), sep)
    other = TemplatePiece("B", type_id=1), TemplatePiece(ids=sep.ids, type_id=1)
    return (cls, one, sep), (cls, one, sep, *other)


def _named_id(leaf: Section, key: str, id_of: IdOf) -> TokenId:
    """The id of a member like ["</s>", 2]."""
    value: list[object] = leaf.get(key, list)
    if len(value) != 2:
        raise leaf.error(f"{leaf.path(key)} must be a token and its id, got {len(value)} values")
    content = leaf.typed(f"{leaf.path(key)}[0]", value[0], str)
    given = check_id(leaf, f"{leaf.path(key)}[1]", value[1])
    return _resolved(leaf, leaf.path(key), content, given, id_of)


def _resolved(leaf: Section, path: str, content: str, given: TokenId, id_of: IdOf) -> TokenId:
    known = id_of(content)
    if known is None:
        raise leaf.error(f"{path} names the token {content[:60]!r}, which is in no vocabulary")
    if known != given:
        warnings.warn(
            f"{leaf.source}: {path} says that {content!r} is {given}, but its id is {known}, "
            "which is taken instead",
            BytepairWarning,
            stacklevel=2,
        )
    return known


def _special_ids(leaf: Section, id_of: IdOf) -> dict[str, tuple[TokenId, ...]]:
    """The ids that each name in a template stands for."""
    members = leaf.section("special_tokens")
    ids: dict[str, tuple[TokenId, ...]] = {}
    for name in members.members:
        token = members.section(name)
        token.ignore("id")
        numbers: list[object] = token.get("ids", list)
        contents: list[object] = token.get("tokens", list)
        if len(numbers) != len(contents):
            raise token.error(f"{token.where}: there are {len(numbers)} ids for {len(contents)} "
                              "tokens")  # fmt: skip
        ids[name] = tuple(
            _resolved(
                token,
                f"{token.path('ids')}[{i}]",
                token.typed(f"{token.path('tokens')}[{i}]", content, str),
                check_id(token, f"{token.path('ids')}[{i}]", number),
                id_of,
            )
            for i, (number, content) in enumerate(zip(numbers, contents, strict=True))
        )
    return ids


def _template(
    leaf: Section, key: Literal["single", "pair"], ids: Mapping[str, tuple[TokenId, ...]]
) -> _Template:
    n_pieces = len(leaf.get(key, list))
    if n_pieces > _MOST_PIECES:
        raise leaf.error(f"{leaf.path(key)} has {n_pieces:,} pieces, more than {_MOST_PIECES:,}")
    pieces = [_piece(piece, key, ids) for piece in leaf.sections(key)]
    if not pieces:
        raise leaf.error(f"{leaf.path(key)} is empty: nothing would be left of a text")
    return tuple(piece for piece in pieces if piece.text or piece.ids)


def _piece(
    section: Section, key: Literal["single", "pair"], ids: Mapping[str, tuple[TokenId, ...]]
) -> TemplatePiece:
    if len(section.members) != 1 or not section.members.keys() <= {"Sequence", "SpecialToken"}:
        raise section.error(f"{section.where} must hold either 'Sequence' or 'SpecialToken'")
    if "Sequence" in section.members:
        return _text_piece(section.section("Sequence"), key)
    token = section.section("SpecialToken")
    name = token.get("id", str)
    if name not in ids:
        raise token.error(f"{token.path('id')} {name[:60]!r} is not among the special_tokens")
    return TemplatePiece(ids=ids[name], type_id=_type_id(token))


def _text_piece(section: Section, key: Literal["single", "pair"]) -> TemplatePiece:
    match section.get("id", str):
        case "A":
            return TemplatePiece("A", type_id=_type_id(section))
        case "B" if key == "pair":
            return TemplatePiece("B", type_id=_type_id(section))
        case other:
            known = "A" if key == "single" else "A, B"
            raise section.error(f"{section.path('id')} {other[:60]!r} is no text (known: {known})")


def _type_id(section: Section) -> int:
    return check_id(section, section.path("type_id"), section.any("type_id"))


def post_processor_json(post: PostProcessor, contents: Mapping[TokenId, str]) -> Object | None:
    """The component for a post-processor; `contents` says what tokens are called.

    Raises:
        ExportError: a template names an id that is no token.
    """
    components: list[Object] = []
    if post.trim_offsets:
        components.append(byte_level_json(add_prefix_space=post.prefix_space, use_regex=True))
    if post.single or post.pair:
        components.append(_template_json(post, contents))
    if len(components) > 1:
        return {"type": "Sequence", "processors": components}
    return components[0] if components else None


def _template_json(post: PostProcessor, contents: Mapping[TokenId, str]) -> Object:
    single = post.single or (TemplatePiece("A"),)
    pair = post.pair or (TemplatePiece("A"), TemplatePiece("B", type_id=1))
    tokens = {piece.ids: _tokens(piece.ids, contents) for piece in (*single, *pair) if piece.ids}
    name_by_ids = {ids: " ".join(called) for ids, called in tokens.items()}
    if len(set(name_by_ids.values())) < len(name_by_ids):
        raise ExportError("two parts of the post-processor's template would have one name")
    special = {
        name_by_ids[ids]: {"id": name_by_ids[ids], "ids": list(ids), "tokens": called}
        for ids, called in tokens.items()
    }
    return {
        "type": "TemplateProcessing",
        "single": [_piece_json(piece, name_by_ids) for piece in single],
        "pair": [_piece_json(piece, name_by_ids) for piece in pair],
        "special_tokens": dict(sorted(special.items())),
    }


def _tokens(ids: Sequence[TokenId], contents: Mapping[TokenId, str]) -> list[str]:
    unknown = [number for number in ids if number not in contents]
    if unknown:
        raise ExportError(f"the post-processor names id {unknown[0]}, which is no token")
    return [contents[number] for number in ids]


def _piece_json(
    piece: TemplatePiece, name_by_ids: Mapping[tuple[TokenId, ...], str]
) -> dict[str, object]:
    if piece.text is not None:
        return {"Sequence": {"id": piece.text, "type_id": piece.type_id}}
    return {"SpecialToken": {"id": name_by_ids[piece.ids], "type_id": piece.type_id}}
