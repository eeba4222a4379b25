"""The "normalizer" of a `tokenizer.json`: what is done to text before it is cut."""

import binascii
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from bytepair.errors import ExportError, FormatError
from bytepair.formats._hf_patterns import portable_or_refuse, read_source
from bytepair.formats._hf_pretokenizer import leaves
from bytepair.formats._json import Object, Section
from bytepair.model import CharMap, NormalizerStep, Precompiled, Prepend, Replace, Strip
from bytepair.normalizers import cluster_rules

_NAME_BY_TYPE = {
    "NFC": "nfc",
    "NFD": "nfd",
    "NFKC": "nfkc",
    "NFKD": "nfkd",
    "Lowercase": "lowercase",
    "StripAccents": "strip-accents",
    "Nmt": "nmt",
}
_COLLAPSE = Replace(r"\s+", " ", is_regex=True)
# The parts of BertNormalizer, one for each of its flags.
_BERT: Mapping[str, tuple[NormalizerStep, ...]] = {
    "clean_text": ("bert-clean-text",),
    "handle_chinese_chars": ("bert-chinese-chars",),
    "strip_accents": ("nfd", "bert-strip-accents"),
    "lowercase": ("lowercase",),
}


class Normalizing(NamedTuple):
    """What a normalizer says.

    Attributes:
        steps: the normalisers, in the order they run.
        spells_bytes: the last of them spells bytes, as the pre-tokenizer ByteLevel does.
    """

    steps: tuple[NormalizerStep, ...] = ()
    spells_bytes: bool = False


def read_normalizer(root: Section) -> Normalizing:
    """The normalisers of a file.

    Raises:
        FormatError: a component that is not known, or one behind ByteLevel.
    """
    section = root.optional_section("normalizer")
    steps: list[NormalizerStep] = []
    spells_bytes = False
    for leaf in leaves(section, "normalizers", (*_NAME_BY_TYPE, *_READERS, "ByteLevel")):
        kind = leaf.get("type", str)
        if spells_bytes:
            raise leaf.error(f"{leaf.where}: {kind} behind ByteLevel is not supported")
        if kind in _NAME_BY_TYPE:
            steps.append(_NAME_BY_TYPE[kind])
        elif kind == "ByteLevel":
            spells_bytes = True
        else:
            steps += _READERS[kind](leaf)
    return Normalizing(tuple(steps), spells_bytes)


def _replace(leaf: Section) -> list[NormalizerStep]:
    source = read_source(leaf)
    step = Replace(source.text, leaf.get("content", str), source.is_regex)
    return ["collapse-whitespace" if step == _COLLAPSE else step]


def _prepend(leaf: Section) -> list[NormalizerStep]:
    return [Prepend(text)] if (text := leaf.get("prepend", str)) else []


def _strip(leaf: Section) -> list[NormalizerStep]:
    return [Strip(leaf.get("strip_left", bool), leaf.get("strip_right", bool))]


def _precompiled(leaf: Section) -> list[NormalizerStep]:
    encoded = leaf.get("precompiled_charsmap", str)
    where = leaf.path("precompiled_charsmap")
    try:
        step = Precompiled(binascii.a2b_base64(encoded.encode(), strict_mode=True))
        cluster_rules(step.charsmap)
    except (binascii.Error, UnicodeEncodeError) as error:
        raise leaf.error(f"{where} is not base64 ({error})") from error
    except FormatError as error:
        raise leaf.error(f"{where}: {error}") from error
    return [step]


def _bert(leaf: Section) -> list[NormalizerStep]:
    lowercase = leaf.get("lowercase", bool)
    strips = leaf.optional("strip_accents", bool)
    flags = {
        "clean_text": leaf.get("clean_text", bool),
        "handle_chinese_chars": leaf.get("handle_chinese_chars", bool),
        "strip_accents": lowercase if strips is None else strips,
        "lowercase": lowercase,
    }
    return [step for flag, is_set in flags.items() if is_set for step in _BERT[flag]]


_READERS: Mapping[str, Callable[[Section], list[NormalizerStep]]] = {
    "Replace": _replace,
    "Prepend": _prepend,
    "Strip": _strip,
    "Precompiled": _precompiled,
    "BertNormalizer": _bert,
}


def normalizer_json(steps: Sequence[NormalizerStep]) -> Object | None:
    """The component for these normalisers.

    Raises:
        ExportError: one that is not known here, or a regex that is read differently there.
    """
    components = list(_components(steps))
    if len(components) > 1:
        return {"type": "Sequence", "normalizers": components}
    return components[0] if components else None


def _components(steps: Sequence[NormalizerStep]) -> Iterator[Object]:
    flag_by_steps = {parts: flag for flag, parts in _BERT.items() if flag != "lowercase"}
    place = 0
    while place < len(steps):
        size = 2 if tuple(steps[place : place + 2]) in flag_by_steps else 1
        flag = flag_by_steps.get(tuple(steps[place : place + size]))
        if flag is None:
            yield _component(steps[place])
        else:
            yield {"type": "BertNormalizer", **{name: name == flag for name in _BERT}}
        place += size


def _component(step: NormalizerStep) -> Object:
    match step:
        case str():
            return _named(step)
        case Prepend(text):
            return {"type": "Prepend", "prepend": text}
        case Strip(left, right):
            return {"type": "Strip", "strip_left": left, "strip_right": right}
        case Replace(pattern, content, is_regex):
            source = {"Regex": portable_or_refuse(pattern)} if is_regex else {"String": pattern}
            return {"type": "Replace", "pattern": source, "content": content}
        case Precompiled(charsmap):
            encoded = binascii.b2a_base64(charsmap, newline=False).decode()
            return {"type": "Precompiled", "precompiled_charsmap": encoded}
        case CharMap():
            raise ExportError(
                "a tokenizer.json cannot express SentencePiece's character map: its Precompiled "
                "replaces whole clusters of characters by what their beginning maps to"
            )


def _named(name: str) -> Object:
    if name == "collapse-whitespace":
        return _component(_COLLAPSE)
    types = {known: kind for kind, known in _NAME_BY_TYPE.items()}
    if name not in types:
        known = ", ".join((*types, "collapse-whitespace"))
        raise ExportError(
            f"the normaliser {name!r} has no counterpart in a tokenizer.json (known: {known})"
        )
    return {"type": types[name]}
