"""Text keeps the origin of its characters through whatever a template does with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair.chat import Traced

# Lower case and blanks are the template's, capitals and tabs somebody's: the oracle looks.
OWN, OTHER = "abß \n", "XYẞ\t"
PARTS = st.lists(st.sampled_from([OWN, OTHER]).flatmap(lambda chars: st.text(chars, max_size=4)))


def traced(parts: list[str]) -> Traced:
    """Parts of one kind of letters, of the origin that the letters tell."""
    return Traced.joined(Traced.own(part) if set(part) <= set(OWN) else part for part in parts)


def by_letters(text: str) -> list[tuple[str, bool]]:
    """Character by character, whose each is."""
    return [(char, char in OWN) for char in text]


def by_origin(text: str) -> list[tuple[str, bool]]:
    """The same, as the text itself has it."""
    return [(char, is_own) for run, is_own in Traced(text).runs() for char in run]


KEPT = {
    "strip": lambda t: [t.strip(), t.strip("aX"), t.lstrip(), t.rstrip("\n"), t.strip(None)],
    "split": lambda t: [*t.split(), *t.split("a"), *t.split(None, 1), *t.split("X", 1)],
    "rsplit": lambda t: [*t.rsplit(), *t.rsplit("a", 1), *t.rsplit(None, 1)],
    "lines": lambda t: [*t.splitlines(), *t.splitlines(True)],
    "partition": lambda t: [*t.partition("a"), *t.rpartition("X")],
    "slice": lambda t: [t[1:], t[:-1], t[::-1], t[::2], t[3:1], *t, *(t[-1:])],
    "affix": lambda t: [t.removeprefix("a"), t.removesuffix("X"), t.removeprefix("")],
    "join": lambda t: [t.join(["X", Traced.own("a"), t]), t.join([]), t.join(["X"])],
    "add": lambda t: [t + "X", "X" + t, t + t, t * 2, 2 * t, t * 0],
    "replace": lambda t: [t.replace("a", "X"), t.replace("X", Traced.own("a")), t.replace("a", t)],
    "count": lambda t: [t.replace("a", "XX", 1), t.replace("q", "X")],
    "str": lambda t: [str(t), f"{t!s}"[:0], Traced(t)],
    "percent": lambda t: [Traced.own("a%sb%s") % (t, "X"), Traced.own("%s") % t],
}


@pytest.mark.parametrize("name", KEPT)
@given(PARTS)
def test_origin_follows_the_characters(name, parts):
    """Cut, joined, turned round: every character is whose it was, and the text is `str`'s."""
    operation, text = KEPT[name], traced(parts)
    results = operation(text)
    plain = operation(PlainOwn(text.plain())) if name in ("strip", "split", "rsplit") else results
    assert [str(result) for result in results] == [str(result) for result in plain]
    assert [by_origin(result) for result in results] == [by_letters(result) for result in results]


class PlainOwn(str):
    """Python's own methods."""


SAME = (
    "strip",
    "split",
    "rsplit",
    "splitlines",
    "lower",
    "upper",
    "title",
    "capitalize",
    "swapcase",
    "casefold",
    "expandtabs",
)


@pytest.mark.parametrize("name", SAME)
@given(st.text())
def test_methods_give_the_text_that_python_gives(name, text):
    """Only the origin is added."""
    assert getattr(Traced.own(text), name)() == getattr(text, name)()


@given(
    st.text("<|ab>X\t "), st.text("<|ab>X\t ", max_size=2), st.text(max_size=3), st.integers(-1, 3)
)
def test_replacing_gives_the_text_that_python_gives(text, old, new, count):
    """With any number of replacements, the empty text among what is replaced."""
    assert Traced.own(text).replace(old, new, count) == text.replace(old, new, count)


@pytest.mark.parametrize("name", ["lower", "upper", "title", "casefold", "zfill", "center"])
@given(st.text())
def test_no_method_makes_text_the_templates(name, text):
    """What nobody wrote stays nobody's, also where characters become several."""
    method = getattr(Traced(text), name)
    result = method(9) if name in ("zfill", "center") else method()
    assert not any(is_own for _, is_own in Traced(result).runs())


def test_what_is_generated_is_still_whose_it_was():
    """Two facts about a character, kept apart."""
    text = Traced.own("a") + (Traced.own("b") + "X").generated() + Traced.own("c")
    assert text.runs() == [("ab", True), ("X", False), ("c", True)]
    assert text.generated_places() == [(1, 3)]
    assert (text.is_own(0, 2), text.is_own(), text.is_own(5, 5)) == (True, False, True)
