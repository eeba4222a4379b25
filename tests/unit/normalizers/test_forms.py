import unicodedata
from itertools import combinations
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair.normalizers._forms import Form, NormalForm

PARTS = "aeoq\u0301\u0323\u0308\u0345 가각\u1100\u1161\u11a8éộﬁ\u3131\u314fﾊﾟ"
FORMS = get_args(Form)


@pytest.mark.parametrize("form", FORMS)
@given(text=st.text(PARTS, max_size=12))
def test_edits_make_what_the_standard_library_makes(form: Form, text: str) -> None:
    """On characters that all versions of Unicode know alike, the two must agree."""
    parts, done = [], 0
    for start, end, content in NormalForm(form).edits(text):
        parts += [text[done:start], content]
        done = end
    assert "".join([*parts, text[done:]]) == unicodedata.normalize(form, text)


@pytest.mark.parametrize("form", FORMS)
@given(text=st.text(PARTS, max_size=8))
def test_edits_can_be_made_one_by_one(form: Form, text: str) -> None:
    """What lies between two of them is normal by itself: none takes in too little."""
    edits = list(NormalForm(form).edits(text))
    borders = sorted({0, len(text), *(place for edit in edits for place in edit[:2])})
    for start, end in combinations(borders, 2):
        inside = [edit for edit in edits if start <= edit[0] and edit[1] <= end]
        if sum(edit[1] - edit[0] for edit in inside) == end - start:
            assert "".join(edit[2] for edit in inside) == unicodedata.normalize(
                form, text[start:end]
            )


@pytest.mark.parametrize("form", FORMS)
def test_edit_is_no_longer_than_it_must_be(form: Form) -> None:
    """What stays at the ends of a group keeps its place."""
    edits = list(NormalForm(form).edits("x e\u0301\u0301 é\u0308y"))
    assert edits == ([(2, 4, "é")] if form in {"NFC", "NFKC"} else [(6, 7, "e\u0301")])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "char", ["\U00011938", "\u1df6", "\u08ca", "\U00010781", "\u32ff"], ids=unicodedata.name
)
def test_character_younger_than_unicode_9_is_a_letter_like_any_other(form: Form, char: str) -> None:
    """Python versions differ about such characters; the ids of a text must not."""
    text = f"q{char}\u0323\U00011935\U00011930"
    assert NormalForm(form).apply(text) == text
    assert NormalForm(form).apply(f"q\u0301{char}\u0323") == f"q\u0301{char}\u0323"
