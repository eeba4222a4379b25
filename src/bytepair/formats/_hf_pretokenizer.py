"""The "pre_tokenizer" of a `tokenizer.json`: how text is cut, and whether bytes are spelt."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from bytepair.errors import ExportError
from bytepair.formats._hf_patterns import (
    DIGIT,
    NAME_BY_BEHAVIOR,
    OWN_COMPONENTS,
    PUNCTUATION,
    WHITE_SPACE,
    WORD_OR_SIGNS,
    as_regex,
    literal,
    portable_or_refuse,
    read_behavior,
    read_source,
)
from bytepair.formats._hf_scripts import SCRIPT_RUNS
from bytepair.formats._json import Object, Section
from bytepair.model import Metaspace, PrefixSpace, PreTokenizerStep, Split
from bytepair.patterns import NAMED, split_steps

PrependScheme = Literal["always", "first", "never"]

_SCHEMES: dict[str, PrependScheme] = {"always": "always", "first": "first", "never": "never"}
_LONGEST = 65_535  # characters: what a repeat in a regex can count to
_MOST_COMPONENTS = 64  # of one kind in a file; published ones have up to a dozen
_GPT2 = Split(NAMED["gpt2"])


class Splitting(NamedTuple):
    """What a pre-tokenizer says.

    Attributes:
        pattern: how text is cut, where one pattern says it all.
        steps: what is done instead of cutting by one pattern.
        is_byte_level: symbols are bytes.
    """

    pattern: str | None = None
    steps: tuple[PreTokenizerStep, ...] = ()
    is_byte_level: bool = False


def read_pre_tokenizer(root: Section, *, is_spelled: bool = False) -> Splitting:
    """How text is cut.

    `is_spelled`: a normaliser has already spelt the bytes.

    Raises:
        FormatError: a component that is not known, or one that cannot follow ByteLevel.
    """
    section = root.optional_section("pre_tokenizer")
    steps: list[PreTokenizerStep] = []
    for leaf in leaves(section, "pretokenizers", tuple(_READERS)):
        kind = leaf.get("type", str)
        if is_spelled and kind in {"ByteLevel", "Metaspace"}:
            raise leaf.error(f"{leaf.where}: {kind} behind ByteLevel is not supported")
        steps += (_by_bytes(step) if is_spelled else step for step in _READERS[kind](leaf))
        is_spelled = is_spelled or kind == "ByteLevel"
    match steps:
        case []:
            return Splitting(None, (), is_spelled)
        case [Split(pattern, "isolated", by_bytes=False)]:
            return Splitting(pattern, (), is_spelled)
    return Splitting(None, tuple(steps), is_spelled)


def leaves(section: Section | None, key: str, known: Sequence[str]) -> Iterator[Section]:
    """The components in `section`, in order; a Sequence (of Sequences) gives those inside it.

    Raises:
        FormatError: a kind that is not in `known`, or too many components.
    """
    waiting = [] if section is None else [section]
    n_left = _MOST_COMPONENTS
    while waiting:
        leaf = waiting.pop()
        if leaf.known_type((*known, "Sequence")) == "Sequence":
            waiting += reversed(leaf.sections(key))
            continue
        n_left -= 1
        if n_left < 0:
            raise leaf.error(f"more than {_MOST_COMPONENTS} {key} are not supported")
        yield leaf


def _by_bytes(step: PreTokenizerStep) -> PreTokenizerStep:
    return replace(step, by_bytes=True) if isinstance(step, Split) else step


def _byte_level(leaf: Section) -> list[PreTokenizerStep]:
    leaf.ignore("trim_offsets")  # has an effect in a post-processor only
    steps: list[PreTokenizerStep] = []
    if leaf.get("add_prefix_space", bool):
        steps.append(PrefixSpace())
    if leaf.get("use_regex", bool, True):
        steps.append(_GPT2)
    return steps


def _split(leaf: Section) -> list[PreTokenizerStep]:
    pattern, behavior = as_regex(read_source(leaf)), read_behavior(leaf)
    # Where matches and gaps fare alike, it does not matter which is which.
    invert = leaf.get("invert", bool, False) and behavior not in {"isolated", "contiguous"}
    return list(split_steps(Split(pattern, behavior, invert)))


def _metaspace(leaf: Section) -> list[PreTokenizerStep]:
    scheme = read_prepend_scheme(leaf)
    return [Metaspace(read_replacement(leaf), scheme, leaf.get("split", bool, True))]


def read_replacement(leaf: Section) -> str:
    """What Metaspace writes for a space; a single character."""
    leaf.ignore("str_rep")  # files of old versions: the same once more
    return read_char(leaf, "replacement")


def read_char(leaf: Section, key: str) -> str:
    """A member that is a single character."""
    char = leaf.get(key, str)
    if len(char) != 1:
        raise leaf.error(f"{leaf.path(key)} must be one character, got {char[:60]!r}")
    return char


def read_prepend_scheme(leaf: Section) -> PrependScheme:
    """Where Metaspace puts a replacement in front; files of old versions say it by a flag."""
    flag = leaf.optional("add_prefix_space", bool)
    scheme = leaf.get("prepend_scheme", str, "never" if flag is False else "always")
    if scheme not in _SCHEMES:
        raise leaf.error(
            f"{leaf.path('prepend_scheme')} {scheme[:60]!r} is not supported "
            f"(known: {', '.join(_SCHEMES)})"
        )
    if flag is False and scheme != "never":
        raise leaf.error(
            f"{leaf.where} contradicts itself: add_prefix_space is false, prepend_scheme {scheme!r}"
        )
    return _SCHEMES[scheme]


def _digits(leaf: Section) -> list[PreTokenizerStep]:
    return [Split(DIGIT, "isolated" if leaf.get("individual_digits", bool) else "contiguous")]


def _punctuation(leaf: Section) -> list[PreTokenizerStep]:
    return [Split(PUNCTUATION, read_behavior(leaf, "Isolated"))]


def _delimiter(leaf: Section) -> list[PreTokenizerStep]:
    return [Split(literal(read_char(leaf, "delimiter")), "removed")]


def _fixed_length(leaf: Section) -> list[PreTokenizerStep]:
    length = leaf.get("length", int, 5)
    if not 0 < length <= _LONGEST:
        raise leaf.error(f"{leaf.path('length')} must be from 1 to {_LONGEST}, got {length}")
    return [Split(rf"[\s\S]{{1,{length}}}")]


_Reader = Callable[[Section], list[PreTokenizerStep]]
_READERS: Mapping[str, _Reader] = {
    "ByteLevel": _byte_level,
    "Split": _split,
    "Metaspace": _metaspace,
    "Digits": _digits,
    "Punctuation": _punctuation,
    "Whitespace": lambda _: [Split(WORD_OR_SIGNS, "removed", invert=True)],
    "WhitespaceSplit": lambda _: [Split(WHITE_SPACE, "removed")],
    "BertPreTokenizer": lambda _: [Split(WHITE_SPACE, "removed"), Split(PUNCTUATION)],
    "UnicodeScripts": lambda _: [Split(SCRIPT_RUNS, "removed", invert=True)],
    "CharDelimiterSplit": _delimiter,
    "FixedLength": _fixed_length,
}


def pre_tokenizer_json(splitting: Splitting) -> Object | None:
    """The component that cuts, maps bytes to their stand-ins, or both.

    Raises:
        ExportError: Hugging Face would read a pattern differently, or has no such step.
    """
    steps = splitting.steps
    if splitting.pattern is not None:
        steps = (Split(splitting.pattern),)
    components = list(_components(steps, is_byte_level=splitting.is_byte_level))
    if len(components) > 1:
        return {"type": "Sequence", "pretokenizers": components}
    return components[0] if components else None


def _components(steps: Sequence[PreTokenizerStep], *, is_byte_level: bool) -> Iterator[Object]:
    must_spell = is_byte_level
    for place, step in enumerate(steps):
        if _belongs_to_prefix(steps, place):
            continue
        if isinstance(step, Split) and step.by_bytes and must_spell:
            yield byte_level_json()
            must_spell = False
        if isinstance(step, PrefixSpace) and must_spell:
            # Hugging Face puts a space in front only where it also spells the bytes.
            use_regex = _belongs_to_prefix(steps, place + 1)
            yield byte_level_json(add_prefix_space=True, use_regex=use_regex)
            must_spell = False
        else:
            yield _component(step, is_spelled=is_byte_level and not must_spell)
    if must_spell:
        yield byte_level_json()


def _belongs_to_prefix(steps: Sequence[PreTokenizerStep], place: int) -> bool:
    """True for the cut that ByteLevel makes by itself behind its prefix space."""
    return 0 < place < len(steps) and steps[place] == _GPT2 and steps[place - 1] == PrefixSpace()


def _component(step: PreTokenizerStep, *, is_spelled: bool) -> Object:
    match step:
        case Split() if step.by_bytes == is_spelled:
            return _split_json(replace(step, by_bytes=False))
        case Metaspace(replacement, prepend, split) if not is_spelled:
            kind = {"type": "Metaspace", "replacement": replacement}
            return kind | {"prepend_scheme": prepend, "split": split}
    raise ExportError(f"a tokenizer.json cannot express the pre-tokeniser {step} at its place")


def _split_json(step: Split) -> Object:
    if step in OWN_COMPONENTS:
        return OWN_COMPONENTS[step]
    return {
        "type": "Split",
        "pattern": {"Regex": portable_or_refuse(step.pattern)},
        "behavior": NAME_BY_BEHAVIOR[step.behavior],
        "invert": step.invert,
    }


def byte_level_json(*, add_prefix_space: bool = False, use_regex: bool = False) -> Object:
    """The component by which bytes are spelt, and read again."""
    return {
        "type": "ByteLevel",
        "add_prefix_space": add_prefix_space,
        "trim_offsets": True,
        "use_regex": use_regex,
    }
