"""What the parity tests feed to the engines: text, bytes that are not text, regexes."""

import random
import sysconfig
from functools import cache
from pathlib import Path
from unicodedata import ucd_3_2_0

import hypothesis.strategies as st
from hypothesis import settings

from strings import BROKEN, DISPUTED, FRAGMENTS


def fewer(times: int) -> settings:
    """For tests whose examples are slow, in place of what `tests/conftest.py` gives them."""
    return settings(max_examples=max(settings.default.max_examples // times, 10))


def is_settled(data: bytes) -> bool:
    """True if every library knows the characters: those of Unicode 3.2, and the fragments'."""
    text = data.decode("utf-8", "surrogateescape")
    return all(ucd_3_2_0.category(char) != "Cn" or char in _KNOWN for char in text)


_KNOWN = frozenset("".join(FRAGMENTS))


def texts(max_size: int = 12) -> st.SearchStrategy[str]:
    """Text without surrogates: known fragments among any characters."""
    parts = st.sampled_from(FRAGMENTS) | st.characters(exclude_categories=["Cs"])
    return st.lists(parts, max_size=max_size).map("".join)


def documents(max_size: int = 12) -> st.SearchStrategy[bytes]:
    """Text, broken UTF-8 and arbitrary bytes, mixed."""
    known = st.sampled_from([part.encode() for part in FRAGMENTS + list(DISPUTED)] + BROKEN)
    chars = st.characters(exclude_categories=["Cs"]).map(str.encode)
    return st.lists(known | chars | st.binary(max_size=4), max_size=max_size).map(b"".join)


def long_documents(max_parts: int = 800) -> st.SearchStrategy[bytes]:
    """The same, some kilobytes of it: too long to be chosen part by part, so chosen by a seed."""
    parts = [part.encode() for part in FRAGMENTS + list(DISPUTED)] * 9 + BROKEN

    def made(seed: int, n_parts: int, n_kinds: int) -> bytes:
        choose = random.Random(seed)
        return b"".join(choose.choices(choose.sample(parts, n_kinds), k=n_parts))

    kinds = st.integers(1, 60)
    return st.builds(made, st.integers(0, 2**32), st.integers(0, max_parts), kinds)


def settled_documents(max_size: int = 12) -> st.SearchStrategy[bytes]:
    """Documents on which no library has another opinion by its Unicode version."""
    return documents(max_size).filter(is_settled)


def runs(alphabet: str = "ab", max_size: int = 40) -> st.SearchStrategy[bytes]:
    """Few letters, so that repeats, overlaps and ties abound."""
    return st.text(alphabet, max_size=max_size).map(str.encode)


@cache
def sources(at_least: int) -> tuple[str, ...]:
    """Python's own library, in order of path, up to a size: real text that every machine has."""
    documents, size = [], 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        if "site-packages" in path.parts or size > at_least:
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        documents.append(text)
        size += len(text.encode())
    return tuple(documents)


@cache
def medley() -> tuple[str, ...]:
    """A corpus of the fragments, often enough that they are learned, and some source code."""
    choose = random.Random(3)
    lines = tuple("".join(choose.choices(FRAGMENTS, k=30)) for _ in range(200))
    return lines + sources(20_000)[:3]


# ---------------------------------------------------------------------- regexes

_CHARS = ["a", "b", "B", "f", "K", "s", "i", "1", "9", " ", r"\n", "_", "'", "-", r"\.", "é", "日"]
_SETS = [r"\p{L}", r"\p{Lu}", r"\p{N}", r"\pM", r"\p{P}", r"\P{L}", r"\s", r"\S", r"\d", r"\D"]
_SETS += [r"\w", r"\W", r"\p{Alphabetic}"]
_RANGES = ["a-f", "A-Z", "0-5", r"\x00-\x1f", "à-ÿ", r"\u0300-\u036f"]
_IN_CLASS = [r"\-" if char == "-" else char for char in _CHARS] + _RANGES
_ONE_OR_MORE = ["+", "{2}", "{1,}", "{1,3}", "{2,4}"]
_NONE_OR_MORE = ["?", "*", "{0,2}"]


def _joined(*parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map("".join)


def _one_of(chars: list[str], in_class: list[str], negation: list[str]) -> st.SearchStrategy[str]:
    """A character, or a class; `negation` is what the class may begin with."""
    items = st.lists(st.sampled_from(in_class), min_size=1, max_size=4).map("".join)
    bracket = _joined(st.just("["), st.sampled_from(negation), items, st.just("]"))
    return st.sampled_from(chars) | bracket


def _choice(solid: st.SearchStrategy[str], part: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Options of which none matches the empty text: each has a part that is solid."""
    option = _joined(st.just("") | part, solid, st.just("") | part)
    return st.lists(option, min_size=1, max_size=3).map("|".join)


def _parts(
    one: st.SearchStrategy[str], modes: list[str]
) -> tuple[st.SearchStrategy[str], st.SearchStrategy[str]]:
    """(what matches at least one character, what need not); `modes` follow a repeat."""

    def repeated(signs: list[str]) -> st.SearchStrategy[str]:
        return _joined(one, st.sampled_from([f"{sign}{mode}" for sign in signs for mode in modes]))

    solid = one | repeated(_ONE_OR_MORE)
    return solid, solid | repeated(_NONE_OR_MORE)


_character = _one_of([*_CHARS, *_SETS, "."], [*_IN_CLASS, *_SETS], ["", "", "^"])
_ascii = _one_of(
    [char for char in _CHARS if char.isascii()],
    [char for char in _IN_CLASS if char.isascii() and not char.startswith(r"\u")],
    [""],
)
_look = _joined(st.sampled_from(["(?=", "(?!"]), _character, st.just(")"))


def regexes(*, lazy: bool = True) -> st.SearchStrategy[str]:
    """Regexes of the dialect in which tokenizers cut text; none matches the empty text.

    Without `lazy` all repeats are greedy: what engines read alike.
    """
    modes = ["", "?", "+"] if lazy else [""]
    solid, simple = _parts(_character, modes)
    without_case = _choice(*_parts(_ascii, modes)).map("(?i:{})".format)
    group = _joined(st.sampled_from(["(", "(?:"]), _choice(solid, simple), st.just(")"))
    solid_group, any_group = _parts(group | without_case, modes[:2])
    return _choice(solid | solid_group, simple | any_group | _look)


regex_texts = st.text("abBfFkKsSiI19 \n\r_'-.éàÀ日\u0301ſ\u212a😀\u00a0٣", max_size=12)
"""Text that such a regex has something to do with."""
