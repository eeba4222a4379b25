r"""The parts of a `tokenizer.json` around its model, each read and written in one place.

    normalizer      NFC, NFKC, Lowercase, Replace(\s+ by a space), a Sequence of these
    pre_tokenizer   Split(Isolated), ByteLevel, or first the one and then the other
    post_processor  ByteLevel, which moves offsets and no id
    decoder         ByteLevel, or ByteFallback and Fuse

A part that is not listed is refused by its name: a tokenizer with a step missing would give other
ids without a word.
"""

from typing import NamedTuple

from bytepair.errors import ExportError, PatternError
from bytepair.formats._json import Object, Section
from bytepair.patterns import NAMED, automaton, portable, regex_of

_COLLAPSE = "collapse-whitespace"
_NORMALIZER_BY_TYPE = {"NFC": "nfc", "NFKC": "nfkc", "Lowercase": "lowercase"}
_TYPE_BY_NORMALIZER = {name: kind for kind, name in _NORMALIZER_BY_TYPE.items()}
_WHITE_SPACE: Object = {"Regex": r"\s+"}
_META_CHARACTERS = set(r"\.^$|?*+()[]{}")


class Splitting(NamedTuple):
    """What a pre-tokenizer says: where text is cut, and whether symbols are bytes."""

    pattern: str | None
    is_byte_level: bool


def read_normalizer(root: Section) -> tuple[str, ...]:
    """Names of the normalisers, in the order they run."""
    section = root.optional_section("normalizer")
    if section is None:
        return ()
    known = (*_NORMALIZER_BY_TYPE, "Replace")
    if section.known_type((*known, "Sequence")) != "Sequence":
        return (_normalizer(section, known),)
    return tuple(_normalizer(step, known) for step in section.sections("normalizers"))


def _normalizer(section: Section, known: tuple[str, ...]) -> str:
    kind = section.known_type(known)
    if kind != "Replace":
        return _NORMALIZER_BY_TYPE[kind]
    pattern, content = section.any("pattern"), section.any("content")
    if pattern != _WHITE_SPACE or content != " ":
        raise section.error(
            f"{section.where} replaces {pattern} by {content!r}, which is not supported "
            rf"(known: {_WHITE_SPACE} by ' ')"
        )
    return _COLLAPSE


def normalizer_json(names: tuple[str, ...]) -> Object | None:
    """The component for these normalisers.

    Raises:
        ExportError: a name that is not known here.
    """
    steps = [_normalizer_step(name) for name in names]
    if len(steps) > 1:
        return {"type": "Sequence", "normalizers": steps}
    return steps[0] if steps else None


def _normalizer_step(name: str) -> Object:
    if name == _COLLAPSE:
        return {"type": "Replace", "pattern": _WHITE_SPACE, "content": " "}
    if name not in _TYPE_BY_NORMALIZER:
        raise ExportError(
            f"the normaliser {name!r} has no counterpart in a tokenizer.json "
            f"(known: {', '.join((*_TYPE_BY_NORMALIZER, _COLLAPSE))})"
        )
    return {"type": _TYPE_BY_NORMALIZER[name]}


def read_pre_tokenizer(root: Section) -> Splitting:
    """How text is cut, from a single component or a Sequence."""
    section = root.optional_section("pre_tokenizer")
    if section is None:
        return Splitting(None, is_byte_level=False)
    steps = [section]
    if section.known_type(("Split", "ByteLevel", "Sequence")) == "Sequence":
        steps = section.sections("pretokenizers")
    kinds = [step.known_type(("Split", "ByteLevel")) for step in steps]
    if "ByteLevel" in kinds[:-1]:
        raise section.error(f"{section.where}: steps after ByteLevel are not supported")
    patterns = [pattern for step in steps if (pattern := _pattern_of(step)) is not None]
    if len(patterns) > 1:
        raise section.error(
            f"{section.where} cuts {len(patterns)} times, one cut inside the other "
            f"({', '.join(kinds)}); only one pattern is supported"
        )
    return Splitting(patterns[0] if patterns else None, "ByteLevel" in kinds)


def _pattern_of(step: Section) -> str | None:
    if step.get("type", str) == "Split":
        return _split_pattern(step)
    step.ignore("trim_offsets")
    if step.get("add_prefix_space", bool):
        raise step.error(
            f"{step.path('add_prefix_space')} is true: putting a space before the text is not "
            "supported"
        )
    return NAMED["gpt2"] if step.get("use_regex", bool, True) else None


def _split_pattern(step: Section) -> str:
    behavior = step.get("behavior", str)
    if behavior != "Isolated":
        raise step.error(
            f"{step.path('behavior')} {behavior[:60]!r} is not supported (known: Isolated, which "
            "keeps the text between matches)"
        )
    step.ignore("invert")  # swaps matches and gaps; Isolated keeps both all the same
    source = step.section("pattern")
    if "String" in source.members:
        return _literal(source, source.get("String", str))
    pattern = source.get("Regex", str)
    _require_same_reading(source, pattern)
    return pattern


def _literal(source: Section, text: str) -> str:
    if not text:
        raise source.error(f"{source.path('String')} is empty, so it cannot cut anything")
    return "".join(f"\\{char}" if char in _META_CHARACTERS else char for char in text)


def _require_same_reading(source: Section, pattern: str) -> None:
    # Hugging Face runs patterns on Oniguruma, where for instance ^ matches inside the text and \w
    # holds other characters than anywhere else. What reads alike everywhere is left as it is.
    try:
        regex_of(pattern)
        rewritten = portable(pattern)
        automaton(pattern)  # cannot match the empty text
    except PatternError as error:
        raise source.error(f"{source.path('Regex')}: {error}") from error
    if rewritten != pattern:
        raise source.error(
            f"{source.path('Regex')} {pattern!r} uses \\w or \\W, by which Hugging Face means "
            r"other characters than bytepair; write it out, as in '[\p{L}\p{M}\p{Nd}_]'"
        )


def pre_tokenizer_json(splitting: Splitting) -> Object | None:
    """The component that cuts by a pattern, maps bytes to their stand-ins, or both.

    Raises:
        ExportError: Hugging Face would read the pattern differently.
    """
    steps: list[Object] = []
    if splitting.pattern is not None:
        pattern: Object = {"Regex": portable_or_refuse(splitting.pattern)}
        steps.append({"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False})
    if splitting.is_byte_level:
        steps.append(_byte_level(add_prefix_space=False, use_regex=False))
    if len(steps) > 1:
        return {"type": "Sequence", "pretokenizers": steps}
    return steps[0] if steps else None


def portable_or_refuse(pattern: str) -> str:
    """`pattern` in the spelling that other engines read alike.

    Raises:
        ExportError: there is none; the message says why.
    """
    try:
        return portable(pattern)
    except PatternError as error:
        raise ExportError(f"this tokenizer cannot be saved for other libraries: {error}") from error


def check_post_processor(root: Section) -> None:
    """Accept what moves offsets only; refuse by name what adds tokens."""
    section = root.optional_section("post_processor")
    if section is None:
        return
    steps = [section]
    if section.known_type(("ByteLevel", "Sequence")) == "Sequence":
        steps = section.sections("processors")
    for step in steps:
        step.known_type(("ByteLevel",))
        step.ignore("add_prefix_space", "trim_offsets", "use_regex")


def check_decoder(root: Section, *, is_byte_level: bool) -> None:
    """Accept the decoder that belongs to the kind of tokens; a byte-level one may be missing."""
    section = root.optional_section("decoder")
    known = ("ByteLevel",) if is_byte_level else ("ByteFallback", "Fuse")
    if section is None:
        if not is_byte_level:
            raise root.error("decoder is missing: byte fallback needs a ByteFallback decoder")
        return
    steps = [section]
    if section.known_type((*known, "Sequence")) == "Sequence":
        steps = section.sections("decoders")
    kinds = [step.known_type(known) for step in steps]
    if known[0] not in kinds[:1]:
        raise section.error(f"{section.where} must begin with {known[0]}")
    for step in steps:
        step.ignore("add_prefix_space", "trim_offsets", "use_regex")


def decoder_json(*, is_byte_level: bool) -> Object:
    """The decoder that undoes the byte alphabet, or joins fallback bytes."""
    if is_byte_level:
        return _byte_level(add_prefix_space=True, use_regex=True)  # as Hugging Face writes it
    return {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]}


def _byte_level(*, add_prefix_space: bool, use_regex: bool) -> Object:
    return {
        "type": "ByteLevel",
        "add_prefix_space": add_prefix_space,
        "trim_offsets": True,
        "use_regex": use_regex,
    }
