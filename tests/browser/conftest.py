"""A service, and a browser that looks at its page; what goes wrong in the page fails the test."""

import os
import shutil
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import bytepair
from bytepair.errors import BytepairWarning
from processes import Service
from serving import SPECIAL, TEMPLATE

pytest.importorskip("playwright", reason="the browser tests need bytepair[test-browser]")
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

PARAGRAPH = (
    "The lowest of the lower tokens was newer than the widest one. Größe, Ελλάδα, 日本語, "
    "नमस्ते, العربية, ភាសាខ្មែរ 🌶️ return self.values[index]\n"
)


def chromium() -> str:
    """Its path. With BYTEPAIR_BROWSER=required a machine without one is a failure."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None and os.environ.get("BYTEPAIR_BROWSER") == "required":
        pytest.fail("no chromium is installed")
    if found is None:
        pytest.skip("no chromium is installed: on Debian `apt-get install chromium`")
    return found


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tokenizers: `small`, with a chat template, and `tiny`."""
    made = tmp_path_factory.mktemp("tokenizers")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BytepairWarning)
        small = bytepair.train([PARAGRAPH * 9], vocab_size=420, special_tokens=SPECIAL)
        tiny = bytepair.train([PARAGRAPH * 9], vocab_size=270, special_tokens=[])
    small.with_conventions(chat_template=TEMPLATE, eos_token="<|end|>").save(made / "small")
    tiny.save(made / "tiny")
    return made


@pytest.fixture(scope="session")
def small(folder: Path) -> bytepair.Tokenizer:
    """The tokenizer that the page shows first."""
    return bytepair.load(folder / "small")


@pytest.fixture(scope="session")
def service(folder: Path) -> Iterator[Service]:
    """One process for all tests."""
    options = ("-t", f"tiny={folder / 'tiny'}", "--uploads", "4", "--log", "errors")
    with Service(folder / "small", *options) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's, without a window. Not for the session: Playwright holds the thread's event loop."""
    path = chromium()
    with sync_playwright() as driver:
        # Its sandbox wants privileges that containers lack; only our own page is opened.
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


Open = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser, service: Service) -> Iterator[Open]:
    """Opens the page; afterwards no error may have been written, and no other host been asked."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def call(fragment: str = "", *, may_fail: bool = False, **options: Any) -> Page:
        size = {"width": 1360, "height": 820}
        context = browser.new_context(**{"viewport": size, "locale": "en", **options})
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=service.url)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: wrong.append(f"uncaught: {error}"))
        page.on("request", lambda asked: _watch(asked.url, service.url, wrong))
        if not may_fail:
            page.on("console", lambda said: wrong.append(said.text) if said.type != "log" else None)
        page.goto(f"{service.url}/{fragment}")
        page.wait_for_selector("html[data-ready]")
        return page

    yield call
    for context in contexts:
        context.close()
    assert wrong == []


def _watch(url: str, own: str, wrong: list[str]) -> None:
    if not url.startswith((own, "blob:", "data:")):
        wrong.append(f"asked elsewhere: {url}")


@pytest.fixture
def page(open_page: Open) -> Page:
    """The page as it is first seen."""
    return open_page()
