"""Large texts: pasted, scrolled, changed in the middle."""

from itertools import pairwise

import pytest
from playwright.sync_api import expect

from conftest import PARAGRAPH
from looking import clipboard_text, fresh, ids_of, painted, paste, text_of, tokens, write

SIZE = 1_000_000
TEXTS = {
    "lines": (PARAGRAPH * (SIZE // len(PARAGRAPH) + 1))[:SIZE],
    "one line": (PARAGRAPH.replace("\n", " ") * (SIZE // len(PARAGRAPH) + 1))[:SIZE],
}


@pytest.mark.parametrize("kind", TEXTS)
def test_much_text_is_pasted_and_changed(page, small, kind):
    """In 1 MB, of one line too: all tokens are there, few are drawn, a change is seen."""
    text = TEXTS[kind]
    page.set_default_timeout(30_000)
    paste(page, text)
    assert ids_of(page) == small.encode(text)
    assert page.locator("#tokens .row").count() < 60
    page.evaluate(
        "(at) => { const area = document.getElementById('text'); area.focus();"
        " area.setSelectionRange(at, at); }",
        len(text) // 2,
    )
    page.keyboard.type("lower")
    fresh(page)
    changed = text_of(page)
    assert len(changed) == len(text) + 5
    assert "lower" in changed[len(text) // 2 - 400 : len(text) // 2 + 20]
    assert ids_of(page) == small.encode(changed)


def test_scrolling_paints_what_comes_into_view(page):
    """The end of a long text is painted when it is seen, and the row of its last token exists."""
    write(page, "low " * 30_000 + "lowest")
    page.locator("#desk").evaluate("desk => { desk.scrollTop = desk.scrollHeight; }")
    page.wait_for_timeout(200)
    drawn = [part for n in range(6) for part in painted(page, f"tok-{n}")]
    assert sum(map(len, drawn)) < 30_000
    assert tokens(page)["parts"][-1] in drawn
    page.locator("#tokens").press("End")
    expect(page.locator("#tokens .row[aria-selected=true]")).to_be_visible()


def put_cursor(page, at):
    """In what is shown."""
    page.evaluate("(at) => document.getElementById('text').setSelectionRange(at, at)", at)


def test_a_very_long_line_is_broken_for_the_eye_alone(page, small):
    """What is typed, deleted, undone, copied and cut there concerns the text, not its folds."""
    text = "low Größe " * 4000
    paste(page, text)
    shown = page.locator("#text").input_value()
    fold = shown.index("\n")
    assert shown.replace("\n", "") == text_of(page) == text
    put_cursor(page, fold + 1)
    page.keyboard.type("est")
    assert text_of(page) == text[:fold] + "est" + text[fold:]
    for _ in range(4):  # the fold, too
        page.keyboard.press("Backspace")
    assert text_of(page) == text
    for _ in range(9):
        page.keyboard.press("Control+z")
    assert text_of(page) == text
    page.evaluate("(at) => document.getElementById('text').setSelectionRange(0, at)", 9000)
    page.keyboard.press("Control+c")
    assert clipboard_text(page) == text[: len(clipboard_text(page))]
    page.keyboard.press("Control+x")
    assert text_of(page) == text[len(clipboard_text(page)) :]
    fresh(page)
    assert ids_of(page) == small.encode(text_of(page))


FOLDED = """async ([text, edits]) => {
  const { Folded } = await import('/fold.js');
  const folded = new Folded();
  folded.set(text);
  const units = [0, 1, text.length >> 1, text.length];
  const back = units.map((unit) => folded.unit(folded.place(unit)));
  const at = Uint32Array.from(units);
  const { starts, stops } = folded.tokens({ starts: at, stops: at });
  const found = [folded.unfolded(), back.join() === at.join(), starts[1],
    stops[3] - folded.shown.length];
  for (const [at, removed, added] of edits) {
    const { shown } = folded;
    found.push(folded.typed(shown.slice(0, at) + added + shown.slice(at + removed)));
  }
  return found;
}"""


def test_folds_stay_out_of_the_text(page):
    """Wherever it is changed: before, behind, across them."""
    text = "".join(f"{n} low 日本語 🌶️" for n in range(3000))
    edits = [(5, 0, "new\n"), (9000, 6000, ""), (20, 3, "x" * 50), (12_000, 9000, "y")]
    whole, is_back, start, stop, *changed = page.evaluate(FOLDED, [text, edits])
    assert (whole, is_back, start, stop) == (text, True, 1, 0)
    assert changed[0] == text[:5] + "new\n" + text[5:]
    for before, after in pairwise(changed):
        assert len(after) <= len(before) + 50
        assert after.count("\n") <= 1
