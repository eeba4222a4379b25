"""What a person would see on the page, read from it."""

from playwright.sync_api import Page

READ = """async () => {
  const { page } = await import('/tokens.js');
  const { ids, starts, stops, broken } = page.tokens;
  return {
    ids: [...ids], broken: [...broken], isFresh: page.isFresh, text: page.tokens.text,
    parts: [...ids].map((_, i) => page.tokens.text.slice(starts[i], stops[i])),
  };
}"""


def write(page: Page, text: str) -> None:
    """Replace the page's text, and wait for its tokens."""
    page.locator("#text").fill(text)
    fresh(page)


def paste(page: Page, text: str) -> None:
    """Replace the page's text from the clipboard, and wait for its tokens."""
    page.evaluate("(text) => navigator.clipboard.writeText(text)", text)
    page.locator("#text").press("Control+a")
    page.keyboard.press("Control+v")
    fresh(page)


_FRESH = """async () => {
  const { page } = await import('/tokens.js');
  const until = performance.now() + 30_000;
  while (!page.isFresh || page.tokens.text !== page.text) {
    if (performance.now() > until) throw new Error('the tokens never came');
    await new Promise((done) => setTimeout(done, 10));
  }
}"""


def fresh(page: Page) -> None:
    """Wait until the tokens are those of the text."""
    page.evaluate(_FRESH)  # `wait_for_function` does not wait for a promise


def tokens(page: Page) -> dict:
    """The tokens that the page shows."""
    return page.evaluate(READ)


def ids_of(page: Page) -> list[int]:
    """The ids that the page shows; of a large text far sooner than `tokens`."""
    return page.evaluate("async () => [...(await import('/tokens.js')).page.tokens.ids]")


def text_of(page: Page) -> str:
    """The text, which very long lines are shown otherwise of."""
    return page.evaluate("async () => (await import('/tokens.js')).page.text")


def figure(page: Page, name: str) -> str:
    """One of the numbers above the text."""
    found = page.locator("#figures div", has=page.locator(f'dt:text-is("{name}")'))
    return found.locator("dd").inner_text()


def painted(page: Page, name: str) -> list[str]:
    """The stretches of text that one kind of paint is on."""
    return page.evaluate(
        "(name) => [...CSS.highlights.get(name)].map((range) =>"
        " range.startContainer.data.slice(range.startOffset, range.endOffset))",
        name,
    )


def view(page: Page, name: str) -> None:
    """Open a view by its tab."""
    page.get_by_role("tab", name=name).click()


def clipboard(page: Page) -> str:
    """What was copied last."""
    page.wait_for_function("() => document.getElementById('said').textContent.includes('copied')")
    return page.evaluate("navigator.clipboard.readText()")


def clipboard_text(page: Page) -> str:
    """What the clipboard holds."""
    return page.evaluate("navigator.clipboard.readText()")
