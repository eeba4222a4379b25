"""For everybody: keyboard alone, screen readers, dark and narrow screens."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from looking import view, write

axe = pytest.importorskip("axe_playwright_python", reason="needs bytepair[test-browser]")
VIEWS = ("Text", "Compare", "Languages", "Prompts", "Chat", "Vocabulary", "Pruning", "Training")
# The judge is put into the page, which its policy rightly forbids.
PLACES = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "narrow": {"viewport": {"width": 390, "height": 844}},
}


@pytest.mark.parametrize("place", PLACES)
def test_axe_finds_nothing(open_page, place):
    """Names, roles, contrast, order, in every view and with a card open."""
    page = open_page(bypass_csp=True, **PLACES[place])
    page.evaluate((Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8"))
    page.locator("#text").dblclick(position={"x": 20, "y": 20})
    expect(page.locator("#card h2")).to_be_visible()
    found = _violations(page)
    page.get_by_role("button", name="Close the card").click()
    for name in VIEWS[1:]:
        view(page, name)
        page.wait_for_timeout(400)
        found += [f"{name}: {what}" for what in _violations(page)]
    assert found == []


def _violations(page):
    answer = page.evaluate("axe.run()")
    return [
        f"{rule['id']}: {node['html'][:120]}"
        for rule in answer["violations"]
        for node in rule["nodes"]
    ]


def test_everything_can_be_reached_by_keyboard(page):
    """Tab comes by every control of the first view, in the order of reading, and shows where."""
    seen = []
    for _ in range(20):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.id || document.activeElement.name"))
    order = ["tokenizer", "specials", "open", "share", "theme", "tab-text", "price", "text",
             "copy-json", "copy-python", "ids-open", "spaces", "chunk", "tokens"]  # fmt: skip
    places = [seen.index(name) for name in order]
    assert places == sorted(places)


def test_tabs_and_the_list_are_walked_with_arrows(page):
    """As screen readers say of such controls; Enter opens the card, which takes the focus."""
    write(page, "The lowest of the lower tokens")
    page.locator("#tab-text").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Compare")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Home")
    page.locator("#tokens").focus()
    page.keyboard.press("Home")  # wherever the cursor was in the text
    page.keyboard.press("ArrowDown")
    row = page.locator("#tokens [aria-selected=true]")
    expect(row).to_have_attribute("aria-posinset", "2")
    expect(page.locator("#tokens")).to_have_attribute("aria-activedescendant", "tokens-1")
    page.keyboard.press("Enter")
    expect(page.locator("#card h2")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#card")).to_be_hidden()
    expect(page.locator("#tokens")).to_be_focused()


@pytest.mark.parametrize("name", VIEWS)
def test_a_narrow_screen_is_not_scrolled_sideways(open_page, name):
    """390 pixels are enough for every view."""
    page = open_page(viewport={"width": 390, "height": 844})
    view(page, name)
    page.wait_for_timeout(300)
    wide = page.evaluate("document.documentElement.scrollWidth")
    inner = page.locator(f"#view-{name.lower()}").evaluate(
        "view => view.scrollWidth - view.clientWidth"
    )
    assert (wide, inner) == (390, 0)


def test_the_theme_is_kept(page):
    """By the next visit."""
    page.get_by_label("Theme").select_option("dark")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"


def test_a_service_that_wants_a_key_is_given_one(open_page, browser, folder):
    """The page asks for it once, and keeps it in memory only."""
    from processes import Service

    with Service(folder / "small", "--api-key", "sesame", "--log", "errors") as guarded:
        context = browser.new_context()
        page = context.new_page()
        page.goto(guarded.url)
        page.get_by_label("API key").last.fill("sesame")
        page.get_by_role("button", name="Continue").click()
        page.wait_for_selector("html[data-ready]")
        expect(page.locator("#tokens .row").first).to_be_visible()
        assert "sesame" not in page.evaluate("JSON.stringify(localStorage)")
        context.close()
