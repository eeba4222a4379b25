"""Large texts: pasted, scrolled, changed in the middle."""

import pytest
from playwright.sync_api import expect

from conftest import PARAGRAPH
from looking import fresh, painted, paste, tokens, write

SIZE = 1_000_000
TEXTS = {
    "lines": (PARAGRAPH * (SIZE // len(PARAGRAPH) + 1))[:SIZE],
    "one line": "The lowest of the lower tokens was newer. " * 7000,
}


@pytest.mark.parametrize("kind", TEXTS)
def test_much_text_is_pasted_and_changed(page, small, kind):
    """In 1 MB, or a long line: all tokens are there, few are drawn, a change is seen."""
    text = TEXTS[kind]
    page.set_default_timeout(30_000)
    paste(page, text)
    assert tokens(page)["ids"] == small.encode(text)
    assert page.locator("#tokens .row").count() < 60
    page.evaluate(
        "(at) => { const area = document.getElementById('text'); area.focus();"
        " area.setSelectionRange(at, at); }",
        len(text) // 2,
    )
    page.keyboard.type("lower")
    fresh(page)
    middle = len(page.locator("#text").input_value()) // 2
    changed = page.locator("#text").input_value()
    assert "lower" in changed[middle - 20 : middle + 20]
    assert tokens(page)["ids"] == small.encode(changed)


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
